//! Traps that have no other test here; `docs/traps.md` lists all.

mod pains;
mod runtime;

use std::io;
use std::sync::{Arc, Mutex};

/// Takes what is logged at WARN and above on this thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<u8>>>);

impl io::Write for Warnings {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::Error::other("poisoned"))?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Warnings {
    /// Takes what this thread logs until the guard is dropped.
    pub(crate) fn listen(&self) -> tracing::subscriber::DefaultGuard {
        let pages = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_max_level(tracing::Level::WARN)
            .with_ansi(false)
            .with_writer(move || pages.clone())
            .finish();
        tracing::subscriber::set_default(subscriber)
    }

    /// Each line with this in it.
    pub(crate) fn lines(&self, word: &str) -> Vec<String> {
        let text = String::from_utf8(self.0.lock().unwrap().clone()).unwrap();
        text.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
    }
}
