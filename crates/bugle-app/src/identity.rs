//! The id that a project keeps in its own folder, so that it is found again wherever the folder goes: in git's
//! configuration, which all work trees share, or in `.bugle/project` outside git.
//!
//! What is read here may have been written by anybody. It only counts by the rules of `bugle_core::project`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use bugle_core::project::{FormerPlace, ProjectKey};
use bugle_store::ProjectRow;

use crate::Place;
use crate::folder::read_bounded;
use crate::git_config::{project_in, with_project};
use crate::place::project_folder;

/// Larger files are no configuration.
const LARGEST_FILE: usize = 1_000_000;

/// The id that is kept at this place. In a repository only git's own configuration counts: files of the work tree come
/// with a clone.
pub(crate) fn kept_here(place: &Place) -> Option<ProjectKey> {
    if place.is_repository() {
        in_git(Path::new(&place.project)).ok().flatten()
    } else {
        in_folder(&place.root).ok().flatten()
    }
}

/// The place that the same folder has with git if it has none now, or without git if it has one: there the store may know
/// it from before.
pub(crate) fn other_place(place: &Place) -> String {
    if place.is_repository() {
        project_folder(&place.project).to_string_lossy().into_owned()
    } else {
        place.root.join(".git").to_string_lossy().into_owned()
    }
}

/// Whether a folder says that it is another project than this one.
pub(crate) fn is_other_project(place: &Place, project: &ProjectRow) -> bool {
    let kept = in_folder(project_folder(&place.project)).ok().flatten();
    kept.is_some_and(|kept| kept.as_str() != project.id.0)
}

/// What is seen of a project at the place where the store has it.
pub(crate) fn former_place(project: &ProjectRow) -> FormerPlace {
    let place = Path::new(&project.place);
    // What cannot be read may be anything.
    let may_be = |kept: io::Result<Option<ProjectKey>>| {
        kept.map_or(true, |kept| {
            kept.is_some_and(|kept| kept.as_str() == project.id.0)
        })
    };
    FormerPlace {
        exists: fs::symlink_metadata(place).map_or_else(|error| !is_missing(&error), |_| true),
        may_keep_id: may_be(in_git(place)) || may_be(in_folder(place)),
        kept_id: project.kept,
    }
}

/// Keeps an id at a place; false where that cannot be done. Then the project is known by its place alone.
pub(crate) fn keep(place: &Place, key: &ProjectKey) -> bool {
    if kept_here(place).as_ref() == Some(key) {
        return true;
    }
    let kept = if place.is_repository() {
        let config = Path::new(&place.project).join("config");
        let kept = replace(&config, |text| with_project(text, key.as_str()));
        if kept.is_ok() {
            forget_in_folder(project_folder(&place.project), key);
        }
        kept
    } else {
        keep_in_folder(place, key)
    };
    kept.is_ok()
}

fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// The text of a file, if there is one and it is no link.
fn text_of(file: &Path) -> io::Result<Option<String>> {
    let found = match fs::symlink_metadata(file) {
        Ok(found) => found,
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    if !found.is_file() {
        return Ok(None);
    }
    let bytes = read_bounded(file, LARGEST_FILE)?;
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

fn keep_in_folder(place: &Place, key: &ProjectKey) -> io::Result<()> {
    let folder = place.root.join(".bugle");
    let is_home = folder == place.bugle_home
        || folder
            .canonicalize()
            .is_ok_and(|folder| place.bugle_home.canonicalize().is_ok_and(|home| home == folder));
    // Bugle's own folder is no part of a project.
    if is_home {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match fs::symlink_metadata(&folder) {
        Ok(found) if !found.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
        Ok(_) => {}
        Err(_) => fs::create_dir(&folder)?,
    }
    let file = id_file(&place.root);
    match OpenOptions::new().write(true).create_new(true).open(&file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    replace(&file, |_| format!("{key}\n"))
}

/// Git keeps the id now. A file of the work tree with it would be committed, and come with every clone.
fn forget_in_folder(root: &Path, key: &ProjectKey) {
    if in_folder(root).ok().flatten().as_ref() == Some(key) && fs::remove_file(id_file(root)).is_ok() {
        // Only an empty folder goes.
        let _ = fs::remove_dir(root.join(".bugle"));
    }
}

/// Replaces a file's text as git does: a lock that only one process can make, and a rename. Links are left alone.
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
