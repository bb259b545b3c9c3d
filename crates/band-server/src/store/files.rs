//! What files hold: on the disk beside the database, each under its id.
//!
//! An upload is written to a draft, made durable, and moved to its place; only then its row is stored. So a
//! row is never without its content. A process that is killed in between leaves content without a row, which
//! is removed at the next start.

use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use band_core::platform::files::SNIFFED;
use band_wire::FileId;
use sha2::{Digest, Sha256};
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncSeekExt, AsyncWriteExt};
use uuid::Uuid;

use super::StoreError;

/// Only the owner may enter.
const FOLDER_MODE: u32 = 0o700;
/// Only the owner may read and write.
const FILE_MODE: u32 = 0o600;
const DRAFTS: &str = "drafts";

/// The folder of what files hold.
#[derive(Debug, Clone)]
pub struct Files(PathBuf);

/// An upload that is arriving. Dropped, it is gone.
#[derive(Debug)]
pub struct Draft {
    path: PathBuf,
    file: File,
    digest: Sha256,
    head: Vec<u8>,
    bytes: u64,
}

impl Files {
    /// Opens the folder, and lets go of drafts that nobody finished. The folder is made by the first upload.
    ///
    /// # Errors
    /// The drafts can't be removed.
    pub fn open(path: PathBuf) -> Result<Self, StoreError> {
        let drafts = path.join(DRAFTS);
        if let Err(error) = fs::remove_dir_all(&drafts)
            && error.kind() != ErrorKind::NotFound
        {
            return Err(at("can't empty", &drafts)(error));
        }
        Ok(Self(path))
    }

    /// Begins an upload.
    ///
    /// # Errors
    /// The draft can't be made.
    pub async fn draft(&self) -> Result<Draft, StoreError> {
        let drafts = self.0.join(DRAFTS);
        let made = tokio::fs::DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(&drafts).await;
        made.map_err(at("can't create the folder", &drafts))?;
        let path = drafts.join(Uuid::new_v4().simple().to_string());
        let opened = OpenOptions::new().create_new(true).write(true).mode(FILE_MODE).open(&path).await;
        let file = opened.map_err(at("can't create", &path))?;
        Ok(Draft { path, file, digest: Sha256::new(), head: Vec::new(), bytes: 0 })
    }

    /// Makes a draft durable and moves it to its place.
    ///
    /// # Errors
    /// The disk is full, or can't be written.
    pub async fn keep(&self, draft: &mut Draft, file: FileId) -> Result<(), StoreError> {
        let failed = at("can't write", &draft.path);
        draft.file.flush().await.map_err(&failed)?;
        draft.file.sync_all().await.map_err(&failed)?;
        let (from, place) = (draft.path.clone(), self.place(file));
        let moved = tokio::task::spawn_blocking(move || settle(&from, &place));
        moved.await.unwrap_or(Err(StoreError::Panicked))
    }

    /// What a file holds, from a byte on.
    ///
    /// # Errors
    /// It can't be read, or is not there.
    pub async fn read(&self, file: FileId, start: u64) -> Result<File, StoreError> {
        let path = self.place(file);
        let failed = at("can't read", &path);
        let mut opened = File::open(&path).await.map_err(&failed)?;
        opened.seek(SeekFrom::Start(start)).await.map_err(&failed)?;
        Ok(opened)
    }

    /// Removes what a file holds. One that is gone is no error.
    ///
    /// # Errors
    /// It can't be removed.
    pub async fn remove(&self, file: FileId) -> Result<(), StoreError> {
        let path = self.place(file);
        match tokio::fs::remove_file(&path).await {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(at("can't remove", &path)(error)),
            _ => Ok(()),
        }
    }

    /// The ids of all that lies here. It reads the whole folder.
    ///
    /// # Errors
    /// The folder can't be read.
    pub fn all(&self) -> Result<Vec<FileId>, StoreError> {
        let mut found = Vec::new();
        for folder in list(&self.0)?.into_iter().filter(|path| !path.ends_with(DRAFTS)) {
            let names = list(&folder)?;
            let ids = names.iter().filter_map(|path| path.file_name()?.to_str()?.parse::<FileId>().ok());
            found.extend(ids);
        }
        Ok(found)
    }

    fn place(&self, file: FileId) -> PathBuf {
        let name = file.uuid().simple().to_string();
        // The end of an id is random, its beginning is the time.
        let folder = name.get(30..).unwrap_or_default();
        self.0.join(folder).join(&name)
    }
}

/// What a failure of the file system means here. More room may come.
fn at(action: &'static str, path: &Path) -> impl Fn(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |error| match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::Full,
        _ => StoreError::file(action, &path)(error),
    }
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let failed = at("can't read the folder", folder);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(&failed)?,
    };
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(&failed)).collect()
}

fn settle(from: &Path, place: &Path) -> Result<(), StoreError> {
    let failed = at("can't write", place);
    let folder = place.parent().unwrap_or(place);
    DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(folder).map_err(&failed)?;
    fs::rename(from, place).map_err(&failed)?;
    // The name is durable when its folder is, and a new folder when the one above it is.
    for folder in [Some(folder), folder.parent()].into_iter().flatten() {
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(&failed)?;
    }
    Ok(())
}

impl Draft {
    /// The next bytes.
    ///
    /// # Errors
    /// The disk is full, or can't be written.
    pub async fn push(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.file.write_all(bytes).await.map_err(at("can't write", &self.path))?;
        self.digest.update(bytes);
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        let room = SNIFFED.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend(bytes.iter().take(room));
        Ok(())
    }

    /// How many bytes have arrived.
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The SHA-256 of what has arrived, in lower-case hexadecimal digits.
    pub fn sha256(&self) -> String {
        self.digest.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What it begins with.
    pub fn head(&self) -> &[u8] {
        &self.head
    }
}

impl Drop for Draft {
    /// One that was kept has moved.
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(&self.path)
            && error.kind() != ErrorKind::NotFound
        {
            tracing::warn!(%error, path = %self.path.display(), "a draft can't be removed");
        }
    }
}
