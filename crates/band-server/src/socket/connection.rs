//! One socket: a reader and a writer in one task, so that neither waits for the other.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use band_core::platform::hub::{Answer, Close, IDLE_TIMEOUT, Input, Ticket};
use band_wire::phx::{Frame, Topic};
use futures_util::stream::FuturesUnordered;
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use serde_json::Map;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite;

use super::outbox::{Item, Pickup};
use super::switchboard::{Question, Seat};
use crate::app::App;

/// How long one write may take before the peer counts as gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the closing handshake may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Joins of one socket that are checked at a time. More are left in the socket.
const MAX_QUESTIONS: usize = 64;

/// Serves a socket until either side closes it.
pub(super) async fn serve(socket: WebSocket, mut seat: Seat, app: App) {
    let Some(pickup) = seat.pickup() else { return };
    let cut = pickup.cutter();
    let (sink, mut stream) = socket.split();
    let mut writer = std::pin::pin!(write(sink, pickup));
    let ended = tokio::select! {
        () = &mut writer => Ended::ByUs,
        ended = read(&mut stream, &seat, |question| ask(&app, question)) => ended,
    };
    match ended {
        Ended::ByUs => {}
        Ended::ByPeer => return,
        Ended::Broken(close) => {
            cut(close);
            writer.await;
        }
    }
    // The peer answers our close; what it still says is not heard.
    let _ = timeout(CLOSE_TIMEOUT, async { while let Some(Ok(_)) = stream.next().await {} }).await;
}

enum Ended {
    /// The writer has said goodbye.
    ByUs,
    /// The peer has closed, or is gone.
    ByPeer,
    /// The peer is to be told why this is the end.
    Broken(Close),
}

async fn read<S, F>(stream: &mut S, seat: &Seat, ask: impl Fn(Question) -> F) -> Ended
where
    S: Stream<Item = Result<Message, axum::Error>> + Unpin,
    F: Future<Output = (Ticket, Answer)>,
{
    let mut asked = FuturesUnordered::new();
    let mut heard = Instant::now();
    loop {
        tokio::select! {
            biased;
            Some((ticket, answer)) = asked.next(), if !asked.is_empty() => {
                heard = Instant::now();
                seat.board().tell(Input::Answer { conn: seat.conn, ticket, answer });
            }
            message = stream.next(), if asked.len() < MAX_QUESTIONS => {
                heard = Instant::now();
                let questions = match message {
                    Some(Ok(message)) => hear(message, seat),
                    Some(Err(err)) => return broken(err),
                    None => return Ended::ByPeer,
                };
                asked.extend(questions.into_iter().map(&ask));
            }
            () = tokio::time::sleep_until(heard + IDLE_TIMEOUT) => return Ended::Broken(Close::Idle),
        }
    }
}

/// Whether the store allows a join. Nothing is refused for a passing trouble of the store.
async fn ask(app: &App, question: Question) -> (Ticket, Answer) {
    let Question { ticket, principal, topic } = question;
    let answer = match app.may_join(principal, topic).await {
        Ok(true) => response(app, topic).await,
        Ok(false) => Answer::Denied,
        Err(_) => Answer::Unknown,
    };
    (ticket, answer)
}

/// What the reply to a join holds.
async fn response(app: &App, topic: Topic) -> Answer {
    let Topic::RoomActivity(chat) = topic else { return Answer::Allowed(Map::new()) };
    app.working(chat).await.map_or(Answer::Unknown, Answer::Allowed)
}

/// Pings are answered by the library; like every other frame they show that the peer is there.
fn hear(message: Message, seat: &Seat) -> Vec<Question> {
    let conn = seat.conn;
    match message {
        Message::Text(text) => seat.board().tell(Input::Frame { conn, frame: Frame::decode(&text) }),
        Message::Binary(_) => seat.board().tell(Input::Binary { conn }),
        Message::Ping(_) | Message::Pong(_) | Message::Close(_) => Vec::new(),
    }
}

fn broken(err: axum::Error) -> Ended {
    use tungstenite::Error;
    match err.into_inner().downcast::<Error>().map(|err| *err) {
        Ok(Error::Capacity(_)) => Ended::Broken(Close::TooLarge),
        Ok(Error::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake)) => Ended::ByPeer,
        Ok(Error::Protocol(_) | Error::Utf8(_)) => Ended::Broken(Close::Protocol),
        _ => Ended::ByPeer,
    }
}

/// Writes what is queued until a close is due or the peer no longer takes anything.
async fn write<S>(mut sink: S, mut pickup: Pickup)
where
    S: Sink<Message, Error = axum::Error> + Unpin,
{
    let cut = pickup.cut_off();
    while let Some(item) = pickup.next().await {
        match item {
            Item::Text(text) => {
                let flush = !pickup.has_more();
                let written = async {
                    sink.feed(Message::Text(text)).await?;
                    if flush { sink.flush().await } else { Ok(()) }
                };
                tokio::select! {
                    () = cut.cancelled() => {}
                    written = timeout(WRITE_TIMEOUT, written) => match written {
                        Ok(Ok(())) => {}
                        Ok(Err(_)) | Err(_) => return,
                    },
                }
            }
            Item::Close(close) => {
                let frame = CloseFrame { code: close.code(), reason: close.reason().into() };
                let _ = timeout(CLOSE_TIMEOUT, sink.send(Message::Close(Some(frame)))).await;
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;

    use band_core::platform::Principal;
    use band_core::platform::hub::{Lane, OnConflict};
    use band_wire::UserId;
    use futures_util::stream;

    use super::super::outbox::queues;
    use super::super::switchboard::Switchboard;
    use super::*;

    fn seat() -> Seat {
        let (board, _) = Switchboard::new(1);
        let user = Principal::User(UserId::new(uuid::Uuid::from_u128(7)));
        Arc::new(board).open(user, OnConflict::Supersede).unwrap()
    }

    async fn never(_: Question) -> (Ticket, Answer) {
        std::future::pending().await
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_peer_is_gone_after_the_idle_timeout() {
        let began = Instant::now();
        let mut silence = stream::pending();
        assert!(matches!(read(&mut silence, &seat(), never).await, Ended::Broken(Close::Idle)));
        assert_eq!(began.elapsed(), IDLE_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn pings_alone_keep_a_peer() {
        let began = Instant::now();
        let pings = stream::unfold(0, |sent| async move {
            tokio::time::sleep(Duration::from_secs(60)).await;
            (sent < 10).then(|| (Ok(Message::Ping(Vec::new().into())), sent + 1))
        });
        let mut pings = std::pin::pin!(pings);
        assert!(matches!(read(&mut pings, &seat(), never).await, Ended::ByPeer));
        assert_eq!(began.elapsed(), Duration::from_secs(660));
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_takes_nothing_is_given_up() {
        let began = Instant::now();
        let (outbox, pickup) = queues();
        outbox.push(Lane::Ordered, "a".into());
        let stuck = futures_util::sink::unfold((), |(), _: Message| {
            std::future::pending::<Result<(), axum::Error>>()
        });
        write(Box::pin(stuck), pickup).await;
        assert_eq!(began.elapsed(), WRITE_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_socket_that_is_cut_off_says_why_and_nothing_else() {
        let (outbox, pickup) = queues();
        for _ in 0..10 {
            outbox.push(Lane::Ordered, "a".into());
        }
        outbox.cut(Close::TooSlow);
        let mut written = Vec::new();
        let sink = futures_util::sink::drain().with(|message: Message| {
            written.push(message);
            std::future::ready(Ok::<_, Infallible>(()))
        });
        write(Box::pin(sink.sink_map_err(axum::Error::new)), pickup).await;
        assert!(
            matches!(written.as_slice(), [Message::Close(Some(frame))] if frame.code == 1012),
            "{written:?}"
        );
    }
}
