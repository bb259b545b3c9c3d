//! The files of a platform: one folder that nobody else may enter.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StoreError;

/// Only the owner may enter.
const FOLDER_MODE: u32 = 0o700;

/// The group or everyone may write. Who may write to a folder may replace what is in it.
const OTHERS_WRITE: u32 = 0o022;

/// Only the owner may read and write.
const FILE_MODE: u32 = 0o600;

/// The folder of a platform's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir(PathBuf);

impl DataDir {
    /// The folder at a path; made when it is missing, with its parents, and then closed to others. A folder
    /// that is there keeps its mode, for it may serve others as well: they may enter it, as its files are
    /// private, but not write to it.
    ///
    /// # Errors
    /// The folder can't be made, is none, or can be written to by others.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        let made = make(&path);
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => {
                let mode = found.permissions().mode() & 0o7777;
                if mode & OTHERS_WRITE == 0 {
                    Ok(Self(path))
                } else {
                    Err(StoreError::FolderOpen { path, mode })
                }
            }
            Ok(_) => {
                let error = made.err().unwrap_or_else(|| ErrorKind::NotADirectory.into());
                Err(StoreError::file("can't create the folder", path)(error))
            }
            Err(unseen) => {
                Err(StoreError::file("can't create the folder", path)(made.err().unwrap_or(unseen)))
            }
        }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The database: `band.db`.
    pub fn database(&self) -> PathBuf {
        self.0.join("band.db")
    }

    /// What files hold: the folder `files`.
    pub fn files(&self) -> PathBuf {
        self.0.join("files")
    }

    /// The secret that keys are hashed with: `secret.key`.
    pub fn secret(&self) -> PathBuf {
        self.0.join("secret.key")
    }

    /// The lock of the one server: `server.lock`.
    pub fn server_lock(&self) -> PathBuf {
        self.0.join("server.lock")
    }

    /// Where the running server is: `server.json`.
    pub fn server_file(&self) -> PathBuf {
        self.0.join("server.json")
    }

    /// The keys of the demonstration: `demo.json`.
    pub fn demo_file(&self) -> PathBuf {
        self.0.join("demo.json")
    }

    /// Makes a file private, and makes it when it is missing. What it holds stays.
    pub(super) fn touch_private(path: &Path) -> Result<(), StoreError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(FILE_MODE)
            .open(path)
            .map_err(StoreError::file("can't open", path))?;
        file.set_permissions(Permissions::from_mode(FILE_MODE))
            .map_err(StoreError::file("can't close to others", path))
    }

    /// Reads the secret, or makes one. It is never half there: it is written beside its place, made
    /// durable, and linked into place; whoever comes second takes the first one's.
    ///
    /// # Errors
    /// The database is there without its secret; the file can't be read or made, or is no secret.
    pub(super) fn secret_key(&self) -> Result<[u8; 32], StoreError> {
        let path = self.secret();
        if let Some(secret) = read_secret(&path)? {
            return Ok(secret);
        }
        if self.database().exists() {
            return Err(StoreError::SecretMissing { secret: path, database: self.database() });
        }
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(StoreError::Random)?;
        let mut name = [0; 8];
        getrandom::fill(&mut name).map_err(StoreError::Random)?;
        let draft = self.0.join(format!("secret.key.{:016x}", u64::from_ne_bytes(name)));
        let written = write_new(&draft, &secret).and_then(|()| match fs::hard_link(&draft, &path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        });
        let removed = fs::remove_file(&draft);
        written.map_err(StoreError::file("can't write", &path))?;
        removed.map_err(StoreError::file("can't remove", &draft))?;
        sync_folder(&self.0)?;
        read_secret(&path)?.ok_or(StoreError::SecretMissing { secret: path, database: self.database() })
    }
}

/// Makes a folder that is missing. Fails when it is there.
fn make(path: &Path) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(parent)?;
    }
    DirBuilder::new().mode(FOLDER_MODE).create(path)
}

fn read_secret(path: &Path) -> Result<Option<[u8; 32]>, StoreError> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::file("can't open", path)(error)),
    };
    let mut bytes = Vec::with_capacity(33);
    let read = Read::by_ref(&mut file).take(33).read_to_end(&mut bytes);
    read.map_err(StoreError::file("can't read", path))?;
    let wrong = |_| StoreError::SecretWrong { secret: path.to_owned(), reason: "it should be 32 bytes" };
    bytes.try_into().map(Some).map_err(wrong)
}

fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create_new(true).write(true).mode(FILE_MODE).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = File::open(path).map_err(StoreError::file("can't open", path))?;
    folder.sync_all().map_err(StoreError::file("can't make durable", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folder_and_secret_are_private_and_the_secret_stays() {
        let temp = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temp.path().join("a/b")).unwrap();
        let secret = dir.secret_key().unwrap();
        assert_eq!((mode(dir.path()), mode(&dir.secret())), (0o700, 0o600));
        assert_eq!(DataDir::open(dir.path()).unwrap().secret_key().unwrap(), secret);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn a_folder_that_is_there_keeps_its_mode_and_is_refused_when_others_may_write_to_it() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("shared");
        fs::create_dir(&path).unwrap();
        let table =
            [(0o700, true), (0o755, true), (0o750, true), (0o770, false), (0o702, false), (0o1777, false)];
        for (given, accepted) in table {
            fs::set_permissions(&path, Permissions::from_mode(given)).unwrap();
            let opened = DataDir::open(&path);
            assert_eq!(opened.is_ok(), accepted, "{given:04o}");
            assert_eq!(mode(&path), given & 0o777, "it is not ours to change");
            if let Err(error) = opened {
                let error = error.to_string();
                let named = [path.display().to_string(), format!("{given:04o}"), "chmod go-w".to_owned()];
                assert!(named.iter().all(|part| error.contains(part)), "{error}");
            }
        }
    }

    #[test]
    fn a_lost_or_broken_secret_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temp.path()).unwrap();
        fs::write(dir.database(), "x").unwrap();
        assert!(matches!(dir.secret_key(), Err(StoreError::SecretMissing { .. })));
        fs::write(dir.secret(), "short").unwrap();
        assert!(matches!(dir.secret_key(), Err(StoreError::SecretWrong { .. })));
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("file");
        fs::write(&path, "x").unwrap();
        let error = DataDir::open(&path).unwrap_err().to_string();
        assert!(error.contains("can't create the folder") && error.contains("file"), "{error}");
    }
}
