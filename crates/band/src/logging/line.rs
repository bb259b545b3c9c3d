//! The message and the fields of an event.

use std::fmt;

use serde_json::Value;
use tracing::Event;
use tracing::field::{Field, Visit};
use tracing_subscriber::fmt::format::Writer;

/// What an event says.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) message: String,
    pub(super) fields: Vec<(&'static str, Value)>,
}

impl Line {
    pub(super) fn of(event: &Event<'_>) -> Self {
        let mut line = Self::default();
        event.record(&mut line);
        line
    }

    /// The message and the fields, on one line.
    pub(super) fn write_plain(&self, writer: &mut Writer<'_>) -> fmt::Result {
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

    /// Takes a field out.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.fields.iter().position(|(field, _)| *field == name)?;
        Some(self.fields.remove(at).1)
    }

    fn put(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::String(text)) => self.message = text,
            (name, value) => self.fields.push((name, value)),
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
