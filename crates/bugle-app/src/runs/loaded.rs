//! Caches data about a run, so that a command reads nothing twice: the sub-agents' runs, the parent run, and whether
//! the skill has changed.

use bugle_core::engine::{ChildReport, RunState};
use bugle_core::id::VisitNumber;
use bugle_core::reply::RunNotice;
use bugle_store::{RunRow, Store};

use crate::open_run::OpenRun;
use crate::pinning::Compiled;
use crate::{AppError, Context, open_run, pinning};

/// Data about a run that has already been loaded.
#[derive(Default)]
pub(crate) struct Loaded {
    /// The sub-agents of one of the run's visits.
    pub children: Option<Children>,
    /// The run's parent run.
    pub parent: Option<ParentRun>,
    /// Whether the run's skill has changed.
    pub drift: Option<Drift>,
}

/// A notice, if a run's skill has changed since the run started.
#[derive(Debug, Clone)]
pub(crate) struct Drift(pub Option<RunNotice>);

impl Drift {
    /// Compares a run's pinned skill with the version installed in this folder.
    pub(crate) fn of(ctx: &Context, directory: &str, state: &RunState, pinned: &Compiled) -> Self {
        let run_ctx = ctx.rooted(directory);
        Self(pinning::drift(&run_ctx, state, pinned))
    }
}

/// A visit's sub-agents.
pub(crate) struct Children {
    visit: Option<VisitNumber>,
    /// The sub-agents' runs.
    pub states: Vec<RunState>,
    /// The sub-agents' reports, in the same order.
    pub reports: Vec<ChildReport>,
}

impl Children {
    /// Reads the sub-agents of a run's current visit.
    pub(crate) fn read(store: &mut Store, parent: &RunState) -> Result<Self, AppError> {
        Self::read_beside(store, parent, None)
    }

    /// Reads the sub-agents of a run's current visit. `known` is one of the sub-agents' runs, if the caller has read
    /// it.
    pub(crate) fn read_beside(
        store: &mut Store,
        parent: &RunState,
        known: Option<&RunState>,
    ) -> Result<Self, AppError> {
        let current = parent.current();
        let mut children = Self {
            visit: current.map(|visit| visit.number),
            states: Vec::new(),
            reports: Vec::new(),
        };
        let Some(visit) = current.filter(|visit| visit.dispatched.is_some()) else {
            return Ok(children);
        };
        for row in store.children(&parent.id, visit.number)? {
            let state = match known.filter(|known| known.id == row.id) {
                Some(known) => known.clone(),
                None => open_run::read_state(store, &row.id)?,
            };
            if let Some(report) = ChildReport::of(&state) {
                children.states.push(state);
                children.reports.push(report);
            }
        }
        Ok(children)
    }

    /// Whether these are the sub-agents of the run's current visit.
    pub(crate) fn are_of(&self, parent: &RunState) -> bool {
        self.visit == parent.current().map(|visit| visit.number)
    }
}

/// The parent of a sub-agent's run.
pub(crate) struct ParentRun {
    pub row: RunRow,
    run: Option<OpenRun>,
}

impl ParentRun {
    pub(crate) fn new(row: RunRow) -> Self {
        Self { row, run: None }
    }

    /// The parent run with this visit; read from the store on first use. Reuses the skill of `child` if both runs pin
    /// the same version.
    pub(crate) fn open(
        &mut self,
        store: &mut Store,
        visit: VisitNumber,
        child: &OpenRun,
    ) -> Result<&OpenRun, AppError> {
        let run = match self.run.take() {
            Some(run) => run,
            None => open_run::read_at_beside(store, &self.row, visit, Some(child))?,
        };
        Ok(self.run.insert(run))
    }
}
