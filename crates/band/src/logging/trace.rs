//! One turn's records told from another's: a value that every record of a turn carries.

use std::fmt;

use serde_json::Value;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

/// The field of a span, or of a single record, that holds it.
pub(crate) const FIELD: &str = "trace_context";

/// The span of a turn. Its level is the highest, so that no choice of levels loses the context.
macro_rules! turn_span {
    ($trace:expr, $room:expr, $message:expr) => {
        tracing::error_span!(target: "band.turn", "turn", trace_context = %$trace, room = %$room, message_id = %$message)
    };
}
pub(crate) use turn_span;

/// 32 hex digits that no other turn has.
pub(crate) fn fresh(id: uuid::Uuid) -> impl fmt::Display {
    id.simple()
}

/// What a span says about the trace of its records.
#[derive(Debug, Clone)]
struct Trace(String);

/// Remembers the trace context of spans, for the lines.
#[derive(Debug)]
pub(super) struct Remember;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Remember {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut found = Find(None);
        attributes.record(&mut found);
        if let (Some(trace), Some(span)) = (found.0, context.span(id)) {
            span.extensions_mut().insert(Trace(trace));
        }
    }
}

struct Find(Option<String>);

impl Visit for Find {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == FIELD {
            self.0 = Some(format!("{value:?}"));
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == FIELD {
            self.0 = Some(value.to_owned());
        }
    }
}

/// What ties a record to its turn, and to a trace of OpenTelemetry where there is one.
#[derive(Debug, Default)]
pub(super) struct Correlation {
    pub(super) trace_id: Option<String>,
    pub(super) span_id: Option<String>,
    pub(super) sampled: Option<bool>,
    pub(super) service: Option<String>,
    pub(super) trace_context: Option<String>,
}

impl Correlation {
    /// Of these spans, innermost first.
    pub(super) fn of<'a, S>(spans: impl Iterator<Item = SpanRef<'a, S>>) -> Self
    where
        S: Subscriber + for<'s> LookupSpan<'s> + 'a,
    {
        let mut found = Self::default();
        for span in spans {
            let extensions = span.extensions();
            if let Some(Trace(trace)) = extensions.get::<Trace>() {
                found.trace_context = Some(trace.clone());
                break;
            }
        }
        found
    }

    pub(super) fn fields(self) -> [(&'static str, Value); 5] {
        let text = |value: Option<String>| value.map_or(Value::Null, Value::from);
        [
            ("otelTraceID", text(self.trace_id)),
            ("otelSpanID", text(self.span_id)),
            ("otelTraceSampled", self.sampled.map_or(Value::Null, Value::from)),
            ("otelServiceName", text(self.service)),
            (FIELD, text(self.trace_context)),
        ]
    }
}
