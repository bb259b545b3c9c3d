//! The platform as a process of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tempfile::TempDir;

use crate::{Error, PATIENCE, Person, Process, Result, band};

/// `band serve` on a free port of loopback, with a data directory that outlives a restart.
#[derive(Debug)]
pub struct Served {
    process: Process,
    address: String,
    data: TempDir,
}

impl Served {
    /// Starts it on a fresh directory.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Ended`] with what it said instead of its address.
    pub async fn start() -> Result<Self> {
        let data = tempfile::tempdir().map_err(Error::io("cannot make a data directory"))?;
        let (process, address) = serve("127.0.0.1:0", data.path()).await?;
        Ok(Self { process, address, data })
    }

    /// `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The data directory.
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// The process, to be waited for, signalled or killed.
    pub fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Starts it again, at the same address and on the same data. It must have ended before.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn restart(&mut self) -> Result<()> {
        let (process, _) = serve(&self.address, self.data.path()).await?;
        self.process = process;
        Ok(())
    }

    /// Adds a person with `band user add`, and signs them in.
    ///
    /// # Errors
    /// [`Error::Shape`] when the command prints no key.
    pub async fn add_person(&self, name: &str) -> Result<Person> {
        let key = self.run(&["user", "add", name]).await?;
        Person::sign_in(&self.base_url(), &find_key(&key, "band_u_")?).await
    }

    /// Runs another command of the binary on this data directory, and gives what it printed.
    ///
    /// # Errors
    /// [`Error::Shape`] when it fails.
    pub async fn run(&self, words: &[&str]) -> Result<String> {
        let mut command = band(words.iter().copied())?;
        command.arg("--data").arg(self.data.path()).stdin(Stdio::null()).kill_on_drop(true);
        let program: PathBuf = command.as_std().get_program().into();
        let output = command.output().await.map_err(|source| Error::Start { program, source })?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if output.status.success() {
            return Ok(text(&output.stdout));
        }
        Err(Error::shape(format!("the end of `band {}`", words.join(" ")), text(&output.stderr)))
    }
}

async fn serve(listen: &str, data: &Path) -> Result<(Process, String)> {
    let mut command = band(["serve", "--listen", listen])?;
    command.arg("--data").arg(data);
    let mut process = Process::start("band serve", &mut command)?;
    let line = process.line("http://", PATIENCE).await?;
    let address = line.split("http://").nth(1).unwrap_or_default();
    let end =
        address.find(|c: char| !(c.is_ascii_alphanumeric() || "[].:-".contains(c))).unwrap_or(address.len());
    let address = address.get(..end).unwrap_or_default().trim_end_matches('.').to_owned();
    Ok((process, address))
}

/// The first word of `text` that begins like a key of this kind.
pub(crate) fn find_key(text: &str, prefix: &str) -> Result<String> {
    let start = text.find(prefix).ok_or_else(|| Error::shape("the output, which should hold a key", text))?;
    let rest = text.get(start..).unwrap_or_default();
    Ok(rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_in_any_layout() {
        for text in ["key: band_u_1_Ab-9\n", "{\"api_key\":\"band_u_1_Ab-9\"}", "export K='band_u_1_Ab-9'"] {
            assert_eq!(find_key(text, "band_u_").unwrap(), "band_u_1_Ab-9");
        }
        assert!(find_key("no key here", "band_u_").is_err());
    }
}
