//! What a process has used, from the kernel's own account.

use std::fs;
use std::time::Duration;

/// Clock ticks a second in `/proc`; the kernel's constant for user space.
const TICKS: u64 = 100;

/// Processor time and the most memory at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) cpu: Duration,
    pub(crate) peak_bytes: u64,
}

/// What a running process has used until now.
pub(crate) fn of(pid: u32) -> Usage {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("the process runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the kernel counts memory");
    let kilobytes: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    Usage { cpu: Duration::from_millis(ticks * 1000 / TICKS), peak_bytes: kilobytes * 1024 }
}
