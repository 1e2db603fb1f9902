//! Finds plans and their files, and reads their imported text.

use std::path::{Path, PathBuf};

use bugle_core::id::PlanId;
use bugle_store::{PlanRow, ProjectId, Store};

use crate::context::git_folders;
use crate::files::content_hash;
use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context};

/// The key of a plan's file in the store. If the file's worktree belongs to this project, the key is the path relative
/// to the worktree's root, so that it is the same in every worktree. Otherwise, the key is the absolute path.
pub(crate) fn file_key(ctx: &Context, path: &Path) -> String {
    let folder = path.parent().unwrap_or(path);
    let here = ctx.project.as_str();
    let root = match git_folders(folder) {
        Some((root, common)) if common.to_string_lossy() == here => Some(root),
        Some(_) => None,
        None => Some(ctx.root.clone()),
    };
    let below = root.and_then(|root| path.strip_prefix(root).ok().map(Path::to_owned));
    let key = below.unwrap_or_else(|| path.to_owned());
    key.to_string_lossy().replace('\\', "/")
}

/// The bytes of a plan as text.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "the file is not valid UTF-8".to_owned())
}

/// The hash of a task's text in a plan; empty for empty text.
pub(crate) fn hash_of(content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    content_hash(content.as_bytes()).to_string()
}

/// The plan with this id or id prefix.
pub(crate) fn load_plan(store: &mut Store, ctx: &Context, id: &PlanId) -> Result<PlanRow, AppError> {
    let rows = store.plans_by_prefix(id.as_str())?;
    let hint = format!(
        "`{}` lists the plans in this project.",
        ctx.command(&["plan", "list"])
    );
    resolve_prefix(
        rows,
        id.as_str(),
        ("plan", "plans"),
        |row| (row.id.to_string(), row.file.clone()),
        hint,
    )
}

pub(crate) fn no_plan(ctx: &Context, what: &str) -> AppError {
    AppError::NotFound {
        what: what.to_owned(),
        hints: vec![
            format!(
                "`{}` lists the plans in this project.",
                ctx.command(&["plan", "list"])
            ),
            format!("`{}` imports a plan.", ctx.command(&["plan", "import", "FILE"])),
        ],
    }
}

/// The imported text of a plan.
pub(crate) fn imported_text(store: &mut Store, plan: &PlanRow) -> Result<String, AppError> {
    let missing = || bugle_store::StoreError::Unreadable(format!("the text of plan {} is missing", plan.id));
    let bytes = store.blob(&plan.source)?.ok_or_else(missing)?;
    Ok(text_of(bytes).map_err(|_| missing())?)
}

/// The plan's file in this worktree, if the plan belongs to the project `here`.
pub(crate) fn plan_file(ctx: &Context, here: Option<&ProjectId>, plan: &PlanRow) -> Option<PathBuf> {
    let file = Path::new(&plan.file);
    (here == Some(&plan.project) || file.is_absolute()).then(|| ctx.root.join(file))
}
