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
                text.parse() == Ok(*number)
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
