//! A program under test: its lines, its end, its sudden death.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{Error, Result};

/// Lines that are kept of one program; the oldest go first.
const KEPT_LINES: usize = 20_000;
/// Lines that are shown when something did not come.
const SHOWN_LINES: usize = 60;

/// A running program. It is killed when this is dropped.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    lines: Arc<Lines>,
    read: u64,
    readers: JoinSet<()>,
}

impl Process {
    /// Starts a program. `name` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Start`] when it cannot be started.
    pub fn start(name: &str, command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let program = command.as_std().get_program().into();
        let mut child = command.spawn().map_err(|source| Error::Start { program, source })?;
        let lines = Arc::new(Lines::default());
        let mut readers = JoinSet::new();
        if let Some(stdout) = child.stdout.take() {
            readers.spawn(read(stdout, Arc::clone(&lines)));
        }
        if let Some(stderr) = child.stderr.take() {
            readers.spawn(read(stderr, Arc::clone(&lines)));
        }
        Ok(Self { name: name.to_owned(), child, lines, read: 0, readers })
    }

    /// The process id, as long as it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.id()
    }

    /// Waits for a line of either stream that contains `text`, and gives it. Lines that an earlier call
    /// went past are not looked at again.
    ///
    /// # Errors
    /// [`Error::Late`] or [`Error::Ended`], with the program's last lines.
    pub async fn line(&mut self, text: &str, within: Duration) -> Result<String> {
        self.matching(&format!("a line with {text:?}"), within, |line| line.contains(text)).await
    }

    /// As [`Self::line`], with any test.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub async fn matching(
        &mut self,
        what: &str,
        within: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<String> {
        let (after, line) = self.search(what, self.read, within, wanted).await?;
        self.read = after;
        Ok(line)
    }

    /// As [`Self::matching`], but looks at every line kept and goes past none: for lines whose order is not
    /// given.
    ///
    /// # Errors
    /// As [`Self::line`].
    pub async fn anywhere(
        &mut self,
        what: &str,
        within: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<String> {
        self.search(what, 0, within, wanted).await.map(|(_, line)| line)
    }

    /// The first wanted line from number `from` on, with the number after it.
    async fn search(
        &mut self,
        what: &str,
        from: u64,
        within: Duration,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<(u64, String)> {
        let lines = Arc::clone(&self.lines);
        let mut counted = lines.counted.subscribe();
        let mut read = from;
        let search = async {
            loop {
                counted.borrow_and_update();
                if let Some((at, line)) = lines.find(read, &wanted) {
                    return Some((at + 1, line));
                }
                read = lines.count();
                tokio::select! {
                    changed = counted.changed() => if changed.is_err() { return None },
                    () = drained(&mut self.readers) => {
                        return lines.find(read, &wanted).map(|(at, line)| (at + 1, line));
                    }
                }
            }
        };
        let found = timeout(within, search).await;
        match found {
            Ok(Some(found)) => Ok(found),
            Ok(None) => {
                Err(Error::Ended { who: self.name.clone(), what: what.to_owned(), seen: self.tail() })
            }
            Err(_) => Err(self.late(what, within)),
        }
    }

    /// Kills it as a power cut would (SIGKILL), and waits until it is gone.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be killed.
    pub async fn kill(&mut self) -> Result<()> {
        self.child.kill().await.map_err(Error::io(format!("cannot kill {}", self.name)))
    }

    /// Asks it to end (SIGTERM).
    ///
    /// # Errors
    /// [`Error::Io`] when no signal can be sent.
    pub async fn terminate(&self) -> Result<()> {
        self.signal("TERM").await
    }

    /// Sends any signal, by its name without `SIG`.
    ///
    /// # Errors
    /// [`Error::Io`] when no signal can be sent.
    pub async fn signal(&self, signal: &str) -> Result<()> {
        let Some(id) = self.id() else { return Ok(()) };
        // The shell's own: not every machine has it as a program.
        let mut kill = Command::new("sh");
        kill.args(["-c", "kill -s \"$1\" \"$2\"", "sh", signal]).arg(id.to_string());
        let sent = kill.status().await.map_err(Error::io("cannot run kill"))?;
        if sent.success() {
            Ok(())
        } else {
            Err(Error::shape(format!("SIG{signal} for {}", self.name), sent))
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// [`Error::Late`] when it goes on.
    pub async fn ended(&mut self, within: Duration) -> Result<ExitStatus> {
        match timeout(within, self.child.wait()).await {
            Ok(status) => {
                let _ = timeout(within, drained(&mut self.readers)).await;
                status.map_err(Error::io(format!("cannot wait for {}", self.name)))
            }
            Err(_) => Err(self.late("its end", within)),
        }
    }

    /// Its last lines.
    pub fn tail(&self) -> String {
        self.lines.tail(SHOWN_LINES)
    }

    /// Every line kept that contains `text`.
    pub fn lines_with(&self, text: &str) -> Vec<String> {
        self.lines.with(text)
    }

    fn late(&self, what: &str, waited: Duration) -> Error {
        Error::Late { who: self.name.clone(), what: what.to_owned(), waited, seen: self.tail() }
    }
}

async fn drained(readers: &mut JoinSet<()>) {
    while readers.join_next().await.is_some() {}
}

async fn read(stream: impl AsyncRead + Unpin, lines: Arc<Lines>) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).await.is_ok_and(|bytes| bytes > 0) {
        lines.push(String::from_utf8_lossy(&line).trim_end().to_owned());
        line.clear();
    }
}

/// The lines of both streams in the order they came, the newest [`KEPT_LINES`] of them.
#[derive(Debug)]
struct Lines {
    kept: Mutex<VecDeque<String>>,
    counted: watch::Sender<u64>,
}

impl Default for Lines {
    fn default() -> Self {
        Self { kept: Mutex::default(), counted: watch::Sender::new(0) }
    }
}

impl Lines {
    fn push(&self, line: String) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
        self.counted.send_modify(|count| *count += 1);
    }

    fn count(&self) -> u64 {
        *self.counted.borrow()
    }

    /// The first line at or after number `from` that is wanted, with its number.
    fn find(&self, from: u64, wanted: impl Fn(&str) -> bool) -> Option<(u64, String)> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let first = self.count().saturating_sub(kept.len() as u64);
        let numbered = (first..).zip(kept.iter());
        let mut open = numbered.filter(|(number, _)| *number >= from);
        open.find(|(_, line)| wanted(line)).map(|(number, line)| (number, line.clone()))
    }

    fn tail(&self, count: usize) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let skipped = kept.len().saturating_sub(count);
        kept.iter().skip(skipped).fold(String::new(), |all, line| all + "  | " + line + "\n")
    }

    fn with(&self, text: &str) -> Vec<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().filter(|line| line.contains(text)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PATIENCE;

    fn shell(script: &str) -> Process {
        Process::start("sh", Command::new("sh").args(["-c", script])).unwrap()
    }

    #[tokio::test]
    async fn lines_of_both_streams_are_found_once_each_in_order() {
        let mut process = shell("echo one; echo two >&2; sleep 0.05; echo one again");
        assert_eq!(process.line("one", PATIENCE).await.unwrap(), "one");
        assert_eq!(process.line("one", PATIENCE).await.unwrap(), "one again");
        assert_eq!(process.lines_with("two"), ["two"]);
        assert!(process.ended(PATIENCE).await.unwrap().success());
    }

    #[tokio::test]
    async fn the_end_of_a_program_ends_the_wait_with_its_lines() {
        let error = shell("echo last words; exit 3").line("never", PATIENCE).await.unwrap_err();
        assert!(matches!(error, Error::Ended { .. }), "{error}");
        assert!(error.to_string().contains("last words"));
    }

    #[tokio::test]
    async fn a_line_that_does_not_come_is_late() {
        let error =
            shell("echo here; exec sleep 60").line("never", Duration::from_millis(50)).await.unwrap_err();
        assert!(matches!(error, Error::Late { .. }), "{error}");
    }

    #[tokio::test]
    async fn a_killed_program_is_gone_and_a_terminated_one_may_say_goodbye() {
        let mut victim = shell("echo up; exec sleep 60");
        victim.line("up", PATIENCE).await.unwrap();
        victim.kill().await.unwrap();
        assert_eq!(victim.id(), None);

        let mut polite = shell("trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.02; done");
        polite.line("up", PATIENCE).await.unwrap();
        polite.terminate().await.unwrap();
        polite.line("bye", PATIENCE).await.unwrap();
        assert!(polite.ended(PATIENCE).await.unwrap().success());
    }
}
