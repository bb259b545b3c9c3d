//! The table, as it stands in the documents.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use crate::case::Case;
use crate::load::Measured;

/// The machine, then one row for each run.
pub(crate) fn render(rows: &[(Case, Measured)]) -> String {
    let mut out = format!("{}\n\n", machine());
    out.push_str(
        "| agent | rooms | messages | ready | messages/s | push to claim p50 / p99 | reply p50 / p99 \
         | settled p50 / p99 | agent CPU for 1,000, peak | platform CPU for 1,000, peak |\n",
    );
    out.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (case, measured) in rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {:.0} | {} / {} | {} / {} | {} / {} | {:.2} s, {} | {:.2} s, {} |",
            case.sdk,
            case.rooms,
            case.messages,
            milliseconds(measured.ready),
            measured.rate,
            milliseconds(measured.claim.p50),
            milliseconds(measured.claim.p99),
            milliseconds(measured.reply.p50),
            milliseconds(measured.reply.p99),
            milliseconds(measured.settled.p50),
            milliseconds(measured.settled.p99),
            per_thousand(measured.agent.cpu, case.messages),
            megabytes(measured.agent.peak_bytes),
            per_thousand(measured.platform.cpu, case.messages),
            megabytes(measured.platform.peak_bytes),
        );
    }
    out
}

fn per_thousand(cpu: Duration, messages: usize) -> f64 {
    cpu.as_secs_f64() * 1000.0 / messages as f64
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

/// Cores, processor and memory, as the kernel tells them.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or(": unknown processor");
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kilobytes = memory.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap_or_default();
    let kilobytes: u64 =
        kilobytes.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or_default();
    let model = model.trim_start_matches(['\t', ' ', ':']);
    format!("Machine: {cores} cores ({model}), {} GiB of memory, loopback.", kilobytes.div_ceil(1 << 20))
}
