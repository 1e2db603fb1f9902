//! Reads and writes the user's files: atomically, through links, and with permissions unchanged.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::AppError;

/// Maximum size of a client's settings file. Real settings files are far smaller.
const LARGEST: usize = 64 * 1024 * 1024;

/// A file's text; `None` if the file does not exist.
pub(super) fn read(path: &Path) -> Result<Option<String>, AppError> {
    match crate::fs_util::read_bounded(path, LARGEST) {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|_| not_changed(path, "the file is not valid UTF-8", "Save the file as UTF-8.")),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if path.symlink_metadata().is_ok() {
                return Err(not_changed(
                    path,
                    "the link is broken",
                    "Fix the link, or replace it with a file.",
                ));
            }
            Ok(None)
        }
        Err(source) => Err(AppError::File {
            what: "cannot read",
            path: path.to_owned(),
            source,
        }),
    }
}

/// The error for a file that was not changed.
pub(super) fn not_changed(path: &Path, why: &str, what_to_do: &str) -> AppError {
    AppError::Text {
        what: format!("{} was not changed: {why}", path.display()),
        hints: vec![what_to_do.to_owned()],
    }
}

/// The users that can read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// The users that the umask allows.
    Usual,
    /// Only the owner: clients keep secrets in their settings.
    Owner,
}

/// Writes a whole file and keeps its permissions. Writes through a link to its target. `before` is the file's text as
/// it was read earlier.
pub(super) fn write(
    path: &Path,
    bytes: &[u8],
    before: Option<&str>,
    readers: Readers,
) -> Result<(), AppError> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
        Err(source) => return Err(failed(path, source)),
    };
    let permissions = fs::metadata(&real).ok().map(|metadata| metadata.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(not_changed(
            path,
            "the file is read-only",
            "Make the file writable, or set up the client for another scope.",
        ));
    }
    let mut unfinished = real.clone().into_os_string();
    unfinished.push(format!(".{}.part", std::process::id()));
    let unfinished = PathBuf::from(unfinished);
    let write = || -> std::io::Result<()> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        if permissions.is_some() || readers == Readers::Owner {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let mut file = options.open(&unfinished)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    };
    let written = write().map_err(|source| failed(path, source)).and_then(|()| {
        // A running client also writes to its files.
        if before.is_some_and(|before| fs::read(&real).ok().as_deref() != Some(before.as_bytes())) {
            return Err(not_changed(
                path,
                "another program changed the file in the meantime",
                "Run the same command again.",
            ));
        }
        fs::rename(&unfinished, &real).map_err(|source| failed(path, source))
    });
    if written.is_err() {
        // Ignore an error: the temporary file may not exist.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

fn failed(path: &Path, source: std::io::Error) -> AppError {
    AppError::File {
        what: "cannot write",
        path: path.to_owned(),
        source,
    }
}

/// Creates the folder for a file. Returns all folders that it created.
pub(super) fn make_folder(path: &Path) -> Result<Vec<PathBuf>, AppError> {
    let missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.is_dir())
        .map(Path::to_owned)
        .collect();
    if let Some(folder) = missing.first() {
        fs::create_dir_all(folder).map_err(|source| AppError::File {
            what: "cannot create",
            path: folder.clone(),
            source,
        })?;
    }
    Ok(missing)
}

/// Deletes a file.
pub(super) fn delete(path: &Path) -> Result<(), AppError> {
    fs::remove_file(path).map_err(|source| AppError::File {
        what: "cannot delete",
        path: path.to_owned(),
        source,
    })
}
