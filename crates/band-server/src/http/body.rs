//! Request bodies: bounded in size and time, JSON, read strictly.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use band_wire::rest::{FromBody, Issues, ObjectReader, code};
use futures_util::StreamExt;
use http::{HeaderMap, StatusCode, header};
use serde_json::{Map, Value};

use super::problem::Problem;

/// The longest JSON body of most routes, in bytes.
const MAX_BODY: usize = 1024 * 1024;
/// The longest JSON body of a message: a content of the longest length takes up to six times its bytes when
/// all of it is written as escapes.
pub(crate) const MAX_MESSAGE_BODY: usize = 4 * 1024 * 1024;
/// How long a caller may take to send its body.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// A JSON body of at most `MAX` bytes that was read by its rules.
#[derive(Debug)]
pub(crate) struct Json<T, const MAX: usize = MAX_BODY>(pub(crate) T);

/// No body, or `{}`.
#[derive(Debug)]
pub(crate) struct Nothing;

impl FromBody for Nothing {
    fn from_body(body: Value) -> Result<Self, Issues> {
        ObjectReader::root(body)?.finish()?;
        Ok(Self)
    }
}

impl<S: Sync, T: FromBody, const MAX: usize> FromRequest<S> for Json<T, MAX> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = match tokio::time::timeout(BODY_TIMEOUT, read(&parts.headers, body, MAX)).await {
            Ok(bytes) => bytes?,
            Err(_) => return Err(too_slow()),
        };
        let value = if bytes.is_empty() {
            Value::Object(Map::new())
        } else {
            expect_json(&parts.headers)?;
            parse(&bytes)?
        };
        Ok(Self(T::from_body(value)?))
    }
}

/// Reads at most so many bytes. A declared length above them is refused before a byte is read.
async fn read(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > most as u64) {
        return Err(too_large(most));
    }
    let mut stream = body.into_data_stream();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Problem::bad_request("The request body ended early"))?;
        if bytes.len() + chunk.len() > most {
            return Err(too_large(most));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes.into())
}

fn expect_json(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = given.split(';').next().unwrap_or_default().trim();
    let is_json = essence.eq_ignore_ascii_case("application/json")
        || (essence.len() > 5 && essence.to_ascii_lowercase().ends_with("+json"));
    if is_json {
        return Ok(());
    }
    let message = "The request body must be JSON: send the header content-type: application/json";
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, code::UNSUPPORTED_MEDIA_TYPE, message))
}

fn parse(bytes: &[u8]) -> Result<Value, Problem> {
    serde_json::from_slice(bytes)
        .map_err(|err| Problem::bad_request(format!("The request body is no valid JSON: {err}")))
}

fn too_large(most: usize) -> Problem {
    let message = format!("The request body may have {most} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, code::PAYLOAD_TOO_LARGE, message)
}

fn too_slow() -> Problem {
    let message = format!("The request body did not arrive within {} s", BODY_TIMEOUT.as_secs());
    Problem::new(StatusCode::REQUEST_TIMEOUT, code::REQUEST_TIMEOUT, message)
}

#[cfg(test)]
mod tests {
    use band_wire::rest::CreateChat;
    use futures_util::stream;
    use tokio::time::Instant;

    use super::*;

    async fn read_from(body: Body) -> Result<Json<CreateChat>, Problem> {
        let request = Request::builder().header(header::CONTENT_TYPE, "application/json").body(body).unwrap();
        Json::from_request(request, &()).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_not_waited_for() {
        let began = Instant::now();
        let never = Body::from_stream(stream::pending::<std::io::Result<Bytes>>());
        let problem = read_from(never).await.unwrap_err();
        assert_eq!(problem.status(), StatusCode::REQUEST_TIMEOUT);
        assert_eq!(began.elapsed(), BODY_TIMEOUT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_drips_is_not_waited_for_either() {
        let drip = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Some((Ok::<_, std::io::Error>(Bytes::from_static(b" ")), ()))
        });
        let problem = read_from(Body::from_stream(drip)).await.unwrap_err();
        assert_eq!(problem.status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_no_body() {
        let broken = stream::iter([Ok(Bytes::from_static(b"{")), Err(std::io::Error::other("gone"))]);
        let problem = read_from(Body::from_stream(broken)).await.unwrap_err();
        assert_eq!(problem.status(), StatusCode::BAD_REQUEST);
    }
}
