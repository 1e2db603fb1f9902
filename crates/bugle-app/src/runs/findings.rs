//! A gate's findings: shows them, and accepts them as risks.

use bugle_core::engine::{Command, Event, Refusal, Visit, checked_at, verdict_of};
use bugle_core::id::{VisitNumber, VisitToken};
use bugle_core::reply::FindingsView;
use bugle_core::review::OpenFinding;
use bugle_store::Store;

use super::execute::Executed;
use super::refusal::refused;
use super::{RunSelector, execute, select};
use crate::delegation::{finding, is_stale, open_finding, verdict};
use crate::open_run::OpenRun;
use crate::{AppError, Context, open_run, view};

/// A gate's findings at the selected visit, else at the latest visit with a verdict.
pub fn findings(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<FindingsView, AppError> {
    let row = select::select(store, ctx, selector)?;
    let run = match selector.visit() {
        Some(number) => open_run::read_at(store, &row, number)?,
        None => open_run::read(store, &row.id, &row.directory)?,
    };
    let visit = match selector.visit() {
        Some(number) => run.state.visit(number).ok_or(Refusal::UnknownVisit(number)),
        None => latest_judged(&run).ok_or(Refusal::NotAsking),
    };
    let visit = visit.map_err(|refusal| match refusal {
        Refusal::NotAsking => AppError::NotFound {
            what: format!("run {} has no review with a verdict", run.state.id),
            hints: Vec::new(),
        },
        other => refused(ctx, &run, &other),
    })?;
    let judged = verdict_of(visit).zip(verdict(ctx, &run.state, &run.workflow, visit));
    let Some((full, view)) = judged else {
        return Err(AppError::NotFound {
            what: format!("visit {} of run {} has no verdict", visit.number, run.state.id),
            hints: Vec::new(),
        });
    };
    let token = VisitToken {
        run: run.state.id.clone(),
        visit: visit.number,
    };
    let (person, accepted_by) = people(store, &token)?;
    let (accepted, blocking): (Vec<_>, Vec<_>) =
        (full.blocking.iter()).partition(|open| run.state.has_accepted(&open.finding));
    Ok(FindingsView {
        visit: token.clone(),
        stale: is_stale(ctx, view.tree.as_ref(), &run.directory),
        verdict: view,
        person,
        accepted_by,
        blocking: blocking.into_iter().map(open_finding).collect(),
        accepted: accepted.into_iter().map(open_finding).collect(),
        noted: full.noted.iter().map(|noted| finding(noted, 1)).collect(),
        checks: checked_at(visit),
    })
}

/// The person on whose behalf a gate's review was reported, and the people on whose behalf its findings were accepted
/// as risks. Both are empty unless the store is shared.
fn people(store: &mut Store, gate: &VisitToken) -> Result<(Option<String>, Vec<String>), AppError> {
    let mut names = store.people_of_run(&gate.run)?;
    if names.is_empty() {
        return Ok((None, Vec::new()));
    }
    let (mut person, mut accepted_by) = (None, Vec::new());
    for (recorded, seq) in store.run_events(&gate.run)?.iter().zip(1..) {
        let name = names.remove(&seq);
        match &recorded.event {
            Event::Judged { visit, .. } | Event::Ended { visit, .. } if *visit == gate.visit => {
                person = person.or(name);
            }
            Event::RisksAccepted { visit, .. } if *visit == gate.visit => {
                accepted_by.extend(name.filter(|name| !accepted_by.contains(name)));
            }
            _ => {}
        }
    }
    Ok((person, accepted_by))
}

/// Accepts a gate's findings as risks, so that they stop blocking.
pub fn accept(
    store: &mut Store,
    ctx: &Context,
    visit: &VisitToken,
    findings: &[u32],
    reason: &str,
) -> Result<Accepted, AppError> {
    let row = select::select(store, ctx, &RunSelector::Visit(visit.clone()))?;
    let number: VisitNumber = visit.visit;
    let Executed { run, .. } = execute::execute(store, ctx, row.clone().into(), |_| Command::AcceptRisks {
        visit: number,
        findings: findings.to_vec(),
        reason: reason.to_owned(),
    })?;
    let gate = run.state.visit(number);
    let blocking = gate.and_then(verdict_of).map(|verdict| verdict.blocking);
    let is_left = |open: &&OpenFinding| !run.state.has_accepted(&open.finding);
    Ok(Accepted {
        left: blocking.iter().flatten().filter(is_left).count(),
        next: if !run.state.status.is_open() {
            AfterAcceptance::Ended(ctx.command(&["run", "show", row.id.as_str()]))
        } else if run.state.current().map(|visit| visit.number) == Some(number) {
            AfterAcceptance::Waiting(view::step_command(ctx, &row.id))
        } else {
            AfterAcceptance::Continues(view::step_command(ctx, &row.id))
        },
        visit: VisitToken {
            run: row.id,
            visit: number,
        },
    })
}

/// The result of accepting findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The gate's visit.
    pub visit: VisitToken,
    /// Number of the gate's findings that still block.
    pub left: usize,
    /// The state of the run after the acceptance.
    pub next: AfterAcceptance,
}

/// A run after findings were accepted, with the command that shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterAcceptance {
    /// The gate is still waiting for a decision.
    Waiting(String),
    /// The run is at its next step.
    Continues(String),
    /// The run has ended.
    Ended(String),
}

fn latest_judged(run: &OpenRun) -> Option<&Visit> {
    let head = run.state.head()?;
    run.state
        .lineage(head.number)
        .find(|visit| verdict_of(visit).is_some())
}
