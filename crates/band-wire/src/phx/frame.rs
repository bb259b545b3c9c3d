//! One frame: `[join_ref, ref, topic, event, payload]`.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The largest frame either side accepts, in bytes: 1 MiB, as the released clients do.
pub const MAX_FRAME_BYTES: usize = 1024 * 1024;

/// A join_ref or ref: opaque, echoed as it came. Integers are kept as integers on the way back.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ref {
    /// The usual form.
    Text(String),
    /// Some clients send numbers.
    Number(i64),
}

impl Ref {
    fn read(value: Value, field: &'static str) -> Result<Option<Self>, FrameError> {
        match value {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(Self::Text(text))),
            Value::Number(number) => match number.as_i64() {
                Some(number) => Ok(Some(Self::Number(number))),
                None => Err(FrameError::BadRef(field)),
            },
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(FrameError::BadRef(field)),
        }
    }

    /// Whether two refs mean the same request: a number equals its decimal text.
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::Text(text), Self::Number(number)) | (Self::Number(number), Self::Text(text)) => {
                *text == number.to_string()
            }
        }
    }
}

impl From<&str> for Ref {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Ref {
    fn from(number: u64) -> Self {
        Self::Text(number.to_string())
    }
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => fmt::Display::fmt(number, f),
        }
    }
}

impl fmt::Debug for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Ref {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(number) => serializer.serialize_i64(*number),
        }
    }
}

/// A decoded frame.
///
/// ```
/// use band_wire::phx::{Frame, Ref};
/// let frame = Frame::decode(r#"["1","1","agent_rooms:a","phx_join",{}]"#)?;
/// assert_eq!(frame.topic, "agent_rooms:a");
/// assert_eq!(frame.join_ref, Some(Ref::from("1")));
/// # Ok::<(), band_wire::phx::FrameError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// The ref of the join that opened the channel; none on heartbeats, and on pushes of some servers.
    pub join_ref: Option<Ref>,
    /// Unique for each request; none on pushes.
    pub reference: Option<Ref>,
    /// Never empty.
    pub topic: String,
    /// Never empty.
    pub event: String,
    /// A payload that is not an object is read as an empty one, as the released clients do.
    pub payload: Map<String, Value>,
}

/// Why a text is no frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// Not JSON.
    #[error("the frame is not JSON: {0}")]
    Json(String),
    /// JSON, but not an array of at least five elements.
    #[error("a frame is a JSON array [join_ref, ref, topic, event, payload]")]
    Shape,
    /// join_ref or ref is neither null, a string nor an integer.
    #[error("{0} must be null, a string or an integer")]
    BadRef(&'static str),
    /// Topic or event is missing, empty or not a string.
    #[error("{0} must be a string that is not empty")]
    BadName(&'static str),
    /// A binary message that is no text in disguise. Band's channels carry JSON text alone.
    #[error("binary frames are not understood here, send JSON text")]
    Binary,
    /// Larger than [`MAX_FRAME_BYTES`].
    #[error("a frame may have {MAX_FRAME_BYTES} bytes, this one has {0}")]
    TooLarge(usize),
}

impl Frame {
    /// A frame with an empty payload.
    pub fn new(join_ref: Option<Ref>, reference: Option<Ref>, topic: &str, event: &str) -> Self {
        Self { join_ref, reference, topic: topic.to_owned(), event: event.to_owned(), payload: Map::new() }
    }

    /// The same frame with this payload.
    #[must_use]
    pub fn with_payload(mut self, payload: Map<String, Value>) -> Self {
        self.payload = payload;
        self
    }

    /// Reads a frame. Elements after the fifth are passed over.
    ///
    /// # Errors
    /// [`FrameError`] says which part is off; nothing of the text is in it but serde's position.
    pub fn decode(text: &str) -> Result<Self, FrameError> {
        if text.len() > MAX_FRAME_BYTES {
            return Err(FrameError::TooLarge(text.len()));
        }
        let value: Value = serde_json::from_str(text).map_err(|err| FrameError::Json(err.to_string()))?;
        let Value::Array(parts) = value else { return Err(FrameError::Shape) };
        let mut parts = parts.into_iter();
        let mut next = || parts.next().ok_or(FrameError::Shape);
        let (join_ref, reference, topic, event, payload) = (next()?, next()?, next()?, next()?, next()?);
        Ok(Self {
            join_ref: Ref::read(join_ref, "join_ref")?,
            reference: Ref::read(reference, "ref")?,
            topic: name(topic, "topic")?,
            event: name(event, "event")?,
            payload: match payload {
                Value::Object(map) => map,
                _ => Map::new(),
            },
        })
    }

    /// Reads a binary message: one that holds JSON text is taken as such, as the released clients do.
    ///
    /// # Errors
    /// [`FrameError::Binary`] for Phoenix's own binary frames and whatever else is no text; otherwise as
    /// [`Frame::decode`].
    pub fn decode_binary(bytes: &[u8]) -> Result<Self, FrameError> {
        match std::str::from_utf8(bytes) {
            Ok(text) if text.trim_start().starts_with('[') => Self::decode(text),
            _ => Err(FrameError::Binary),
        }
    }

    /// Writes the frame.
    pub fn encode(&self) -> String {
        encode_parts(self.join_ref.as_ref(), self.reference.as_ref(), &self.topic, &self.event, &self.payload)
    }

    /// Writes a push whose payload is JSON text already, so that a fan-out encodes the payload once.
    /// `payload` must be a JSON object; it is copied in as it is.
    pub fn encode_push(join_ref: Option<&Ref>, topic: &str, event: &str, payload: &str) -> String {
        let mut out = String::with_capacity(payload.len() + topic.len() + event.len() + 24);
        out.push('[');
        out.push_str(&json(&join_ref));
        out.push_str(",null,");
        out.push_str(&json(&topic));
        out.push(',');
        out.push_str(&json(&event));
        out.push(',');
        out.push_str(payload);
        out.push(']');
        out
    }
}

fn name(value: Value, field: &'static str) -> Result<String, FrameError> {
    match value {
        Value::String(text) if !text.is_empty() => Ok(text),
        _ => Err(FrameError::BadName(field)),
    }
}

fn encode_parts(
    join_ref: Option<&Ref>,
    reference: Option<&Ref>,
    topic: &str,
    event: &str,
    payload: &Map<String, Value>,
) -> String {
    json(&(join_ref, reference, topic, event, payload))
}

/// Strings, numbers and maps with string keys always serialize; an empty text would be a visible defect.
fn json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_frame_keeps_its_refs_as_they_came() {
        for text in [
            r#"["1","7","chat_room:r","phx_join",{}]"#,
            r#"[1,-7,"chat_room:r","phx_join",{"a":[1]}]"#,
            r#"[null,"12","phoenix","heartbeat",{}]"#,
        ] {
            assert_eq!(Frame::decode(text).unwrap().encode(), text);
        }
    }

    #[test]
    fn what_is_off_is_named() {
        let refused = |text: &str| Frame::decode(text).unwrap_err();
        assert!(matches!(refused("[1,"), FrameError::Json(_)));
        assert_eq!(refused("{}"), FrameError::Shape);
        assert_eq!(refused(r#"["1","1","t","e"]"#), FrameError::Shape);
        assert_eq!(refused(r#"[true,"1","t","e",{}]"#), FrameError::BadRef("join_ref"));
        assert_eq!(refused(r#"["1",1.5,"t","e",{}]"#), FrameError::BadRef("ref"));
        assert_eq!(refused(r#"["1","1","","e",{}]"#), FrameError::BadName("topic"));
        assert_eq!(refused(r#"["1","1","t",null,{}]"#), FrameError::BadName("event"));
        let long = " ".repeat(MAX_FRAME_BYTES + 1);
        assert_eq!(refused(&long), FrameError::TooLarge(MAX_FRAME_BYTES + 1));
    }

    #[test]
    fn elements_after_the_fifth_and_odd_payloads_are_tolerated() {
        let frame = Frame::decode(r#"["1","1","t","e",7,"more"]"#).unwrap();
        assert_eq!(frame.payload, Map::new());
    }

    #[test]
    fn a_binary_message_is_read_only_if_it_holds_text() {
        assert!(Frame::decode_binary(br#"["1","1","t","e",{}]"#).is_ok());
        let push = b"\x00\x01\x01\x01\x0111te{}";
        assert_eq!(Frame::decode_binary(push), Err(FrameError::Binary));
        assert_eq!(Frame::decode_binary(b"\xff["), Err(FrameError::Binary));
        assert_eq!(Frame::decode_binary(b""), Err(FrameError::Binary));
    }

    #[test]
    fn a_number_and_its_decimal_text_are_the_same_ref() {
        assert!(Ref::Number(7).same(&Ref::from("7")));
        assert!(!Ref::Number(7).same(&Ref::from("+7")));
        assert!(!Ref::from("07").same(&Ref::from("7")));
    }

    #[test]
    fn a_push_is_written_like_any_frame() {
        let join_ref = Ref::from("\"1");
        let text = Frame::encode_push(Some(&join_ref), "t", "e", r#"{"a":1}"#);
        let frame = Frame::decode(&text).unwrap();
        assert_eq!(frame.join_ref, Some(join_ref));
        assert_eq!(frame.reference, None);
        assert_eq!(Value::Object(frame.payload), json!({"a": 1}));
        assert!(Frame::encode_push(None, "t", "e", "{}").starts_with("[null,null,"));
    }
}
