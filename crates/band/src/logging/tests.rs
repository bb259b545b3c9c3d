//! What comes out.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt;

use super::trace::turn_span;
use super::*;

/// What a file says after some records; the console is of no interest here.
fn logged(change: impl FnOnce(&mut LogSettings), records: impl FnOnce()) -> String {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("band.log");
    let mut settings = LogSettings { log_file: Some(path.clone()), ..LogSettings::default() };
    change(&mut settings);
    let subscriber = Registry::default().with(settings.layers::<Registry>().unwrap());
    tracing::subscriber::with_default(subscriber, records);
    fs::read_to_string(path).unwrap()
}

fn some() {
    tracing::info!(target: "band.agent", room = "r1\n[INFO]", tries = 2, "Agent started: {}", "Echo");
    tracing::debug!(target: "band.agent", "not at this level");
    tracing::info!(target: "hyper", "of no interest");
    tracing::warn!(target: "hyper", "odd");
}

#[test]
fn a_line_names_time_level_logger_and_message() {
    let text = logged(|_| {}, some);
    let lines: Vec<&str> = text.lines().collect();
    let (time, rest) = lines[0].split_at(19);
    assert_eq!(time.len(), "2026-07-01 10:00:00".len());
    assert_eq!(rest, " [INFO] band.agent: Agent started: Echo room=r1\\n[INFO] tries=2");
    assert!(lines[1].ends_with(" [WARNING] hyper: odd"), "{text}");
    assert_eq!(lines.len(), 2);
}

#[test]
fn json_lines_are_objects() {
    let json = |settings: &mut LogSettings| {
        settings.log_file_style = FileStyle::Json;
        settings.static_fields.insert("service".to_owned(), "desk".into());
        settings.static_fields.insert("level".to_owned(), "mine".into());
    };
    let text = logged(json, some);
    let first = text.lines().next().unwrap();
    let keys: Vec<&str> =
        first.split('"').skip(1).step_by(2).filter(|key| first.contains(&format!("\"{key}\":"))).collect();
    let expected = [
        "timestamp",
        "level",
        "logger",
        "message",
        "otelTraceID",
        "otelSpanID",
        "otelTraceSampled",
        "otelServiceName",
        "trace_context",
        "service",
        "room",
        "tries",
    ];
    assert_eq!(keys, expected);
    let line: Value = serde_json::from_str(first).unwrap();
    assert_eq!((&line["level"], &line["logger"]), (&Value::from("INFO"), &Value::from("band.agent")));
    assert_eq!(line["message"], "Agent started: Echo");
    assert_eq!((&line["room"], &line["tries"]), (&Value::from("r1\n[INFO]"), &Value::from(2)));
    assert!(line["trace_context"].is_null());
}

#[test]
fn the_keys_of_a_json_line_can_be_chosen() {
    let few = |settings: &mut LogSettings| {
        settings.log_file_style = FileStyle::Json;
        settings.json_fields = Some(vec!["message".to_owned(), "logger".to_owned()]);
    };
    let text = logged(few, || tracing::info!(target: "band.agent", "hi"));
    assert_eq!(text, "{\"message\":\"hi\",\"logger\":\"band.agent\"}\n");
}

#[test]
fn every_record_of_a_turn_carries_its_trace_context_unless_it_has_its_own() {
    let json = |settings: &mut LogSettings| settings.log_file_style = FileStyle::Json;
    let text = logged(json, || {
        let trace = trace::fresh(uuid::Uuid::from_u128(7)).to_string();
        let turn = turn_span!(trace, "r", "m");
        turn.in_scope(|| {
            tracing::info!(target: "band.room", "one");
            tracing::info_span!("inner").in_scope(|| tracing::warn!(target: "hyper", "two"));
            tracing::info!(target: "band.room", trace_context = "of the error", "three");
        });
        tracing::info!(target: "band.room", "four");
    });
    let traces: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["trace_context"].clone())
        .collect();
    let turn = format!("{:032x}", 7);
    assert_eq!(traces, [turn.as_str().into(), turn.as_str().into(), "of the error".into(), Value::Null]);
}

#[test]
fn a_traceparent_is_told_in_its_parts() {
    let json = |settings: &mut LogSettings| settings.log_file_style = FileStyle::Json;
    let trace = format!("{:032x}", 7);
    let parent = format!("00-{trace}-{:016x}-01", 9);
    let text = logged(json, || {
        turn_span!(parent, "r", "m").in_scope(|| tracing::info!(target: "band.room", "one"));
        let late = turn_span!("x", "r", "m");
        late.record(trace::FIELD, parent.as_str());
        late.in_scope(|| tracing::info!(target: "band.room", "two"));
    });
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(
            (&line["otelTraceID"], &line["trace_context"]),
            (&trace.as_str().into(), &parent.as_str().into())
        );
        assert_eq!(
            (&line["otelSpanID"], &line["otelTraceSampled"]),
            (&format!("{:016x}", 9).into(), &true.into())
        );
    }
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn outputs_of_different_levels_each_keep_their_own() {
    let quiet = |settings: &mut LogSettings| {
        settings.log_level = LogLevel::Debug;
        settings.log_file_level = Some(LogLevel::Error);
        settings.log_overrides.insert("hyper".to_owned(), LogLevel::Trace);
    };
    assert_eq!(logged(quiet, some), "", "an override reaches no output that is pinned above it");
    let loud = |settings: &mut LogSettings| {
        settings.log_overrides.insert("hyper".to_owned(), LogLevel::Info);
    };
    assert!(logged(loud, some).contains("of no interest"));
    let directives = |settings: &mut LogSettings| settings.filter = Some("off,band.agent=debug".to_owned());
    let text = logged(directives, some);
    assert!(text.contains("not at this level") && !text.contains("odd"), "{text}");
}

#[test]
fn an_application_hears_itself_as_it_hears_the_agent() {
    let of = |settings: LogSettings| {
        logged(
            move |into| {
                let file = into.log_file.clone();
                *into = LogSettings { log_file: file, ..settings };
            },
            some,
        )
    };
    assert!(of(LogSettings::default().for_application()).contains("of no interest"));
    let chosen = LogSettings { log_root_level: Some(LogLevel::Error), ..LogSettings::default() };
    assert!(!of(chosen.for_application()).contains("odd"));
    let own = LogSettings::default().default_override("hyper", LogLevel::Error);
    assert!(!of(own.default_override("hyper", LogLevel::Info)).contains("odd"));
}

#[test]
fn settings_that_do_not_go_together_are_refused() {
    let told = |settings: LogSettings| settings.configure().unwrap_err().to_string();
    let none = LogSettings { log_max_bytes: 1, log_backups: 0, ..LogSettings::default() };
    assert!(told(none).contains("backup_count must be at least 1 when max_bytes is set"));
    let empty = LogSettings { json_fields: Some(Vec::new()), ..LogSettings::default() };
    assert!(told(empty).contains("json_fields must name at least one key"));
    let filter = LogSettings { filter: Some("band=[".to_owned()), ..LogSettings::default() };
    assert!(told(filter).contains("\"band=[\""));
    let file = LogSettings { log_file: Some("/dev/null/x".into()), ..LogSettings::default() };
    assert!(told(file).starts_with("log_file /dev/null/x: "));
}
