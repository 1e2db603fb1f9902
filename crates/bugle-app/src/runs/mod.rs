//! Run use cases: start, step, done, decide, and the user's commands for a run.

mod actor;
mod also_found;
mod artifact_record;
mod child_refusal;
mod child_report;
mod children;
mod claim;
mod commands;
mod execute;
mod findings;
mod input;
mod loaded;
mod references;
mod refusal;
mod reply;
mod run_tree;
mod select;
mod self_review;
mod show;
mod start;
mod summary;
mod task_effects;
mod timeline;
mod visit_detail;

pub(crate) use actor::recorded_actor;
pub use also_found::{add_found, found};
pub(crate) use artifact_record::files_before;
pub use children::{retry, start_child};
pub(crate) use claim::{ClaimResult, claim_run, claim_run_from, held_run, holder_of};
pub use commands::{
    Decided, DoneRequest, Stop, cancel, check_answer, decide, done, note, pause, resume, rewind, step,
    upgrade,
};
pub(crate) use execute::execute;
pub use findings::{Accepted, AfterAcceptance, accept, findings};
pub use input::MAX_INPUT_BYTES;
pub(crate) use loaded::{Children, Loaded};
pub(crate) use refusal::refused;
pub(crate) use reply::{Reader, describe, plan_step, reply, step_reply};
pub(crate) use select::{MAX_MATCHES, select};
pub use select::{RunSelector, child_token, visit_token};
pub(crate) use show::{detail, run_history};
pub use show::{fork, runs, show};
pub use start::{Given, StartRequest, find_skill, start};
pub(crate) use summary::summaries;
pub(crate) use timeline::timeline;
pub use visit_detail::show_visit;

use bugle_core::reply::{EndView, StepView};

/// The reply to a command on a run.
#[derive(Debug)]
pub enum Reply {
    /// The step to do now.
    Step(Box<StepView>),
    /// The run is over.
    End(Box<EndView>),
}
