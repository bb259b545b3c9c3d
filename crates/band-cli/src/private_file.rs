//! Files with secrets: for their owner alone, and whole or not there.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

/// Writes a file that only its owner may read, through a neighbour that takes its place when it is whole. The
/// neighbour of a process that was killed is written over. One process at a time, so under the folder's lock.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let draft = path.with_extension("new");
    let written = write_new(&draft, text).and_then(|()| fs::rename(&draft, path));
    if written.is_err() {
        // The draft may not even exist; the error that matters is the first one.
        let _ = fs::remove_file(&draft);
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_owner_may_read_it_even_when_an_older_one_was_open_to_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("demo.json");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_is_written_over() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("demo.new"), "half a ke").unwrap();
        write(&folder.path().join("demo.json"), "whole").unwrap();
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["demo.json"]);
    }

    #[test]
    fn an_error_names_the_file() {
        let error = write(Path::new("/nonexistent/x.json"), "").unwrap_err();
        assert!(error.to_string().contains("/nonexistent/x.json"));
    }
}
