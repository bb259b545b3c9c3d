//! `band agent add`: registers an agent.

use anyhow::Result;
use band_wire::rest::CreateAgent;
use clap::Args;

use crate::admin::Admin;
use crate::data_dir::DataDir;
use crate::exit::Exit;
use crate::output::{Output, Variables};
use crate::print;

/// Register an agent and print its key. It is shown this once.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  band agent add Helper --description \"Answers questions about the garden.\" > helper.env
  . ./helper.env && band agent run --adapter echo")]
pub(crate) struct AgentAdd {
    /// Its name, 3 to 100 characters; its handle is made of it
    name: String,
    /// What it does, 10 to 500 characters: others choose by it
    #[arg(long, value_name = "TEXT")]
    description: String,
    /// Whose it is: a handle or an id [default: the first person there is]
    #[arg(long, value_name = "WHO")]
    owner: Option<String>,
    #[command(flatten)]
    data: DataDir,
    /// How to print the key
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

impl AgentAdd {
    pub(crate) async fn run(self) -> Result<Exit> {
        let admin = Admin::open(&self.data.resolve()?).await?;
        let owner = self.owner.map(|owner| owner.trim_start_matches('@').to_owned());
        let request = CreateAgent { owner, name: self.name, description: self.description };
        let issued = admin.add_agent(request).await?;
        let mut variables = Variables::default();
        variables.set("BAND_AGENT_ID", issued.agent.id.to_string());
        variables.set("BAND_API_KEY", issued.credentials.api_key);
        if let Some(base_url) = admin.base_url() {
            variables.set_addresses(base_url);
        }
        let who = format!("{}. The key is shown only now.", issued.agent.name);
        print::result(&variables.render(self.output, Some(&who)))?;
        Ok(Exit::Done)
    }
}
