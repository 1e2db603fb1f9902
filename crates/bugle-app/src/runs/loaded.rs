//! What a command has read around a run, so that nothing is read twice: the runs of its sub-agents, the run above it, and
//! whether its skill has changed.

use bugle_core::engine::{ChildReport, RunState};
use bugle_core::id::VisitNumber;
use bugle_store::{RunRow, Store};

use crate::open_run::OpenRun;
use crate::pinning::Compiled;
use crate::{AppError, Context, open_run, pinning};

/// What was read around a run so far.
#[derive(Default)]
pub(crate) struct Loaded {
    /// The sub-agents of one of its visits.
    pub children: Option<Children>,
    /// The run above it.
    pub parent: Option<ParentRun>,
    /// Whether its skill has changed.
    pub drift: Option<Drift>,
}

/// A notice that a run's skill has changed since the run began, if it has.
#[derive(Debug, Clone)]
pub(crate) struct Drift(pub Option<String>);

impl Drift {
    /// Compares the pinned skill of a run in this folder with the installed one.
    pub(crate) fn of(ctx: &Context, directory: &str, state: &RunState, pinned: &Compiled) -> Self {
        let run_ctx = ctx.rooted(directory);
        Self(pinning::drift(&run_ctx, state.skill.as_str(), pinned))
    }
}

/// The sub-agents of a visit.
pub(crate) struct Children {
    visit: Option<VisitNumber>,
    /// Their runs.
    pub states: Vec<RunState>,
    /// What each of these reports.
    pub reports: Vec<ChildReport>,
}

impl Children {
    /// Reads the sub-agents of a run's current visit.
    pub(crate) fn read(store: &mut Store, parent: &RunState) -> Result<Self, AppError> {
        Self::read_beside(store, parent, None)
    }

    /// Reads the sub-agents of a run's current visit, of which one is known.
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

    /// Whether these are the sub-agents of a run's current visit.
    pub(crate) fn are_of(&self, parent: &RunState) -> bool {
        self.visit == parent.current().map(|visit| visit.number)
    }
}

/// The run above a sub-agent's run.
pub(crate) struct ParentRun {
    pub row: RunRow,
    run: Option<OpenRun>,
}

impl ParentRun {
    pub(crate) fn new(row: RunRow) -> Self {
        Self { row, run: None }
    }

    /// The run at a visit, which `child` belongs to.
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
