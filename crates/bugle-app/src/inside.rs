//! Files that are read from a project must be in it: a link that leaves it is refused, wherever it stands in the path.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::{Place, folder};

/// Why a link that leaves the project is not read, and what to do about it.
pub(crate) const LEAVES: &str = "it is a link that leaves the project; put the file itself there";

/// Why a path of a project cannot be used.
#[derive(Debug)]
pub(crate) enum Outside {
    /// It leads out of the project's folder.
    Leaves,
    /// It is not there, or cannot be looked at.
    Unreadable(std::io::Error),
}

/// Whether a path leads to something inside a folder once all links are followed.
pub(crate) fn project_path(root: &Path, path: &Path) -> Result<(), Outside> {
    let real = path.canonicalize().map_err(Outside::Unreadable)?;
    let root = root.canonicalize().map_err(Outside::Unreadable)?;
    if real.starts_with(root) {
        Ok(())
    } else {
        Err(Outside::Leaves)
    }
}

/// Reads a file of the project or of Bugle's home up to `most` bytes. What the project has must be in it: a link that leaves
/// it is an error, and nothing behind it is read. The home is the user's own.
pub(crate) fn read(place: &Place, path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    if path.starts_with(&place.bugle_home) {
        return folder::read_bounded(path, most);
    }
    read_in(&place.root, path, most)
}

fn read_in(root: &Path, path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    match project_path(root, path) {
        Ok(()) => folder::read_bounded(path, most),
        Err(Outside::Leaves) => Err(std::io::Error::new(ErrorKind::PermissionDenied, LEAVES)),
        Err(Outside::Unreadable(error)) => Err(error),
    }
}

/// Whether a path that is written as one of the project leads out of it. One that is plainly elsewhere does not.
pub(crate) fn is_link_out(root: &Path, path: &Path) -> bool {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain.starts_with(root) && matches!(project_path(root, path), Err(Outside::Leaves))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_may_stay_in_the_project_but_not_leave_it() {
        let folder = tempfile::tempdir().unwrap();
        let (root, outside) = (folder.path().join("project"), folder.path().join("outside"));
        std::fs::create_dir_all(root.join("real")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(root.join("real/a"), "a").unwrap();
        std::fs::write(outside.join("secret"), "secret").unwrap();
        symlink(root.join("real"), root.join("alias")).unwrap();
        symlink(&outside, root.join("away")).unwrap();
        symlink(outside.join("secret"), root.join("file")).unwrap();
        assert_eq!(read_in(&root, &root.join("real/a"), 10).unwrap(), b"a");
        assert_eq!(read_in(&root, &root.join("alias/a"), 10).unwrap(), b"a");
        for path in ["file", "away/secret"] {
            let error = read_in(&root, &root.join(path), 10).unwrap_err();
            assert!(error.to_string().contains("leaves the project"), "{error}");
            assert!(is_link_out(&root, &root.join(path)), "{path}");
        }
        assert_eq!(
            read_in(&root, &root.join("nothing"), 10).unwrap_err().kind(),
            ErrorKind::NotFound
        );
        for path in ["real/a", "alias/a", "../outside/secret", "nothing"] {
            assert!(!is_link_out(&root, &root.join(path)), "{path}");
        }
        // The project itself may be reached by a link.
        symlink(&root, folder.path().join("entrance")).unwrap();
        let entrance = folder.path().join("entrance");
        assert_eq!(read_in(&entrance, &entrance.join("real/a"), 10).unwrap(), b"a");
    }
}
