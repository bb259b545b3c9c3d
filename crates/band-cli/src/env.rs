//! `band env`: what a program needs to find the running platform.

use anyhow::{Context, Result};
use band_server::server::ServerFile;
use clap::Args;

use crate::data_dir::DataDir;
use crate::demo::Demo;
use crate::exit::{Exit, Failure};
use crate::output::{Output, Variables};
use crate::print;

/// Print the running platform's addresses and the keys of `band up`, for a shell or a program.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  eval \"$(band env)\" && curl -H \"x-api-key: $BAND_USER_KEY\" \"$BAND_REST_URL/api/v1/me/profile\""
)]
pub(crate) struct Env {
    #[command(flatten)]
    data: DataDir,
    /// How to print them
    #[arg(short, long, value_enum, default_value_t)]
    output: Output,
}

impl Env {
    pub(crate) fn run(self) -> Result<Exit> {
        let data = self.data.resolve()?;
        let option = self.data.as_option();
        let server = if data.is_dir() { ServerFile::running(&data) } else { Ok(None) };
        let server =
            server.with_context(|| format!("data directory {} can't be looked at", data.display()))?;
        let Some(server) = server else {
            let dir = data.display();
            return Err(Failure::with(
                Exit::Error,
                format!("data directory {dir}: no server runs on it; start one with `band up{option}`"),
            ));
        };
        let mut variables = Variables::default();
        variables.set_addresses(&server.url());
        if let Some(demo) = Demo::read(&data)? {
            demo.put(&mut variables);
        } else {
            print::err(&format!(
                "no keys are kept here: `band user add NAME{option}` prints a BAND_USER_KEY, and `band agent add NAME \
                 --description TEXT{option}` a BAND_AGENT_ID with its BAND_API_KEY"
            ));
        }
        print::result(&variables.render(self.output, None))?;
        Ok(Exit::Done)
    }
}
