//! Makes a failing run smaller while it goes on failing.

use super::run::{Choice, Report, replay};

/// Runs at most.
const RUNS: usize = 400;

/// The smallest part of a failing run that was found to fail under the same checker. Gives the run itself if
/// nothing could be left out.
pub fn shrink(failing: &Report) -> Report {
    let Some((checker, _)) = failing.violations.first() else { return failing.clone() };
    let fails = |report: &Report| report.violations.iter().any(|(found, _)| found == checker);
    let mut best = failing.clone();
    let mut runs = 0;
    let mut attempt = |choice: Choice, best: &mut Report| {
        runs += 1;
        if runs > RUNS {
            return false;
        }
        let report = replay(&choice, false);
        let is_smaller = fails(&report);
        if is_smaller {
            *best = report;
        }
        is_smaller
    };
    if !failing.choice.calm {
        attempt(Choice { calm: true, ..failing.choice.clone() }, &mut best);
    }
    let all: Vec<usize> = failing.choice.scenario().steps.iter().map(|(number, _)| *number).collect();
    let mut kept = all;
    let mut size = kept.len().div_ceil(2);
    while size > 0 {
        let mut from = 0;
        while from < kept.len() {
            let to = (from + size).min(kept.len());
            let less: Vec<usize> =
                kept.iter().enumerate().filter(|(at, _)| !(from..to).contains(at)).map(|(_, n)| *n).collect();
            let choice = Choice { only: Some(less.clone()), ..best.choice.clone() };
            if attempt(choice, &mut best) {
                kept = less;
            } else {
                from = to;
            }
        }
        size /= 2;
    }
    if !best.choice.calm {
        attempt(Choice { calm: true, ..best.choice.clone() }, &mut best);
    }
    best
}
