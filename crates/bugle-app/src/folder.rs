//! Files and folders, with errors that name them.

use std::fs;
use std::path::Path;

use crate::AppError;

/// Makes a folder that only its owner can enter, if it is not there.
pub(crate) fn make_private(folder: &Path) -> Result<(), AppError> {
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
        what: format!("the folder {} cannot be made: {source}", folder.display()),
        hints: vec!["Set BUGLE_HOME to a folder that can be made and written.".to_owned()],
    })
}

/// Takes the rights of others away from a folder that is Bugle's own: its store is in it, it belongs to this user, and no
/// sticky bit says that others share it.
#[cfg(unix)]
pub(crate) fn tighten(folder: &Path, store: &Path) {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let Ok(found) = fs::metadata(folder) else { return };
    let mode = found.permissions().mode();
    let is_wide = mode & 0o077 != 0 && mode & 0o1000 == 0;
    if is_wide && found.uid() == rustix::process::geteuid().as_raw() && store.is_file() {
        // A folder that stays as it is still holds files that only their owner can read.
        let _ = fs::set_permissions(folder, fs::Permissions::from_mode(mode & !0o077));
    }
}

#[cfg(not(unix))]
pub(crate) fn tighten(_: &Path, _: &Path) {}

/// Options for a file that only its owner can read and write.
pub(crate) fn private_options() -> fs::OpenOptions {
    let mut options = fs::File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Reads a file up to `most` bytes; more is an error.
pub(crate) fn read_bounded(path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    // Looked at before it is opened: to open a pipe is to wait for whoever writes to it.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    // One more than it has, so that its end is seen without asking for more room. It may have grown since.
    let room = usize::try_from(metadata.len()).unwrap_or(most).min(most) + 1;
    let mut bytes = Vec::with_capacity(room);
    fs::File::open(path)?
        .take(most as u64 + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(std::io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Writes a whole file: it is there complete or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), AppError> {
    let file_error = |source| AppError::File {
        what: "cannot write",
        path: path.to_owned(),
        source,
    };
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(format!(".{}.part", std::process::id()));
    fs::write(&unfinished, bytes).map_err(file_error)?;
    fs::rename(&unfinished, path).map_err(file_error)
}
