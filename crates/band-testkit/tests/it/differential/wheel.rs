//! The released machines, in a Python process of their own.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use band_testkit::peers;
use serde::Deserialize;
use serde_json::{Value, json};

/// What to make, what to look at after each call, and the calls.
pub(crate) struct Script {
    make: Value,
    watch: Vec<Value>,
    calls: Vec<Value>,
}

impl Script {
    /// Calls of one new object.
    pub(crate) fn of(class: &str, arguments: &Value, keywords: &Value) -> Self {
        Self { make: json!([class, arguments, keywords]), watch: Vec::new(), calls: Vec::new() }
    }

    /// Calls of the module's functions.
    pub(crate) fn functions() -> Self {
        Self { make: Value::Null, watch: Vec::new(), calls: Vec::new() }
    }

    /// More calls of the object that the last script made.
    pub(crate) fn same() -> Self {
        Self { make: json!("same"), watch: Vec::new(), calls: Vec::new() }
    }

    /// Looks at this after each call.
    pub(crate) fn watching(mut self, call: Value) -> Self {
        self.watch.push(call);
        self
    }

    /// The next call: `[name, argument, …]`.
    pub(crate) fn call(&mut self, call: Value) {
        self.calls.push(call);
    }
}

/// What a call said, and what was seen after it.
pub(crate) struct Step {
    pub(crate) said: Value,
    pub(crate) seen: Vec<Value>,
}

#[derive(Deserialize)]
struct Played {
    steps: Vec<Vec<Value>>,
}

pub(crate) struct Wheel {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Wheel {
    pub(crate) fn start() -> Self {
        let mut command = peers::python().unwrap_or_else(|err| panic!("{err}")).into_std();
        command.arg(peers::script("core_driver.py")).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from }
    }

    pub(crate) fn play(&mut self, script: &Script) -> Vec<Step> {
        let Script { make, watch, calls } = script;
        writeln!(self.to, "{}", json!({"make": make, "watch": watch, "calls": calls})).unwrap();
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let played: Played = serde_json::from_str(&line).unwrap_or_else(|err| panic!("{err}: {line}"));
        assert_eq!(played.steps.len(), calls.len());
        let step = |mut step: Vec<Value>| Step { said: step.remove(0), seen: step };
        played.steps.into_iter().map(step).collect()
    }
}

impl Wheel {
    /// One more call of the object that the last script made, and what it says.
    pub(crate) fn say(&mut self, call: Value) -> Value {
        let mut script = Script::same();
        script.call(call);
        self.play(&script).remove(0).said
    }
}

impl Drop for Wheel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
