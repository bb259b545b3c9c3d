//! Administration of a platform from the command line: what crosses the admin routes, and the file by which
//! a command finds the server that runs on a data directory.
//!
//! The routes accept the bearer token of that file and nothing else. Answers hold keys and one-time tokens,
//! so none of them shows itself in full.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use band_wire::rest::{IssuedKey, UserDetails};
use band_wire::{AgentId, Stamp, UserId};
use serde::{Deserialize, Serialize};

/// `POST`: adds a person. [`AddUser`] → [`UserAdded`].
pub const USERS: &str = "/api/v1/admin/users";
/// `POST`: adds an agent. [`AddAgent`] → [`AgentAdded`].
pub const AGENTS: &str = "/api/v1/admin/agents";
/// `POST`: a link that signs a person in once. [`MakeLink`] → [`SignInLink`].
pub const SIGN_IN_LINKS: &str = "/api/v1/admin/sign-in-links";

/// The file in a data directory that tells where its server listens. For the owner's eyes alone.
pub const SERVER_FILE: &str = "server.json";

/// A running server.
#[derive(Clone, Serialize, Deserialize)]
pub struct ServerFile {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its process.
    pub pid: u32,
    /// The bearer token of the admin routes, new with each start.
    pub admin_token: String,
}

impl ServerFile {
    /// Reads the file of a data directory. None when there is none.
    ///
    /// # Errors
    /// When it can't be read, or is not what a server writes.
    pub fn read(data: &Path) -> io::Result<Option<Self>> {
        match std::fs::read(data.join(SERVER_FILE)) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes)?)),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(err) => Err(err),
        }
    }

    /// The platform's address for clients on this machine: `http://127.0.0.1:4000`. A server that listens on
    /// every address is reached over loopback.
    pub fn base_url(&self) -> String {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("http://{address}")
    }
}

impl fmt::Debug for ServerFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerFile")
            .field("address", &self.address)
            .field("pid", &self.pid)
            .finish_non_exhaustive()
    }
}

/// Body of [`USERS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddUser {
    /// First name, or first and last name. The handle is made of it.
    pub name: String,
}

/// Answer of [`USERS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct UserAdded {
    /// The person.
    pub user: UserDetails,
    /// Their key, shown this once.
    pub credentials: IssuedKey,
}

/// Body of [`AGENTS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddAgent {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Whose it is: a handle, a full name or an id. The only person when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// Answer of [`AGENTS`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AgentAdded {
    /// The agent.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// Without `@`.
    pub handle: String,
    /// Who owns it.
    pub owner_id: UserId,
    /// Its key, shown this once.
    pub credentials: IssuedKey,
}

/// Body of [`SIGN_IN_LINKS`].
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MakeLink {
    /// Who: a handle, a full name or an id. The only person when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// Answer of [`SIGN_IN_LINKS`]. The link itself is the platform's address and `/#token=` with the token.
#[derive(Clone, Serialize, Deserialize)]
pub struct SignInLink {
    /// Whom it signs in.
    pub user: UserDetails,
    /// Works once.
    pub token: String,
    /// When it stops working unused.
    pub expires_at: Stamp,
}

impl SignInLink {
    /// The link, on a platform of that address.
    pub fn url(&self, base_url: &str) -> String {
        format!("{base_url}/#token={}", self.token)
    }
}

impl fmt::Debug for SignInLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignInLink")
            .field("user", &self.user.id)
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(address: &str) -> ServerFile {
        ServerFile { address: address.parse().unwrap(), pid: 7, admin_token: "hush".into() }
    }

    #[test]
    fn a_server_on_every_address_is_reached_over_loopback() {
        assert_eq!(server("127.0.0.1:4000").base_url(), "http://127.0.0.1:4000");
        assert_eq!(server("0.0.0.0:4000").base_url(), "http://127.0.0.1:4000");
        assert_eq!(server("[::]:4000").base_url(), "http://[::1]:4000");
        assert_eq!(server("10.0.0.7:80").base_url(), "http://10.0.0.7:80");
    }

    #[test]
    fn a_directory_without_a_server_has_no_file_and_a_broken_file_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(ServerFile::read(folder.path()).unwrap().is_none());
        std::fs::write(folder.path().join(SERVER_FILE), serde_json::to_vec(&server("127.0.0.1:1")).unwrap())
            .unwrap();
        assert_eq!(ServerFile::read(folder.path()).unwrap().unwrap().pid, 7);
        std::fs::write(folder.path().join(SERVER_FILE), "{").unwrap();
        assert!(ServerFile::read(folder.path()).is_err());
    }

    #[test]
    fn secrets_do_not_show() {
        assert!(!format!("{:?}", server("127.0.0.1:1")).contains("hush"));
    }
}
