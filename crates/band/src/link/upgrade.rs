//! Opens a socket: dials, and asks for the upgrade. Each failure says which step it was.
//!
//! The upgrade is done here and not by the WebSocket library, because a refusal's status and whole body
//! decide what happens next, and because the library writes the request, key included, to the log.

use std::io;
use std::time::Duration;

use band_core::link::{Failure, Refusal};
use band_wire::phx::MAX_FRAME_BYTES;
use band_wire::rest::ErrorEnvelope;
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::{Response, generate_key};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::handshake::machine::TryParse;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::config::Target;
use super::dial::{Dial, Endpoint, Stream};
use crate::rest::shown;
use crate::retry_after;

/// How long the body of a refusal may take.
const BODY_LIMIT: Duration = Duration::from_secs(1);
/// The largest head of an answer.
const MAX_HEAD: usize = 16 * 1024;
/// The largest body of a refusal.
const MAX_BODY: usize = 64 * 1024;
/// Read at once. Small: an agent has one socket, and most frames are smaller.
const READ_BUFFER: usize = 8 * 1024;
/// Joins of many rooms are written in pieces of this size.
const WRITE_BUFFER: usize = 16 * 1024;

/// Opens a socket. The caller bounds the time.
pub(super) async fn open(
    dialer: &dyn Dial,
    target: &Target,
    reject: bool,
) -> Result<WebSocketStream<Stream>, Failure> {
    let to = Endpoint { host: &target.host, port: target.port, encrypted: target.encrypted };
    let mut stream = dialer.dial(to).await.map_err(|err| Failure::Unreachable(err.to_string()))?;
    let key = generate_key();
    let upgrade =
        |err: io::Error| Failure::Unreachable(format!("upgrade {}:{}: {err}", target.host, target.port));
    stream.write_all(&request(target, reject, &key)).await.map_err(upgrade)?;
    stream.flush().await.map_err(upgrade)?;
    let (response, rest) = read_head(&mut stream).await.map_err(upgrade)?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        let body = read_body(&mut stream, &response, rest).await;
        return Err(Failure::Refused(refusal(response.status(), response.headers(), &body)));
    }
    if !is_upgraded(response.headers(), &key) {
        return Err(upgrade(io::Error::other("the answer is no WebSocket handshake")));
    }
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(Some(MAX_FRAME_BYTES))
        .max_frame_size(Some(MAX_FRAME_BYTES));
    Ok(WebSocketStream::from_partially_read(stream, rest, Role::Client, Some(config)).await)
}

fn request(target: &Target, reject: bool, key: &str) -> Vec<u8> {
    let head = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\nUser-Agent: {}\r\nx-api-key: ",
        target.path(reject),
        target.authority,
        crate::USER_AGENT,
    );
    [head.as_bytes(), target.api_key.as_bytes(), b"\r\n\r\n"].concat()
}

/// Reads until the head of the answer is there. Gives also what came behind it.
async fn read_head(stream: &mut Stream) -> io::Result<(Response, Vec<u8>)> {
    let mut read = Vec::with_capacity(1024);
    loop {
        if stream.read_buf(&mut read).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if let Some((size, response)) = Response::try_parse(&read).map_err(io::Error::other)? {
            return Ok((response, read.split_off(size)));
        }
        if read.len() > MAX_HEAD {
            return Err(io::Error::other("the answer's head is too large"));
        }
    }
}

/// Reads what there is of a refusal's body, within its limits.
async fn read_body(stream: &mut Stream, response: &Response, mut body: Vec<u8>) -> Vec<u8> {
    let length = response.headers().get(http::header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok()).unwrap_or(MAX_BODY);
    let whole = async {
        while body.len() < length.min(MAX_BODY) {
            match stream.read_buf(&mut body).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
    };
    // What came in time is judged; a refusal without a body is a refusal all the same.
    let _ = timeout(BODY_LIMIT, whole).await;
    body
}

fn is_upgraded(headers: &HeaderMap, key: &str) -> bool {
    let has = |name: &str, word: &str| {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|token| token.trim().eq_ignore_ascii_case(word))
    };
    let accept = headers.get("sec-websocket-accept").map(http::HeaderValue::as_bytes);
    has("upgrade", "websocket")
        && has("connection", "upgrade")
        && accept == Some(derive_accept_key(key.as_bytes()).as_bytes())
}

/// Reads a refusal. The body may be framed in one chunk, so the object is looked for inside.
fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Refusal {
    let start = body.iter().position(|byte| *byte == b'{').unwrap_or(body.len());
    let end = body.iter().rposition(|byte| *byte == b'}').map_or(start, |end| end + 1);
    let object = body.get(start..end).unwrap_or_default();
    let mut refusal = Refusal::status(status.as_u16());
    refusal.retry_after = retry_after::read(headers, Timestamp::now());
    if let Ok(ErrorEnvelope { error }) = serde_json::from_slice(object) {
        refusal.code = Some(error.code);
        refusal.message = Some(error.message);
        refusal.request_id = error.request_id;
        refusal.retry_after = error.retry_after.map(Duration::from_secs).or(refusal.retry_after);
    }
    if status.is_redirection() {
        // Not followed: the key must not travel to a host that its owner did not name.
        let to = headers.get(http::header::LOCATION).and_then(|to| to.to_str().ok()).unwrap_or_default();
        refusal.message = Some(format!("it redirects to {}: set ws_url to the final address", shown(to)));
    }
    refusal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_read_from_body_and_header() {
        let header =
            |value: &str| HeaderMap::from_iter([(http::header::RETRY_AFTER, value.parse().unwrap())]);
        let body =
            r#"{"error":{"code":"tracking_failed","message":"later","request_id":null,"retry_after":7}}"#;
        let secs = Duration::from_secs;
        for (headers, body, code, wait) in [
            (HeaderMap::new(), body.to_owned(), Some("tracking_failed"), Some(secs(7))),
            (header("30"), body.to_owned(), Some("tracking_failed"), Some(secs(7))),
            (header("30"), format!("5c\r\n{body}\r\n0\r\n\r\n"), Some("tracking_failed"), Some(secs(7))),
            (header("30"), "<html>}{".to_owned(), None, Some(secs(30))),
            (HeaderMap::new(), String::new(), None, None),
            (HeaderMap::new(), "}{".to_owned(), None, None),
        ] {
            let refusal = refusal(StatusCode::SERVICE_UNAVAILABLE, &headers, body.as_bytes());
            assert_eq!(refusal.status, 503);
            assert_eq!((refusal.code.as_deref(), refusal.retry_after), (code, wait), "{body}");
        }
    }

    #[test]
    fn a_redirect_names_where_it_leads_without_the_query() {
        let to = "https://band.ai/socket?token=secret".parse().unwrap();
        let headers = HeaderMap::from_iter([(http::header::LOCATION, to)]);
        let refusal = refusal(StatusCode::FOUND, &headers, b"");
        let text = "it redirects to \"https://band.ai/socket\": set ws_url to the final address";
        assert_eq!(refusal.message.as_deref(), Some(text));
    }
}
