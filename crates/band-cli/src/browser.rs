//! Opening the page in a browser. Never a reason to fail: the address is printed anyway.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::private_file;

/// A page on disk that leads to the sign-in link. The browser is given this file and not the link itself,
/// since every program on the machine can read the arguments of every other.
#[derive(Debug)]
pub(crate) struct Doormat {
    path: PathBuf,
}

impl Doormat {
    /// Writes it into the data directory.
    pub(crate) fn lay(data: &Path, link: &str) -> Result<Self> {
        let path = data.join("open.html");
        private_file::write(&path, &page(link))?;
        Ok(Self { path })
    }

    /// Asks the desktop to show it. Whether that worked, as far as one can know.
    pub(crate) fn open(&self) -> bool {
        let Some(opener) = opener(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
        else {
            return false;
        };
        let mut command = Command::new(opener);
        command.arg(&self.path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Not waited for: the opener of some desktops lives as long as the browser.
        command.spawn().is_ok()
    }
}

impl Drop for Doormat {
    fn drop(&mut self) {
        // Gone already is as good.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The program that opens a file on this desktop; none where there is no display.
fn opener(is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    if cfg!(windows) {
        return Some("explorer");
    }
    (is_set("WAYLAND_DISPLAY") || is_set("DISPLAY")).then_some("xdg-open")
}

fn page(link: &str) -> String {
    let link = link.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0; url={link}\"><title>Band</title>\
         <p><a href=\"{link}\">Open Band</a></p>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn without_a_display_there_is_nothing_to_open_with() {
        assert_eq!(opener(|_| false), None);
        assert_eq!(opener(|name| name == "DISPLAY"), Some("xdg-open"));
        assert_eq!(opener(|name| name == "WAYLAND_DISPLAY"), Some("xdg-open"));
    }

    #[test]
    fn the_page_leads_to_the_link_and_is_gone_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let mat = Doormat::lay(folder.path(), "http://127.0.0.1:4000/#token=a\"b").unwrap();
        let text = std::fs::read_to_string(&mat.path).unwrap();
        assert!(text.contains("url=http://127.0.0.1:4000/#token=a&quot;b\""), "{text}");
        drop(mat);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
