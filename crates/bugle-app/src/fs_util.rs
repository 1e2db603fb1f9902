//! Helpers for files and folders.

use std::fs;
use std::path::Path;

use crate::AppError;

/// Creates a folder that only its owner can enter, unless the folder exists.
pub(crate) fn create_private_dir(folder: &Path) -> Result<(), AppError> {
    if folder.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder).map_err(|source| AppError::Usage {
        what: format!("cannot create the folder {}: {source}", folder.display()),
        hints: vec!["Set BUGLE_HOME to a folder that you can create and write to.".to_owned()],
    })
}

/// Removes other users' permissions from Bugle's folder if it contains the store, belongs to this user, and is not a
/// shared folder with a sticky bit.
#[cfg(unix)]
pub(crate) fn restrict_permissions(folder: &Path, store: &Path) {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let Ok(found) = fs::metadata(folder) else { return };
    let mode = found.permissions().mode();
    let is_open_to_others = mode & 0o077 != 0 && mode & 0o1000 == 0;
    if is_open_to_others && found.uid() == rustix::process::geteuid().as_raw() && store.is_file() {
        // If this fails, the files in the folder are still readable only by their owner.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(mode & !0o077));
    }
}

#[cfg(not(unix))]
pub(crate) fn restrict_permissions(_: &Path, _: &Path) {}

/// Options for a file that only its owner can read and write.
pub(crate) fn private_options() -> fs::OpenOptions {
    let mut options = fs::File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Reads a regular file of up to `most` bytes. A larger file is an error.
pub(crate) fn read_bounded(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    // Check before opening: opening a pipe blocks until a process writes to it.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("not a regular file"));
    }
    // Reserve one spare byte, so that `read_to_end` detects the end of the file without another allocation.
    let room = usize::try_from(metadata.len()).unwrap_or(most).min(most) + 1;
    let mut bytes = Vec::with_capacity(room);
    fs::File::open(path)?
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(std::io::Error::other(format!(
            "the file is larger than {most} bytes"
        )));
    }
    Ok(bytes)
}

/// Writes a file atomically, by renaming a temporary file.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let file_error = |source| AppError::File {
        what: "cannot write",
        path: path.to_owned(),
        source,
    };
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    fs::write(&temporary, bytes).map_err(file_error)?;
    fs::rename(&temporary, path).map_err(file_error)
}
