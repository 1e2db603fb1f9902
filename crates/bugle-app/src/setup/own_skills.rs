//! Stubs for the skills of the project and the user, so that the client lists these skills too.
//!
//! A stub contains the skill's name, its description and its start command, but no instructions. The skill's steps, and
//! the trust that its commands need, still come from Bugle.

use std::path::{Path, PathBuf};

use bugle_client::setup::Scope;
use bugle_core::shape::Presence;
use bugle_skill::MAX_FILE_BYTES;

use crate::catalogue::{self, SkillSource};
use crate::skill_check::{CheckedPackage, check_found};
use crate::skill_stub::{is_stub, own_stub};
use crate::{Context, fs_util};

/// The names and texts of stubs for valid skills with a workflow. The client already lists the skills in the `visible`
/// folders.
pub(super) fn stubs(ctx: &Context, scope: Scope, visible: &[PathBuf]) -> Vec<(String, String)> {
    let packages = packages(ctx, scope, visible).into_iter();
    packages.filter_map(|package| stub(ctx, &package)).collect()
}

/// The names of invalid skills, which get no stub.
pub(super) fn invalid(ctx: &Context, scope: Scope, visible: &[PathBuf]) -> Vec<String> {
    let packages = packages(ctx, scope, visible).into_iter();
    let invalid = packages.filter(|package| !package.is_sound());
    invalid.map(|package| package.found.name().to_owned()).collect()
}

/// The skills of the project and the user outside the `visible` folders.
fn packages(ctx: &Context, scope: Scope, visible: &[PathBuf]) -> Vec<CheckedPackage> {
    let is_wanted = |source| match scope {
        Scope::Project => matches!(source, SkillSource::Project | SkillSource::User),
        Scope::User => source == SkillSource::User,
    };
    let is_visible = |path: &PathBuf| {
        path.parent()
            .is_some_and(|folder| visible.iter().any(|one| one == folder))
    };
    let found = catalogue::all(ctx).into_iter().map(|(found, _)| found);
    found
        .filter(|found| is_wanted(found.source) && !found.path.as_ref().is_some_and(is_visible))
        .map(|found| check_found(ctx, found))
        .collect()
}

fn stub(ctx: &Context, package: &CheckedPackage) -> Option<(String, String)> {
    let workflow = package.workflow.as_ref().filter(|_| package.is_sound())?;
    let manifest = package.manifest.as_ref()?;
    let name = package.found.name();
    let required = workflow
        .params()
        .iter()
        .filter(|param| param.presence == Presence::Required);
    let params: Vec<String> = required.map(|param| param.name.to_string()).collect();
    let text = own_stub(name, &manifest.description, &params, &ctx.program)?;
    Some((name.to_owned(), text))
}

/// The names of the stubs in a client's skill folder.
pub(super) fn stubs_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| {
            fs_util::read_bounded(&entry.path().join("SKILL.md"), MAX_FILE_BYTES)
                .is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok_and(is_stub))
        })
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}
