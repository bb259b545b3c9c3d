//! The files of a platform: one folder that nobody else may enter.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::StoreError;

/// Only the owner may enter.
const FOLDER_MODE: u32 = 0o700;

/// Only the owner may read and write.
const FILE_MODE: u32 = 0o600;

/// The folder of a platform's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDir(PathBuf);

impl DataDir {
    /// The folder at a path; made when it is missing, with its parents. A folder that is there is closed to
    /// others.
    ///
    /// # Errors
    /// The folder can't be made, or is none.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let path = path.into();
        DirBuilder::new()
            .recursive(true)
            .mode(FOLDER_MODE)
            .create(&path)
            .map_err(StoreError::file("can't create the folder", &path))?;
        fs::set_permissions(&path, Permissions::from_mode(FOLDER_MODE))
            .map_err(StoreError::file("can't close to others", &path))?;
        Ok(Self(path))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The database: `band.db`.
    pub fn database(&self) -> PathBuf {
        self.0.join("band.db")
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
