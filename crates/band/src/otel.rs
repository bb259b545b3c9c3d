//! Spans for OpenTelemetry, over OTLP: HTTP with protobuf. Only with the feature `otel`.
//!
//! Each turn is a span, and so is each phase of it. The records of a turn carry the span's `traceparent` as their
//! `trace_context`, so that a line of the log leads to its trace.

use std::fmt;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::KeyValue;
use opentelemetry::trace::{TraceContextExt, TracerProvider};
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::{Metadata, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::filter::{FilterFn, LevelFilter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry};

use crate::config::Env;
use crate::error::{Error, Result};
use crate::logging::LogSettings;
use crate::rest::{read, shown};
use crate::tls;

/// How long one attempt to reach the collector may take.
const LIMIT: Duration = Duration::from_secs(10);
/// The largest answer that is read: it says at most how many spans were not taken.
const ANSWER_MAX: usize = 64 * 1024;
/// The service, where `OTEL_SERVICE_NAME` names none.
const SERVICE: &str = "band";
/// The service that lines of the log name.
static NAMED: OnceLock<String> = OnceLock::new();

/// Sends spans in batches until it is shut down. A collector that is away costs spans, and nothing else.
pub struct Otel {
    provider: SdkTracerProvider,
}

impl Otel {
    /// As `OTEL_EXPORTER_OTLP_ENDPOINT` and `OTEL_SERVICE_NAME` say; none when there is no endpoint.
    ///
    /// # Errors
    /// As [`to`](Self::to).
    pub fn from_env() -> Result<Option<Self>> {
        let env = Env::of_process();
        let service = env.get("OTEL_SERVICE_NAME").unwrap_or(SERVICE);
        env.get("OTEL_EXPORTER_OTLP_ENDPOINT").map(|endpoint| Self::to(endpoint, service)).transpose()
    }

    /// To the collector at this address, without `/v1/traces`. Spans are sent by the current runtime.
    ///
    /// # Errors
    /// The address does not fit, or there is no runtime.
    pub fn to(endpoint: &str, service: &str) -> Result<Self> {
        let refuse = |why: &dyn fmt::Display| {
            Error::Config(format!("OTEL_EXPORTER_OTLP_ENDPOINT {}: {why}", shown(endpoint)))
        };
        let runtime = Handle::try_current().map_err(|err| refuse(&err))?;
        let client = client(endpoint.starts_with("https://"))?.build().map_err(|err| refuse(&err))?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_http_client(Client { http: client, runtime })
            .with_timeout(LIMIT)
            .build()
            .map_err(|err| refuse(&err))?;
        let about = Resource::builder()
            .with_service_name(service.to_owned())
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
            .build();
        // The first one stays: a process is one service.
        let _ = NAMED.set(service.to_owned());
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(about).build();
        Ok(Self { provider })
    }

    /// Sets up logging, as [`LogSettings::configure`] does, with spans besides.
    ///
    /// # Errors
    /// As [`LogSettings::configure`].
    pub fn configure(&self, log: &LogSettings) -> Result<()> {
        let mut layers = log.layers::<Registry>()?;
        layers.push(self.layer());
        // An error means that the program has a subscriber already: its own choice stands.
        let _ = tracing_subscriber::registry().with(layers).try_init();
        Ok(())
    }

    /// The spans alone, for a program that has a subscriber of its own. Place it behind the layers of the log.
    pub fn layer<S>(&self) -> Box<dyn Layer<S> + Send + Sync>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let tracer = self.provider.tracer("band");
        let ours = |meta: &Metadata<'_>| meta.is_span() && meta.target().starts_with("band.");
        Box::new(
            tracing_opentelemetry::layer()
                .with_tracer(tracer)
                .with_location(false)
                .with_threads(false)
                .with_filter(FilterFn::new(ours).with_max_level_hint(LevelFilter::DEBUG)),
        )
    }

    /// Sends what is left.
    pub async fn shutdown(self) {
        let done = tokio::task::spawn_blocking(move || self.provider.shutdown()).await;
        if !matches!(done, Ok(Ok(()))) {
            tracing::warn!(target: "band.otel", ?done, "the last spans were not sent");
        }
    }
}

impl fmt::Debug for Otel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Otel").finish_non_exhaustive()
    }
}

/// The W3C traceparent of a span that is recorded.
pub(crate) fn traceparent(span: &Span) -> Option<String> {
    let context = span.context();
    let found = context.span().span_context().clone();
    found
        .is_valid()
        .then(|| format!("00-{}-{}-{:02x}", found.trace_id(), found.span_id(), found.trace_flags().to_u8()))
}

/// The service that spans are sent for.
pub(crate) fn service_name() -> Option<&'static str> {
    NAMED.get().map(String::as_str)
}

/// Our HTTP client, for a thread that is none of the runtime's.
#[derive(Debug)]
struct Client {
    http: reqwest::Client,
    runtime: Handle,
}

type Sending<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>;

impl HttpClient for Client {
    fn send_bytes<'life0, 'call>(&'life0 self, request: Request<Bytes>) -> Sending<'call>
    where
        'life0: 'call,
        Self: 'call,
    {
        let sending = async move {
            let answer = self.http.execute(request.try_into()?).await?;
            Ok(read(answer, ANSWER_MAX).await?)
        };
        Box::pin(Within { runtime: self.runtime.clone(), inner: Box::pin(sending) })
    }
}

/// It follows no redirect: what `OTEL_EXPORTER_OTLP_HEADERS` adds, a key for example, is for this collector alone.
fn client(encrypted: bool) -> Result<reqwest::ClientBuilder> {
    Ok(reqwest::Client::builder()
        .tls_backend_preconfigured(tls::for_rest(encrypted)?)
        .redirect(reqwest::redirect::Policy::none())
        .timeout(LIMIT))
}

/// A future that is polled inside the runtime, whoever polls it.
struct Within<'a> {
    runtime: Handle,
    inner: Sending<'a>,
}

impl Future for Within<'_> {
    type Output = Result<Response<Bytes>, HttpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let runtime = self.runtime.clone();
        let _inside = runtime.enter();
        self.inner.as_mut().poll(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::task::JoinSet;

    use super::*;

    /// What is answered by a collector that says this and then sends zeros for as long as anybody reads.
    async fn asked(head: &'static str) -> Response<Bytes> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        let mut collector = JoinSet::new();
        collector.spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let _ = socket.read(&mut [0; 4_096]).await;
            let _ = socket.write_all(head.as_bytes()).await;
            while socket.write_all(&[0; 4_096]).await.is_ok() {}
        });
        let http = client(false).unwrap().build().unwrap();
        let client = Client { http, runtime: Handle::current() };
        let request = Request::post(address).body(Bytes::from_static(b"spans")).unwrap();
        client.send_bytes(request).await.unwrap()
    }

    #[tokio::test]
    async fn a_redirect_is_not_followed() {
        let redirect =
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(asked(redirect).await.status(), 307);
    }

    #[tokio::test]
    async fn an_answer_without_an_end_is_cut() {
        let long = "HTTP/1.1 200 OK\r\ncontent-length: 1000000000000\r\n\r\n";
        assert_eq!(asked(long).await.body().len(), ANSWER_MAX);
    }
}
