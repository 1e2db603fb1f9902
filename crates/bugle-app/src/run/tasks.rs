//! Where runs meet the task tree: the board of a run's plan, what a decision does to its tasks, and the import of a plan.

use std::path::Path;

use bugle_core::engine::RunState;
use bugle_core::id::TaskId;
use bugle_core::task::{Board, TaskEffect};

use super::OpenRun;
use crate::evidence::ImportedPlan;
use crate::{App, AppError};

impl App {
    /// The tasks of the plan with this root, as they stand; none if there is no plan.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "there is no task tree yet to ask"
    )]
    pub(super) fn board(&mut self, _root: Option<&TaskId>) -> Result<Option<Board>, AppError> {
        Ok(None)
    }

    /// Does to the tree what a decision about a run means for its tasks. An effect that changes nothing is none.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "there is no task tree yet to change"
    )]
    pub(super) fn carry_out(
        &mut self,
        _run: &RunState,
        _effects: &[(TaskId, TaskEffect)],
    ) -> Result<(), AppError> {
        Ok(())
    }

    /// Imports a plan for a run, or says why not.
    #[expect(clippy::unused_self, reason = "there is no task tree yet to import into")]
    pub(super) fn import_for(&mut self, _run: &OpenRun, _file: &Path) -> Result<ImportedPlan, String> {
        Err("plans cannot be imported yet".to_owned())
    }
}
