//! Files that only their owner can read, regardless of the umask.

use std::fs::{self, File, OpenOptions};
use std::path::Path;

/// Options for a new file that only its owner can read and write.
pub(crate) fn options() -> OpenOptions {
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates an empty file if there is none. Opening the file later reports errors.
pub(crate) fn create(file: &Path) {
    let _ = options().create(true).append(true).open(file);
}

/// Creates the database file with owner-only permissions, or removes other users' permissions from an existing file
/// and its companion files.
pub(crate) fn prepare(database: &Path) {
    match fs::metadata(database) {
        Err(_) => create(database),
        Ok(found) if found.is_file() && is_open_to_others(&found) => {
            tighten(database);
            let name = database
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            for entry in database
                .parent()
                .and_then(|folder| fs::read_dir(folder).ok())
                .into_iter()
                .flatten()
                .flatten()
            {
                if entry.file_name().to_string_lossy().starts_with(&name) {
                    tighten(&entry.path());
                }
            }
        }
        Ok(_) => {}
    }
}

#[cfg(unix)]
fn is_open_to_others(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &fs::Metadata) -> bool {
    false
}

/// Removes other users' permissions. The system allows this only to the file's owner.
#[cfg(unix)]
fn tighten(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    if let Ok(found) = fs::metadata(file) {
        let mode = found.permissions().mode() & !0o077;
        let _ = fs::set_permissions(file, fs::Permissions::from_mode(mode));
    }
}

#[cfg(not(unix))]
fn tighten(_: &Path) {}
