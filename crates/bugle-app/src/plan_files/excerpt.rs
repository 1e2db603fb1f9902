//! The part of a plan that concerns one task. The import stores an outline of the plan, so that readers need not parse
//! the plan again.

use std::path::PathBuf;

use bugle_core::id::ContentHash;
use bugle_core::plan::{OutlineNode, Plan, PlanOutline};
use bugle_core::reply::{PlanNotice, PlanText};
use bugle_core::task::Task;
use bugle_skill::parse_plan;
use bugle_store::{PlanRow, ProjectId, Store, StoreError};

use crate::files::content_hash;
use crate::plan_files::MAX_PLAN_BYTES;
use crate::{AppError, Context, fs_util, plan_files};

/// The format version of outlines in the store. Must differ from the versions of compiled workflows and digested
/// sections.
const OUTLINER: i64 = 2004;
/// The format version of an outline's first bucket. The other buckets use the following numbers.
const FIRST_BUCKET: i64 = 2_004_000;

/// How a plan's file compares with the imported text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileState {
    /// Unchanged, with these bytes.
    Same(Vec<u8>),
    Changed(PathBuf),
    Gone,
}

/// The parts of a plan that concern one task or all tasks.
#[derive(Debug)]
pub(crate) struct PlanExcerpt {
    /// The plan's goal.
    pub goal: Option<String>,
    /// The constraints that apply to all tasks, one per line.
    pub constraints: Vec<String>,
    /// The task's section, verbatim; for the plan's root, the text before the first task.
    pub text: Option<PlanText>,
    node: Option<OutlineNode>,
}

impl PlanExcerpt {
    /// The files that the task names, without duplicates.
    pub(crate) fn files(self) -> Vec<String> {
        self.node.map(|node| node.files).unwrap_or_default()
    }

    /// The interfaces that the task consumes from other tasks and produces for them, one per line.
    pub(crate) fn interfaces(&self) -> Vec<String> {
        let Some(node) = &self.node else { return Vec::new() };
        let consumes = node.consumes.iter().map(|line| format!("consumes: {line}"));
        let produces = node.produces.iter().map(|line| format!("produces: {line}"));
        consumes.chain(produces).collect()
    }
}

/// Stores a plan's outline, so that a wake-up does not have to parse the plan.
pub(crate) fn keep_outline(
    store: &mut Store,
    hash: &ContentHash,
    plan: &Plan,
    bytes: &[u8],
) -> Result<(), AppError> {
    let source = String::from_utf8_lossy(bytes);
    let outline = PlanOutline::of(plan, source.len(), super::hash_of);
    let body = serde_json::to_string(&outline).map_err(|error| AppError::System(error.to_string()))?;
    let buckets = outline
        .buckets()
        .map(|(bucket, lines)| (FIRST_BUCKET + i64::from(bucket), lines));
    let parts: Vec<(i64, &str)> = std::iter::once((OUTLINER, body.as_str()))
        .chain(buckets)
        .collect();
    Ok(store.keep_compiled_parts(hash, &parts)?)
}

/// Compares a plan's file with the imported text; `None` if the plan does not belong to the project `here`.
pub(crate) fn file_state(ctx: &Context, here: Option<&ProjectId>, plan: &PlanRow) -> Option<FileState> {
    let file = plan_files::plan_file(ctx, here, plan)?;
    Some(match fs_util::read_bounded(&file, MAX_PLAN_BYTES) {
        Ok(bytes) if content_hash(&bytes) == plan.source => FileState::Same(bytes),
        Ok(_) => FileState::Changed(file),
        Err(_) => FileState::Gone,
    })
}

/// A notice if the plan's file has changed or is missing.
pub(crate) fn file_notice(ctx: &Context, plan: &PlanRow, state: Option<&FileState>) -> Option<PlanNotice> {
    match state? {
        FileState::Same(_) => None,
        FileState::Changed(file) => {
            let is_elsewhere = |branch: &String| ctx.branch().as_ref() != Some(branch);
            Some(PlanNotice::FileChanged {
                imported_on: plan.branch.clone().filter(is_elsewhere),
                import: ctx.command_here(&["plan", "import", &file.to_string_lossy()]),
            })
        }
        FileState::Gone => Some(PlanNotice::FileMissing {
            file: plan.file.clone(),
            imported_on: plan.branch.clone(),
        }),
    }
}

/// The part of the imported plan that concerns a task. Uses the stored outline; parses the plan if there is none.
pub(crate) fn read_excerpt(
    store: &mut Store,
    row: &PlanRow,
    task: Option<&Task>,
    file: Option<&FileState>,
) -> Result<PlanExcerpt, AppError> {
    let mut source = None;
    let stored = stored_outline(store, row, task)?;
    let outline = if let Some(stored) = stored {
        stored
    } else {
        let text = source.insert(plan_files::imported_text(store, row)?);
        PlanOutline::of(&parse_plan(text), text.len(), super::hash_of)
    };
    let planned = task.and_then(|task| task.plan.as_ref());
    let node = planned.and_then(|link| outline.find(&link.number, &link.title, &link.content_hash));
    let is_whole = task.is_some_and(|task| task.id == row.root);
    let location = if planned.is_none_or(|link| link.plan != row.id) {
        None
    } else if is_whole {
        Some((1, 0..outline.head))
    } else {
        node.as_ref().map(|node| (node.line, node.range.clone()))
    };
    let text = match location {
        None => None,
        Some((first, range)) => {
            let text = match (file, source) {
                (Some(FileState::Same(bytes)), _) => text_at(bytes, range),
                (_, Some(source)) => text_at(source.as_bytes(), range),
                (_, None) => text_at(plan_files::imported_text(store, row)?.as_bytes(), range),
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
    Ok(PlanExcerpt {
        goal: outline.goal,
        constraints: outline.constraints,
        text,
        node,
    })
}

/// Plans the queries for the stored outline of a plan's source, with the bucket that contains a task.
pub(crate) fn plan_outline(
    plan: &mut bugle_store::Plan<'_>,
    source: &ContentHash,
    task: Option<&Task>,
) -> Result<(), StoreError> {
    plan.compiled(source, OUTLINER)?;
    if let Some(link) = task.and_then(|task| task.plan.as_ref()) {
        let bucket = PlanOutline::bucket_of(&link.number, &link.title);
        plan.compiled(source, FIRST_BUCKET + i64::from(bucket))?;
    }
    Ok(())
}

/// A plan's stored outline, with the bucket that contains a task.
fn stored_outline(
    store: &mut Store,
    row: &PlanRow,
    task: Option<&Task>,
) -> Result<Option<PlanOutline>, AppError> {
    let Some(body) = store.compiled(&row.source, OUTLINER)? else {
        return Ok(None);
    };
    let Ok(mut outline) = serde_json::from_str::<PlanOutline>(&body) else {
        return Ok(None);
    };
    if let Some(link) = task.and_then(|task| task.plan.as_ref()) {
        let bucket = PlanOutline::bucket_of(&link.number, &link.title);
        let lines = store.compiled(&row.source, FIRST_BUCKET + i64::from(bucket))?;
        if let Some(lines) = lines {
            outline.restore_bucket(bucket, lines);
        }
    }
    Ok(Some(outline))
}

/// The text in a range of a plan's source; `None` if the range is out of bounds or not UTF-8.
fn text_at(source: &[u8], range: std::ops::Range<usize>) -> Option<String> {
    String::from_utf8(source.get(range)?.to_vec()).ok()
}
