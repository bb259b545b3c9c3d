//! `band serve`: the platform alone.

use std::net::SocketAddr;

use anyhow::Result;
use clap::Args;

use crate::data_dir::DataDir;
use crate::exit::Exit;
use crate::signals::Signals;
use crate::{platform, print};

/// Run the platform alone: no person, no agent, no keys on disk.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  band serve --listen 127.0.0.1:4000 --data /var/lib/band

There is no TLS here: put a proxy that has it in front of anything that leaves the machine.")]
pub(crate) struct Serve {
    /// Where to listen; port 0 is any free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4000")]
    listen: SocketAddr,
    #[command(flatten)]
    data: DataDir,
}

impl Serve {
    pub(crate) async fn run(self) -> Result<Exit> {
        let data = self.data.resolve()?;
        let mut signals = Signals::catch()?;
        let started = platform::start(self.listen, &data).await;
        let mut server = started.map_err(|error| platform::explained(error, &data))?;
        print::out(&format!("Band listens on {}", server.url()));
        print::out(&format!("Data  {}", data.display()));
        let exit = platform::until_signal(&mut server, &mut signals).await?;
        platform::stop(server, &mut signals, exit).await
    }
}
