//! The page, embedded.
//!
//! One line of [`FILES`] for each file of `web/`; a file that isn't listed isn't served. The page may load
//! from its own origin only, and no other site may frame it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::http::Problem;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($name:literal: $kind:expr),* $(,)?) => {
        &[$(File { path: concat!("/", $name), kind: $kind, bytes: include_bytes!(concat!("../web/", $name)) }),*]
    };
}

struct File {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const FILES: &[File] = files! {
    "index.html": HTML,
    "app.css": CSS,
    "icon.svg": SVG,
    "api.js": JS,
    "app.js": JS,
    "avatar.js": JS,
    "composer.js": JS,
    "delivery.js": JS,
    "dialogs.js": JS,
    "dom.js": JS,
    "drawers.js": JS,
    "fold.js": JS,
    "gate.js": JS,
    "hash.js": JS,
    "live.js": JS,
    "mentions.js": JS,
    "merge.js": JS,
    "notices.js": JS,
    "people.js": JS,
    "phoenix.js": JS,
    "prose.js": JS,
    "rooms.js": JS,
    "rows.js": JS,
    "session.js": JS,
    "shell_lines.js": JS,
    "stamps.js": JS,
    "steps.js": JS,
    "store.js": JS,
    "timeline.js": JS,
};

struct Served {
    file: &'static File,
    etag: HeaderValue,
}

static SERVED: LazyLock<BTreeMap<&'static str, Served>> = LazyLock::new(|| {
    let served = |file: &'static File| {
        let hash = blake3::hash(file.bytes).to_hex();
        let etag = HeaderValue::from_str(&format!("\"{hash}\"")).unwrap_or(HeaderValue::from_static("\"\""));
        (file.path, Served { file, etag })
    };
    FILES.iter().map(served).collect()
});

/// A file of the page. `/` is its front door.
pub(crate) fn serve(path: &str, headers: &HeaderMap) -> Response {
    let path = if path == "/" { "/index.html" } else { path };
    let Some(Served { file, etag }) = SERVED.get(path) else { return Problem::not_found().into_response() };
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|given| {
        given.to_str().is_ok_and(|given| given.split(',').any(|one| one.trim().as_bytes() == etag.as_bytes()))
    });
    let mut response =
        if known { StatusCode::NOT_MODIFIED.into_response() } else { file.bytes.into_response() };
    let all = [
        (header::CONTENT_TYPE, HeaderValue::from_static(file.kind)),
        (header::ETAG, etag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (HeaderName::from_static("cross-origin-opener-policy"), HeaderValue::from_static("same-origin")),
        (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    ];
    for (name, value) in all {
        response.headers_mut().insert(name, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_listed() {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
        let names = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
        let files = names.filter(|entry| entry.file_type().unwrap().is_file());
        let mut there: Vec<String> = files.map(|entry| format!("/{}", entry.file_name().display())).collect();
        there.retain(|path| path != "/package.json");
        there.sort();
        let mut listed: Vec<&str> = FILES.iter().map(|file| file.path).collect();
        listed.sort_unstable();
        assert_eq!(listed, there);
    }

    #[test]
    fn a_known_etag_is_answered_without_the_body() {
        let first = serve("/", &HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        assert_eq!(first.headers()[header::CONTENT_TYPE], HTML);
        let etag = first.headers()[header::ETAG].clone();
        let again = serve("/index.html", &HeaderMap::from_iter([(header::IF_NONE_MATCH, etag)]));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(again.headers()[header::CONTENT_SECURITY_POLICY], POLICY);
    }

    #[test]
    fn the_page_asks_no_other_host_for_anything() {
        for file in FILES.iter().filter(|file| file.kind != SVG) {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for scheme in ["https://", "//cdn", "data:text"] {
                assert!(!text.contains(scheme), "{} has {scheme}", file.path);
            }
        }
    }

    #[test]
    fn the_page_has_no_inline_code_and_no_module_writes_markup() {
        let sinks = [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "<style",
            "style=",
            " onclick",
        ];
        for file in FILES.iter().filter(|file| file.kind != SVG && file.kind != CSS) {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for sink in sinks {
                assert!(!text.contains(sink), "{} has {sink}", file.path);
            }
            assert_eq!(text.matches("<script").count(), text.matches("<script type=\"module\" src=").count());
        }
    }

    #[test]
    fn every_module_imports_only_modules_of_the_page() {
        let mut imports = 0;
        for file in FILES.iter().filter(|file| file.kind == JS) {
            let text = std::str::from_utf8(file.bytes).unwrap();
            for (_, rest) in text.lines().filter_map(|line| line.split_once(" from \"")) {
                let path = rest.trim_end_matches("\";").strip_prefix('.').unwrap();
                assert!(FILES.iter().any(|file| file.path == path), "{}: {path}", file.path);
                imports += 1;
            }
        }
        assert!(imports > FILES.len());
    }
}
