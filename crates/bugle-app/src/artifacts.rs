//! The files that a step asks for: which match its patterns, and which of them were made or changed in the visit. Content
//! decides, never a time.

use std::collections::VecDeque;
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use bugle_core::engine::{
    Baseline, Candidate, CandidateKind, Finding, Listing, Mark, RunState, Visit, context, judge_files,
};
use bugle_core::id::Timestamp;
use bugle_core::validate::Templates as _;
use bugle_core::workflow::{Evidence, StepDef, Workflow};
use bugle_render::template::Engine;
use globset::GlobBuilder;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::inside;

/// How many files of a folder are looked at.
const MOST_ENTRIES: usize = 200_000;
/// How many files are recorded for a pattern.
const MOST_RECORDED: usize = 20_000;
/// Of a larger file, only the beginning and the end are hashed.
const LARGEST_WHOLE: u64 = 8 * 1024 * 1024;
/// How many bytes are hashed for a visit; of the files after that, the size is recorded.
const MOST_HASHED: u64 = 64 * 1024 * 1024;
/// For visits that began before files were recorded: how coarse the clock of a file system may be.
const CLOCK_TICK_MILLISECONDS: i64 = 20;

/// What is known about the project's files from when a visit began.
#[derive(Debug)]
pub(crate) struct Before {
    /// When it began.
    pub since: Timestamp,
    /// The files that matched then; nothing if the visit began before that was recorded.
    pub files: Option<Baseline>,
}

/// Whether entering this step records files: only if a file must be made or changed in it.
pub(crate) fn is_recorded(step: &StepDef) -> bool {
    step.expect
        .iter()
        .any(|evidence| matches!(evidence, Evidence::Artifact { existing: false, .. }))
}

/// The files that match the artifacts of the run's open visit now.
pub(crate) fn baseline(state: &RunState, workflow: &Workflow, visit: &Visit, root: &Path) -> Baseline {
    let values = context(state, workflow, visit.number).for_templates();
    let step = workflow.step(&visit.step);
    let patterns = step.iter().flat_map(|step| &step.expect);
    let mut budget = MOST_HASHED;
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

/// The pattern whose files are recorded when a step is entered. The result does not exist then, so a pattern that depends
/// on it stands for every file in the folder that its text names before the first use of the result.
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
    let certain = &before[..before.rfind('/').map_or(0, |at| at + 1)];
    // Where a tag is still open there, any folder is possible.
    let folder = engine.render(certain, &values).unwrap_or_default();
    Some(format!("{}**", folder.trim_start()))
}

/// Where the first tag begins that speaks of the result.
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
    let is_partial = found.len() > MOST_RECORDED;
    found.truncate(MOST_RECORDED);
    let files = found.into_iter().map(|file| {
        let mark = mark(&file.file, file.size, budget);
        (file.path, mark)
    });
    Listing {
        files: files.collect(),
        is_partial,
    }
}

/// Looks for files that match a pattern. `template` is the pattern before its values were filled in.
pub(crate) fn find(
    (template, pattern): (&str, &str),
    existing: bool,
    root: &Path,
    values: &Value,
    before: &Before,
) -> Finding {
    let found = match matching(pattern, root) {
        Ok(found) => found,
        Err(why) => return Finding::NotChecked(why),
    };
    let recorded = before
        .files
        .as_ref()
        .and_then(|files| files.get(&recorded_pattern(template, values)?));
    let kind = |file: &Found| match recorded {
        _ if file.is_link => CandidateKind::Link,
        _ if file.size == 0 => CandidateKind::Empty,
        _ if existing => CandidateKind::Changed,
        Some(listing) => listing.judge(&file.path, |mark| mark_like(mark, &file.file)),
        None if changed_at(&file.file) + CLOCK_TICK_MILLISECONDS >= before.since.0 => CandidateKind::Changed,
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
    /// Its path in the project.
    path: String,
    file: PathBuf,
    is_link: bool,
    size: u64,
}

/// The regular files and links that match a pattern, those that are less deep first.
fn matching(pattern: &str, root: &Path) -> Result<Vec<Found>, String> {
    let leaves = || format!("{pattern} leaves the project's folder");
    if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
        return Err(leaves());
    }
    let start = literal_folder(pattern);
    match inside::project_path(root, &root.join(&start)) {
        Ok(()) => {}
        Err(inside::Outside::Leaves) => return Err(leaves()),
        Err(inside::Outside::Unreadable(_)) => return Ok(Vec::new()),
    }
    if !pattern.contains(GLOB_SIGNS) {
        return Ok(found(pattern.to_owned(), root.join(pattern))
            .into_iter()
            .collect());
    }
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| error.to_string())?
        .compile_matcher();
    let deepest = (!pattern.contains("**")).then(|| pattern.matches('/').count());
    let mut matches = Vec::new();
    walk(root, &start, deepest, &mut |path, file| {
        if glob.is_match(&path) {
            matches.extend(found(path, file));
        }
    });
    Ok(matches)
}

const GLOB_SIGNS: [char; 5] = ['*', '?', '[', '{', '\\'];

/// The folder before the first part of a pattern that is not plain: nothing outside it can match.
fn literal_folder(pattern: &str) -> String {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(GLOB_SIGNS)).count();
    parts[..plain.min(parts.len() - 1)].join("/")
}

/// Calls `visit` for everything under a folder that is not a folder, level by level. Links are not followed.
fn walk(root: &Path, start: &str, deepest: Option<usize>, visit: &mut dyn FnMut(String, PathBuf)) {
    let mut folders = VecDeque::from([start.to_owned()]);
    let mut budget = MOST_ENTRIES;
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
            } else if name != ".git" && deepest.is_none_or(|deepest| path.matches('/').count() < deepest) {
                folders.push_back(path);
            }
        }
    }
}

/// A regular file or a link; neither a folder nor a pipe is evidence.
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

fn mark(file: &Path, size: u64, budget: &mut u64) -> Mark {
    let cost = size.min(LARGEST_WHOLE);
    let Some(left) = budget.checked_sub(cost) else {
        return Mark::Size(size);
    };
    *budget = left;
    let hashed = if size <= LARGEST_WHOLE {
        whole(file)
    } else {
        ends(file, size)
    };
    hashed.unwrap_or(Mark::Size(size))
}

/// The mark of a file as it is now, made in the same way as an earlier one.
fn mark_like(before: &Mark, file: &Path) -> Option<Mark> {
    let size = fs::symlink_metadata(file).ok()?.len();
    match before {
        Mark::Whole(_) if size <= LARGEST_WHOLE => whole(file).ok(),
        Mark::Ends(length, _) if *length == size => ends(file, size).ok(),
        _ => Some(Mark::Size(size)),
    }
}

fn whole(file: &Path) -> std::io::Result<Mark> {
    let mut bytes = Vec::new();
    fs::File::open(file)?
        .take(LARGEST_WHOLE + 1)
        .read_to_end(&mut bytes)?;
    Ok(Mark::Whole(digest(&[&bytes])))
}

fn ends(file: &Path, size: u64) -> std::io::Result<Mark> {
    let half = LARGEST_WHOLE / 2;
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut file = fs::File::open(file)?;
    file.by_ref().take(half).read_to_end(&mut first)?;
    file.seek(SeekFrom::Start(size - half))?;
    file.take(half).read_to_end(&mut last)?;
    Ok(Mark::Ends(size, digest(&[&first, &last])))
}

/// Half of a SHA-256: long enough that no two contents are ever confused.
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

fn changed_at(file: &Path) -> i64 {
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
