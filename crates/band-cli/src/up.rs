//! `band up`: everything in one command.

use std::path::Path;
use std::pin::pin;

use anyhow::{Result, anyhow};
use band_server::server::{RunningServer, StartError};
use band_wire::rest::CreateSignInLink;
use clap::{Args, ValueEnum};

use crate::browser::Doormat;
use crate::data_dir::DataDir;
use crate::demo::Demo;
use crate::demo_agent::DemoAgent;
use crate::exit::Exit;
use crate::signals::Signals;
use crate::user::sign_in_url;
use crate::{demo_setup, listen, platform, print};

/// Start the platform on this machine, with a person, a room, and an agent in it.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  band up --port 5000

Then write @echo hello in the room. With --agent openai the agent is a model: OPENAI_API_KEY, or OPENAI_BASE_URL and
OPENAI_MODEL for a model server of your own. With --agent anthropic it is Claude, by ANTHROPIC_API_KEY, and with
--agent gemini Gemini, by GEMINI_API_KEY.")]
pub(crate) struct Up {
    /// The port of the page; if it is taken, the next free one
    #[arg(long, value_name = "N", default_value_t = 4000)]
    port: u16,
    #[command(flatten)]
    data: DataDir,
    /// What the agent is
    #[arg(long = "agent", alias = "with", value_enum, default_value_t)]
    with: With,
    /// Leave the browser alone
    #[arg(long)]
    no_open: bool,
}

/// The agents that `band up` knows how to introduce.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum With {
    /// Repeats what it is told
    #[default]
    Echo,
    /// A model behind a Chat Completions endpoint
    Openai,
    /// Claude
    Anthropic,
    /// Gemini
    Gemini,
}

impl Up {
    pub(crate) async fn run(self) -> Result<Exit> {
        let data = self.data.resolve()?;
        let adapter = demo_setup::adapter(self.with)?;
        let mut signals = Signals::catch()?;
        let is_new = !data.join("band.db").exists();
        let mut server = start_on_a_free_port(self.port, &data).await?;
        if is_new && Demo::read(&data)?.is_some() {
            print::err(&format!(
                "{} has keys, and the database they are for is gone: a new one was made, with new keys. To get the old \
                 one back, stop this, and put band.db beside the file",
                data.join("demo.json").display()
            ));
        }
        let (demo, agent) = demo_setup::prepare(server.app(), &data, self.with, is_new).await?;
        let agent = DemoAgent::start(adapter, &agent, &server.url()).await?;
        let link = self.introduce(&server, &demo, &data).await?;
        let doormat = if self.no_open { None } else { Doormat::lay(&data, &link).ok() };
        if doormat.as_ref().is_some_and(Doormat::open) {
            print::out("A browser is being opened.");
        }
        let exit = until_signal(&mut server, &agent, &mut signals).await?;
        tokio::select! {
            stopped = agent.stop() => stopped?,
            again = signals.next() => return Ok(again),
        }
        platform::stop(server, &mut signals, exit).await
    }

    /// Prints what a person needs to go on; gives the sign-in link.
    async fn introduce(&self, server: &RunningServer, demo: &Demo, data: &Path) -> Result<String> {
        let user = Some(demo.user.id.to_string());
        let made = server.app().create_sign_in_link(CreateSignInLink { user }).await?;
        let link = sign_in_url(&server.url(), &made.token);
        for line in welcome(&link, data, self.with, &self.data.as_option()) {
            print::out(&line);
        }
        Ok(link)
    }
}

/// Waits for the signal; tells when somebody else runs the agent meanwhile.
async fn until_signal(server: &mut RunningServer, agent: &DemoAgent, signals: &mut Signals) -> Result<Exit> {
    let mut told = pin!(agent.replaced());
    let waiting = platform::until_signal(server, signals);
    let mut waiting = pin!(waiting);
    tokio::select! {
        exit = &mut waiting => return exit,
        told = &mut told => print::err(&told),
    }
    waiting.await
}

fn welcome(link: &str, data: &Path, with: With, option: &str) -> Vec<String> {
    let (mention, name) = match with {
        With::Echo => ("@echo hello", "Echo"),
        With::Openai => ("@assistant hello", "Assistant"),
        With::Anthropic => ("@claude hello", "Claude"),
        With::Gemini => ("@gemini hello", "Gemini"),
    };
    vec![
        "Band is up.".into(),
        String::new(),
        format!("  Page   {link}"),
        "         It signs you in, once. For another link: band user link".to_owned() + option,
        format!("  Data   {}", data.display()),
        String::new(),
        format!("Write  {mention}  in the room Welcome: {name} answers."),
        String::new(),
        "Your own agent, in another terminal:".into(),
        format!("  band agent add Helper --description \"Helps with anything.\"{option} > helper.env"),
        "  . ./helper.env && band agent run --adapter echo".into(),
        String::new(),
        "Ctrl+C stops everything.".into(),
    ]
}

/// The port, or the next free one, said so.
async fn start_on_a_free_port(port: u16, data: &Path) -> Result<RunningServer> {
    for address in listen::candidates(port) {
        match platform::start(address, data).await {
            Ok(server) => {
                if port != 0 && server.addr().port() != port {
                    print::out(&format!("Port {port} is taken, so it is port {}.", server.addr().port()));
                }
                return Ok(server);
            }
            Err(StartError::AddressInUse(_)) => {}
            Err(error) => return Err(platform::explained(error, data)),
        }
    }
    let tried = listen::PORTS_TRIED;
    Err(anyhow!("port {port}: it and the {tried} after it are taken; give another with --port"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_commands_are_shown_with_the_directory_that_was_given() {
        let text = |option| welcome("L", Path::new("/d"), With::Echo, option).join("\n");
        assert!(text(" --data /d").contains("band user link --data /d\n"));
        assert!(text(" --data /d").contains("anything.\" --data /d > helper.env"));
        assert!(!text("").contains("--data"));
    }
}
