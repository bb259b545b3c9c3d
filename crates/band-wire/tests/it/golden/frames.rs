use band_wire::phx::{Frame, Ref, SOCKET_PATH, VSN, reply_error, reply_ok, reserved};
use serde_json::json;

use super::golden;

#[test]
fn a_conversation() {
    let join = Frame::new(Some("7".into()), Some("7".into()), "chat_room:r", reserved::JOIN);
    let leave = Frame::new(Some("7".into()), Some("9".into()), "chat_room:r", reserved::LEAVE);
    let accepted =
        Frame { event: reserved::REPLY.to_owned(), ..join.clone() }.with_payload(reply_ok(json!({})));
    let refused = accepted.clone().with_payload(reply_error("unauthorized"));
    let closed = Frame { event: reserved::CLOSE.to_owned(), ..join.clone() };
    let crashed = Frame { event: reserved::ERROR.to_owned(), ..join.clone() };
    let beat = Frame::new(None, Some("12".into()), reserved::PHOENIX, reserved::HEARTBEAT);
    let answered =
        Frame { event: reserved::REPLY.to_owned(), ..beat.clone() }.with_payload(reply_ok(json!({})));
    let push = Frame::encode_push(Some(&Ref::Number(7)), "chat_room:r", "message_deleted", r#"{"id":"m"}"#);
    let mut lines: Vec<String> =
        [join, accepted, refused, leave, closed, crashed, beat, answered].iter().map(Frame::encode).collect();
    lines.push(push);
    lines.push(format!("{SOCKET_PATH}?vsn={VSN}"));
    golden!("frames", lines);
}
