//! Reads a project's files, and refuses paths whose links point outside the project.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use crate::{Context, fs_util};

/// The error for a link that points outside the project.
pub(crate) const LEAVES_PROJECT: &str =
    "the link points outside the project; replace the link with the file itself";

/// Why a path in a project cannot be used.
#[derive(Debug)]
pub(crate) enum PathError {
    /// Links in the path point outside the project's folder.
    Leaves,
    /// The path does not exist or cannot be read.
    Unreadable(std::io::Error),
}

/// Checks that a path is inside a folder after all links are resolved.
pub(crate) fn check_contained(root: &Path, path: &Path) -> Result<(), PathError> {
    let real = path.canonicalize().map_err(PathError::Unreadable)?;
    let root = root.canonicalize().map_err(PathError::Unreadable)?;
    if real.starts_with(root) {
        Ok(())
    } else {
        Err(PathError::Leaves)
    }
}

/// Reads a file of up to `most` bytes from the project or from Bugle's home. A link from the project to an outside
/// file is an error. Bugle's home is trusted.
pub(crate) fn read(ctx: &Context, path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    if path.starts_with(&ctx.bugle_home) {
        return fs_util::read_bounded(path, most);
    }
    read_in(&ctx.root, path, most)
}

fn read_in(root: &Path, path: &Path, most: usize) -> std::io::Result<Vec<u8>> {
    match check_contained(root, path) {
        Ok(()) => fs_util::read_bounded(path, most),
        Err(PathError::Leaves) => Err(std::io::Error::new(ErrorKind::PermissionDenied, LEAVES_PROJECT)),
        Err(PathError::Unreadable(error)) => Err(error),
    }
}

/// Whether a path that is lexically inside the project resolves to an outside path.
pub(crate) fn is_escaping_link(root: &Path, path: &Path) -> bool {
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
    plain.starts_with(root) && matches!(check_contained(root, path), Err(PathError::Leaves))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_may_point_inside_the_project_but_not_outside() {
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
            assert!(
                error.to_string().contains("points outside the project"),
                "{error}"
            );
            assert!(is_escaping_link(&root, &root.join(path)), "{path}");
        }
        assert_eq!(
            read_in(&root, &root.join("nothing"), 10).unwrap_err().kind(),
            ErrorKind::NotFound
        );
        for path in ["real/a", "alias/a", "../outside/secret", "nothing"] {
            assert!(!is_escaping_link(&root, &root.join(path)), "{path}");
        }
        // The path to the project may itself contain a link.
        symlink(&root, folder.path().join("entrance")).unwrap();
        let entrance = folder.path().join("entrance");
        assert_eq!(read_in(&entrance, &entrance.join("real/a"), 10).unwrap(), b"a");
    }
}
