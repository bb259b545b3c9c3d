//! One turn's records told from another's: a value that every record of a turn carries.

use std::fmt;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Span, Subscriber};
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

/// The span, and where OpenTelemetry records it, with its traceparent as the context.
pub(crate) fn linked(span: Span) -> Span {
    #[cfg(feature = "otel")]
    if let Some(parent) = crate::otel::traceparent(&span) {
        span.record(FIELD, parent);
    }
    span
}

/// The service that spans are sent for; none where they are not.
fn service() -> Option<String> {
    #[cfg(feature = "otel")]
    return crate::otel::service_name().map(str::to_owned);
    #[cfg(not(feature = "otel"))]
    None
}

/// What a span says about the trace of its records.
#[derive(Debug, Clone)]
struct Trace(String);

/// Remembers the trace context of spans, for the lines.
#[derive(Debug)]
pub(super) struct Remember;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Remember {
    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let mut found = Find(None);
        values.record(&mut found);
        if let (Some(trace), Some(span)) = (found.0, context.span(id)) {
            span.extensions_mut().replace(Trace(trace));
        }
    }

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
    /// Of a turn's trace context. A W3C traceparent says more than digits alone.
    fn new(trace_context: String) -> Self {
        let parts: Vec<&str> = trace_context.split('-').collect();
        let (trace_id, span_id, sampled) = match parts.as_slice() {
            [_, trace, span, flags] => {
                let flags = u8::from_str_radix(flags, 16).unwrap_or_default();
                (Some((*trace).to_owned()), Some((*span).to_owned()), Some(flags & 1 == 1))
            }
            _ => (None, None, None),
        };
        Self { trace_id, span_id, sampled, service: service(), trace_context: Some(trace_context) }
    }

    /// Of these spans, innermost first.
    pub(super) fn of<'a, S>(spans: impl Iterator<Item = SpanRef<'a, S>>) -> Self
    where
        S: Subscriber + for<'s> LookupSpan<'s> + 'a,
    {
        let known = spans.filter_map(|span| span.extensions().get::<Trace>().cloned()).next();
        known.map_or_else(|| Self { service: service(), ..Self::default() }, |Trace(trace)| Self::new(trace))
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
