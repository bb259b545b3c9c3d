//! Log lines on standard error, for programs that do not set up their own.

use std::fmt;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::config::Env;

/// What a log line looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Style {
    /// `2026-07-01 10:00:00 [INFO] band.agent: Agent started: …`, times in UTC.
    #[default]
    Standard,
    /// One JSON object a line: `timestamp`, `level`, `logger`, `message`, then the fields.
    Json,
}

/// Logs to standard error. What is logged is chosen by `BAND_LOG`, or else `RUST_LOG`, in the usual syntax
/// (`warn,band=debug`); without either it is `band` at the level of `BAND_LOG_LEVEL`, or INFO, and warnings of
/// everything else. `BAND_LOG_CONSOLE_STYLE=json` gives JSON lines.
///
/// Does nothing when the program has set up its own logging before.
pub fn init() {
    init_with(style(&Env::of_process()));
}

/// The same, in this style.
pub fn init_with(style: Style) {
    start(style, filter(&Env::of_process()));
}

/// The same as [`init`], with this filter where the environment does not choose: for programs that are quieter
/// than their parts. A filter that can't be read is passed over.
pub fn init_or(quiet: &str) {
    let env = Env::of_process();
    let is_chosen = ["BAND_LOG", "RUST_LOG", "BAND_LOG_LEVEL"].iter().any(|name| env.get(name).is_some());
    match EnvFilter::try_new(quiet) {
        Ok(filter) if !is_chosen => start(style(&env), filter),
        _ => init(),
    }
}

fn style(env: &Env) -> Style {
    let is_json = env.get("BAND_LOG_CONSOLE_STYLE").is_some_and(|style| style.eq_ignore_ascii_case("json"));
    if is_json { Style::Json } else { Style::Standard }
}

fn start(style: Style, filter: EnvFilter) {
    let builder = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(filter)
        .event_format(Lines(style));
    // An error means that the program has a subscriber already: its own choice stands.
    let _ = builder.try_init();
}

fn filter(env: &Env) -> EnvFilter {
    let asked = env.get("BAND_LOG").or_else(|| env.get("RUST_LOG"));
    let level = match env.get("BAND_LOG_LEVEL").unwrap_or_default().to_lowercase().as_str() {
        "critical" | "fatal" | "error" => "error",
        "warn" | "warning" => "warn",
        "debug" => "debug",
        "trace" => "trace",
        _ => "info",
    };
    let usual = || EnvFilter::new(format!("warn,band={level}"));
    asked.map_or_else(usual, |asked| EnvFilter::try_new(asked).unwrap_or_else(|_| usual()))
}

struct Lines(Style);

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let meta = event.metadata();
        let now = Timestamp::now();
        let mut line = Line::default();
        event.record(&mut line);
        match self.0 {
            Style::Standard => {
                write!(
                    writer,
                    "{} [{}] {}: ",
                    now.strftime("%Y-%m-%d %H:%M:%S"),
                    meta.level(),
                    meta.target()
                )?;
                line.write_plain(&mut writer)
            }
            Style::Json => {
                let mut object = Map::new();
                object.insert("timestamp".into(), Value::from(format!("{now:.6}")));
                object.insert("level".into(), Value::from(meta.level().as_str()));
                object.insert("logger".into(), Value::from(meta.target()));
                object.insert("message".into(), Value::from(line.message));
                object.extend(line.fields);
                writeln!(writer, "{}", Value::Object(object))
            }
        }
    }
}

/// The message and the fields of an event.
#[derive(Default)]
struct Line {
    message: String,
    fields: Vec<(String, Value)>,
}

impl Line {
    fn write_plain(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write_on_one_line(writer, &self.message)?;
        for (name, value) in &self.fields {
            write!(writer, " {name}=")?;
            match value {
                Value::String(text) => write_on_one_line(writer, text)?,
                other => write!(writer, "{other}")?,
            }
        }
        writer.write_char('\n')
    }

    fn put(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::String(text)) => self.message = text,
            (name, value) => self.fields.push((name.to_owned(), value)),
        }
    }
}

/// What a text holds must not pass for another line of the log.
fn write_on_one_line(writer: &mut Writer<'_>, text: &str) -> fmt::Result {
    for c in text.chars() {
        if c.is_control() {
            write!(writer, "{}", c.escape_default())?;
        } else {
            writer.write_char(c)?;
        }
    }
    Ok(())
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, Value::from(format!("{value:?}")));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, Value::from(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::from(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::from(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, Value::from(value));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, Value::from(value));
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Kept {
        fn keep(&self, bytes: &[u8]) {
            self.0.lock().unwrap().extend_from_slice(bytes);
        }
    }

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.keep(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn logged(style: Style) -> String {
        let kept = Kept::default();
        let sink = kept.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_writer(move || sink.clone())
            .with_env_filter(filter(&Env::default()))
            .event_format(Lines(style))
            .finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(target: "band.agent", room = "r1\n[INFO]", tries = 2, "Agent started: {}", "Echo");
            tracing::debug!(target: "band.agent", "not at this level");
            tracing::info!(target: "hyper", "of no interest");
        });
        let bytes = kept.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_line_names_time_level_logger_and_message() {
        let line = logged(Style::Standard);
        let (time, rest) = line.split_at(19);
        assert_eq!(time.len(), "2026-07-01 10:00:00".len());
        assert_eq!(rest, " [INFO] band.agent: Agent started: Echo room=r1\\n[INFO] tries=2\n");
    }

    #[test]
    fn json_lines_are_objects() {
        let line: Value = serde_json::from_str(&logged(Style::Json)).unwrap();
        assert_eq!(line["logger"], "band.agent");
        assert_eq!(line["message"], "Agent started: Echo");
        assert_eq!((&line["room"], &line["tries"]), (&Value::from("r1\n[INFO]"), &Value::from(2)));
    }
}
