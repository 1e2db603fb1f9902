//! Sentences about the stage of an agent's work.

use bugle_core::digest::{Stage, StageReason, StepKind, WorkStage};

/// The stage and the stages that follow: `dispatch, then review and fix`.
pub fn stages(work: &WorkStage) -> String {
    let next: Vec<&str> = work.next.iter().map(|stage| word(*stage)).collect();
    let now = word(work.now);
    match next.as_slice() {
        [] => now.to_owned(),
        [only] => format!("{now}, then {only}"),
        [first @ .., last] => format!("{now}, then {} and {last}", first.join(", ")),
    }
}

/// The stages with the reason: `dispatch, then review and fix: the title says "implementation"`.
pub fn stage(work: &WorkStage) -> String {
    format!("{}: {}", stages(work), reason(&work.reason))
}

/// The stage as a verb.
fn word(stage: Stage) -> &'static str {
    match stage {
        Stage::SetUp => "set up",
        stage => stage.as_str(),
    }
}

fn reason(reason: &StageReason) -> String {
    match reason {
        StageReason::Step { step } => match step {
            StepKind::Asks => "the step asks the user",
            StepKind::Dispatches => "the step dispatches sub-agents",
            StepKind::Reviews => "the step is a review",
            StepKind::Reworks => "a review sent the work back",
        }
        .to_owned(),
        StageReason::Role { role } => format!("the role is {role}"),
        StageReason::Title { word } => format!("the task's title says \"{word}\""),
        StageReason::StepTitle { word } => format!("the step's title says \"{word}\""),
        StageReason::OpenTask { title } => format!("\"{title}\" is still open"),
    }
}
