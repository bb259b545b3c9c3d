//! Our reading of settings and of `agent_config.yaml` against the released Python SDK, case by case: what is taken
//! is equal, what is refused is refused in the same words. Where we are stricter is a list of its own.

use std::process::Stdio;

use band::SessionConfig;
use band::config::{Env, load_agent_config};
use band_testkit::peers;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Value, json};

const ID: &str = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";

const NUMBERS: [&str; 9] = [
    "IDLE_RESYNC_SECONDS",
    "IDLE_RESYNC_MAX_SECONDS",
    "STOPPED_RESYNC_SECONDS",
    "WORKING_KEEP_ALIVE_SECONDS",
    "WORKING_REQUEST_TIMEOUT_SECONDS",
    "MAX_WORKING_STATE_SECONDS",
    "MAX_CYCLE_SECONDS",
    "CONTEXT_CACHE_TTL_SECONDS",
    "MAX_CONTEXT_MESSAGES",
];
const SWITCHES: [&str; 4] = [
    "ENABLE_CONTEXT_CACHE",
    "ENABLE_CONTEXT_HYDRATION",
    "ENABLE_WORKING_STATE",
    "REPORT_TURN_FAILURES_TO_ROOM",
];
const TEXTS: [&str; 44] = [
    "", " ", "0", "1", "2", "3", "4.9", "5", "-1", "-0", "+2", " 7 ", "1.0", "1.5", "1e3", "2.", ".5", "1_0",
    "_1", "1_", "1__0", "inf", "-inf", "Infinity", "nan", "none", "null", "0x10", "five", "true", "TRUE",
    "Yes", "on", "t", "y", "false", "No", "OFF", "f", "n", " true", "maybe", "1,5", "½",
];

/// What the SDKs say to the same question.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Taken(Value),
    Refused(String),
}

#[tokio::test]
async fn every_setting_crossed_with_every_spelling_is_read_as_the_released_sdk_reads_it() {
    let names = NUMBERS.iter().chain(&SWITCHES);
    let one = names.flat_map(|name| TEXTS.iter().map(|text| vec![(*name, *text)]));
    let two = TEXTS.iter().flat_map(|text| {
        [
            vec![("enable_working_state", "0"), ("WORKING_KEEP_ALIVE_SECONDS", text)],
            vec![("Enable_Working_State", "0"), ("working_request_timeout_seconds", text)],
            vec![("ENABLE_WORKING_STATE", "0"), ("MAX_WORKING_STATE_SECONDS", text)],
            vec![("WORKING_REQUEST_TIMEOUT_SECONDS", "1"), ("WORKING_KEEP_ALIVE_SECONDS", text)],
            vec![("MAX_WORKING_STATE_SECONDS", "0"), ("MAX_CYCLE_SECONDS", text)],
        ]
    });
    let cases: Vec<Vec<(&str, &str)>> = one.chain(two).filter(|case| !is_stricter(case)).collect();
    assert!(cases.len() > 650, "{} cases", cases.len());
    let asked = cases.iter().map(
        |case| json!({ "settings": case.iter().copied().collect::<std::collections::BTreeMap<_, _>>() }),
    );
    let theirs = ask(asked.collect()).await;
    for (case, theirs) in cases.iter().zip(theirs) {
        let ours = SessionConfig::from(&case.iter().copied().collect::<Env>());
        match (ours, theirs) {
            (Ok(ours), Verdict::Taken(theirs)) => {
                let ours = serde_json::to_value(ours).unwrap();
                for (field, value) in theirs.as_object().unwrap() {
                    assert!(same(&ours[field], value), "{case:?}: {field} is {} and {value}", ours[field]);
                }
            }
            (Err(ours), Verdict::Refused(theirs)) => {
                assert!(ours.to_string().contains(&theirs), "{case:?}:\n{ours}\n{theirs}");
            }
            (ours, theirs) => panic!("{case:?}:\n{ours:?}\n{theirs:?}"),
        }
    }
}

/// What the released SDK takes and we do not, or the other way round.
fn is_stricter(case: &[(&str, &str)]) -> bool {
    case.iter().any(|(name, text)| {
        let number = text.trim().replace('_', "").parse::<f64>();
        match name.to_uppercase().as_str() {
            // No number, and no limit at all.
            "MAX_WORKING_STATE_SECONDS" | "MAX_CYCLE_SECONDS" | "WORKING_KEEP_ALIVE_SECONDS" => {
                number.is_ok_and(f64::is_nan)
            }
            // As good as an endless past is to the one, and nothing to the other.
            "MAX_CONTEXT_MESSAGES" => number.is_ok_and(|number| number <= 0.0),
            // Not used while the working state is off; ours has no negative one to show.
            "WORKING_REQUEST_TIMEOUT_SECONDS" => case.len() == 2 && number.is_ok_and(|number| number < 0.0),
            _ => false,
        }
    })
}

/// An endless limit is none, and so is every endless number to JSON.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours.as_f64(), theirs.as_f64()) {
        (Some(ours), Some(theirs)) => ours.total_cmp(&theirs).is_eq(),
        (None, None) => ours == theirs || (ours.is_null() && matches!(theirs.as_str(), Some("inf" | "-inf"))),
        _ => false,
    }
}

#[tokio::test]
async fn every_shape_of_the_configuration_file_is_read_as_the_released_sdk_reads_it() {
    let texts: Vec<Option<String>> = [
        "",
        "other: {agent_id: a, api_key: b}",
        "bot: {agent_id: ID, api_key: k}",
        "agent_id: ID\napi_key: 42\nbot: {}",
        "agent_id: ID\napi_key: k\nbot: null",
        "agent_id: ID\napi_key: k",
        "agent_id: other\napi_key: other\nbot: {agent_id: ID, api_key: k, more: [1]}",
        "bot: {x: 1}",
        "bot: {agent_id: ID, api_key: ''}",
        "bot: {agent_id: ID, api_key: null}",
        "agent_id: ID",
        "BOT: {agent_id: ID, api_key: k}",
        "- a\n- b",
        "bot: [1]",
        "bot: text",
        "bot: {a: b",
        "5",
        "a: &x 1\nb: *x",
        "bot: {}",
        "---\nbot: {agent_id: ID, api_key: k}\n---\nb: 1",
        "# nothing but a comment",
        "bot:\n  agent_id: \"ID\"\n  api_key: 'it''s'\n",
        "\u{feff}bot: {agent_id: ID, api_key: k}",
    ]
    .into_iter()
    .map(|text| Some(text.replace("ID", ID)))
    .chain([None])
    .collect();
    let theirs = ask(texts.iter().map(|text| json!({ "file": text })).collect()).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent_config.yaml");
    for (text, theirs) in texts.iter().zip(theirs) {
        match text {
            Some(text) => std::fs::write(&path, text).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let ours = load_agent_config("bot", Some(&path))
            .map(|found| json!([found.agent_id, found.api_key.expose_secret()]))
            .map_err(|err| err.to_string().replace(path.to_str().unwrap(), "FILE"));
        match (ours, theirs) {
            (Ok(ours), Verdict::Taken(theirs)) => assert_eq!(ours, theirs, "{text:?}"),
            (Err(ours), Verdict::Refused(theirs)) => {
                // What a parser says is its own affair.
                let same = theirs.split_inclusive("Error loading agent config: ").next().unwrap();
                assert!(ours.starts_with(same), "{text:?}:\n{ours}\n{theirs}");
            }
            (ours, theirs) => panic!("{text:?}:\n{ours:?}\n{theirs:?}"),
        }
    }
}

/// The released SDK's verdicts, one for each question.
async fn ask(questions: Vec<Value>) -> Vec<Verdict> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("questions");
    let lines: String = questions.iter().map(|question| format!("{question}\n")).collect();
    std::fs::write(&file, lines).unwrap();
    let mut command = peers::python().unwrap_or_else(|err| panic!("{err}"));
    command.arg(peers::script("config_oracle.py")).stdin(Stdio::from(std::fs::File::open(&file).unwrap()));
    let output = command.output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let verdicts: Vec<Verdict> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|err| panic!("{err}: {line}")))
        .collect();
    assert_eq!(verdicts.len(), questions.len());
    verdicts
}
