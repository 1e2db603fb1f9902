//! What a plan says about one task, without reading all of it: an outline is kept with what was imported, and its words
//! stand in the plan's file as long as that is the same.

use std::path::PathBuf;

use bugle_core::id::ContentHash;
use bugle_core::plan::{Outline, Outlined, Plan};
use bugle_core::task::Task;
use bugle_skill::parse_plan;
use bugle_store::{PlanRow, SqliteStore, Store as _};
use bugle_wire::PlanText;

use super::{LARGEST_PLAN, hash_of};
use crate::files::content_hash;
use crate::{App, AppError, folder};

/// The version of the outlines in the store. Apart from the compiled workflows of skills and from digested sections.
const OUTLINER: i64 = 2004;
/// The same of the first of their drawers. The others follow it.
const FIRST_DRAWER: i64 = 2_004_000;

/// How a plan's file compares with what was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileState {
    /// It has these bytes, as it had then.
    Same(Vec<u8>),
    Changed(PathBuf),
    Gone,
}

/// What a plan says about a task, and about all of them.
#[derive(Debug)]
pub(crate) struct Reading {
    /// What the plan is for.
    pub goal: Option<String>,
    /// What holds for all tasks, a line each.
    pub constraints: Vec<String>,
    /// What it says about the task, word for word; for the plan as a whole, what stands before its tasks.
    pub text: Option<PlanText>,
    node: Option<Outlined>,
}

impl Reading {
    /// The files that the task names, each once.
    pub(crate) fn files(self) -> Vec<String> {
        self.node.map(|node| node.files).unwrap_or_default()
    }

    /// What the task takes from others and gives to them, a line each.
    pub(crate) fn interfaces(&self) -> Vec<String> {
        let Some(node) = &self.node else { return Vec::new() };
        let consumes = node.consumes.iter().map(|line| format!("takes: {line}"));
        let produces = node.produces.iter().map(|line| format!("gives: {line}"));
        consumes.chain(produces).collect()
    }
}

/// Keeps the outline of a plan, so that it is not read again at every wake-up.
pub(super) fn keep_outline(
    store: &mut SqliteStore,
    hash: &ContentHash,
    plan: &Plan,
    bytes: &[u8],
) -> Result<(), AppError> {
    let source = String::from_utf8_lossy(bytes);
    let outline = Outline::of(plan, source.len(), hash_of);
    let body = serde_json::to_string(&outline).map_err(|error| AppError::System(error.to_string()))?;
    store.keep_compiled(hash, OUTLINER, &body)?;
    for (drawer, lines) in outline.drawers() {
        store.keep_compiled(hash, FIRST_DRAWER + i64::from(drawer), lines)?;
    }
    Ok(())
}

impl App {
    /// How a plan's file compares with what was imported; nothing if this is not its project.
    pub(crate) fn file_state(&mut self, plan: &PlanRow) -> Result<Option<FileState>, AppError> {
        let file = self.plan_file(plan)?;
        Ok(file.map(|file| match folder::read_bounded(&file, LARGEST_PLAN) {
            Ok(bytes) if content_hash(&bytes) == plan.source => FileState::Same(bytes),
            Ok(_) => FileState::Changed(file),
            Err(_) => FileState::Gone,
        }))
    }

    /// What a reader should know about a plan's file: that it has changed since, or is not here.
    pub(crate) fn plan_notices(&mut self, plan: &PlanRow) -> Result<Vec<String>, AppError> {
        let state = self.file_state(plan)?;
        Ok(self.notices_of_file(plan, state.as_ref()))
    }

    /// The same of a file that was looked at.
    pub(crate) fn notices_of_file(&self, plan: &PlanRow, state: Option<&FileState>) -> Vec<String> {
        let notice = match state {
            None | Some(FileState::Same(_)) => return Vec::new(),
            Some(FileState::Changed(file)) => {
                let elsewhere = plan
                    .branch
                    .as_ref()
                    .filter(|branch| self.place.branch().as_ref() != Some(branch));
                let elsewhere = elsewhere.map_or(String::new(), |branch| format!(" on branch {branch}"));
                format!(
                    "The plan's file has changed since it was imported{elsewhere}: `{}` brings its tasks up to date.",
                    self.place
                        .command_here(&["plan", "import", &file.to_string_lossy()])
                )
            }
            Some(FileState::Gone) => {
                let branch = plan.branch.as_deref().map_or(String::new(), |branch| {
                    format!(" It was imported on branch {branch}.")
                });
                format!(
                    "The plan's file {} is not here; what was imported is kept.{branch}",
                    plan.file
                )
            }
        };
        vec![notice]
    }

    /// What a plan says about a task, as it was imported. Its outline is the one that was kept then; if there is none, the
    /// plan is read again.
    pub(crate) fn reading(
        &mut self,
        row: &PlanRow,
        task: Option<&Task>,
        file: Option<&FileState>,
    ) -> Result<Reading, AppError> {
        let mut source = None;
        let kept = self.kept_outline(row, task)?;
        let outline = if let Some(kept) = kept {
            kept
        } else {
            let text = source.insert(self.imported_text(row)?);
            Outline::of(&parse_plan(text), text.len(), hash_of)
        };
        let planned = task.and_then(|task| task.plan.as_ref());
        let node = planned.and_then(|link| outline.find(&link.number, &link.title, &link.content_hash));
        let is_whole = task.is_some_and(|task| task.id == row.root);
        let place = if planned.is_none_or(|link| link.plan != row.id) {
            None
        } else if is_whole {
            Some((1, 0..outline.head))
        } else {
            node.as_ref().map(|node| (node.line, node.range.clone()))
        };
        let text = match place {
            None => None,
            Some((first, range)) => {
                let text = match (file, source) {
                    (Some(FileState::Same(bytes)), _) => words_at(bytes, range),
                    (_, Some(source)) => words_at(source.as_bytes(), range),
                    (_, None) => words_at(self.imported_text(row)?.as_bytes(), range),
                };
                text.map(|text| PlanText {
                    file: row.file.clone(),
                    line: first,
                    text: if is_whole {
                        text.trim_end().to_owned()
                    } else {
                        text
                    },
                })
            }
        };
        Ok(Reading {
            goal: outline.goal,
            constraints: outline.constraints,
            text,
            node,
        })
    }

    /// The outline that was kept of a plan, with the drawer that a task is in.
    fn kept_outline(&mut self, row: &PlanRow, task: Option<&Task>) -> Result<Option<Outline>, AppError> {
        let Some(body) = self.store.compiled(&row.source, OUTLINER)? else {
            return Ok(None);
        };
        let Ok(mut outline) = serde_json::from_str::<Outline>(&body) else {
            return Ok(None);
        };
        if let Some(link) = task.and_then(|task| task.plan.as_ref()) {
            let drawer = Outline::drawer_of(&link.number, &link.title);
            let lines = self
                .store
                .compiled(&row.source, FIRST_DRAWER + i64::from(drawer))?;
            if let Some(lines) = lines {
                outline.put_back(drawer, lines);
            }
        }
        Ok(Some(outline))
    }
}

/// The text at a place of a plan's source; nothing if the source does not have it.
fn words_at(source: &[u8], range: std::ops::Range<usize>) -> Option<String> {
    String::from_utf8(source.get(range)?.to_vec()).ok()
}
