//! Reads a plan's file.

use std::path::{Path, PathBuf};

use bugle_core::plan::Plan;
use bugle_skill::parse_plan;
use bugle_store::{PlanRow, Store};

use super::missing_file::{plans_in, similar_files};
use crate::plan_files::{FileState, MAX_PLAN_BYTES};
use crate::{AppError, Context, contained_path, fs_util, plan_files, projects};

/// A plan's file, read and parsed.
pub(super) struct PlanSource {
    pub bytes: Vec<u8>,
    pub plan: Plan,
    /// The path from which the plan was read.
    pub path: PathBuf,
    /// The file's key in the store.
    pub key: String,
}

impl PlanSource {
    /// The state of the plan's file right after the import. If the import read a file in another worktree, reads the
    /// plan's file in this worktree.
    pub(super) fn into_state(self, ctx: &Context, plan: &PlanRow) -> Option<FileState> {
        let here = Some(&plan.project);
        if plan_files::plan_file(ctx, here, plan).as_ref() == Some(&self.path) {
            return Some(FileState::Same(self.bytes));
        }
        plan_files::file_state(ctx, here, plan)
    }
}

/// Reads and parses a plan's file.
pub(super) fn read_plan(store: &mut Store, ctx: &Context, file: &Path) -> Result<PlanSource, AppError> {
    let given = ctx.directory.join(file);
    let path = given.canonicalize().unwrap_or_else(|_| given.clone());
    let key = plan_files::file_key(ctx, &path);
    if path.is_dir() {
        return Err(AppError::Usage {
            what: format!("{} is a folder, not a plan", file.display()),
            hints: plans_in(&path),
        });
    }
    if contained_path::is_escaping_link(&ctx.root, &given) {
        return Err(AppError::File {
            what: "cannot read",
            path: given,
            source: std::io::Error::new(
                std::io::ErrorKind::PermissionDenied,
                contained_path::LEAVES_PROJECT,
            ),
        });
    }
    let bytes = match fs_util::read_bounded(&path, MAX_PLAN_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(no_such_plan_file(store, ctx, file, &key)?);
        }
        Err(source) => {
            return Err(AppError::File {
                what: "cannot read",
                path,
                source,
            });
        }
    };
    let text = plan_files::text_of(bytes.clone()).map_err(|why| AppError::File {
        what: "cannot read",
        path: path.clone(),
        source: std::io::Error::other(why),
    })?;
    Ok(PlanSource {
        bytes,
        plan: parse_plan(&text),
        path,
        key,
    })
}

fn no_such_plan_file(store: &mut Store, ctx: &Context, file: &Path, key: &str) -> Result<AppError, AppError> {
    let known = match projects::project(store, ctx)? {
        Some(project) => store.plan_of_file(&project, key)?,
        None => None,
    };
    let hints = match known {
        Some(plan) => vec![
            format!(
                "The file was imported as {}, and its tasks are kept. To see the tasks: {}",
                plan.id,
                ctx.command(&["plan", "show", plan.id.as_str()])
            ),
            format!(
                "If the file was renamed: {}",
                ctx.command(&["plan", "import", "NEW-FILE", "--was", plan.id.as_str()])
            ),
        ],
        None => similar_files(&ctx.directory, file),
    };
    Ok(AppError::NotFound {
        what: format!("there is no file {}", file.display()),
        hints,
    })
}

/// A plan's title, else its file name.
pub(super) fn plan_title(source: &PlanSource) -> String {
    let title = source.plan.title.clone().unwrap_or_else(|| {
        let name = Path::new(&source.key).file_stem();
        name.map_or_else(|| source.key.clone(), |name| name.to_string_lossy().into_owned())
    });
    bugle_core::task::title_of(&title).unwrap_or_else(|_| "A plan".to_owned())
}
