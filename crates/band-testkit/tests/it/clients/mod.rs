//! Our adapters beside the providers' own clients: what is asked for the same conversation, and what is read of the
//! same answer. The versions of the clients are in `tests/peers/requirements.txt`.

mod answers;
mod cases;
mod requests;
mod same;

use std::process::Stdio;

use band_adapters::anthropic::Anthropic;
use band_adapters::gemini::Gemini;
use band_adapters::openai::{Chat, Responses};
use band_adapters::{DynModel, ModelRequest, ProviderFailure, Step};
use band_testkit::{Dialect, ModelServer, peers};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

const KEY: &str = "sk-very-secret";
const MODEL: &str = "m-1";

pub(crate) const DIALECTS: [Dialect; 4] =
    [Dialect::Chat, Dialect::Responses, Dialect::Anthropic, Dialect::Gemini];

/// What the driver calls it.
const fn word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Responses => "responses",
        Dialect::Anthropic => "anthropic",
        Dialect::Gemini => "gemini",
        _ => "chat",
    }
}

/// Our model, asking this server and nobody twice.
fn ours(dialect: Dialect, server: &ModelServer, streaming: bool) -> Box<dyn DynModel> {
    let never = std::time::Duration::ZERO;
    macro_rules! model {
        ($adapter:ident, $url:expr) => {
            Box::new(
                $adapter::new(MODEL)
                    .base_url($url)
                    .provider_key(KEY)
                    .retry_limit(never)
                    .streaming(streaming)
                    .into_model(),
            )
        };
    }
    match dialect {
        Dialect::Responses => model!(Responses, server.openai_url()),
        Dialect::Anthropic => model!(Anthropic, server.url()),
        Dialect::Gemini => model!(Gemini, server.url()),
        _ => model!(Chat, server.openai_url()),
    }
}

async fn ask(model: &dyn DynModel, request: ModelRequest) -> Result<Step, ProviderFailure> {
    model.dyn_next(request).await
}

/// A question that makes the client ask this server.
fn send(dialect: Dialect, server: &ModelServer, streaming: bool, case: &Value) -> Value {
    json!({
        "act": "send", "dialect": word(dialect), "url": server.url(), "key": KEY, "stream": streaming,
        "case": case,
    })
}

/// The clients' answers, one for each question.
async fn clients(questions: Vec<Value>) -> Vec<Value> {
    let mut command = peers::python().unwrap_or_else(|err| panic!("{err}"));
    command.arg(peers::script("clients")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut driver = command.kill_on_drop(true).spawn().unwrap();
    let mut stdin = driver.stdin.take().unwrap();
    let asked = serde_json::to_vec(&questions).unwrap();
    let told = async move {
        stdin.write_all(&asked).await.unwrap();
        drop(stdin);
    };
    let ((), output) = tokio::join!(told, driver.wait_with_output());
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answers.len(), questions.len());
    answers
}
