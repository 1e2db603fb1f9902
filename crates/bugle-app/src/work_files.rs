//! The paths of the files in which agents submit results, answers and reasons.

use bugle_core::id::{ChildToken, VisitToken};

use crate::Context;

/// The file for the answer to a stopped sub-agent.
pub(crate) fn answer_file(ctx: &Context, child: &ChildToken) -> std::path::PathBuf {
    let folder = ctx.work_folder(&child.parent.run);
    folder.join(format!("{}-{}.txt", child.parent.visit, child.slot))
}

/// The record of the files that a reviewer saw.
pub(crate) fn reviewed_files(ctx: &Context, child: &ChildToken) -> std::path::PathBuf {
    let folder = ctx.work_folder(&child.parent.run);
    folder.join(format!("{}-{}.files.json", child.parent.visit, child.slot))
}

/// The file for an answer, or for the reason why a step failed.
pub(crate) fn text_file(ctx: &Context, token: &VisitToken) -> std::path::PathBuf {
    ctx.work_folder(&token.run).join(format!("{}.txt", token.visit))
}

/// The file for a visit's result.
pub(crate) fn result_file(ctx: &Context, token: &VisitToken) -> std::path::PathBuf {
    ctx.work_folder(&token.run).join(format!("{}.json", token.visit))
}
