//! Plans the first queries of hooks; see [`crate::read_ahead`].

use bugle_client::hook::{HookCall, HookEvent};
use bugle_store::{Plan, RunKeys, StoreError};

use super::session::session_of_call;
use crate::Context;
use crate::read_ahead::{open, open_with_children, wake};
use crate::tasks::MAX_CLAIMABLE;

/// Plans the first queries of a hook call.
pub(super) fn plan(plan: &mut Plan<'_>, ctx: &Context, call: &HookCall) -> Result<(), StoreError> {
    let Some(session) = &ctx.session else {
        return Ok(());
    };
    let runs = RunKeys::Session(session.clone());
    plan.session(&session_of_call(call, session))?;
    if let Some(agent) = &call.agent {
        plan.session(session)?;
        plan.subagent_runs(session, agent)?;
    }
    if call.event == HookEvent::PreToolUse {
        plan.main_runs(session)?;
        return open(plan, &runs);
    }
    plan.known_project(&ctx.project)?;
    plan.agent_of_session(session)?;
    match call.event {
        HookEvent::SessionStart => {
            plan.each_agent(session, |plan, project, _, alias| {
                plan.agent(project, alias).map(drop)
            })?;
            wake(plan, ctx)
        }
        HookEvent::UserPromptSubmit => {
            plan.main_runs(session)?;
            open(plan, &runs)?;
            plan.each_agent(session, |plan, project, address, alias| {
                plan.agent(project, alias)?;
                plan.delivery(project, address)?;
                plan.unread(project, address, 1).map(drop)
            })
        }
        HookEvent::PostToolUse => plan.each_agent(session, |plan, project, address, _| {
            plan.unread(project, address, 1).map(drop)
        }),
        HookEvent::Stop => {
            plan.main_runs(session)?;
            open_with_children(plan, &runs)?;
            plan.each_agent(session, |plan, project, address, _| {
                plan.last_wake_seq(project, address).map(drop)
            })
        }
        HookEvent::SubagentStart | HookEvent::SubagentStop => {
            plan.main_runs(session)?;
            open_with_children(plan, &runs)
        }
        HookEvent::SessionEnd => plan.main_runs(session).map(drop),
        HookEvent::PreToolUse | HookEvent::PreCompact | HookEvent::PostCompact => Ok(()),
    }
}

/// Plans the queries of a status line.
pub(super) fn plan_status_line(plan: &mut Plan<'_>, ctx: &Context) -> Result<(), StoreError> {
    let Some(session) = &ctx.session else {
        return Ok(());
    };
    plan.main_runs(session)?;
    open(plan, &RunKeys::Session(session.clone()))?;
    plan.known_project(&ctx.project)?;
    plan.agent_of_session(session)?;
    plan.agent_of_session_anywhere(session)?;
    plan.each_agent(session, |plan, project, address, _| {
        plan.unread(project, address, 1).map(drop)
    })?;
    plan.each_project(&ctx.project, |plan, project| {
        plan.active(project, None, MAX_CLAIMABLE).map(drop)
    })
}
