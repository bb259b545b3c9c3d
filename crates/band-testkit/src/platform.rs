//! The platform in this process.

use std::net::{Ipv4Addr, SocketAddr};

use band_server::server::{RunningServer, Server, ServerConfig};
use band_wire::rest::CreateUser;
use tempfile::TempDir;

use crate::{Error, Person, Result};

/// The real platform on a free port of loopback, with a database in a folder of its own that goes when this
/// is dropped.
///
/// ```
/// # #[tokio::main] async fn main() -> Result<(), band_testkit::Error> {
/// let platform = band_testkit::Platform::start().await?;
/// let ann = platform.add_person("Ann").await?;
/// let room = ann.create_room("Kitchen").await?;
/// assert_eq!(ann.participants(room).await?.len(), 1);
/// platform.stop().await
/// # }
/// ```
#[derive(Debug)]
pub struct Platform {
    server: RunningServer,
    data: TempDir,
}

impl Platform {
    /// Starts it on a fresh directory.
    ///
    /// # Errors
    /// [`Error::Shape`] with why it did not start.
    pub async fn start() -> Result<Self> {
        let data = tempfile::tempdir().map_err(Error::io("cannot make a data directory"))?;
        let config = ServerConfig::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), data.path());
        let server =
            Server::start(config).await.map_err(|error| Error::shape("the platform's start", error))?;
        Ok(Self { server, data })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        self.server.url()
    }

    /// The data directory.
    pub fn data(&self) -> &std::path::Path {
        self.data.path()
    }

    /// The server, for what has no short form here.
    pub fn server(&self) -> &RunningServer {
        &self.server
    }

    /// Adds a person and signs them in.
    ///
    /// # Errors
    /// [`Error::Shape`] when the platform refuses the name.
    pub async fn add_person(&self, name: &str) -> Result<Person> {
        let made = self.server.app().create_user(CreateUser { name: name.to_owned() }).await;
        let made = made.map_err(|error| Error::shape(format!("the person {name:?}"), error))?;
        Person::sign_in(&self.base_url(), &made.credentials.api_key).await
    }

    /// Stops it in good order, and waits until it has.
    ///
    /// # Errors
    /// [`Error::Shape`] when something in it panicked.
    pub async fn stop(self) -> Result<()> {
        self.server.shutdown();
        self.server.wait().await.map_err(|error| Error::shape("the platform's end", error))
    }
}
