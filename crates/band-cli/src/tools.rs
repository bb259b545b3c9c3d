//! `band tools`: the catalogue of tools, for whoever compares or reuses it.

use band::tools::{Format, HumanTools, ToolSet};
use band::{Capabilities, Capability, Features, Supported};
use band_wire::tools::HumanTool;
use clap::{Args, ValueEnum};
use serde_json::Value;

use crate::exit::Exit;
use crate::print;

/// Print the tools that models are offered, as one JSON array in the order in which they are advertised.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  band tools --format anthropic --capabilities contacts,memory > tools.json"
)]
pub(crate) struct Tools {
    /// Whose form they are told in
    #[arg(long, value_enum, default_value_t)]
    format: Form,
    /// Groups of tools beyond those that are always there, with commas between: memory, contacts, files, tasks; "" for
    /// none
    #[arg(long, value_name = "GROUPS", value_parser = groups, default_value = "contacts")]
    capabilities: Capabilities,
    /// Whose tools: an agent's or a person's
    #[arg(long, value_enum, default_value_t)]
    surface: Whose,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    /// Chat Completions
    #[default]
    Openai,
    /// The Responses API of OpenAI
    OpenaiResponses,
    /// Messages
    Anthropic,
    /// Function declarations
    Gemini,
    /// The Model Context Protocol
    Mcp,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Whose {
    /// Of an agent, bound to a room
    #[default]
    Agent,
    /// Of a person
    Human,
}

impl From<Form> for Format {
    fn from(form: Form) -> Self {
        match form {
            Form::Openai => Self::OpenAi,
            Form::OpenaiResponses => Self::OpenAiResponses,
            Form::Anthropic => Self::Anthropic,
            Form::Gemini => Self::Gemini,
            Form::Mcp => Self::Mcp,
        }
    }
}

fn groups(text: &str) -> band::Result<Capabilities> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::parse::<Capability>).collect()
}

impl Tools {
    pub(crate) fn run(self) -> anyhow::Result<Exit> {
        let chosen = self.capabilities;
        let format = Format::from(self.format);
        let tools: Value = match self.surface {
            Whose::Agent => {
                let supported = Supported { capabilities: chosen.clone(), ..Supported::default() };
                let features = Features::new().capabilities(chosen).resolve("band tools", &supported)?;
                ToolSet::resolve(&features, false, &[]).shaped(format)
            }
            Whose::Human => {
                let offered = HumanTool::ALL.iter().filter(|tool| HumanTools::offers(&chosen, **tool));
                offered.map(|tool| format.shape(tool.definition())).collect()
            }
        };
        print::result(&format!("{tools:#}"))?;
        Ok(Exit::Done)
    }
}
