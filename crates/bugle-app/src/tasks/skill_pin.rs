//! Pins a skill version to a task tree, and compares the pinned version with the installed one.

use std::collections::BTreeMap;
use std::path::Path;

use bugle_core::id::{ContentHash, TaskId};
use bugle_core::name::SkillAddress;
use bugle_core::path::SkillPath;
use bugle_core::reply::{PinView, SkillNotice, SkillVersion};
use bugle_skill::parse_skill_file;
use bugle_store::{SkillPin, Store, TaskRow};

use crate::catalogue::{self, Found, SkillSource};
use crate::files::{self, SkillBytes, content_hash};
use crate::{AppError, Context, pinning};

/// The version of a pinned skill.
pub(crate) fn pinned_version(pin: &SkillPin) -> SkillVersion {
    SkillVersion {
        version: pin.version.clone(),
        hash: pin.hash.clone(),
    }
}

/// An installed skill.
pub(crate) struct InstalledSkill {
    pub found: Found,
    files: BTreeMap<SkillPath, SkillBytes>,
    pub hash: ContentHash,
}

impl InstalledSkill {
    /// Finds a skill by name, in the first location that has it.
    pub(crate) fn find(ctx: &Context, skill: &SkillAddress) -> Option<Self> {
        let found = catalogue::find(ctx, skill.as_str())?;
        let files = files::read_skill_files(ctx, &found, &mut Vec::new());
        let hashes = files.iter().map(|(path, file)| (path.clone(), file.hash.clone()));
        let hash = content_hash(&pinning::listing(&hashes.collect()));
        Some(Self { found, files, hash })
    }

    /// The version in the skill's manifest, else its plugin's version. Parses the YAML manifest only on demand.
    pub(crate) fn version(&self) -> Option<String> {
        manifest_version(&self.files).or_else(|| plugin_version(&self.found))
    }

    /// Stores the skill's files, and returns a pin for them.
    pub(crate) fn store_files(
        &self,
        store: &mut Store,
        ctx: &Context,
        skill: &SkillAddress,
    ) -> Result<SkillPin, AppError> {
        let hashes = self
            .files
            .iter()
            .map(|(path, file)| (path.clone(), file.hash.clone()));
        let mut blobs: Vec<(ContentHash, Vec<u8>)> = self
            .files
            .values()
            .map(|file| (file.hash.clone(), file.bytes.clone()))
            .collect();
        blobs.push((self.hash.clone(), pinning::listing(&hashes.collect())));
        store.keep_blobs(&blobs)?;
        Ok(SkillPin {
            skill: skill.clone(),
            hash: self.hash.clone(),
            version: self.version(),
            source: self.found.describe(),
            pinned_at: ctx.now(),
        })
    }

    /// The hash and the text of the skill's `SKILL.md`.
    pub(super) fn text(&self) -> Option<(ContentHash, String)> {
        let file = self.files.get(&SkillPath::new("SKILL.md").ok()?)?;
        let text = String::from_utf8(file.bytes.clone()).ok()?;
        Some((file.hash.clone(), text))
    }
}

/// The version in a skill's manifest.
fn manifest_version(files: &BTreeMap<SkillPath, SkillBytes>) -> Option<String> {
    let path = SkillPath::new("SKILL.md").ok()?;
    let text = std::str::from_utf8(&files.get(&path)?.bytes).ok()?;
    parse_skill_file(&path, text)
        .ok()?
        .manifest
        .metadata
        .get("version")
        .cloned()
}

/// The version of a skill's plugin: the name of the folder above `skills`.
fn plugin_version(found: &Found) -> Option<String> {
    if found.source != SkillSource::Plugin {
        return None;
    }
    let folder = found
        .path
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::parent)?;
    Some(folder.file_name()?.to_string_lossy().into_owned())
}

pub(crate) fn pin_view(pin: &SkillPin) -> PinView {
    PinView {
        skill: pin.skill.to_string(),
        hash: pin.hash.to_string(),
        version: pin.version.clone(),
        source: Some(pin.source.clone()),
    }
}

/// A notice if the installed version of a skill is missing or differs from the pinned one.
pub(super) fn drift(
    pinned: Option<&SkillPin>,
    skill: &SkillAddress,
    installed: Option<&InstalledSkill>,
    ctx: &Context,
    row: &TaskRow,
) -> Option<SkillNotice> {
    match (pinned, installed) {
        (None, None) => Some(missing(ctx, skill, &row.task.id)),
        (None, Some(_)) => None,
        (Some(_), None) => Some(SkillNotice::Uninstalled(skill.clone())),
        (Some(pin), Some(installed)) if pin.hash == installed.hash => None,
        (Some(pin), Some(installed)) => Some(SkillNotice::Changed {
            skill: skill.clone(),
            pinned: pinned_version(pin),
            installed: SkillVersion {
                version: installed.version(),
                hash: installed.hash.clone(),
            },
            upgrade: ctx.command(&["plan", "upgrade-skills", row.root.as_str()]),
        }),
    }
}

/// The notice for a skill that is not installed, or whose name is ambiguous.
fn missing(ctx: &Context, skill: &SkillAddress, task: &TaskId) -> SkillNotice {
    let found = catalogue::in_plugins(ctx, skill.as_str());
    let addresses: Vec<String> = found.iter().map(|found| found.address.clone()).collect();
    match addresses.first() {
        None => SkillNotice::NotInstalled(skill.clone()),
        Some(first) => SkillNotice::Ambiguous {
            skill: skill.clone(),
            select: ctx.command(&["task", "edit", task.as_str(), "--skill", first]),
            addresses,
        },
    }
}
