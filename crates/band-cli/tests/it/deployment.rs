//! The files under `deploy/`: what they promise about restarts, and that they hold together.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use band_testkit::{PATIENCE, Process};
use tokio::process::Command;

use crate::agent::{registered, variables_of};
use crate::stage::Stage;

fn deploy(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy").join(file)
}

fn read(file: &str) -> String {
    std::fs::read_to_string(deploy(file)).unwrap()
}

/// The value of a key of a unit.
fn value<'a>(unit: &'a str, key: &str) -> Option<&'a str> {
    unit.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
}

/// Whether systemd starts a service again that ended by itself with this code; `man systemd.service`, table 2.
fn starts_again(unit: &str, code: i32) -> bool {
    match value(unit, "Restart") {
        Some("always") => true,
        Some("on-success") => code == 0,
        Some("on-failure") => code != 0,
        _ => false,
    }
}

#[test]
fn the_units_restart_on_every_exit_and_give_turns_their_time() {
    for file in ["systemd/band-agent@.service", "systemd/band.service"] {
        let unit = read(file);
        for code in [0, 1, 2, 3, 4, 129, 130, 143] {
            assert!(starts_again(&unit, code), "{file}: {code}");
        }
        assert_eq!(value(&unit, "StartLimitIntervalSec"), Some("0"), "{file}: it never gives up");
        assert_eq!(value(&unit, "KillSignal"), Some("SIGTERM"));
        let stop: u64 = value(&unit, "TimeoutStopSec").unwrap().parse().unwrap();
        assert!(stop >= 30, "{file}: {stop}");
        assert_eq!(value(&unit, "StateDirectoryMode"), Some("0700"));
    }
    // Turns may go on for 30 s after the first signal.
    assert!(
        value(&read("systemd/band-agent@.service"), "TimeoutStopSec").unwrap().parse::<u64>().unwrap() > 30
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn systemd_finds_nothing_wrong_with_the_units() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["band-agent@.service", "band.service"] {
        let unit =
            read(&format!("systemd/{name}")).replace("/usr/local/bin/band", env!("CARGO_BIN_EXE_band"));
        let path = folder.path().join(name);
        std::fs::write(&path, unit).unwrap();
        let mut command = Command::new("systemd-analyze");
        let output = command.args(["verify", "--man=no"]).arg(&path).output().await;
        let output = match output {
            Ok(output) => output,
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => {
                let why = "not run: systemd's own look at the units, since systemd-analyze is not installed";
                return writeln!(std::io::stderr(), "{why}").unwrap();
            }
            Err(err) => panic!("systemd-analyze can't be run: {err}"),
        };
        let said = String::from_utf8_lossy(&output.stderr);
        let own: Vec<&str> = said.lines().filter(|line| line.contains("band")).collect();
        assert!(output.status.success() && own.is_empty(), "{name}: {said}");
    }
}

#[test]
fn the_words_of_units_and_containers_are_words_of_the_command() {
    let words = |line: &str| {
        line.split_whitespace().filter(|word| word.starts_with("--")).map(str::to_owned).collect::<Vec<_>>()
    };
    let mut used = Vec::new();
    for (file, key) in [("systemd/band-agent@.service", "ExecStart"), ("systemd/band.service", "ExecStart")] {
        used.extend(words(value(&read(file), key).unwrap()));
    }
    for file in ["container/compose.yaml", "container/Dockerfile"] {
        let text = read(file).replace(['"', ',', '[', ']'], " ");
        used.extend(
            text.lines().filter(|line| line.contains("command:") || line.starts_with("CMD")).flat_map(words),
        );
    }
    assert!(used.len() >= 10, "{used:?}");
    let help: String = ["it__help__band-agent-run.snap", "it__help__band-serve.snap"]
        .iter()
        .map(|name| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/snapshots").join(name))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    for word in used {
        assert!(help.contains(&word), "{word}");
    }
}

#[test]
fn containers_restart_on_every_exit_and_hand_signals_through() {
    let compose = read("container/compose.yaml");
    assert_eq!(compose.lines().filter(|line| line.trim() == "restart: always").count(), 2);
    assert!(compose.contains("stop_grace_period: 45s"));
    assert!(compose.contains("create_host_path: false"), "no directory in place of a file that is missing");
    let dockerfile = read("container/Dockerfile");
    assert!(dockerfile.contains("ENTRYPOINT [\"band\"]"), "the program itself gets the signal");
    assert!(dockerfile.lines().any(|line| line == "USER band"));
}

#[tokio::test]
async fn an_agent_that_was_taken_over_and_ended_with_zero_is_started_again_as_the_unit_says() {
    let unit = read("systemd/band-agent@.service");
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (_, lines) = registered(&stage).await;
    let start = |place: &str| {
        let place = stage.home().join(place);
        std::fs::create_dir_all(&place).unwrap();
        let mut command = stage.command(&["agent", "run", "--adapter", "echo"]);
        command.envs(variables_of(&lines)).env("TMPDIR", &place).env("BAND_STATE_DIR", &place);
        Process::start("agent", &mut command).unwrap()
    };
    let mut supervised = start("one");
    supervised.line("Agent started", PATIENCE).await.unwrap();
    let mut intruder = start("two");
    let code = supervised.ended(PATIENCE).await.unwrap().code().unwrap();
    assert_eq!(code, 0);
    intruder.kill().await.unwrap();
    assert!(starts_again(&unit, code));
    let mut again = start("one");
    again.line("Agent started", PATIENCE).await.unwrap();
    again.terminate().await.unwrap();
    let code = again.ended(PATIENCE).await.unwrap().code().unwrap();
    assert!(starts_again(&unit, code));
}
