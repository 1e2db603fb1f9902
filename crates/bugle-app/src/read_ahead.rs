//! Plans the first queries of frequent commands, so that a remote server answers them in few round trips. A query
//! that is missing here costs its own round trip. A `SQLite` store needs no plans.

use bugle_core::id::VisitToken;
use bugle_store::{Plan, RunFilter, RunKeys, Scope, StoreError};

use crate::pinning::COMPILER;
use crate::runs::{MAX_MATCHES, RunSelector};
use crate::tasks::{MAX_ACTIVE_READ, MAX_SCANNED};
use crate::wakeup::{MAX_MESSAGES, MAX_RUNS};
use crate::{App, AppError, Context};

/// The operation that a command performs.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// Print a run's step.
    Step(&'a RunSelector),
    /// End a visit.
    Done(&'a VisitToken),
    /// Print the wake-up of the caller's agent.
    Wake,
}

/// Opens the store for one command, and sends the command's first queries in advance.
pub fn open_for(
    context: Context,
    purpose: Purpose<'_>,
    report: &mut dyn FnMut(&str),
) -> Result<App, AppError> {
    let plan = &mut |ahead: &mut Plan<'_>| plan(ahead, &context, purpose);
    let store = context.store.open_with_plan(plan, report)?;
    Ok(App { context, store })
}

/// Plans the first queries of a command.
fn plan(plan: &mut Plan<'_>, ctx: &Context, purpose: Purpose<'_>) -> Result<(), StoreError> {
    match purpose {
        Purpose::Step(selector) => {
            plan.known_project(&ctx.project)?;
            let runs = selected(plan, ctx, selector)?;
            runs.map_or(Ok(()), |runs| step(plan, &runs))
        }
        Purpose::Done(visit) => {
            plan.known_project(&ctx.project)?;
            let selector = RunSelector::Visit(visit.clone());
            let runs = selected(plan, ctx, &selector)?;
            runs.map_or(Ok(()), |runs| done(plan, ctx, &runs))
        }
        Purpose::Wake => {
            plan.known_project(&ctx.project)?;
            wake(plan, ctx)
        }
    }
}

/// Plans the queries that select a run; returns the runs that they may find.
fn selected(
    plan: &mut Plan<'_>,
    ctx: &Context,
    selector: &RunSelector,
) -> Result<Option<RunKeys>, StoreError> {
    let prefix = match (selector, &ctx.session) {
        (RunSelector::Run(id), _) => id,
        (RunSelector::Visit(token), _) => &token.run,
        (RunSelector::Here, Some(session)) => {
            plan.runs(&RunFilter {
                scope: Scope::Session(session.clone()),
                open_only: true,
                limit: MAX_MATCHES,
            })?;
            return Ok(Some(RunKeys::Session(session.clone())));
        }
        (RunSelector::Here, None) => return Ok(None),
    };
    plan.runs_by_prefix(prefix.as_str())?;
    Ok(Some(RunKeys::Prefix(prefix.as_str().to_owned())))
}

/// Plans the queries that open runs.
pub(crate) fn open(plan: &mut Plan<'_>, runs: &RunKeys) -> Result<(), StoreError> {
    plan.each_run(runs, |plan, run| {
        plan.run_state(&run.id)?;
        plan.compiled(&run.pin, COMPILER)?;
        Ok(())
    })
}

/// Plans the queries that open runs and their sub-agents' runs.
pub(crate) fn open_with_children(plan: &mut Plan<'_>, runs: &RunKeys) -> Result<(), StoreError> {
    open(plan, runs)?;
    plan.each_run(runs, |plan, run| {
        if let Some(visit) = run.visit {
            plan.children(&run.id, visit)?;
        }
        Ok(())
    })?;
    let children = RunKeys::ChildrenOf(Box::new(runs.clone()));
    plan.each_run(&children, |plan, child| plan.run_state(&child.id).map(drop))
}

/// Plans the queries that show a run's current step and claim the run.
fn step(plan: &mut Plan<'_>, runs: &RunKeys) -> Result<(), StoreError> {
    open_with_children(plan, runs)?;
    plan.each_run(runs, |plan, run| {
        if let Some(session) = &run.session {
            plan.session(session)?;
            plan.agent_of_session(session)?;
        }
        Ok(())
    })
}

/// Plans the queries that end a run's visit, including a report to the parent run.
fn done(plan: &mut Plan<'_>, ctx: &Context, runs: &RunKeys) -> Result<(), StoreError> {
    step(plan, runs)?;
    if let Some(session) = &ctx.session {
        plan.session(session)?;
    }
    plan.each_run(runs, |plan, run| {
        plan.is_trusted(&run.pin)?;
        if let Some(child) = &run.child {
            plan.run(&child.parent.run)?;
        }
        Ok(())
    })?;
    open_with_children(plan, &RunKeys::ParentsOf(Box::new(runs.clone())))
}

/// Plans the queries for the wake-up of a session's agent: its run, its task position, and its messages.
pub(crate) fn wake(plan: &mut Plan<'_>, ctx: &Context) -> Result<(), StoreError> {
    let Some(session) = &ctx.session else {
        return Ok(());
    };
    plan.agent_of_session(session)?;
    plan.runs(&RunFilter {
        scope: Scope::Session(session.clone()),
        open_only: true,
        limit: 1,
    })?;
    let runs = RunKeys::Session(session.clone());
    open_with_children(plan, &runs)?;
    plan.each_run(&runs, |plan, run| {
        plan.count_other_open_runs(&run.project, &run.id, MAX_RUNS - 1)
            .map(drop)
    })?;
    open_runs_of_others(plan, ctx)?;
    plan.each_agent(session, |plan, project, address, _| {
        plan.unread(project, address, MAX_MESSAGES)?;
        plan.open_questions(project, address, &[]).map(drop)
    })?;
    plan.each_project(&ctx.project, |plan, project| {
        plan.focus(project, Some(session))?;
        plan.focus(project, None)?;
        plan.active(project, None, MAX_ACTIVE_READ)?;
        plan.position(project, None).map(drop)
    })?;
    plan.each_focus(&ctx.project, Some(session), |plan, project, path| {
        plan.active(project, Some(path), MAX_ACTIVE_READ)?;
        plan.active(project, None, MAX_SCANNED)?;
        plan.position(project, Some(path))?;
        plan.is_open_outside(project, path).map(drop)
    })
}

/// Plans the queries for the project's open runs and their owners.
fn open_runs_of_others(plan: &mut Plan<'_>, ctx: &Context) -> Result<(), StoreError> {
    plan.each_project(&ctx.project, |plan, project| {
        plan.runs(&RunFilter {
            scope: Scope::Project(project.clone()),
            open_only: true,
            limit: MAX_RUNS,
        })
        .map(drop)
    })?;
    let runs = RunKeys::Project(ctx.project.clone(), MAX_RUNS);
    plan.each_run(&runs, |plan, run| {
        if let Some(session) = &run.session {
            plan.agent_of_session(session)?;
            plan.session(session)?;
        }
        Ok(())
    })?;
    plan.each_owner(&runs, |plan, project, agent| {
        plan.delivery(project, agent).map(drop)
    })
}
