//! Servers that speak Chat Completions, each a little differently.

use std::fmt;
use std::str::FromStr;

use band::Error;

/// Whose server it is: the address and the form of requests that it wants, unless they are set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Server {
    /// OpenAI.
    #[default]
    OpenAi,
    /// Ollama, on this machine.
    Ollama,
    /// vLLM, on this machine.
    Vllm,
    /// `llama-server` of llama.cpp, on this machine.
    LlamaCpp,
    /// LM Studio, on this machine.
    LmStudio,
    /// OpenRouter.
    OpenRouter,
    /// Any other: nothing is sent that is not in every server's form.
    Other,
}

/// All of them by name.
const NAMES: [(&str, Server); 7] = [
    ("openai", Server::OpenAi),
    ("ollama", Server::Ollama),
    ("vllm", Server::Vllm),
    ("llamacpp", Server::LlamaCpp),
    ("lmstudio", Server::LmStudio),
    ("openrouter", Server::OpenRouter),
    ("other", Server::Other),
];

impl Server {
    /// Where it listens, with the version in the path.
    pub(super) const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi | Self::Other => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434/v1",
            Self::Vllm => "http://127.0.0.1:8000/v1",
            Self::LlamaCpp => "http://127.0.0.1:8080/v1",
            Self::LmStudio => "http://127.0.0.1:1234/v1",
            Self::OpenRouter => "https://openrouter.ai/api/v1",
        }
    }

    /// The variable with its key.
    pub(super) const fn key_variable(self) -> &'static str {
        match self {
            Self::OpenRouter => "OPENROUTER_API_KEY",
            _ => "OPENAI_API_KEY",
        }
    }

    /// Whether it must be given a key.
    pub(super) const fn needs_key(self) -> bool {
        matches!(self, Self::OpenAi | Self::OpenRouter)
    }

    pub(super) const fn quirks(self) -> Quirks {
        let limit_field = if matches!(self, Self::OpenAi) { "max_completion_tokens" } else { "max_tokens" };
        Quirks { limit_field }
    }
}

/// What a server wants otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quirks {
    /// The field that limits the output: older servers know only `max_tokens`, OpenAI's newer models refuse it.
    pub(super) limit_field: &'static str,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(_, server)| server == self).map(|(name, _)| *name);
        f.write_str(name.unwrap_or_default())
    }
}

impl FromStr for Server {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = NAMES.iter().find(|(name, _)| *name == text).map(|(_, server)| *server);
        found.ok_or_else(|| {
            let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            Error::Config(format!("{text:?} is no server that is known; one of {}", names.join(", ")))
        })
    }
}
