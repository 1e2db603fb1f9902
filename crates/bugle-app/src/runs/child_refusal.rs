//! The details of refusals about sub-agents, with the commands that resolve them.

use std::path::Path;

use bugle_core::engine::{ChildState, Refusal};
use bugle_core::id::ChildToken;
use bugle_render::child_text;

use crate::open_run::OpenRun;
use crate::{Context, reviewed_files, work_files};

/// The details of a refusal about sub-agents, each with the command that starts, answers or restarts the sub-agent.
pub(super) fn details_about_children(
    ctx: &Context,
    run: &OpenRun,
    refusal: &Refusal,
    details: Vec<String>,
) -> Vec<String> {
    let command = |slot: u32, verb: &[&str]| {
        let parent = run.state.current_token()?;
        let child = ChildToken { parent, slot }.to_string();
        let arguments: Vec<&str> = verb.iter().copied().chain([child.as_str()]).collect();
        Some(ctx.command(&arguments))
    };
    match refusal {
        Refusal::ChildrenMissing { missing, .. } => {
            let slots = missing.iter().map(|(slot, _)| *slot);
            let commands = slots.filter_map(|slot| command(slot, &["start", "--child"]));
            let lines = details.iter().zip(commands);
            lines
                .map(|(detail, command)| format!("{detail}; start command: {command}"))
                .collect()
        }
        Refusal::ChildrenAsking(asking) => question_lines(ctx, run, asking),
        Refusal::SelfReview { child, .. } => {
            let start = ctx.command(&["start", "--child", &child.to_string()]);
            vec![format!("to start or resume the reviewing sub-agent: {start}")]
        }
        Refusal::ReportWithoutFindings(slots) => {
            let commands = slots.iter().filter_map(|slot| command(*slot, &["run", "retry"]));
            restart_lines(&details, commands)
        }
        Refusal::ReviewStale(slots) => {
            let commands = slots.iter().filter_map(|slot| command(*slot, &["run", "retry"]));
            let mut lines = restart_lines(&details, commands);
            lines.extend(changed_files(ctx, run, slots));
            lines
        }
        Refusal::ReviewIncomplete(reports) => {
            let slots = reports.iter().map(|(slot, _)| *slot);
            restart_lines(
                &details,
                slots.filter_map(|slot| command(slot, &["run", "retry"])),
            )
        }
        _ => details,
    }
}

/// The files that changed after a review. Uses the first of these reviews that has recorded files.
fn changed_files(ctx: &Context, run: &OpenRun, slots: &[u32]) -> Option<String> {
    let parent = run.state.current_token()?;
    let folder = Path::new(&run.directory);
    let child = |slot: &u32| ChildToken {
        parent: parent.clone(),
        slot: *slot,
    };
    slots
        .iter()
        .find_map(|slot| reviewed_files::changed_since(ctx, &child(slot), folder))
}

/// The sub-agents' open questions, each with the command that answers it. Unless the step is a gate, also includes the
/// command that ends the step without answers.
fn question_lines(ctx: &Context, run: &OpenRun, asking: &[(u32, ChildState)]) -> Vec<String> {
    let Some(parent) = run.state.current_token() else {
        return Vec::new();
    };
    let answer = |(slot, asks): &(u32, ChildState)| {
        let child = ChildToken {
            parent: parent.clone(),
            slot: *slot,
        };
        let asked = child_text::child_state(asks);
        let token = child.to_string();
        if let ChildState::Escalated(..) = asks {
            let file = work_files::answer_file(ctx, &child);
            let retry = ctx.command(&["run", "retry", &token]);
            format!(
                "sub-agent {slot}: {asked}; to answer and restart the sub-agent, write the answer to {} and run: {retry}",
                file.display()
            )
        } else {
            let show = ctx.command(&["start", "--child", &token]);
            format!("sub-agent {slot}: {asked}; to see the question and the commands that answer it: {show}")
        }
    };
    let mut lines: Vec<String> = asking.iter().map(answer).collect();
    let visit = run.state.current();
    let step = visit.and_then(|visit| run.workflow.step(&visit.step));
    if step.is_some_and(|step| step.gate.is_none()) {
        let end_step = ctx.command(&["done", &parent.to_string(), "--unanswered"]);
        lines.push(format!(
            "to record these sub-agents as not done and end the step: {end_step}"
        ));
    }
    lines
}

/// The reviewers that must review again, each with the command that restarts the reviewer.
fn restart_lines(details: &[String], commands: impl Iterator<Item = String>) -> Vec<String> {
    let with_command = |(detail, command)| format!("{detail}; to restart the reviewer: {command}");
    details.iter().zip(commands).map(with_command).collect()
}
