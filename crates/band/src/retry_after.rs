//! The `Retry-After` header, in every form a server may use.

use std::time::Duration;

use band_core::trial::{self, Fault};
use http::HeaderMap;
use http::header::{DATE, RETRY_AFTER};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

/// Longer than any platform means. A Unix time where seconds should be, or one in milliseconds, would otherwise
/// keep an agent silent for decades.
const MOST: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// How long to stay away: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date, or
/// `X-RateLimit-Reset` in Unix seconds. Never negative; a date that is past means at once. More than 30 days is no
/// delay that anybody means, and counts as not said. Dates are compared with
/// the server's own `Date`, if it says one, so that neither clock has to be right.
pub(crate) fn read(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    said(headers, now).filter(|wait| *wait <= MOST)
}

fn said(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let date = |text: &str| PARSER.parse_timestamp(text).ok();
    let now = text(DATE.as_str()).and_then(date).unwrap_or(now);
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 1000.0)) {
        return Some(wait);
    }
    if let Some(text) = text(RETRY_AFTER.as_str()) {
        if let Some(wait) = seconds(text, 1.0) {
            return Some(wait);
        }
        if let Some(at) = date(text).filter(|_| !trial::has(Fault::DateNotRead)) {
            return Some(until(at, now));
        }
    }
    let reset = text("x-ratelimit-reset")?.parse().ok()?;
    Some(until(Timestamp::from_second(reset).ok()?, now))
}

/// A number of seconds, whole or not, divided by `unit`.
fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    (number >= 0.0).then(|| Duration::try_from_secs_f64(number / unit).ok())?
}

fn until(at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(now)).unwrap_or(Duration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let now: Timestamp = "2026-11-30T10:00:00Z".parse().unwrap();
        for (name, value, expected) in [
            ("retry-after", "120", Some(Duration::from_secs(120))),
            ("retry-after", " 1.5 ", Some(Duration::from_millis(1500))),
            ("retry-after", "Mon, 30 Nov 2026 10:00:30 GMT", Some(Duration::from_secs(30))),
            ("retry-after", "Mon, 30 Nov 2026 09:00:00 GMT", Some(Duration::ZERO)),
            ("retry-after", "-5", None),
            ("retry-after", "soon", None),
            ("retry-after", "1e300", None),
            ("retry-after", "2592000", Some(MOST)),
            ("retry-after", "2592001", None),
            ("retry-after", "1796032860", None),
            ("retry-after", "1e18", None),
            ("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT", None),
            ("x-ratelimit-reset", "1796032860000", None),
            ("retry-after", "NaN", None),
            ("retry-after-ms", "1500", Some(Duration::from_millis(1500))),
            ("x-ratelimit-reset", "1796032860", Some(Duration::from_secs(60))),
            ("x-request-id", "7", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            assert_eq!(read(&headers, now), expected, "{name}: {value}");
        }
    }

    #[test]
    fn a_date_counts_from_the_servers_own_clock() {
        let mut headers = HeaderMap::new();
        headers.insert(DATE, "Mon, 30 Nov 2020 10:00:00 GMT".parse().unwrap());
        headers.insert(RETRY_AFTER, "Mon, 30 Nov 2020 10:01:30 GMT".parse().unwrap());
        let now = "2026-11-30T10:00:00Z".parse().unwrap();
        assert_eq!(read(&headers, now), Some(Duration::from_secs(90)));
    }
}
