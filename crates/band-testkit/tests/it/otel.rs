//! Spans arrive at a collector, and lines of the log lead to them.

use std::collections::BTreeMap;

use band::logging::{FileStyle, LogLevel, LogSettings};
use band::otel::Otel;
use band::{Agent, Turn, adapter_fn};
use band_testkit::{PATIENCE, Platform};
use band_wire::phx::Topic;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

/// Exports that wait to be read.
const EXPORTS: usize = 64;

/// What takes OTLP over HTTP, as a collector does.
struct Collector {
    address: String,
    exports: mpsc::Receiver<ExportTraceServiceRequest>,
    _tasks: JoinSet<()>,
}

impl Collector {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (sender, exports) = mpsc::channel(EXPORTS);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                take(stream, &sender).await;
            }
        });
        Self { address, exports, _tasks: tasks }
    }

    /// All spans so far, with the service they are of.
    fn spans(&mut self) -> Vec<(String, Span)> {
        let mut spans = Vec::new();
        while let Ok(export) = self.exports.try_recv() {
            for resource in export.resource_spans {
                let attributes = resource.resource.unwrap().attributes;
                let service = attributes.iter().find(|pair| pair.key == "service.name").unwrap();
                let Some(Any::StringValue(service)) = service.value.clone().unwrap().value else { panic!() };
                let found = resource.scope_spans.into_iter().flat_map(|scope| scope.spans);
                spans.extend(found.map(|span| (service.clone(), span)));
            }
        }
        spans
    }
}

/// Answers one export on a connection of its own.
async fn take(mut stream: TcpStream, sender: &mpsc::Sender<ExportTraceServiceRequest>) {
    let mut bytes = Vec::new();
    let (head, mut body) = loop {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "an export in full");
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let body = bytes.split_off(at + 4);
            break (String::from_utf8(bytes).unwrap().to_lowercase(), body);
        }
    };
    assert!(head.starts_with("post /v1/traces "), "{head}");
    assert!(head.contains("content-type: application/x-protobuf"), "{head}");
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    while body.len() < length {
        assert_ne!(stream.read_buf(&mut body).await.unwrap(), 0, "an export in full");
    }
    let export = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
    sender.send(export).await.unwrap();
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    stream.write_all(answer).await.unwrap();
}

#[tokio::test]
async fn a_turn_and_its_phases_arrive_as_spans_and_its_lines_lead_to_them() {
    let mut collector = Collector::start().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("band.log");
    let mut log = LogSettings::from(&band::config::Env::default()).unwrap();
    (log.log_file, log.log_file_style, log.log_level) =
        (Some(file.clone()), FileStyle::Json, LogLevel::Debug);
    let otel = Otel::to(&collector.address, "desk").unwrap();
    let mut layers = log.layers::<Registry>().unwrap();
    layers.push(otel.layer());
    // For this thread, which runs everything here.
    let logging = tracing::subscriber::set_default(Registry::default().with(layers));

    let platform = Platform::start().await.unwrap();
    let person = platform.add_person("Ann").await.unwrap();
    let registered = person.register("Helper", "Repeats what it is told.").await.unwrap();
    let room = person.room_with("Kitchen", &registered).await.unwrap();
    let state = [("BAND_STATE_DIR", folder.path().display().to_string())].into_iter().collect();
    let running = Agent::builder(adapter_fn(|turn: Turn| async move { turn.reply("yes").await }))
        .credentials(registered.id, registered.key.clone())
        .rest_url(platform.base_url())
        .build_with(state)
        .unwrap()
        .start()
        .await
        .unwrap();
    let mut watcher = person.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    person.say(room, registered.id, "hello").await.unwrap();
    watcher.message("the answer", |message| message.sender_id == registered.id.into()).await.unwrap();
    running.stop(Some(PATIENCE)).await.unwrap();
    otel.shutdown().await;
    drop(logging);

    let spans = collector.spans();
    assert!(spans.iter().all(|(service, _)| service == "desk"));
    let named =
        |name: &str| spans.iter().map(|(_, span)| span).filter(|span| span.name == name).collect::<Vec<_>>();
    for name in ["turn", "handler", "claim", "hydrate", "ack"] {
        assert_eq!(
            named(name).len(),
            1,
            "{name}: {:?}",
            spans.iter().map(|(_, span)| &span.name).collect::<Vec<_>>()
        );
    }
    let (turn, handler) = (named("turn")[0], named("handler")[0]);
    assert_eq!((&handler.trace_id, &handler.parent_span_id), (&turn.trace_id, &turn.span_id));
    assert!(turn.end_time_unix_nano >= turn.start_time_unix_nano);
    let attributes: BTreeMap<&str, _> =
        turn.attributes.iter().map(|pair| (pair.key.as_str(), &pair.value)).collect();
    assert!(attributes.contains_key("room") && attributes.contains_key("message_id"), "{attributes:?}");

    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let text = std::fs::read_to_string(file).unwrap();
    assert!(
        text.contains("Turn phase=cycle state=started") && text.contains("Turn phase=cycle state=returned")
    );
    let line = text.lines().find(|line| line.contains("Turn phase=handler state=returned")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["otelTraceID"], hex(&turn.trace_id));
    assert_eq!(line["otelSpanID"], hex(&turn.span_id));
    assert_eq!((&line["otelServiceName"], &line["otelTraceSampled"]), (&"desk".into(), &true.into()));
    assert_eq!(line["trace_context"], format!("00-{}-{}-01", hex(&turn.trace_id), hex(&turn.span_id)));
}
