//! Reads a skill's files from its folder or from the binary, and checks their links, sizes and names.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bugle_core::id::ContentHash;
use bugle_core::path::SkillPath;
use bugle_core::validate::{Problem, ProblemLocation as At, Rule};
use bugle_skill::MAX_FILE_BYTES;
use sha2::{Digest as _, Sha256};

use crate::catalogue::{Found, SkillSource};
use crate::{Context, builtin, contained_path, fs_util};

/// The folders of a skill that workflows use.
const FOLDERS: [&str; 3] = ["prompts", "resources", "agents"];
const MAX_FILES: usize = 500;
const MAX_DEPTH: usize = 4;

/// A file of a skill.
#[derive(Debug, Clone)]
pub(crate) struct SkillBytes {
    pub hash: ContentHash,
    pub bytes: Vec<u8>,
}

/// The hash of some bytes.
pub(crate) fn content_hash(bytes: &[u8]) -> ContentHash {
    ContentHash::from_digest(Sha256::digest(bytes).into())
}

/// The files that a built-in skill's workflow uses.
pub(crate) fn embedded(name: &str) -> BTreeMap<SkillPath, SkillBytes> {
    builtin::files(name)
        .filter(|(path, _)| is_used(path))
        .filter_map(|(path, file)| {
            let bytes = SkillBytes {
                hash: file.content_hash(),
                bytes: file.bytes.to_vec(),
            };
            Some((SkillPath::new(path).ok()?, bytes))
        })
        .collect()
}

/// The hashes of a skill's current files, and of the shared texts in `pinned`.
pub(crate) fn file_hashes(
    ctx: &Context,
    found: &Found,
    pinned: &BTreeMap<SkillPath, ContentHash>,
) -> BTreeMap<SkillPath, ContentHash> {
    let files = read_skill_files(ctx, found, &mut Vec::new());
    let mut hashes: BTreeMap<SkillPath, ContentHash> =
        files.into_iter().map(|(path, file)| (path, file.hash)).collect();
    for path in pinned.keys() {
        if let Some((kind, name)) = shared_name(path) {
            let file = shared(ctx, kind, name).ok().flatten();
            hashes.extend(file.map(|file| (path.clone(), file.hash)));
        }
    }
    hashes
}

/// A kind of text that skills share, one file per text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shared {
    Convention,
    Role,
}

impl Shared {
    /// The folder for texts of this kind.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::Convention => "conventions",
            Self::Role => "roles",
        }
    }

    /// The path of a text of this kind in a pinned skill.
    pub(crate) fn file(self, name: &str) -> Option<SkillPath> {
        SkillPath::new(&format!("{}/{name}.md", self.folder())).ok()
    }

    fn built_in(self, name: &str) -> Option<&'static builtin::Embedded> {
        match self {
            Self::Convention => builtin::conventions().remove(name),
            Self::Role => builtin::roles().remove(name),
        }
    }
}

/// The kind and name of a shared text, parsed from its path in a pinned skill.
fn shared_name(path: &SkillPath) -> Option<(Shared, &str)> {
    [Shared::Convention, Shared::Role].into_iter().find_map(|kind| {
        let name = path.as_str().strip_prefix(kind.folder())?.strip_prefix('/')?;
        Some((kind, name.strip_suffix(".md")?))
    })
}

/// Reads a shared text: the project's, else the user's, else the built-in one. A link that points outside the project
/// is an error.
pub(crate) fn shared(ctx: &Context, kind: Shared, name: &str) -> Result<Option<SkillBytes>, Problem> {
    let Some(path) = kind.file(name) else {
        return Ok(None);
    };
    for base in [ctx.root.join(".bugle"), ctx.bugle_home.clone()] {
        let file = base.join(path.as_str());
        match contained_path::read(ctx, &file, MAX_FILE_BYTES) {
            Ok(bytes) => {
                return Ok(Some(SkillBytes {
                    hash: content_hash(&bytes),
                    bytes,
                }));
            }
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                return Err(Problem {
                    rule: Rule::UnsafePath,
                    place: At::File(path),
                    message: format!("cannot use {}: {error}", file.display()),
                    fix: "replace the file with a readable one, or remove it".to_owned(),
                });
            }
            Err(_) => {}
        }
    }
    Ok(kind.built_in(name).map(|file| SkillBytes {
        hash: file.content_hash(),
        bytes: file.bytes.to_vec(),
    }))
}

/// Reads a skill's files. A project's skill must be inside the project.
pub(crate) fn read_skill_files(
    ctx: &Context,
    found: &Found,
    problems: &mut Vec<Problem>,
) -> BTreeMap<SkillPath, SkillBytes> {
    let Some(path) = &found.path else {
        return embedded(found.name());
    };
    if found.source == SkillSource::Project && contained_path::is_escaping_link(&ctx.root, path) {
        if let Ok(file) = SkillPath::new("SKILL.md") {
            problems.push(Problem {
                rule: Rule::UnsafePath,
                place: At::File(file),
                message: format!(
                    "cannot use {}: {}",
                    path.display(),
                    contained_path::LEAVES_PROJECT
                ),
                fix: "copy the skill into the project or into your own skills folder".to_owned(),
            });
        }
        return BTreeMap::new();
    }
    from_disk(path, problems)
}

fn is_used(path: &str) -> bool {
    matches!(path, "SKILL.md" | "workflow.yaml")
        || FOLDERS.iter().any(|part| path.starts_with(&format!("{part}/")))
}

/// Reads a skill's files from disk. Skips and reports files that are too large and links that point outside the
/// folder.
fn from_disk(path: &Path, problems: &mut Vec<Problem>) -> BTreeMap<SkillPath, SkillBytes> {
    let mut files = BTreeMap::new();
    if !path.is_dir() {
        if let Ok(name) = SkillPath::new("SKILL.md") {
            let parent = path
                .parent()
                .unwrap_or(path)
                .canonicalize()
                .unwrap_or_else(|_| path.to_owned());
            read_file(path, &name, &parent, &mut files, problems);
        }
        return files;
    }
    let Ok(base) = path.canonicalize() else {
        return files;
    };
    let mut wanted: Vec<PathBuf> = ["SKILL.md", "workflow.yaml"]
        .map(|name| base.join(name))
        .into_iter()
        .filter(|file| file.symlink_metadata().is_ok())
        .collect();
    for part in FOLDERS {
        collect(&base.join(part), MAX_DEPTH, &mut wanted);
    }
    if wanted.len() > MAX_FILES {
        wanted.truncate(MAX_FILES);
        if let Ok(file) = SkillPath::new("workflow.yaml") {
            problems.push(Problem {
                rule: Rule::UnreadableFile,
                place: At::File(file),
                message: format!("the skill has more than {MAX_FILES} files"),
                fix: "remove files that the skill's steps do not use".to_owned(),
            });
        }
    }
    for file in wanted {
        let inside = file
            .strip_prefix(&base)
            .unwrap_or(&file)
            .to_string_lossy()
            .replace('\\', "/");
        match SkillPath::new(&inside) {
            Ok(name) => read_file(&file, &name, &base, &mut files, problems),
            Err(bad) => {
                if let Ok(place) = SkillPath::new("workflow.yaml") {
                    problems.push(Problem {
                        rule: Rule::UnsafePath,
                        place: At::File(place),
                        message: bad.to_string(),
                        fix: "rename the file".to_owned(),
                    });
                }
            }
        }
    }
    files
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden || found.len() > MAX_FILES {
            continue;
        }
        // Links to folders are not followed: they could point outside the skill or form a cycle.
        let is_folder = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        if is_folder && depth > 0 {
            collect(&path, depth - 1, found);
        } else if !is_folder {
            found.push(path);
        }
    }
}

fn read_file(
    file: &Path,
    name: &SkillPath,
    base: &Path,
    files: &mut BTreeMap<SkillPath, SkillBytes>,
    problems: &mut Vec<Problem>,
) {
    let mut problem = |rule, message: String, fix: &str| {
        problems.push(Problem {
            rule,
            place: At::File(name.clone()),
            message,
            fix: fix.to_owned(),
        });
    };
    match file.canonicalize() {
        Ok(real) if !real.starts_with(base) => {
            problem(
                Rule::UnsafePath,
                format!("`{name}` is a link that points outside the skill's folder"),
                "replace the link with the file itself",
            );
        }
        Ok(real) => match fs_util::read_bounded(&real, MAX_FILE_BYTES) {
            Ok(bytes) => {
                files.insert(
                    name.clone(),
                    SkillBytes {
                        hash: content_hash(&bytes),
                        bytes,
                    },
                );
            }
            Err(error) => problem(
                Rule::UnreadableFile,
                format!("cannot read `{name}`: {error}"),
                "fix or remove the file",
            ),
        },
        Err(error) => problem(
            Rule::UnreadableFile,
            format!("cannot read `{name}`: {error}"),
            "fix or remove the file",
        ),
    }
}
