//! `cargo xtask soak`: builds in release, and runs for a long time.

use anyhow::{Result, bail};

use crate::step::{command, run as run_command};
use crate::workspace;

/// Minutes, messages a second, rooms that come and go, seed.
const WORDS: [&str; 4] = ["--minutes", "--rate", "--cycles", "--seed"];
const DEFAULTS: [u64; 4] = [60, 50, 10_000, 1];

/// Runs the soak with these settings.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let settings = settings(rest)?;
    run_command(command("cargo").args([
        "build",
        "--release",
        "--workspace",
        "--bins",
        "--benches",
        "--locked",
    ]))?;
    let mut soak = command("cargo");
    soak.args(["bench", "--quiet", "--workspace", "--locked", "--bench", "soak", "--"]);
    soak.args(settings.map(|setting| setting.to_string()));
    soak.env("BAND_BIN", workspace::target().join("release/band"));
    run_command(&mut soak)
}

fn settings(rest: &[String]) -> Result<[u64; 4]> {
    let mut settings = DEFAULTS;
    for pair in rest.chunks(2) {
        let [name, value] = pair else { bail!("{pair:?}: a setting has a name and a number") };
        let known = WORDS.iter().position(|word| word == name);
        let Some(setting) = known.and_then(|place| settings.get_mut(place)) else {
            bail!("unknown setting {name:?}; known are {}", WORDS.join(", "));
        };
        *setting = value.parse().map_err(|_| anyhow::anyhow!("{name} needs a number, got {value:?}"))?;
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<[u64; 4]> {
        settings(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_not_said_is_as_ever() {
        assert_eq!(read("").unwrap(), DEFAULTS);
        assert_eq!(read("--minutes 2 --seed 9").unwrap(), [2, 50, 10_000, 9]);
        for wrong in ["--minutes", "--minutes x", "--hours 2"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
