//! The session cookie of the page, and what keeps other sites from using it.

use http::{HeaderMap, HeaderValue, header};
use secrecy::{ExposeSecret, SecretString};

const NAME: &str = "band_session";

/// The secret of the session cookie.
pub(crate) fn of(headers: &HeaderMap) -> Option<SecretString> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, value)| *name == NAME && !value.is_empty())
        .map(|(_, value)| SecretString::from(value))
}

/// The header that sets the cookie. `secure` where the page was reached over TLS.
pub(crate) fn set(secret: &SecretString, max_age: u64, secure: bool) -> Option<HeaderValue> {
    cookie(secret.expose_secret(), max_age, secure)
}

/// The header that ends the cookie.
pub(crate) fn clear(secure: bool) -> Option<HeaderValue> {
    cookie("", 0, secure)
}

fn cookie(value: &str, max_age: u64, secure: bool) -> Option<HeaderValue> {
    let secure = if secure { "; Secure" } else { "" };
    let text = format!("{NAME}={value}; Path=/; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}");
    let mut header = HeaderValue::from_str(&text).ok()?;
    header.set_sensitive(true);
    Some(header)
}

/// Whether the request comes from a page of this very host. A browser sets `Origin` on every socket upgrade
/// and on every unsafe request, and no page can forge it.
pub(crate) fn is_same_origin(headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let (Some(origin), Some(host)) = (text(header::ORIGIN), text(header::HOST)) else { return false };
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// Whether the browser reached the page over TLS.
pub(crate) fn is_secure(headers: &HeaderMap) -> bool {
    headers.get(header::ORIGIN).is_some_and(|origin| origin.as_bytes().starts_with(b"https://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn the_cookie_is_found_among_others() {
        let jar = headers(&[(header::COOKIE, "a=1; band_session=s3cret; b=2")]);
        assert_eq!(of(&jar).unwrap().expose_secret(), "s3cret");
        for text in ["", "band_session=", "xband_session=1", "band_session"] {
            assert!(of(&headers(&[(header::COOKIE, text)])).is_none(), "{text}");
        }
    }

    #[test]
    fn a_foreign_or_missing_origin_is_not_the_same() {
        let host = (header::HOST, "127.0.0.1:4000");
        let with = |origin| is_same_origin(&headers(&[host.clone(), (header::ORIGIN, origin)]));
        assert!(with("http://127.0.0.1:4000"));
        for origin in ["http://127.0.0.1:4001", "http://evil.example", "null", "", "127.0.0.1:4000"] {
            assert!(!with(origin), "{origin}");
        }
        assert!(!is_same_origin(&headers(&[host])));
    }

    #[test]
    fn the_cookie_is_out_of_reach_of_scripts_and_other_sites() {
        let cookie = set(&SecretString::from("x"), 60, false).unwrap();
        assert_eq!(cookie, "band_session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict");
        assert!(cookie.is_sensitive());
        assert!(
            clear(true).unwrap().to_str().unwrap().ends_with("Max-Age=0; HttpOnly; SameSite=Strict; Secure")
        );
    }
}
