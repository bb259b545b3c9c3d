//! What a log line looks like.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::levels::shown;
use super::line::Line;
use super::trace::{self, Correlation};

/// The keys of a JSON line, in their order; the fields of the program and of the event follow.
pub(super) const JSON_FIELDS: [&str; 9] = [
    "timestamp",
    "level",
    "logger",
    "message",
    "otelTraceID",
    "otelSpanID",
    "otelTraceSampled",
    "otelServiceName",
    trace::FIELD,
];

/// One way to write an event. All times are in UTC.
#[derive(Debug, Clone)]
pub(super) enum Lines {
    /// `2026-07-01 10:00:00 [INFO] band.agent: Agent started: …`
    Standard,
    /// The same in colours, shorter.
    Rich,
    /// One object a line.
    Json {
        /// The keys of the record itself, in this order.
        keys: Vec<String>,
        /// What every line says besides.
        fields: Map<String, Value>,
    },
}

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let (meta, now, line) = (event.metadata(), Timestamp::now(), Line::of(event));
        match self {
            Self::Standard => {
                let (time, level) = (now.strftime("%Y-%m-%d %H:%M:%S"), shown(*meta.level()));
                write!(writer, "{time} [{level}] {}: ", meta.target())?;
                line.write_plain(&mut writer)
            }
            Self::Rich => {
                let (time, level) = (now.strftime("%H:%M:%S"), shown(*meta.level()));
                let (colour, off) =
                    if writer.has_ansi_escapes() { (colour(*meta.level()), "\x1b[0m") } else { ("", "") };
                let dim = if off.is_empty() { "" } else { "\x1b[2m" };
                write!(writer, "{dim}{time}{off} {colour}{level:<7}{off} {dim}{}{off} ", meta.target())?;
                line.write_plain(&mut writer)
            }
            Self::Json { keys, fields } => {
                let spans = context.event_scope().into_iter().flatten();
                let object = json(keys, fields, meta, line, Correlation::of(spans), now);
                let text = serde_json::to_string(&object).map_err(|_| fmt::Error)?;
                writeln!(writer, "{text}")
            }
        }
    }
}

/// The members of an object, in their order.
struct Ordered(Vec<(String, Value)>);

impl Serialize for Ordered {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The record's own keys, then what every line says, then the fields of the event, each key once.
fn json(
    keys: &[String],
    fields: &Map<String, Value>,
    meta: &Metadata<'_>,
    mut line: Line,
    correlation: Correlation,
    now: Timestamp,
) -> Ordered {
    let own_trace = line.take(trace::FIELD);
    let record = [
        ("timestamp", Value::from(format!("{now:.6}"))),
        ("level", Value::from(shown(*meta.level()))),
        ("logger", Value::from(meta.target())),
        ("message", Value::from(line.message)),
    ];
    let mut known: BTreeMap<&str, Value> = record.into_iter().chain(correlation.fields()).collect();
    if let Some(trace) = own_trace {
        known.insert(trace::FIELD, trace);
    }
    let own = keys.iter().map(|key| (key.clone(), known.remove(key.as_str()).unwrap_or(Value::Null)));
    let mut members: Vec<(String, Value)> = own.collect();
    let rest = fields
        .clone()
        .into_iter()
        .chain(line.fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
    for (name, value) in rest {
        if members.iter().all(|(known, _)| *known != name) {
            members.push((name, value));
        }
    }
    Ordered(members)
}

const fn colour(level: Level) -> &'static str {
    match level {
        Level::ERROR => "\x1b[31m",
        Level::WARN => "\x1b[33m",
        Level::INFO => "\x1b[32m",
        Level::DEBUG => "\x1b[34m",
        Level::TRACE => "\x1b[35m",
    }
}
