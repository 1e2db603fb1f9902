//! What gates found, for the author who fixes it and the person who decides about it.

use bugle_core::engine::{Command, Refusal, Visit, checked_at, verdict_of};
use bugle_core::id::{VisitNumber, VisitToken};
use bugle_core::review::OpenFinding;
use bugle_wire::FindingsView;

use super::{OpenRun, RunSelector};
use crate::delegation::{finding, is_stale, open_finding, verdict};
use crate::{App, AppError, view};

impl App {
    /// What a gate found: at the visit that is named, else at the latest one that was judged.
    pub fn findings(&mut self, selector: &RunSelector) -> Result<FindingsView, AppError> {
        let row = self.select(selector)?;
        let run = match selector.visit() {
            Some(number) => self.read_at(&row.id, number)?,
            None => self.read(&row.id)?,
        };
        let visit = match selector.visit() {
            Some(number) => run.state.visit(number).ok_or(Refusal::UnknownVisit(number)),
            None => latest_judged(&run).ok_or(Refusal::NotAsking),
        };
        let visit = visit.map_err(|refusal| match refusal {
            Refusal::NotAsking => AppError::NotFound {
                what: format!("no gate of run {} has been judged", run.state.id),
                hints: Vec::new(),
            },
            other => self.refused(&run, &other),
        })?;
        let judged = verdict_of(visit).zip(verdict(&self.place, &run.state, &run.workflow, visit));
        let Some((full, view)) = judged else {
            return Err(AppError::NotFound {
                what: format!(
                    "visit {} of run {} is no review that was judged",
                    visit.number, run.state.id
                ),
                hints: Vec::new(),
            });
        };
        let token = VisitToken {
            run: run.state.id.clone(),
            visit: visit.number,
        };
        let (accepted, blocking): (Vec<_>, Vec<_>) =
            (full.blocking.iter()).partition(|open| run.state.has_accepted(&open.finding));
        Ok(FindingsView {
            visit: token.to_string(),
            stale: is_stale(view.tree.as_ref(), &run.directory),
            verdict: view,
            blocking: blocking.into_iter().map(open_finding).collect(),
            accepted: accepted.into_iter().map(open_finding).collect(),
            noted: full.noted.iter().map(|noted| finding(noted, 1)).collect(),
            checks: checked_at(visit),
        })
    }

    /// A person takes some of what a gate found as risks.
    pub fn accept(
        &mut self,
        visit: &VisitToken,
        findings: &[u32],
        reason: &str,
    ) -> Result<Accepted, AppError> {
        let row = self.select(&RunSelector::Visit(visit.clone()))?;
        let number: VisitNumber = visit.visit;
        let run = self.change(&row.id, |_| Command::AcceptRisks {
            visit: number,
            findings: findings.to_vec(),
            reason: reason.to_owned(),
        })?;
        let gate = run.state.visit(number);
        let blocking = gate.and_then(verdict_of).map(|verdict| verdict.blocking);
        let is_left = |open: &&OpenFinding| !run.state.has_accepted(&open.finding);
        Ok(Accepted {
            left: blocking.iter().flatten().filter(is_left).count(),
            waits: run.state.current().map(|visit| visit.number) == Some(number),
            goes_on: view::go_on(&self.place, &row.id),
            visit: VisitToken {
                run: row.id,
                visit: number,
            },
        })
    }
}

/// What follows when findings were accepted as risks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The visit of the gate.
    pub visit: VisitToken,
    /// How many of its findings block all the same.
    pub left: usize,
    /// Whether the gate still waits for a decision.
    pub waits: bool,
    /// The command that shows where the run stands.
    pub goes_on: String,
}

fn latest_judged(run: &OpenRun) -> Option<&Visit> {
    let head = run.state.head()?;
    run.state
        .lineage(head.number)
        .find(|visit| verdict_of(visit).is_some())
}
