//! `server.json`: how commands find the running server of a data directory.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

use super::lock::{DirLock, LockError, private};

const NAME: &str = "server.json";
const NEW: &str = "server.json.new";

/// What a running server says of itself. Readable for its owner alone, gone when it has stopped; after a
/// crash it may lie there, so it counts only while the directory's lock is held.
#[derive(Clone)]
pub struct ServerFile {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its process.
    pub pid: u32,
    /// What `/api/v1/admin` wants as a bearer token, from this machine. New for each run.
    pub admin_token: SecretString,
}

impl ServerFile {
    /// Reads the file of a directory; none where there is none.
    ///
    /// # Errors
    /// It is there and can't be read, or is not what a server writes.
    pub fn read(dir: &Path) -> io::Result<Option<Self>> {
        let text = match std::fs::read_to_string(dir.join(NAME)) {
            Ok(text) => text,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(err) => return Err(err),
        };
        let broken =
            || io::Error::new(io::ErrorKind::InvalidData, format!("{NAME} is not what a server writes"));
        let value: Value = serde_json::from_str(&text).map_err(|_| broken())?;
        let field = |name: &str| value.get(name).and_then(Value::as_str);
        let address = field("address").and_then(|text| text.parse().ok()).ok_or_else(broken)?;
        let pid = value.get("pid").and_then(Value::as_u64).and_then(|pid| u32::try_from(pid).ok());
        let admin_token = field("admin_token").map(SecretString::from).ok_or_else(broken)?;
        Ok(Some(Self { address, pid: pid.ok_or_else(broken)?, admin_token }))
    }

    /// The server of a directory that is running now. Locks the directory for a moment to find out.
    ///
    /// # Errors
    /// The directory can't be looked at.
    pub fn running(dir: &Path) -> io::Result<Option<Self>> {
        match DirLock::take(dir) {
            Ok(_) => Ok(None),
            Err(LockError::Held { server, .. }) => Ok(server),
            Err(LockError::File { source, .. }) => Err(source),
        }
    }

    /// The address for clients on this machine: a wildcard address becomes the loopback one.
    pub fn url(&self) -> String {
        let mut address = self.address;
        match address.ip() {
            ip if !ip.is_unspecified() => {}
            ip if ip.is_ipv4() => address.set_ip(std::net::Ipv4Addr::LOCALHOST.into()),
            _ => address.set_ip(std::net::Ipv6Addr::LOCALHOST.into()),
        }
        format!("http://{address}")
    }

    /// Writes the file whole or not at all.
    pub(super) fn write(&self, dir: &Path) -> io::Result<()> {
        let text = json!({
            "address": self.address.to_string(),
            "pid": self.pid,
            "admin_token": self.admin_token.expose_secret(),
        });
        let new = dir.join(NEW);
        let mut file = private(OpenOptions::new().create(true).truncate(true).write(true)).open(&new)?;
        file.write_all(text.to_string().as_bytes())?;
        file.sync_all()?;
        std::fs::rename(new, dir.join(NAME))
    }

    pub(super) fn remove(dir: &Path) {
        if let Err(err) = std::fs::remove_file(dir.join(NAME)) {
            tracing::warn!(%err, "server.json could not be removed");
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn file(address: &str) -> ServerFile {
        ServerFile { address: address.parse().unwrap(), pid: 7, admin_token: SecretString::from("s3cret") }
    }

    #[test]
    fn what_is_written_is_read_and_private() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        assert!(ServerFile::read(dir).unwrap().is_none());
        file("127.0.0.1:4000").write(dir).unwrap();
        let found = ServerFile::read(dir).unwrap().unwrap();
        assert_eq!((found.address, found.pid), ("127.0.0.1:4000".parse().unwrap(), 7));
        assert_eq!(found.admin_token.expose_secret(), "s3cret");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(dir.join(NAME)).unwrap().permissions().mode() & 0o777, 0o600);
        }
        ServerFile::remove(dir);
        assert!(ServerFile::read(dir).unwrap().is_none());
    }

    #[test]
    fn a_file_that_a_crash_left_behind_is_no_running_server() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        file("127.0.0.1:4000").write(dir).unwrap();
        assert!(ServerFile::running(dir).unwrap().is_none());
        let _lock = DirLock::take(dir).unwrap();
        assert_eq!(ServerFile::running(dir).unwrap().unwrap().pid, 7);
    }

    #[test]
    fn the_token_shows_in_no_debug_output_and_wildcards_become_loopback() {
        assert!(!format!("{:?}", file("0.0.0.0:4000")).contains("s3cret"));
        assert_eq!(file("0.0.0.0:4000").url(), "http://127.0.0.1:4000");
        assert_eq!(file("[::]:4000").url(), "http://[::1]:4000");
        assert_eq!(file("10.0.0.1:80").url(), "http://10.0.0.1:80");
    }

    #[test]
    fn a_broken_file_is_an_error() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path();
        for text in ["", "{}", r#"{"address":"x","pid":1,"admin_token":"t"}"#] {
            std::fs::write(dir.join(NAME), text).unwrap();
            assert!(ServerFile::read(dir).is_err(), "{text}");
        }
    }
}
