//! Files of rooms, the same on both sides: raw bytes in, raw bytes out.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use band_core::platform::files::{self, FileRow, Wanted};
use band_wire::id::{Chat, File};
use band_wire::rest::query::{FilesQuery, NoQuery};
use band_wire::rest::{Attachment, FILE_NAME, FILE_SHA256, code};
use futures_util::{Stream, StreamExt, stream};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::io::{AsyncReadExt, Take};

use super::answer;
use super::caller::Caller;
use super::context::Context;
use super::path::{One, Two};
use super::problem::Problem;
use super::query::Query;

type Answered = Result<Response, Problem>;

/// How long an upload may stand still.
const STILL: Duration = Duration::from_secs(20);
/// How long an upload may take in all: 100 MB at a little over 1 Mbit/s.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(600);
/// Bytes that are read of a file at a time.
const CHUNK: usize = 64 * 1024;

pub(super) async fn upload(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
    headers: HeaderMap,
    body: Body,
) -> Answered {
    let declared = files::declared(text(&headers, FILE_NAME), text(&headers, FILE_SHA256))?;
    let length = text(&headers, header::CONTENT_LENGTH.as_str()).and_then(|text| text.parse::<u64>().ok());
    if length.is_some_and(|length| length > Attachment::MAX_BYTES) {
        let message = format!("A file may have {} bytes", Attachment::MAX_BYTES);
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, code::PAYLOAD_TOO_LARGE, message));
    }
    let mut draft = ctx.app.begin_upload(who, chat).await?;
    let receive = async {
        let mut arriving = body.into_data_stream();
        while let Some(chunk) = tokio::time::timeout(STILL, arriving.next()).await.map_err(|_| slow())? {
            let chunk = chunk.map_err(|_| Problem::bad_request("The request body ended early"))?;
            ctx.app.upload(&mut draft, &chunk).await?;
        }
        Ok::<_, Problem>(())
    };
    tokio::time::timeout(UPLOAD_TIMEOUT, receive).await.map_err(|_| slow())??;
    Ok(answer::created(ctx.app.finish_upload(who, chat, declared, draft).await?))
}

pub(super) async fn list(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<FilesQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.room_files(who, chat, query).await?))
}

pub(super) async fn download(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Two(chat, file): Two<Chat, File>,
    _: Query<NoQuery>,
    headers: HeaderMap,
) -> Answered {
    let file = ctx.app.file(who, chat, file).await?;
    let (status, start, length) = match files::range(text(&headers, header::RANGE.as_str()), file.bytes) {
        Wanted::Whole => (StatusCode::OK, 0, file.bytes),
        Wanted::Part(part) => (StatusCode::PARTIAL_CONTENT, part.start, part.length),
        Wanted::Nothing => return Ok(no_such_part(&file)),
    };
    let content = ctx.app.content(file.id, start).await?;
    let mut response = Body::from_stream(chunks(content.take(length))).into_response();
    *response.status_mut() = status;
    describe(response.headers_mut(), &file, length);
    if status == StatusCode::PARTIAL_CONTENT {
        let last = (start + length).saturating_sub(1);
        set(response.headers_mut(), header::CONTENT_RANGE, format!("bytes {start}-{last}/{}", file.bytes));
    }
    Ok(response)
}

/// A header that is there once, if it is text.
fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
}

fn slow() -> Problem {
    let message = format!("The upload stood still for {} s, or took too long", STILL.as_secs());
    Problem::new(StatusCode::REQUEST_TIMEOUT, code::REQUEST_TIMEOUT, message)
}

fn no_such_part(file: &FileRow) -> Response {
    let message = format!("The file has {} bytes", file.bytes);
    let problem = Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, code::RANGE_NOT_SATISFIABLE, message);
    let mut response = problem.into_response();
    set(response.headers_mut(), header::CONTENT_RANGE, format!("bytes */{}", file.bytes));
    response
}

/// Always a download, never a page of this site.
fn describe(headers: &mut HeaderMap, file: &FileRow, length: u64) {
    let name = file.name.replace('\\', "\\\\").replace('"', "\\\"");
    set(headers, header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
    set(headers, header::CONTENT_TYPE, file.content_type.clone());
    set(headers, header::CONTENT_LENGTH, length.to_string());
    set(headers, header::ETAG, format!("\"{}\"", file.sha256));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

fn chunks(content: Take<tokio::fs::File>) -> impl Stream<Item = std::io::Result<Bytes>> {
    stream::try_unfold(content, |mut content| async move {
        let mut chunk = vec![0; CHUNK];
        let count = content.read(&mut chunk).await?;
        chunk.truncate(count);
        Ok((count > 0).then(|| (Bytes::from(chunk), content)))
    })
}
