use std::io::ErrorKind;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use super::reading::{Frames, Requests};
use super::*;

#[tokio::test]
async fn requests_are_found_however_their_bytes_are_cut() {
    let stream = "POST /a HTTP/1.1\r\nhost: x\r\nContent-Length: 19\r\n\r\n{\"text\": \"GET /no\"}GET /b?c=1 HTTP/1.1\r\n\r\n";
    for cut in 1..stream.len() {
        let (mut near, mut far) = tokio::io::duplex(1024);
        let (mut requests, mut found) = (Requests::default(), Vec::new());
        for bytes in stream.as_bytes().chunks(cut) {
            far.write_all(bytes).await.unwrap();
        }
        drop(far);
        while let Some(request) = requests.next(&mut near).await.unwrap() {
            found.push((request.path.clone(), String::from_utf8(request.body()).unwrap()));
        }
        let wanted = [("/a", "{\"text\": \"GET /no\"}"), ("/b?c=1", "")];
        assert_eq!(found, wanted.map(|(path, body)| (path.to_owned(), body.to_owned())), "{cut}");
    }
}

#[tokio::test]
async fn a_body_of_unknown_length_is_not_carried() {
    let mut stream: &[u8] = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    let error = Requests::default().next(&mut stream).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}

/// A frame as a client writes it.
fn masked(text: &str, opcode: Data, last: bool) -> Vec<u8> {
    let mut frame = Frame::message(text.to_owned(), OpCode::Data(opcode), last);
    frame.header_mut().mask = Some([1, 2, 3, 4]);
    let mut bytes = Vec::new();
    frame.format(&mut bytes).unwrap();
    bytes
}

#[test]
fn frames_are_found_however_they_are_cut_and_masked() {
    let mut stream = masked("[\"1\",\"1\",\"chat_room:a\",\"phx_join\",{}]", Data::Text, true);
    stream.extend(masked("[\"1\",\"2\",\"chat_room:a\",", Data::Text, false));
    stream.extend(masked("\"phx_leave\",{}]", Data::Continue, true));
    for cut in 1..stream.len() {
        let (mut frames, mut found) = (Frames::default(), Vec::new());
        stream.chunks(cut).for_each(|bytes| frames.feed(bytes, |what, _| found.push(what)));
        assert_eq!(found, ["phx_join chat_room:a", "phx_leave chat_room:a"], "{cut}");
    }
}

/// A platform that answers everything with 200 and keeps its connections.
async fn platform() -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut streams = JoinSet::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            streams.spawn(async move {
                let mut requests = Requests::default();
                while let Ok(Some(_)) = requests.next(&mut stream).await {
                    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
                }
            });
        }
    });
    (format!("http://{address}"), tasks)
}

#[tokio::test]
async fn what_is_to_be_refused_is_and_notes_stand_in_their_places() {
    let (upstream, _tasks) = platform().await;
    let tap = Tap::start(&upstream).await.unwrap();
    tap.refuse("/mark", 403, "{}", 1);
    let http = crate::api::client().unwrap();
    let mut answers = Vec::new();
    for path in ["/a", "/tap/here", "/b/mark", "/b/mark?twice"] {
        let answer = http.post(format!("{}{path}", tap.base_url())).body("x").send().await.unwrap();
        answers.push(answer.status().as_u16());
    }
    tap.quiet().await.unwrap();
    assert_eq!(answers, [200, 204, 403, 200]);
    let seen: Vec<String> = tap.take().into_iter().map(|call| call.what).collect();
    assert_eq!(seen, ["POST /a", "here", "POST /b/mark", "POST /b/mark?twice"]);
    assert_eq!(tap.connections(), Connections { opened: 1, open: 1, most: 1 });
}

#[tokio::test]
async fn sockets_are_cut_and_let_through_again_and_count_as_no_connection_for_requests() {
    let (upstream, _tasks) = platform().await;
    let tap = Tap::start(&upstream).await.unwrap();
    let address = tap.base_url().trim_start_matches("http://").to_owned();
    let upgrade = b"GET /socket HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
    let open = async || {
        let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
        stream.write_all(upgrade).await.unwrap();
        stream
    };
    let mut socket = open().await;
    assert_eq!(socket.read_u8().await.unwrap(), b'H');
    assert_eq!(tap.connections().open, 0);
    tap.cut().await.unwrap();
    let mut rest = Vec::new();
    let _ = socket.read_to_end(&mut rest).await;
    let mut refused = open().await;
    assert_eq!(refused.read(&mut [0]).await.unwrap_or_default(), 0);
    tap.mend();
    assert_eq!(open().await.read_u8().await.unwrap(), b'H');
}
