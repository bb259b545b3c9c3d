//! What a process uses, from the kernel's own account.

use std::fs;
use std::time::Duration;

use crate::{Error, Result};

/// Clock ticks a second in `/proc`; the kernel's constant for user space.
const TICKS: u64 = 100;

/// Processor time and memory of a process.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Time on all processors since its start.
    pub cpu: Duration,
    /// Resident memory now, in bytes.
    pub resident_bytes: u64,
    /// The most resident memory since its start, in bytes.
    pub peak_bytes: u64,
}

impl Usage {
    /// What a running process has used until now.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no such process, or the kernel keeps no account of it.
    pub fn of(pid: u32) -> Result<Self> {
        let file = |name: &str| {
            let path = format!("/proc/{pid}/{name}");
            fs::read_to_string(&path).map_err(Error::io(format!("cannot read {path}")))
        };
        let (stat, status) = (file("stat")?, file("status")?);
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
        // The name of the program, in brackets, may hold spaces.
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        let ticks = number(fields.get(11).copied()).zip(number(fields.get(12).copied()));
        let kilobytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            number(line.and_then(|line| line.split_whitespace().next()))
        };
        let missing = || Error::shape(format!("an account of process {pid}"), &status);
        let (user, system) = ticks.ok_or_else(missing)?;
        Ok(Self {
            cpu: Duration::from_millis((user + system) * 1_000 / TICKS),
            resident_bytes: kilobytes("VmRSS:").ok_or_else(missing)? * 1_024,
            peak_bytes: kilobytes("VmHWM:").ok_or_else(missing)? * 1_024,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_used_some_memory() {
        let usage = Usage::of(std::process::id()).unwrap();
        assert!(usage.resident_bytes > 0 && usage.peak_bytes >= usage.resident_bytes, "{usage:?}");
    }
}
