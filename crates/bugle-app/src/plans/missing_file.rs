//! Suggests files when a plan's file does not exist.

use std::path::{Path, PathBuf};

use bugle_core::did_you_mean::nearest;
use bugle_core::workflow::{Evidence, Workflow};
use bugle_render::template::Engine;
use serde_json::{Map, Value, json};

use crate::{AppError, Context};

/// Folders that often contain plans.
const PLAN_FOLDERS: [&str; 4] = ["docs/plans", "plans", "docs", ""];
/// Maximum number of files to read from a folder.
const MAX_FILES: usize = 500;
/// Maximum number of files to list in a hint.
const MAX_NAMED: usize = 5;

/// Refuses to start a run whose first step imports a missing plan. A plan for a later step may still be written.
pub(crate) fn refuse_missing_plan(
    ctx: &Context,
    workflow: &Workflow,
    params: &Map<String, Value>,
) -> Result<(), AppError> {
    let context = json!({ "params": params, "state": {} });
    let expected = workflow
        .entry()
        .map(|step| step.expect.as_slice())
        .unwrap_or_default();
    for evidence in expected {
        let Evidence::Plan { file } = evidence else {
            continue;
        };
        let Ok(file) = Engine::default().render(file, &context) else {
            continue;
        };
        let file = file.trim();
        if !file.is_empty() && !ctx.root.join(file).exists() {
            return Err(AppError::NotFound {
                what: format!("there is no plan {file} in {}", ctx.root.display()),
                hints: similar_files(&ctx.root, Path::new(file)),
            });
        }
    }
    Ok(())
}

/// Hints for a missing file: a file with a similar name, else the Markdown files in the usual folders.
pub(super) fn similar_files(root: &Path, file: &Path) -> Vec<String> {
    let beside = file.parent().map(Path::to_path_buf);
    let folders = beside.into_iter().chain(PLAN_FOLDERS.map(PathBuf::from));
    let mut known: Vec<String> = Vec::new();
    for folder in folders {
        for found in markdown_in(root, &folder) {
            if !known.contains(&found) {
                known.push(found);
            }
        }
    }
    let wrong = file.to_string_lossy();
    let by_path = nearest(&wrong, known.iter().map(String::as_str));
    let name = |path: &str| {
        Path::new(path)
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let own_name = name(&wrong);
    let by_name = || {
        let same = known.iter().find(|path| name(path) == own_name);
        let names: Vec<String> = known.iter().filter_map(|path| name(path)).collect();
        let near = nearest(own_name.as_deref()?, names.iter().map(String::as_str));
        same.or_else(|| known.iter().find(|path| name(path).as_deref() == near))
            .map(String::as_str)
    };
    if let Some(similar) = by_path.or_else(by_name) {
        return vec![format!("Did you mean `{similar}`?")];
    }
    let plans: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|path| path.contains('/'))
        .take(MAX_NAMED)
        .collect();
    if plans.is_empty() {
        Vec::new()
    } else {
        vec![format!("Markdown files in this project: {}", plans.join(", "))]
    }
}

/// A folder's Markdown files, relative to the root.
fn markdown_in(root: &Path, folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root.join(folder)) else {
        return Vec::new();
    };
    let mut found: Vec<String> = entries
        .flatten()
        .take(MAX_FILES)
        .map(|entry| folder.join(entry.file_name()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

/// Hints for a folder that was given instead of a file: its Markdown files.
pub(super) fn plans_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| path.display().to_string())
        .collect();
    files.sort();
    files.truncate(MAX_NAMED);
    if files.is_empty() {
        vec!["Pass the plan's Markdown file.".to_owned()]
    } else {
        std::iter::once("Pass a file, for example:".to_owned())
            .chain(files)
            .collect()
    }
}
