//! The page about the traps, made from the tables.

use std::fmt::Write;

use super::table::{Guard, Outcome, TABLES, Trap};

/// The page.
pub(super) const PAGE: &str = "docs/traps.md";

const HEAD: &str = "\
# Traps

What went wrong in systems like this one, and what shows that it does not here. The first table has the traps
that the runtime's specification lists, the second what others reported about their SDKs and platforms, as far as
it concerns the runtime; numbers are those of the checklists that the project works by. Each names the tests that show it and the guard in the
code without which they fail.

This page is made by `cargo xtask traps --page` from `xtask/traps`. `cargo xtask traps` runs the tests,
`cargo xtask traps --mutate [NUMBER…]` takes the guards away, one at a time, in a copy of the tree, and expects
the test to fail. The last column says at which commit that was seen. `cargo xtask tidy` fails when a test named
here is gone.
";

/// The page as it should be.
pub(super) fn render(tables: &[Vec<Trap>], outcomes: &[Outcome]) -> String {
    let mut page = HEAD.to_owned();
    for ((name, heading), traps) in TABLES.iter().zip(tables) {
        // Writing to a string can't fail.
        let _ = write!(page, "\n## {heading}\n\n| # | About | Shown by | Guard | Without it |\n");
        page.push_str("| --: | --- | --- | --- | --- |\n");
        for trap in traps.iter().filter(|trap| trap.untested.is_none()) {
            page.push_str(&row(name, trap, outcomes));
        }
        let mut untested = traps.iter().filter_map(|trap| Some((trap, trap.untested.as_ref()?))).peekable();
        if untested.peek().is_some() {
            page.push_str("\nNot tested here:\n\n| # | About | Why |\n| --: | --- | --- |\n");
        }
        for (trap, why) in untested {
            let _ = writeln!(page, "| {} | {} | {} |", trap.number, cell(&trap.about), cell(why));
        }
    }
    page
}

fn row(table: &str, trap: &Trap, outcomes: &[Outcome]) -> String {
    let tests: Vec<String> = trap.shown.iter().map(|test| format!("`{test}`")).collect();
    let guards: Vec<String> = trap.guards.iter().map(shown).collect();
    let words: Vec<String> = (1..)
        .zip(&trap.guards)
        .map(|(place, guard)| {
            let name = format!("{table} {}.{place}", trap.number);
            let known = outcomes.iter().find(|known| known.guard == name && known.mark == guard.mark());
            known.map_or_else(
                || "not tried yet".to_owned(),
                |known| format!("{} ({})", known.word, known.commit),
            )
        })
        .collect();
    format!(
        "| {} | {} | {} | {} | {} |\n",
        trap.number,
        cell(&trap.about),
        tests.join(", "),
        guards.join("; "),
        words.join("; ")
    )
}

fn shown(guard: &Guard) -> String {
    format!("{} (`{}`)", cell(&guard.idea), guard.file)
}

fn cell(text: &str) -> String {
    text.trim().replace('\n', " ").replace('|', "\\|")
}
