//! The id in a project's folder, by which Bugle finds the project after the folder has moved. The id is stored in
//! git's configuration, which all worktrees share, or in `.bugle/project` outside git.
//!
//! These files are untrusted input. The rules in `bugle_core::project` decide whether an id is accepted.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bugle_core::project::{FormerLocation, ProjectKey};
use bugle_core::remote::normalised_remote;
use bugle_store::ProjectRow;

use crate::context::project_folder;
use crate::fs_util::read_bounded;
use crate::git_config::{origin_in, project_in, with_project};
use crate::settings::project_setting;
use crate::{AppError, Context};

/// Maximum size of a file to read.
const MAX_FILE_BYTES: usize = 1_000_000;

/// The id in the current project's folder. In a repository, only the id in git's configuration is valid, because files
/// in the worktree are part of every clone.
pub(crate) fn read_id(ctx: &Context) -> Option<ProjectKey> {
    if ctx.is_repository() {
        in_git(Path::new(&ctx.project)).ok().flatten()
    } else {
        in_folder(&ctx.root).ok().flatten()
    }
}

/// The id that this clone shares with the project's other clones.
pub(crate) enum SharedId {
    /// The id in the settings that are committed with the project.
    Settings(ProjectKey),
    /// The normalised remote.
    Remote(String),
}

/// The id that this clone shares with other clones. The remote is used only in a store that several machines share.
pub(crate) fn shared_id(ctx: &Context) -> Result<Option<SharedId>, AppError> {
    Ok(match project_setting(ctx)? {
        Some(key) => Some(SharedId::Settings(key)),
        None => remote(ctx).map(SharedId::Remote),
    })
}

/// The normalised remote of this clone; `None` in a store that only one machine uses.
pub(crate) fn remote(ctx: &Context) -> Option<String> {
    if !ctx.store.is_shared() || !ctx.is_repository() {
        return None;
    }
    remote_at(&ctx.project)
}

/// The normalised remote of the clone at a location; `None` outside git.
pub(crate) fn remote_at(place: &str) -> Option<String> {
    let git = Path::new(place);
    if !git.join("HEAD").is_file() {
        return None;
    }
    let text = text_of(&git.join("config")).ok().flatten()?;
    origin_in(&text).and_then(normalised_remote)
}

/// The project's location before `git init`, or before `.git` was removed. The store may have the project at this
/// location.
pub(crate) fn other_place(ctx: &Context) -> String {
    if ctx.is_repository() {
        project_folder(&ctx.project).to_string_lossy().into_owned()
    } else {
        ctx.root.join(".git").to_string_lossy().into_owned()
    }
}

/// Whether the id in this folder belongs to another project.
pub(crate) fn is_other_project(ctx: &Context, project: &ProjectRow) -> bool {
    let kept = in_folder(project_folder(&ctx.project)).ok().flatten();
    kept.is_some_and(|kept| kept.as_str() != project.id.0)
}

/// The state of a project's recorded location: whether it exists, and whether it may still have the project's id.
pub(crate) fn former_place(project: &ProjectRow) -> FormerLocation {
    let place = Path::new(&project.place);
    // An unreadable file may contain the id.
    let may_be = |kept: io::Result<Option<ProjectKey>>| {
        kept.map_or(true, |kept| {
            kept.is_some_and(|kept| kept.as_str() == project.id.0)
        })
    };
    FormerLocation {
        exists: fs::symlink_metadata(place).map_or_else(|error| !is_missing(&error), |_| true),
        may_keep_id: may_be(in_git(place)) || may_be(in_folder(place)),
        kept_id: project.kept,
    }
}

/// Writes an id to the project's folder. If that fails, returns false, and Bugle knows the project only by its
/// location.
pub(crate) fn write_id(ctx: &Context, key: &ProjectKey) -> bool {
    if read_id(ctx).as_ref() == Some(key) {
        return true;
    }
    let written = if ctx.is_repository() {
        let config = Path::new(&ctx.project).join("config");
        let written = replace(&config, |text| with_project(text, key.as_str()));
        if written.is_ok() {
            remove_from_folder(project_folder(&ctx.project), key);
        }
        written
    } else {
        write_in_folder(ctx, key)
    };
    written.is_ok()
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The text of a file; `None` if the file is missing or is not a regular file.
fn text_of(file: &Path) -> io::Result<Option<String>> {
    let found = match fs::symlink_metadata(file) {
        Ok(found) => found,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !found.is_file() {
        return Ok(None);
    }
    let bytes = read_bounded(file, MAX_FILE_BYTES)?;
    Ok(String::from_utf8(bytes).ok())
}

fn in_git(common: &Path) -> io::Result<Option<ProjectKey>> {
    let text = text_of(&common.join("config"))?;
    Ok(text.as_deref().and_then(project_in).and_then(ProjectKey::parse))
}

fn id_file(root: &Path) -> PathBuf {
    root.join(".bugle").join("project")
}

fn in_folder(root: &Path) -> io::Result<Option<ProjectKey>> {
    let text = text_of(&id_file(root))?;
    Ok(text.and_then(|text| ProjectKey::parse(text.trim())))
}

fn write_in_folder(ctx: &Context, key: &ProjectKey) -> io::Result<()> {
    let folder = ctx.root.join(".bugle");
    let is_home = folder == ctx.bugle_home
        || folder
            .canonicalize()
            .is_ok_and(|folder| ctx.bugle_home.canonicalize().is_ok_and(|home| home == folder));
    // Bugle's home is not part of a project.
    if is_home {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match fs::symlink_metadata(&folder) {
        Ok(found) if !found.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
        Ok(_) => {}
        Err(_) => fs::create_dir(&folder)?,
    }
    let file = id_file(&ctx.root);
    match OpenOptions::new().write(true).create_new(true).open(&file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    replace(&file, |_| format!("{key}\n"))
}

/// Removes the id file once git's configuration has the id: a file in the worktree could be committed and would then
/// be in every clone.
fn remove_from_folder(root: &Path, key: &ProjectKey) {
    if in_folder(root).ok().flatten().as_ref() == Some(key) && fs::remove_file(id_file(root)).is_ok() {
        // This succeeds only if the folder is empty.
        let _ = fs::remove_dir(root.join(".bugle"));
    }
}

/// Replaces a file's text the way git does: with an exclusive lock file and a rename. Refuses links.
fn replace(file: &Path, change: impl FnOnce(&str) -> String) -> io::Result<()> {
    let found = fs::symlink_metadata(file)?;
    let mut lock = file.as_os_str().to_owned();
    lock.push(".lock");
    let lock = PathBuf::from(lock);
    let mut locked = OpenOptions::new().write(true).create_new(true).open(&lock)?;
    let written = text_of(file)
        .and_then(|text| text.ok_or_else(|| io::ErrorKind::InvalidInput.into()))
        .and_then(|text| locked.write_all(change(&text).as_bytes()))
        .and_then(|()| locked.set_permissions(found.permissions()))
        .and_then(|()| locked.sync_all())
        .and_then(|()| fs::rename(&lock, file));
    if written.is_err() {
        fs::remove_file(&lock)?;
    }
    written
}
