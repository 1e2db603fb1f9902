//! Finds skills. The search order is: the project's skills, the user's skills, built-in workflows, the skills of
//! installed plugins, and built-in skills without a workflow. The first match wins.
//!
//! A built-in skill without a workflow stands in for a plugin's skill of the same purpose that is not installed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bugle_client::{plugin_folders, skill_folders};
use bugle_core::did_you_mean::nearest;
use bugle_core::name::SkillName;
use bugle_core::skill_selection::{replaced_by, stand_in};
use bugle_skill::MAX_FILE_BYTES;

use crate::{AppError, Context, builtin, fs_util};

/// The folder for a project's own skills.
const OWN_SKILLS: &str = ".bugle/skills";

/// Where a skill comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillSource {
    /// The project's folder: the project's authors wrote the skill.
    Project,
    /// The user's own folder.
    User,
    /// A plugin that the user installed.
    Plugin,
    /// The program itself.
    BuiltIn,
    /// A path on the command line.
    Given,
}

impl SkillSource {
    /// The source's name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Plugin => "plugin",
            Self::BuiltIn => "built-in",
            Self::Given => "path",
        }
    }

    /// Whether skills from this source may run commands without the user's consent. True for built-in skills and for
    /// skills that the user installed.
    pub fn is_trusted(self) -> bool {
        matches!(self, Self::User | Self::Plugin | Self::BuiltIn)
    }
}

/// A skill that was found but not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The argument for `bugle start`: `name` or `plugin:name`.
    pub address: String,
    /// Where the skill comes from.
    pub source: SkillSource,
    /// The skill's folder or single file; `None` for a built-in skill.
    pub path: Option<PathBuf>,
}

impl Found {
    /// The name without the plugin.
    pub fn name(&self) -> &str {
        self.address.rsplit(':').next().unwrap_or(&self.address)
    }

    /// The skill's source and path, for output.
    pub fn describe(&self) -> String {
        match &self.path {
            Some(path) => format!("{} {}", self.source.as_str(), path.display()),
            None => self.source.as_str().to_owned(),
        }
    }
}

/// Finds a skill by name or unique name prefix.
pub(crate) fn resolve(ctx: &Context, wanted: &str) -> Result<Found, AppError> {
    if let Some(found) = find(ctx, wanted) {
        return Ok(found);
    }
    let all = all(ctx);
    let names = || all.iter().map(|(found, _)| found.address.as_str());
    let matching: Vec<&str> = names().filter(|name| name.starts_with(wanted)).collect();
    match matching.as_slice() {
        [name] if !wanted.is_empty() => find(ctx, name).ok_or_else(|| no_skill(ctx, wanted, None)),
        [_, _, ..] => Err(AppError::Usage {
            what: format!("`{wanted}` matches several skills"),
            hints: vec![matching.join(", ")],
        }),
        _ => Err(no_skill(ctx, wanted, nearest(wanted, names()))),
    }
}

fn no_skill(ctx: &Context, wanted: &str, near: Option<&str>) -> AppError {
    AppError::NotFound {
        what: format!("there is no skill `{wanted}`"),
        hints: vec![match near {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("`{}` lists the skills.", ctx.command(&["skill", "list"])),
        }],
    }
}

/// The first skill with this address. The plugin's name may be omitted if only one plugin has the skill.
pub(crate) fn find(ctx: &Context, address: &str) -> Option<Found> {
    if let Some((plugin, name)) = address.split_once(':') {
        let Some((_, folder)) = plugins(ctx)
            .into_iter()
            .find(|(installed, _)| installed == plugin)
        else {
            return discipline(name);
        };
        return match in_folder(&folder, name) {
            Some(path) => Some(Found {
                address: address.to_owned(),
                source: SkillSource::Plugin,
                path: Some(path),
            }),
            None if is_stub(&folder.join(name)) => find(ctx, name),
            None => None,
        };
    }
    // An invalid name must not become a path.
    SkillName::new(address).ok()?;
    for (source, folder) in folders(ctx) {
        if let Some(path) = in_folder(&folder, address) {
            return Some(Found {
                address: address.to_owned(),
                source,
                path: Some(path),
            });
        }
    }
    if builtin::has_workflow(address) {
        return Some(built_in(address));
    }
    let mut found = in_plugins(ctx, address);
    if found.is_empty() {
        return discipline(address);
    }
    found.pop().filter(|_| found.is_empty())
}

fn built_in(name: &str) -> Found {
    Found {
        address: name.to_owned(),
        source: SkillSource::BuiltIn,
        path: None,
    }
}

/// The built-in skill without a workflow that has this name or stands in for it.
fn discipline(name: &str) -> Option<Found> {
    [Some(name), stand_in(name)]
        .into_iter()
        .flatten()
        .find(|name| builtin::files(name).next().is_some() && !builtin::has_workflow(name))
        .map(built_in)
}

/// Whether an installed plugin has a skill of the same purpose as a built-in skill without a workflow.
pub(crate) fn is_replaced(ctx: &Context, name: &str) -> bool {
    let has = |name: &str| !in_plugins(ctx, name).is_empty();
    !builtin::has_workflow(name) && (has(name) || replaced_by(name).any(has))
}

/// Skills with this name in installed plugins.
pub(crate) fn in_plugins(ctx: &Context, name: &str) -> Vec<Found> {
    let found = plugins(ctx).into_iter().filter_map(|(plugin, folder)| {
        Some(Found {
            address: format!("{plugin}:{name}"),
            source: SkillSource::Plugin,
            path: Some(in_folder(&folder, name)?),
        })
    });
    found.collect()
}

/// Every skill by address, each with the skills that it shadows.
pub(crate) fn all(ctx: &Context) -> Vec<(Found, Vec<Found>)> {
    let mut by_address: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    let mut add = |found: Found| by_address.entry(found.address.clone()).or_default().push(found);
    for (source, folder) in folders(ctx) {
        for (name, path) in skills_in(&folder) {
            add(Found {
                address: name,
                source,
                path: Some(path),
            });
        }
    }
    for (plugin, folder) in plugins(ctx) {
        for (name, path) in skills_in(&folder) {
            add(Found {
                address: format!("{plugin}:{name}"),
                source: SkillSource::Plugin,
                path: Some(path),
            });
        }
    }
    for name in builtin::names() {
        add(Found {
            address: name.to_string(),
            source: SkillSource::BuiltIn,
            path: None,
        });
    }
    let split = |mut found: Vec<Found>| {
        let hidden = found.split_off(1);
        found.pop().map(|first| (first, hidden))
    };
    by_address.into_values().filter_map(split).collect()
}

/// A skill at a path: its folder, its `SKILL.md`, or a single file (the older format).
pub(crate) fn at_path(path: &Path) -> Option<Found> {
    let path = path.canonicalize().ok()?;
    let folder = if path
        .file_name()
        .is_some_and(|name| name == "SKILL.md" || name == "workflow.yaml")
    {
        path.parent()?.to_owned()
    } else {
        path
    };
    let name = if folder.is_dir() {
        folder.file_name()?
    } else {
        folder.file_stem()?
    };
    let address = name.to_string_lossy().into_owned();
    Some(Found {
        address,
        source: SkillSource::Given,
        path: Some(folder),
    })
}

/// The skill folders, in search order.
fn folders(ctx: &Context) -> Vec<(SkillSource, PathBuf)> {
    let mut folders: Vec<(SkillSource, PathBuf)> = Vec::new();
    // If the project is the home folder, its skills are the user's.
    if ctx.root != ctx.home {
        let own = std::iter::once(OWN_SKILLS).chain(skill_folders());
        folders.extend(own.map(|folder| (SkillSource::Project, ctx.root.join(folder))));
    }
    folders.push((SkillSource::User, ctx.bugle_home.join("skills")));
    folders.extend(
        skill_folders()
            .into_iter()
            .map(|folder| (SkillSource::User, ctx.home.join(folder))),
    );
    folders
}

/// A skill in a skill folder: `name/SKILL.md`, or the older `name.md`. Ignores stubs that setup wrote for a client,
/// because a stub only refers to a skill.
fn in_folder(folder: &Path, name: &str) -> Option<PathBuf> {
    SkillName::new(name).ok()?;
    let inner = folder.join(name);
    if inner.join("SKILL.md").is_file() {
        return (!is_stub(&inner)).then_some(inner);
    }
    let single = folder.join(format!("{name}.md"));
    single.is_file().then_some(single)
}

fn is_stub(inner: &Path) -> bool {
    !inner.join("workflow.yaml").exists()
        && fs_util::read_bounded(&inner.join("SKILL.md"), MAX_FILE_BYTES)
            .is_ok_and(|bytes| std::str::from_utf8(&bytes).is_ok_and(crate::skill_stub::is_stub))
}

fn skills_in(folder: &Path) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .map(|name| name.strip_suffix(".md").map(str::to_owned).unwrap_or(name))
        .collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter_map(|name| in_folder(folder, &name).map(|path| (name, path)))
        .collect()
}

/// The skill folders of installed plugins. Uses the newest version of each plugin.
fn plugins(ctx: &Context) -> Vec<(String, PathBuf)> {
    let mut newest: BTreeMap<String, (Vec<u64>, PathBuf)> = BTreeMap::new();
    let marketplaces = plugin_folders().flat_map(|folder| subfolders(&ctx.home.join(folder)));
    for marketplace in marketplaces {
        for plugin in subfolders(&marketplace) {
            let Some(name) = plugin.file_name().map(|name| name.to_string_lossy().into_owned()) else {
                continue;
            };
            for version in subfolders(&plugin) {
                let skills = version.join("skills");
                if !skills.is_dir() {
                    continue;
                }
                let number = version_number(&version.file_name().unwrap_or_default().to_string_lossy());
                let newer = newest.get(&name).is_none_or(|(known, _)| number > *known);
                if newer {
                    newest.insert(name.clone(), (number, skills));
                }
            }
        }
    }
    newest
        .into_iter()
        .map(|(name, (_, skills))| (name, skills))
        .collect()
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// A version as numbers, so that version 10 sorts after 9 and a release sorts after its pre-releases.
fn version_number(text: &str) -> Vec<u64> {
    let (release, pre) = text
        .split_once('-')
        .map_or((text, None), |(release, pre)| (release, Some(pre)));
    let numbers = |text: &str| -> Vec<u64> {
        text.split(|c: char| !c.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .filter_map(|part| part.parse().ok())
            .collect()
    };
    let mut all = numbers(release);
    all.resize(4, 0);
    match pre {
        None => all.push(u64::MAX),
        Some(pre) => all.extend(numbers(pre)),
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_sort_by_number() {
        assert!(version_number("10.0.0") > version_number("9.9.9"));
        assert!(version_number("v4.0.3") > version_number("4.0"));
        assert!(version_number("2.0.0") > version_number("2.0.0-rc.1"));
        assert!(version_number("2.0.0-rc.10") > version_number("2.0.0-rc.9"));
    }
}
