//! Pins a skill: stores its exact bytes and their compiled form, so that a run does not depend on the skill's files.

use std::collections::BTreeMap;

use bugle_core::engine::{Origin, RunState};
use bugle_core::id::ContentHash;
use bugle_core::path::SkillPath;
use bugle_core::reply::RunNotice;
use bugle_core::role::{AgentRole, Role};
use bugle_core::workflow::Workflow;
use bugle_store::Store;
use serde::{Deserialize, Serialize};

use crate::files::content_hash;
use crate::skill_check::CheckedPackage;
use crate::{AppError, Context, catalogue, files};

/// The version of the compiled form. When it changes, pinned skills are compiled again.
pub(crate) const COMPILER: i64 = 1;

/// A pinned skill, ready to run: its workflows, and the hashes of its texts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Compiled {
    pub workflow: Workflow,
    pub children: BTreeMap<SkillPath, Workflow>,
    pub files: BTreeMap<SkillPath, ContentHash>,
    #[serde(default)]
    pub roles: BTreeMap<AgentRole, Role>,
}

impl Compiled {
    /// A run's workflow; `None` if the skill does not have this workflow.
    pub(crate) fn workflow_of(&self, origin: &Origin) -> Option<Workflow> {
        match origin {
            Origin::Fresh | Origin::Task(_) | Origin::Fork { .. } => Some(self.workflow.clone()),
            Origin::Child(child) => child.work.workflow(&self.children),
        }
    }
}

/// The list of a skill's files. The hash of this list is the skill's version.
pub(crate) fn listing(files: &BTreeMap<SkillPath, ContentHash>) -> Vec<u8> {
    // Serialising a map of strings cannot fail.
    serde_json::to_vec(files).unwrap_or_default()
}

fn hashes(package: &CheckedPackage) -> BTreeMap<SkillPath, ContentHash> {
    package
        .files
        .iter()
        .map(|(path, file)| (path.clone(), file.hash.clone()))
        .collect()
}

/// The version of a skill on disk or in the binary.
pub(crate) fn version(package: &CheckedPackage) -> ContentHash {
    content_hash(&listing(&hashes(package)))
}

/// Stores a valid skill's bytes and compiled form, and returns its version; `None` if the skill has errors or no
/// workflow.
pub(crate) fn pin(
    store: &mut Store,
    ctx: &Context,
    package: &CheckedPackage,
) -> Result<Option<(ContentHash, Compiled)>, AppError> {
    let Some(workflow) = package.workflow.clone().filter(|_| package.is_sound()) else {
        return Ok(None);
    };
    let files = hashes(package);
    let list = listing(&files);
    let version = content_hash(&list);
    let compiled = Compiled {
        workflow,
        children: package.children.clone(),
        files,
        roles: package.roles.clone(),
    };
    if store.compiled(&version, COMPILER)?.is_none() {
        let mut blobs: Vec<(ContentHash, Vec<u8>)> = package
            .files
            .values()
            .map(|file| (file.hash.clone(), file.bytes.clone()))
            .collect();
        blobs.push((version.clone(), list));
        store.keep_blobs(&blobs)?;
        let body = serde_json::to_string(&compiled).map_err(|error| AppError::System(error.to_string()))?;
        store.keep_compiled(&version, COMPILER, &body)?;
    }
    if package.found.source.is_trusted() {
        store.trust(
            &version,
            package.found.name(),
            &bugle_core::id::Actor::Program,
            ctx.now(),
        )?;
    }
    Ok(Some((version, compiled)))
}

/// Loads a pinned skill.
pub(crate) fn load(store: &mut Store, version: &ContentHash) -> Result<Compiled, AppError> {
    let body = store.compiled(version, COMPILER)?.ok_or_else(|| {
        bugle_store::StoreError::Unreadable(format!("pinned skill {} is missing", version.short()))
    })?;
    let compiled = serde_json::from_str(&body).map_err(|error| {
        bugle_store::StoreError::Unreadable(format!("pinned skill {}: {error}", version.short()))
    })?;
    Ok(compiled)
}

/// Whether a compiled form matches its pinned bytes: parses the workflows and roles again and compares them. Skips
/// files that this version can no longer parse.
pub(crate) fn is_as_pinned(
    store: &mut Store,
    version: &ContentHash,
    compiled: &Compiled,
) -> Result<bool, AppError> {
    if content_hash(&listing(&compiled.files)) != *version {
        return Ok(false);
    }
    for path in compiled.files.keys() {
        let name = path.as_str();
        let kept = match name {
            "workflow.yaml" => Some(&compiled.workflow),
            _ if name.starts_with("agents/") && name.ends_with(".yaml") => compiled.children.get(path),
            _ => continue,
        };
        let text = text(store, compiled, path)?;
        let (definition, _, _) = bugle_skill::parse_workflow(path, &text);
        if definition.is_some_and(|definition| kept.map(Workflow::definition) != Some(&definition)) {
            return Ok(false);
        }
    }
    for role in AgentRole::ALL {
        let path = files::Shared::Role.file(role.as_str());
        let pinned = match path.filter(|path| compiled.files.contains_key(path)) {
            Some(path) => bugle_skill::parse_role(&path, role, &text(store, compiled, &path)?).ok(),
            None => None,
        };
        if compiled.roles.get(&role) != pinned.as_ref() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads a pinned skill's text.
pub(crate) fn text(store: &mut Store, compiled: &Compiled, path: &SkillPath) -> Result<String, AppError> {
    let missing = || bugle_store::StoreError::Unreadable(format!("the pinned text {path} is missing"));
    let hash = compiled.files.get(path).ok_or_else(missing)?;
    let bytes = store.blob(hash)?.ok_or_else(missing)?;
    let text = String::from_utf8(bytes).map_err(|_| missing())?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Plans the queries for a pinned skill's texts.
pub(crate) fn plan_texts(
    store: &mut Store,
    compiled: &Compiled,
    paths: &[SkillPath],
) -> Result<(), AppError> {
    let hashes = paths.iter().filter_map(|path| compiled.files.get(path));
    store.read_ahead(|plan| {
        for hash in hashes {
            plan.blob(hash)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// A notice if the skill has changed since the run pinned it.
pub(crate) fn drift(ctx: &Context, run: &RunState, pinned: &Compiled) -> Option<RunNotice> {
    let skill = &run.skill;
    let Some(found) = catalogue::find(ctx, skill.as_str()) else {
        return Some(RunNotice::SkillUninstalled(skill.clone()));
    };
    let current = files::file_hashes(ctx, &found, &pinned.files);
    (current != pinned.files).then(|| RunNotice::SkillChanged {
        skill: skill.clone(),
        upgrade: ctx.command(&["run", "upgrade", run.id.as_str()]),
    })
}
