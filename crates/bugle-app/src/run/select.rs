//! Which run is meant: by id or the beginning of one, by visit, or by where the command is run.

use std::path::Path;

use bugle_core::engine::RunState;
use bugle_core::id::{BadId, ChildToken, RunId, VisitNumber, VisitToken};
use bugle_store::{RunFilter, RunRow, Scope, SnapshotStore as _, Store as _};

use super::OpenRun;
use crate::prefix::meant;
use crate::{App, AppError, pin};

/// How many runs are named when it is not clear which is meant.
const MOST_NAMED: usize = 10;

/// Which run is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunSelector {
    /// The one that belongs to this session, else to this project.
    Here,
    /// The one with this id, or the beginning of it.
    Run(RunId),
    /// The one that this visit belongs to.
    Visit(VisitToken),
}

impl RunSelector {
    /// Reads what a person or agent typed.
    pub fn parse(text: Option<&str>) -> Result<Self, AppError> {
        let Some(text) = text else { return Ok(Self::Here) };
        let bad = |error: BadId| AppError::Usage {
            what: error.to_string(),
            hints: Vec::new(),
        };
        if text.contains('#') {
            return text.parse().map(Self::Visit).map_err(bad);
        }
        text.parse().map(Self::Run).map_err(bad)
    }

    /// The visit, if one was named.
    pub fn visit(&self) -> Option<VisitNumber> {
        match self {
            Self::Visit(token) => Some(token.visit),
            Self::Here | Self::Run(_) => None,
        }
    }
}

/// Reads the token of a visit as a person or agent typed it.
pub fn visit_token(text: &str) -> Result<VisitToken, AppError> {
    text.parse().map_err(|bad: BadId| {
        let run = text
            .parse::<RunId>()
            .map(|run| format!(" {run}"))
            .unwrap_or_default();
        AppError::Usage {
            what: bad.to_string(),
            hints: vec![format!("`bugle step{run}` prints the current one.")],
        }
    })
}

/// Reads the token of a sub-agent as a person or agent typed it.
pub fn child_token(text: &str) -> Result<ChildToken, AppError> {
    text.parse().map_err(|bad: BadId| AppError::Usage {
        what: bad.to_string(),
        hints: vec!["`bugle step` prints the commands of the sub-agents that a step calls for.".to_owned()],
    })
}

impl App {
    /// The row of the run that is meant.
    pub(crate) fn select(&mut self, selector: &RunSelector) -> Result<RunRow, AppError> {
        match selector {
            RunSelector::Run(id) => self.by_prefix(id),
            RunSelector::Visit(token) => self.by_prefix(&token.run),
            RunSelector::Here => self.here(),
        }
    }

    fn by_prefix(&mut self, id: &RunId) -> Result<RunRow, AppError> {
        let rows = self.store.runs_by_prefix(id.as_str())?;
        let hint = format!(
            "`{}` lists the runs there are.",
            self.place.command(&["runs", "--all"])
        );
        let row = meant(
            rows,
            id.as_str(),
            ("run", "runs"),
            |row| (row.id.to_string(), row.skill.clone()),
            hint,
        )?;
        let directory = Path::new(&row.directory);
        if directory == self.place.root || directory.is_dir() {
            return Ok(row);
        }
        // Its folder is gone. This may be where it is now.
        self.project()?;
        let rows = self.store.runs_by_prefix(row.id.as_str())?;
        Ok(rows.into_iter().find(|found| found.id == row.id).unwrap_or(row))
    }

    fn here(&mut self) -> Result<RunRow, AppError> {
        let filter = |scope| RunFilter {
            scope,
            open_only: true,
            limit: 1 + u32::try_from(MOST_NAMED).unwrap_or(10),
        };
        if let Some(session) = self.place.session.clone() {
            let rows = self.store.runs(&filter(Scope::Session(session)))?;
            if let Some(latest) = rows.into_iter().next() {
                return Ok(latest);
            }
        }
        let mut rows = match self.project()? {
            Some(project) => self.store.runs(&filter(Scope::Project(project)))?,
            None => Vec::new(),
        };
        match rows.len() {
            1 => Ok(rows.remove(0)),
            0 => Err(AppError::NotFound {
                what: "no run is open here".to_owned(),
                hints: vec![
                    format!(
                        "`{}` shows what can be started.",
                        self.place.command(&["skill", "list"])
                    ),
                    format!(
                        "`{}` lists the runs of all projects.",
                        self.place.command(&["runs", "--all"])
                    ),
                ],
            }),
            _ => Err(AppError::Usage {
                what: "several runs are open here; say which is meant".to_owned(),
                hints: rows
                    .iter()
                    .take(MOST_NAMED)
                    .map(|row| {
                        format!(
                            "{}  ({})",
                            self.place.command(&["step", row.id.as_str()]),
                            row.skill
                        )
                    })
                    .chain((rows.len() > MOST_NAMED).then(|| {
                        format!(
                            "and more: `{}` lists them",
                            self.place.command(&["runs", "--open"])
                        )
                    }))
                    .collect(),
            }),
        }
    }

    /// Reads a run: its state, condensed if it is long, and its pinned skill.
    pub(crate) fn read(&mut self, id: &RunId) -> Result<OpenRun, AppError> {
        let folded = self.store.folded(id)?.ok_or_else(|| unknown_run(id))?;
        self.opened(folded.state, folded.row.directory)
    }

    /// Reads a run with all its visits.
    pub(crate) fn read_whole(&mut self, id: &RunId) -> Result<OpenRun, AppError> {
        let stored = self.store.load(id)?.ok_or_else(|| unknown_run(id))?;
        let state = RunState::replay(id, &stored.events).map_err(bugle_store::StoreError::from)?;
        self.opened(state, stored.row.directory)
    }

    /// Reads a run with at least this visit, if it ever was.
    pub(crate) fn read_at(&mut self, id: &RunId, visit: VisitNumber) -> Result<OpenRun, AppError> {
        let run = self.read(id)?;
        if run.state.is_whole() || run.state.visit(visit).is_some() {
            return Ok(run);
        }
        self.read_whole(id)
    }

    fn opened(&mut self, state: RunState, directory: String) -> Result<OpenRun, AppError> {
        let id = &state.id;
        let compiled = pin::load(&mut self.store, &state.pin)?;
        let workflow = compiled.workflow_of(&state.origin).ok_or_else(|| {
            AppError::System(format!("the workflow of run {id} is not in its pinned skill"))
        })?;
        Ok(OpenRun {
            state,
            workflow,
            compiled,
            directory,
        })
    }
}

pub(crate) fn unknown_run(id: &RunId) -> AppError {
    AppError::NotFound {
        what: format!("there is no run {id}"),
        hints: Vec::new(),
    }
}
