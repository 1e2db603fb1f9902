//! How to continue after a refusal about sub-agents.

use std::path::Path;

use bugle_core::engine::{ChildState, Refusal};
use bugle_core::id::ChildToken;
use bugle_core::reply::{ChangedFiles, ChildCommand};

use crate::open_run::OpenRun;
use crate::{Context, reviewed_files, work_files};

/// The command that starts, answers or restarts each of the refusal's sub-agents.
pub(super) fn commands(ctx: &Context, run: &OpenRun, refusal: &Refusal) -> Vec<ChildCommand> {
    let start = |child: &ChildToken| ctx.command(&["start", "--child", &child.to_string()]);
    let restart = |slot: u32| child_of(run, slot).map(|child| ChildCommand::Restart(retry(ctx, &child)));
    match refusal {
        Refusal::ChildrenMissing { missing, .. } => missing
            .iter()
            .filter_map(|(slot, _)| Some(ChildCommand::Start(start(&child_of(run, *slot)?))))
            .collect(),
        Refusal::ChildrenAsking(asking) => asking
            .iter()
            .filter_map(|(slot, asks)| {
                let child = child_of(run, *slot)?;
                Some(match asks {
                    ChildState::Escalated(..) => ChildCommand::Answer {
                        file: work_files::answer_file(ctx, &child).display().to_string(),
                        retry: retry(ctx, &child),
                    },
                    _ => ChildCommand::ShowQuestion(start(&child)),
                })
            })
            .collect(),
        Refusal::SelfReview { child, .. } => vec![ChildCommand::StartReview(start(child))],
        Refusal::ReportWithoutFindings(slots) | Refusal::ReviewStale(slots) => {
            slots.iter().filter_map(|slot| restart(*slot)).collect()
        }
        Refusal::ReviewIncomplete(reports) => reports.iter().filter_map(|(slot, _)| restart(*slot)).collect(),
        _ => Vec::new(),
    }
}

/// The command that ends the step while its sub-agents have open questions; `None` for a gate.
pub(super) fn end_unanswered(ctx: &Context, run: &OpenRun, refusal: &Refusal) -> Option<String> {
    let Refusal::ChildrenAsking(_) = refusal else {
        return None;
    };
    let parent = run.state.current_token()?;
    let step = run.workflow.step(&run.state.current()?.step)?;
    let is_gate = step.gate.is_some();
    (!is_gate).then(|| ctx.command(&["done", &parent.to_string(), "--unanswered"]))
}

/// The files that changed after a review. Uses the first of the refused reviews that has recorded files.
pub(super) fn changed_files(ctx: &Context, run: &OpenRun, refusal: &Refusal) -> Option<ChangedFiles> {
    let Refusal::ReviewStale(slots) = refusal else {
        return None;
    };
    let folder = Path::new(&run.directory);
    slots
        .iter()
        .find_map(|slot| reviewed_files::changed_since(ctx, &child_of(run, *slot)?, folder))
}

/// A sub-agent of the current visit.
fn child_of(run: &OpenRun, slot: u32) -> Option<ChildToken> {
    let parent = run.state.current_token()?;
    Some(ChildToken { parent, slot })
}

fn retry(ctx: &Context, child: &ChildToken) -> String {
    ctx.command(&["run", "retry", &child.to_string()])
}
