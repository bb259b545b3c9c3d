//! Requests and frames out of bytes as they come.

use std::io::{Cursor, Error, ErrorKind, Result};

use band_wire::phx::Frame;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_tungstenite::tungstenite::protocol::frame::FrameHeader;

/// The longest request that is carried.
const REQUEST_MAX: usize = 64 * 1024 * 1024;
/// The most headers of a request.
const HEADERS_MAX: usize = 64;

/// A request as it came.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    /// It asks for a socket: what follows are frames.
    pub(super) upgrades: bool,
    pub(super) bytes: Vec<u8>,
    /// Where in `bytes` the body begins.
    head: usize,
}

impl Request {
    pub(super) fn body(&self) -> Vec<u8> {
        self.bytes.get(self.head..).unwrap_or_default().to_vec()
    }
}

/// Reads one request after another.
#[derive(Debug, Default)]
pub(super) struct Requests {
    buffer: Vec<u8>,
}

impl Requests {
    /// The next request in full; none when the program has hung up between two.
    pub(super) async fn next(&mut self, from: &mut (impl AsyncRead + Unpin)) -> Result<Option<Request>> {
        loop {
            if let Some(request) = self.whole()? {
                return Ok(Some(request));
            }
            if self.buffer.len() > REQUEST_MAX {
                return Err(Error::new(ErrorKind::InvalidData, "the request is too long for a tap"));
            }
            if from.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// What came after the last request.
    pub(super) fn rest(self) -> Vec<u8> {
        self.buffer
    }

    fn whole(&mut self) -> Result<Option<Request>> {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut parsed = httparse::Request::new(&mut headers);
        let invalid = |why: String| Error::new(ErrorKind::InvalidData, why);
        let status = parsed.parse(&self.buffer).map_err(|err| invalid(err.to_string()))?;
        let httparse::Status::Complete(head) = status else { return Ok(None) };
        let header = |name: &str| {
            let mut named = parsed.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
            named.next().map(|header| String::from_utf8_lossy(header.value).into_owned())
        };
        if header("transfer-encoding").is_some() {
            return Err(invalid("a tap carries bodies of a known length alone".to_owned()));
        }
        let body = header("content-length").unwrap_or_default();
        let body: usize =
            if body.is_empty() { 0 } else { body.parse().map_err(|_| invalid(format!("length {body}")))? };
        let Some(_) = self.buffer.get(..head + body) else { return Ok(None) };
        let method = parsed.method.unwrap_or_default().to_owned();
        let path = parsed.path.unwrap_or_default().to_owned();
        let upgrades = header("upgrade").is_some_and(|to| to.eq_ignore_ascii_case("websocket"));
        let rest = self.buffer.split_off(head + body);
        let bytes = std::mem::replace(&mut self.buffer, rest);
        Ok(Some(Request { method, path, upgrades, bytes, head }))
    }
}

/// Puts the texts together that a program sends on a socket.
#[derive(Debug, Default)]
pub(super) struct Frames {
    buffer: Vec<u8>,
    message: Vec<u8>,
}

impl Frames {
    /// Takes more bytes, and gives each frame that is whole now as `event topic` with its text.
    pub(super) fn feed(&mut self, bytes: &[u8], mut whole: impl FnMut(String, Vec<u8>)) {
        self.buffer.extend_from_slice(bytes);
        while let Some(text) = self.message() {
            let frame = std::str::from_utf8(&text).ok().and_then(|text| Frame::decode(text).ok());
            if let Some(frame) = frame {
                whole(format!("{} {}", frame.event, frame.topic), text);
            }
        }
    }

    /// The next whole message of any kind.
    fn message(&mut self) -> Option<Vec<u8>> {
        loop {
            let mut cursor = Cursor::new(&self.buffer);
            let (header, length) = FrameHeader::parse(&mut cursor).ok()??;
            let start = usize::try_from(cursor.position()).ok()?;
            let end = start.checked_add(usize::try_from(length).ok()?)?;
            let payload = self.buffer.get(start..end)?.iter().enumerate();
            let mask = header.mask.unwrap_or_default();
            let bare: Vec<u8> =
                payload.map(|(n, byte)| byte ^ mask.get(n % 4).copied().unwrap_or_default()).collect();
            self.buffer.drain(..end);
            self.message.extend(bare);
            if header.is_final {
                return Some(std::mem::take(&mut self.message));
            }
        }
    }
}
