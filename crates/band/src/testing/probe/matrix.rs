//! What every adapter has to get right, whatever it runs.

use std::fmt;
use std::future::Future;
use std::time::Duration;

use band_wire::{ChatId, Id};
use tokio::time::timeout;
use uuid::Uuid;

use super::TurnProbe;
use crate::adapter::{AdapterErrorKind, FrameworkAdapter};
use crate::history::{HistoryItem, RawHistory, Role};
use crate::testing::FakeTools;

/// How long one scenario may take. An adapter that hangs fails its scenario.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the adapter is to do with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// Answers with this text, once.
    Reply(&'static str),
    /// Declines to answer.
    Decline,
    /// Opens a room by `band_create_chatroom`, and says nothing.
    Act,
    /// Ends the turn in its own way.
    Settle,
    /// Does nothing at all, and returns normally.
    Nothing,
    /// Fails: its provider refuses, its code raises.
    Fail,
    /// Waits for something that does not come, until it is cancelled.
    Hang,
}

/// A message's text, and what the adapter is to do with that message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cue {
    /// The message's text; no other message has it.
    pub when: &'static str,
    /// What it does.
    pub then: Doing,
}

/// An adapter under test, and how it is brought to do things.
///
/// ```
/// # tokio_test();
/// # fn tokio_test() { tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// use band::testing::{Cue, Doing, ProbeSubject, TurnProbe};
/// use band::{AdapterResult, FrameworkAdapter, RawHistory, SimpleAdapter, Turn};
///
/// struct Scripted(Vec<Cue>);
///
/// impl SimpleAdapter for Scripted {
///     type Converter = RawHistory;
///
///     async fn on_message(&self, turn: Turn) -> AdapterResult {
///         match self.0.iter().find(|cue| cue.when == turn.text()).map(|cue| cue.then) {
///             Some(Doing::Reply(text)) => drop(turn.reply(text).await?),
///             Some(Doing::Decline) => turn.no_reply(None),
///             Some(Doing::Settle) => turn.settle(),
///             Some(Doing::Fail) => return Err("it broke".into()),
///             Some(Doing::Hang) => {
///                 turn.cancelled().await;
///                 return Err(band::Error::Cancelled.into());
///             }
///             _ => {}
///         }
///         Ok(())
///     }
/// }
///
/// struct Subject;
///
/// impl ProbeSubject for Subject {
///     type Adapter = Scripted;
///
///     fn can(&self, doing: Doing) -> bool {
///         doing != Doing::Act
///     }
///
///     async fn adapter(&self, cues: Vec<Cue>) -> Scripted {
///         Scripted(cues)
///     }
/// }
///
/// let report = TurnProbe::matrix(&Subject).await;
/// report.assert();
/// # }); }
/// ```
pub trait ProbeSubject: Sync {
    /// The adapter.
    type Adapter: FrameworkAdapter;

    /// Whether it can be brought to do this. What it can't do is left out of the report.
    fn can(&self, doing: Doing) -> bool {
        let _ = doing;
        true
    }

    /// A new adapter that will do these things. It has not been started.
    fn adapter(&self, cues: Vec<Cue>) -> impl Future<Output = Self::Adapter> + Send;

    /// Resolves when the adapter hangs, so that it can be cancelled midway. Default: a little later.
    fn hangs(&self) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(Duration::from_millis(50))
    }
}

/// What came of each scenario.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbeReport {
    rows: Vec<(&'static str, Option<Result<(), String>>)>,
}

impl ProbeReport {
    /// The scenarios: the name, and what came of it; none where the adapter can't be brought to do it.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, Option<&Result<(), String>>)> {
        self.rows.iter().map(|(name, result)| (*name, result.as_ref()))
    }

    /// Fails the test unless every scenario went well.
    ///
    /// # Panics
    /// One did not: with the whole report.
    #[expect(clippy::panic, reason = "it is what a test calls")]
    #[track_caller]
    pub fn assert(&self) {
        if self.rows.iter().any(|(_, result)| matches!(result, Some(Err(_)))) {
            panic!("the adapter does not behave:\n{self}");
        }
    }
}

/// One line a scenario.
impl fmt::Display for ProbeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, result) in &self.rows {
            match result {
                None => writeln!(f, "-    {name}")?,
                Some(Ok(())) => writeln!(f, "ok   {name}")?,
                Some(Err(why)) => writeln!(f, "FAIL {name}: {why}")?,
            }
        }
        Ok(())
    }
}

type Checked = Result<(), String>;

fn check(holds: bool, what: &str) -> Checked {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// What the room saw of one turn.
struct Seen {
    failed: Option<AdapterErrorKind>,
    said: Vec<String>,
    complete: bool,
    replied: bool,
}

impl TurnProbe {
    /// Runs the outcomes that every adapter has to get right: it replies, declines, acts, settles, stays silent,
    /// fails, is cancelled midway, works in two rooms at once, starts again with a past, and cleans up.
    pub async fn matrix<S: ProbeSubject>(subject: &S) -> ProbeReport {
        let mut report = ProbeReport::default();
        let mut row = |name, result| report.rows.push((name, result));
        for (name, doing) in [
            ("replies", Doing::Reply("the answer")),
            ("declines", Doing::Decline),
            ("acts and says nothing", Doing::Act),
            ("settles the turn itself", Doing::Settle),
            ("does nothing: a missing reply", Doing::Nothing),
            ("fails", Doing::Fail),
        ] {
            row(name, if subject.can(doing) { Some(limited(one(subject, doing)).await) } else { None });
        }
        let hangs = subject.can(Doing::Hang);
        row("is cancelled midway", if hangs { Some(limited(cancelled(subject)).await) } else { None });
        row("two rooms at once", if hangs { Some(limited(two_rooms(subject)).await) } else { None });
        row("starts again with a past", Some(limited(restarted(subject)).await));
        row("cleans up and starts again", Some(limited(cleaned(subject)).await));
        report
    }
}

async fn limited(scenario: impl Future<Output = Checked> + Send) -> Checked {
    timeout(PATIENCE, scenario).await.unwrap_or_else(|_| Err(format!("it took longer than {PATIENCE:?}")))
}

async fn started<S: ProbeSubject>(
    subject: &S,
    room: &FakeTools,
    cues: Vec<Cue>,
) -> Result<S::Adapter, String> {
    let adapter = subject.adapter(cues).await;
    start(&adapter, room).await?;
    Ok(adapter)
}

async fn start<A: FrameworkAdapter>(adapter: &A, room: &FakeTools) -> Checked {
    let platform = room.platform().map_err(|err| err.to_string())?;
    adapter.on_started(room.identity(), &platform).await.map_err(|err| format!("it did not start: {err}"))
}

async fn turn<A: FrameworkAdapter>(adapter: &A, room: &FakeTools, text: &str, past: RawHistory) -> Seen {
    let before = room.sent().len();
    let input = room.turn_after(text, past);
    let probe = TurnProbe::on(&input);
    let outcome = adapter.on_event(input).await;
    Seen {
        failed: outcome.err().map(|err| err.kind()),
        said: room.sent().into_iter().skip(before).map(|sent| sent.content).collect(),
        complete: probe.is_complete(),
        replied: probe.replied(),
    }
}

async fn one<S: ProbeSubject>(subject: &S, doing: Doing) -> Checked {
    let room = FakeTools::new();
    let adapter = started(subject, &room, vec![Cue { when: "do it", then: doing }]).await?;
    let seen = turn(&adapter, &room, "do it", RawHistory::default()).await;
    let said: &[&str] = if let Doing::Reply(text) = doing { &[text] } else { &[] };
    check(seen.said == said, &format!("it said {:?}", seen.said))?;
    match doing {
        Doing::Fail => {
            check(seen.failed == Some(AdapterErrorKind::Failed), &format!("it ended with {:?}", seen.failed))
        }
        Doing::Nothing => {
            check(seen.failed.is_none(), "silence is no error of the adapter")?;
            check(!seen.complete, "silence counts as an answer")
        }
        _ => {
            check(seen.failed.is_none(), &format!("it ended with {:?}", seen.failed))?;
            check(seen.complete, "the turn counts as unanswered")?;
            let answers = matches!(doing, Doing::Reply(_) | Doing::Decline);
            check(seen.replied == answers, "the turn does not count as what it was")
        }
    }
}

async fn cancelled<S: ProbeSubject>(subject: &S) -> Checked {
    let room = FakeTools::new();
    let cues = vec![
        Cue { when: "wait for it", then: Doing::Hang },
        Cue { when: "now answer", then: Doing::Reply("here") },
    ];
    let adapter = started(subject, &room, cues).await?;
    let stop = async {
        subject.hangs().await;
        room.cancel();
    };
    let (seen, ()) = tokio::join!(turn(&adapter, &room, "wait for it", RawHistory::default()), stop);
    check(seen.said.is_empty(), "it said something all the same")?;
    check(!seen.replied, "the turn counts as answered")?;
    let ended = matches!(seen.failed, None | Some(AdapterErrorKind::Cancelled));
    check(ended, &format!("it ended with {:?}", seen.failed))?;
    let again = FakeTools::new();
    let seen = turn(&adapter, &again, "now answer", RawHistory::default()).await;
    check(seen.said == ["here"], &format!("the next message got {:?}", seen.said))
}

async fn two_rooms<S: ProbeSubject>(subject: &S) -> Checked {
    let (one, other) = (FakeTools::new().in_room(room(1)), FakeTools::new().in_room(room(2)));
    let cues = vec![
        Cue { when: "wait here", then: Doing::Hang },
        Cue { when: "answer there", then: Doing::Reply("there") },
    ];
    let adapter = started(subject, &one, cues).await?;
    let meanwhile = async {
        subject.hangs().await;
        let seen = turn(&adapter, &other, "answer there", RawHistory::default()).await;
        one.cancel();
        seen
    };
    let (waiting, seen) = tokio::join!(turn(&adapter, &one, "wait here", RawHistory::default()), meanwhile);
    check(seen.said == ["there"], &format!("the other room got {:?}", seen.said))?;
    check(waiting.said.is_empty(), "the room that waits got an answer")
}

async fn restarted<S: ProbeSubject>(subject: &S) -> Checked {
    let room = FakeTools::new();
    let adapter = started(subject, &room, vec![Cue { when: "and now", then: Doing::Reply("new") }]).await?;
    let me = room.identity();
    let past = [("text", false, "an old question"), ("text", true, "an old answer")];
    let items = past.map(|(kind, is_own, content)| HistoryItem {
        id: Id::new(Uuid::new_v4()),
        role: if is_own { Role::Assistant } else { Role::User },
        content: content.to_owned(),
        sender_id: if is_own { me.id.into() } else { FakeTools::ada() },
        sender_name: if is_own { me.name.clone() } else { "Ada".to_owned() },
        sender_type: if is_own { "Agent" } else { "User" }.to_owned(),
        message_type: kind.to_owned(),
        metadata: serde_json::Map::new(),
        attachments: Vec::new(),
        created_at: None,
        sender_handle: None,
        is_own,
    });
    let seen = turn(&adapter, &room, "and now", RawHistory { items: items.into(), truncated: false }).await;
    check(seen.said == ["new"], &format!("it said {:?}", seen.said))
}

async fn cleaned<S: ProbeSubject>(subject: &S) -> Checked {
    let fake = FakeTools::new();
    let cues = vec![
        Cue { when: "first", then: Doing::Reply("one") },
        Cue { when: "second", then: Doing::Reply("two") },
    ];
    let adapter = started(subject, &fake, cues).await?;
    let failed = |what: &'static str| move |err| format!("{what}: {err}");
    adapter.on_cleanup(room(9)).await.map_err(failed("a room that it never saw"))?;
    let seen = turn(&adapter, &fake, "first", RawHistory::default()).await;
    check(seen.said == ["one"], &format!("it said {:?}", seen.said))?;
    for what in ["a room", "a room, once more"] {
        adapter.on_cleanup(fake.tools().room()).await.map_err(failed(what))?;
    }
    adapter.cleanup_all().await.map_err(failed("all of it"))?;
    start(&adapter, &fake).await?;
    let seen = turn(&adapter, &fake, "second", RawHistory::default()).await;
    check(seen.said == ["two"], &format!("after a second start it said {:?}", seen.said))
}

fn room(number: u128) -> ChatId {
    Id::new(Uuid::from_u128(0x1000 + number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AdapterResult, Error, SimpleAdapter, Turn};

    /// An adapter that does as it is told, or, where it is broken, something else.
    struct Scripted(Vec<Cue>, Option<Doing>);

    impl SimpleAdapter for Scripted {
        type Converter = RawHistory;

        async fn on_message(&self, turn: Turn) -> AdapterResult {
            let told = self.0.iter().find(|cue| cue.when == turn.text()).map(|cue| cue.then);
            if self.1.is_some() && self.1 == told {
                turn.notice("surprise").await?;
                return Ok(());
            }
            match told {
                Some(Doing::Reply(text)) => drop(turn.reply(text).await?),
                Some(Doing::Decline) => turn.no_reply(None),
                Some(Doing::Settle | Doing::Act) => turn.settle(),
                Some(Doing::Fail) => return Err("it broke".into()),
                Some(Doing::Hang) => {
                    turn.cancelled().await;
                    return Err(Error::Cancelled.into());
                }
                _ => {}
            }
            Ok(())
        }
    }

    struct Subject(Option<Doing>);

    impl ProbeSubject for Subject {
        type Adapter = Scripted;

        async fn adapter(&self, cues: Vec<Cue>) -> Scripted {
            Scripted(cues, self.0)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_adapter_that_behaves_passes() {
        let report = TurnProbe::matrix(&Subject(None)).await;
        report.assert();
        assert_eq!(report.rows().count(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn each_way_to_misbehave_is_found() {
        let answer = Doing::Reply("the answer");
        for (broken, name) in [
            (answer, "replies"),
            (Doing::Decline, "declines"),
            (Doing::Act, "acts and says nothing"),
            (Doing::Settle, "settles the turn itself"),
            (Doing::Nothing, "does nothing: a missing reply"),
            (Doing::Fail, "fails"),
            (Doing::Hang, "is cancelled midway"),
            (Doing::Reply("there"), "two rooms at once"),
            (Doing::Reply("new"), "starts again with a past"),
            (Doing::Reply("two"), "cleans up and starts again"),
        ] {
            let report = TurnProbe::matrix(&Subject(Some(broken))).await;
            let failed: Vec<&str> = report
                .rows()
                .filter(|(_, result)| matches!(result, Some(Err(_))))
                .map(|(name, _)| name)
                .collect();
            assert!(failed.contains(&name), "{broken:?}: {failed:?}");
        }
    }
}
