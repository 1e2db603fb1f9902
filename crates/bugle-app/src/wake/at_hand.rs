//! Which run an agent that wakes up is handed: its own, else one that nobody is at any more. From then on it is its own.

use bugle_core::agent::{Approach, Holding};
use bugle_core::engine::Status;
use bugle_core::id::SessionId;
use bugle_render::holder as words;
use bugle_store::{ProjectId, RunFilter, RunRow, Scope, Store as _};
use bugle_wire::HeldRun;

use super::WakeRequest;
use super::recovery::Left;
use crate::holder::Holder;
use crate::run::Turn;
use crate::{App, AppError};

/// How many open runs are looked at.
pub(super) const MOST_RUNS: u32 = 20;

/// The run that an agent is told of as its own, and what else is open.
#[derive(Default)]
pub(super) struct AtHand {
    /// The run.
    pub run: Option<RunRow>,
    /// What there is to say about whose it is.
    pub says: Option<String>,
    /// Where there is none, the latest that another one has.
    pub held: Option<HeldRun>,
    /// How many others are open.
    pub others: u32,
}

impl App {
    /// The open runs of a project.
    fn open_runs(&mut self, project: Option<&ProjectId>) -> Result<Vec<RunRow>, AppError> {
        let Some(project) = project else {
            return Ok(Vec::new());
        };
        Ok(self.store.runs(&RunFilter {
            scope: Scope::Project(project.clone()),
            open_only: true,
            limit: MOST_RUNS,
        })?)
    }

    /// The run that somebody left, for whoever takes over from there.
    pub(super) fn run_left(
        &mut self,
        left: &Left,
        project: Option<&ProjectId>,
        request: &WakeRequest,
    ) -> Result<AtHand, AppError> {
        if request.agent.is_none() && !request.only_look {
            for run in &left.runs {
                self.turn_to(run, Approach::TakesOver)?;
            }
        }
        let others = self.open_runs(project)?;
        let others = others
            .iter()
            .filter(|row| left.runs.iter().all(|own| own.id != row.id));
        Ok(AtHand {
            run: left.runs.first().cloned(),
            others: u32::try_from(others.count()).unwrap_or(u32::MAX),
            ..AtHand::default()
        })
    }

    /// The run of this agent's session; else the latest of the project that it may go on with, unless an agent was named:
    /// then that is somebody else's.
    pub(super) fn run_at_hand(
        &mut self,
        project: Option<&ProjectId>,
        named: Option<SessionId>,
        request: &WakeRequest,
    ) -> Result<AtHand, AppError> {
        let rows = self.open_runs(project)?;
        let is_named = named.is_some();
        let own = match named.or_else(|| self.place.session.clone()) {
            Some(session) => {
                let filter = RunFilter {
                    scope: Scope::Session(session),
                    open_only: true,
                    limit: 1,
                };
                self.store.runs(&filter)?.into_iter().next()
            }
            None => None,
        };
        let mut at_hand = match own {
            Some(own) => AtHand {
                run: Some(own),
                ..AtHand::default()
            },
            None if is_named => AtHand::default(),
            None if self.place.session.is_none() => self.seen_from_outside(&rows)?,
            None => self.run_to_go_on_with(&rows, request)?,
        };
        let told = at_hand.run.iter().map(|run| run.id.as_str());
        let told: Vec<&str> = told
            .chain(at_hand.held.iter().map(|held| held.run.as_str()))
            .collect();
        let others = rows.iter().filter(|row| !told.contains(&row.id.as_str()));
        at_hand.others = u32::try_from(others.count()).unwrap_or(u32::MAX);
        Ok(at_hand)
    }

    /// The latest run, for somebody who has none because they are in no session.
    fn seen_from_outside(&mut self, rows: &[RunRow]) -> Result<AtHand, AppError> {
        let Some(row) = rows.first() else {
            return Ok(AtHand::default());
        };
        let holder = self.holder_of(row)?;
        Ok(AtHand {
            run: Some(row.clone()),
            says: holder.and_then(|holder| words::seen(holder.holding, &holder.name)),
            ..AtHand::default()
        })
    }

    /// The run that a session without one goes on with; else the latest that another one has.
    fn run_to_go_on_with(&mut self, rows: &[RunRow], request: &WakeRequest) -> Result<AtHand, AppError> {
        let approach = Approach::Wakes(request.reason);
        let root = self.place.root.to_string_lossy().into_owned();
        let mut held = None;
        for row in rows.iter().filter(|row| row.status != Status::Paused) {
            let Some(mut holder) = self.holder_of(row)? else {
                continue;
            };
            if self.is_for(row, &holder, approach, &root) {
                if request.only_look {
                    return Ok(self.handed(row, &holder));
                }
                match self.turn_to(row, approach)? {
                    Turn::Taken(from) => return Ok(self.handed(row, &from)),
                    Turn::Kept(other) => holder = other,
                    Turn::Nothing => {}
                }
            }
            held.get_or_insert_with(|| self.held_run(row, &holder));
        }
        Ok(AtHand {
            held,
            ..AtHand::default()
        })
    }

    /// Whether a run goes to the session that wakes up here. What was begun in another work tree is looked for there; and
    /// whoever was started for a task has that to do.
    fn is_for(&self, row: &RunRow, holder: &Holder, approach: Approach, root: &str) -> bool {
        let has_an_errand = self.place.agent.is_some() && holder.holding != Holding::Nobody;
        holder.holding.goes_to(approach) && row.directory == root && !has_an_errand
    }

    fn handed(&self, row: &RunRow, from: &Holder) -> AtHand {
        let pause = self.place.command(&["pause", row.id.as_str()]);
        AtHand {
            run: Some(row.clone()),
            says: Some(words::handed(from.holding, &from.name, &pause)),
            ..AtHand::default()
        }
    }
}
