//! A step's artifacts: finds the files that match the step's patterns, and compares their content to tell which files
//! the visit created or changed.

use std::collections::VecDeque;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bugle_core::engine::{
    Baseline, Candidate, CandidateKind, EvidenceFinding, Fingerprint, Listing, RunState, Visit, context,
    judge_files,
};
use bugle_core::id::Timestamp;
use bugle_core::validate::Templates as _;
use bugle_core::workflow::{Evidence, StepDef, Workflow};
use bugle_render::template::Engine;
use globset::GlobBuilder;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::contained_path;

/// Maximum number of directory entries read for a pattern.
const MAX_ENTRIES: usize = 200_000;
/// Maximum number of files recorded for a pattern.
const MAX_RECORDED: usize = 20_000;
/// Size above which only the start and the end of a file are hashed.
const MAX_WHOLE_BYTES: u64 = 8 * 1024 * 1024;
/// Maximum number of bytes hashed for a visit. For the remaining files, only the size is recorded.
const MAX_HASHED_BYTES: u64 = 64 * 1024 * 1024;
/// The assumed resolution of file timestamps, used for visits that did not record their files.
const CLOCK_TICK_MILLISECONDS: i64 = 20;

/// When a visit began, and the files at that time.
#[derive(Debug)]
pub(crate) struct VisitStart {
    /// When the visit began.
    pub since: Timestamp,
    /// The files that matched at that time; `None` if the visit began in an older version of Bugle that did not record
    /// files.
    pub files: Option<Baseline>,
}

/// Whether entering a step records files: true only if the step expects a new or changed file.
pub(crate) fn is_recorded(step: &StepDef) -> bool {
    step.expect
        .iter()
        .any(|evidence| matches!(evidence, Evidence::Artifact { existing: false, .. }))
}

/// The files that currently match the artifact patterns of a visit.
pub(crate) fn baseline(state: &RunState, workflow: &Workflow, visit: &Visit, root: &Path) -> Baseline {
    let values = context(state, workflow, visit.number).for_templates();
    let step = workflow.step(&visit.step);
    let patterns = step.iter().flat_map(|step| &step.expect);
    let mut budget = MAX_HASHED_BYTES;
    patterns
        .filter_map(|evidence| match evidence {
            Evidence::Artifact {
                pattern,
                existing: false,
            } => recorded_pattern(pattern, &values),
            _ => None,
        })
        .map(|pattern| {
            let listing = listing(&pattern, root, &mut budget);
            (pattern, listing)
        })
        .collect()
}

/// The pattern whose files are recorded when the run enters a step. The step's result does not exist yet, so `**`
/// replaces the first path component that uses the result, and the rest of the path.
fn recorded_pattern(template: &str, values: &Value) -> Option<String> {
    let engine = Engine::default();
    let uses_result = |source: &str| {
        let names = engine.references(source).unwrap_or_default();
        names
            .iter()
            .any(|name| name == "result" || name.starts_with("result."))
    };
    let mut values = values.clone();
    if let Some(values) = values.as_object_mut() {
        values.remove("result");
    }
    if !uses_result(template) {
        return engine
            .render(template, &values)
            .ok()
            .map(|text| text.trim().to_owned());
    }
    let before = &template[..first_use_of_result(template)];
    let known = &before[..before.rfind('/').map_or(0, |at| at + 1)];
    // Rendering fails if `known` ends inside a template tag. The pattern is then `**`.
    let folder = engine.render(known, &values).unwrap_or_default();
    Some(format!("{}**", folder.trim_start()))
}

/// The start of the first template tag that uses the result.
fn first_use_of_result(template: &str) -> usize {
    let tags = template.match_indices("{{").chain(template.match_indices("{%"));
    let uses = tags.filter(|(at, _)| {
        let tag = &template[at + 2..];
        let ends = [tag.find("}}"), tag.find("%}")];
        let end = ends.into_iter().flatten().min().unwrap_or(tag.len());
        tag[..end].contains("result")
    });
    uses.map(|(at, _)| at).min().unwrap_or(0)
}

fn listing(pattern: &str, root: &Path, budget: &mut u64) -> Listing {
    let mut found = matching(pattern, root).unwrap_or_default();
    found.retain(|file| !file.is_link);
    let is_partial = found.len() > MAX_RECORDED;
    found.truncate(MAX_RECORDED);
    let files = found.into_iter().map(|file| {
        let fingerprint = fingerprint(&file.file, file.size, budget);
        (file.path, fingerprint)
    });
    Listing {
        files: files.collect(),
        is_partial,
    }
}

/// Finds the files that match a pattern. `template` is the pattern before rendering.
pub(crate) fn find(
    template: &str,
    pattern: &str,
    existing: bool,
    root: &Path,
    values: &Value,
    before: &VisitStart,
) -> EvidenceFinding {
    let found = match matching(pattern, root) {
        Ok(found) => found,
        Err(why) => return EvidenceFinding::NotChecked(why),
    };
    let recorded = before
        .files
        .as_ref()
        .and_then(|files| files.get(&recorded_pattern(template, values)?));
    let kind = |file: &Found| match recorded {
        _ if file.is_link => CandidateKind::Link,
        _ if file.size == 0 => CandidateKind::Empty,
        _ if existing => CandidateKind::Changed,
        Some(listing) => listing.judge(&file.path, |fingerprint| {
            fingerprint_like(fingerprint, &file.file)
        }),
        None if modified_at(&file.file) + CLOCK_TICK_MILLISECONDS >= before.since.0 => CandidateKind::Changed,
        None => CandidateKind::Unchanged,
    };
    let candidate = |file: Found| Candidate {
        kind: kind(&file),
        path: file.path,
    };
    judge_files(found.into_iter().map(candidate).collect())
}

/// A file that matches a pattern.
struct Found {
    /// The file's path relative to the project root.
    path: String,
    file: PathBuf,
    is_link: bool,
    size: u64,
}

/// The regular files and links that match a pattern, breadth first.
fn matching(pattern: &str, root: &Path) -> Result<Vec<Found>, String> {
    let leaves = || format!("{pattern} points outside the project");
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Err(leaves());
    }
    let start = literal_folder(pattern);
    match contained_path::check_contained(root, &root.join(&start)) {
        Ok(()) => {}
        Err(contained_path::PathError::Leaves) => return Err(leaves()),
        Err(contained_path::PathError::Unreadable(_)) => return Ok(Vec::new()),
    }
    if !pattern.contains(WILDCARDS) {
        return Ok(found(pattern.to_owned(), root.join(pattern))
            .into_iter()
            .collect());
    }
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| error.to_string())?
        .compile_matcher();
    let max_depth = (!pattern.contains("**")).then(|| pattern.matches('/').count());
    let mut matches = Vec::new();
    walk(root, &start, max_depth, &mut |path, file| {
        if glob.is_match(&path) {
            matches.extend(found(path, file));
        }
    });
    Ok(matches)
}

const WILDCARDS: [char; 5] = ['*', '?', '[', '{', '\\'];

/// The folder before the first path component with a wildcard. No file outside this folder can match.
fn literal_folder(pattern: &str) -> String {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(WILDCARDS)).count();
    parts[..plain.min(parts.len() - 1)].join("/")
}

/// Calls `visit` for every file under a folder, breadth first, without following links.
fn walk(root: &Path, start: &str, max_depth: Option<usize>, visit: &mut dyn FnMut(String, PathBuf)) {
    let mut folders = VecDeque::from([start.to_owned()]);
    let mut budget = MAX_ENTRIES;
    while let Some(folder) = folders.pop_front() {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else {
            continue;
        };
        let mut entries: Vec<fs::DirEntry> = entries.flatten().take(budget).collect();
        budget -= entries.len();
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            let path = if folder.is_empty() {
                name.clone()
            } else {
                format!("{folder}/{name}")
            };
            if !kind.is_dir() {
                visit(path, entry.path());
            } else if name != ".git"
                && max_depth.is_none_or(|max_depth| path.matches('/').count() < max_depth)
            {
                folders.push_back(path);
            }
        }
    }
}

/// A regular file or a link; `None` for folders, pipes and other file types.
fn found(path: String, file: PathBuf) -> Option<Found> {
    let metadata = fs::symlink_metadata(&file).ok()?;
    let is_link = metadata.is_symlink();
    (is_link || metadata.is_file()).then_some(Found {
        path,
        file,
        is_link,
        size: metadata.len(),
    })
}

fn fingerprint(file: &Path, size: u64, budget: &mut u64) -> Fingerprint {
    let cost = size.min(MAX_WHOLE_BYTES);
    let Some(left) = budget.checked_sub(cost) else {
        return Fingerprint::Size(size);
    };
    *budget = left;
    let hashed = if size <= MAX_WHOLE_BYTES {
        hash_whole(file)
    } else {
        hash_ends(file, size)
    };
    hashed.unwrap_or(Fingerprint::Size(size))
}

/// The file's current fingerprint, of the same kind as the earlier fingerprint.
fn fingerprint_like(before: &Fingerprint, file: &Path) -> Option<Fingerprint> {
    let size = fs::symlink_metadata(file).ok()?.len();
    match before {
        Fingerprint::Whole(_) if size <= MAX_WHOLE_BYTES => hash_whole(file).ok(),
        Fingerprint::Ends(length, _) if *length == size => hash_ends(file, size).ok(),
        _ => Some(Fingerprint::Size(size)),
    }
}

fn hash_whole(file: &Path) -> std::io::Result<Fingerprint> {
    let mut bytes = Vec::new();
    fs::File::open(file)?
        .take(MAX_WHOLE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    Ok(Fingerprint::Whole(digest(&[&bytes])))
}

fn hash_ends(file: &Path, size: u64) -> std::io::Result<Fingerprint> {
    let half = MAX_WHOLE_BYTES / 2;
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut file = fs::File::open(file)?;
    file.by_ref().take(half).read_to_end(&mut first)?;
    file.seek(SeekFrom::Start(size - half))?;
    file.take(half).read_to_end(&mut last)?;
    Ok(Fingerprint::Ends(size, digest(&[&first, &last])))
}

/// The first half of a SHA-256 hash.
fn digest(parts: &[&[u8]]) -> String {
    use std::fmt::Write as _;
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize()
        .iter()
        .take(16)
        .fold(String::new(), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}

fn modified_at(file: &Path) -> i64 {
    let modified = fs::symlink_metadata(file).and_then(|metadata| metadata.modified());
    let since = modified
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    since
        .and_then(|since| i64::try_from(since.as_millis()).ok())
        .unwrap_or(0)
}

#[cfg(test)]
#[path = "artifacts_tests.rs"]
mod tests;
