//! The engine: a pure state machine. [`decide`] turns a command into events, [`RunState::apply`] folds events into
//! state, and the same events always give the same state.

mod answer;
mod audit;
mod checks;
mod child;
mod command;
mod condense;
mod context;
mod decide;
mod deferred;
mod dispatch;
mod disputes;
mod enter;
mod event;
mod evidence;
mod files;
mod finish;
mod gate;
mod manage;
mod moves;
mod params;
mod refusal;
mod rounds;
mod samples;
mod situation;
mod state;
mod status;
mod tasks;
mod trail;
mod unfolding;
mod variants;
mod walk;

pub use answer::may_answer;
pub use audit::{Impossible, RULES, audit, audit_start, compare};
pub use child::{
    AnsweredEscalation, Assignment, Begun, ChildOrigin, ChildPlan, ChildReport, ChildState, ChildWork,
    Escalation, GateBrief, ReworkBrief, owed,
};
pub use command::{Command, Decision, Environment, Report, input_since};
pub use context::{StepContext, context};
pub use decide::{decide, start};
pub use dispatch::{children, needed};
pub use event::{Event, Origin, Recorded};
pub use evidence::{EvidenceReport, Finding};
pub use files::{Baseline, Candidate, CandidateKind, Listing, Mark, judge_files};
pub use gate::{
    GateDecision, checked_at, incomplete_reviews, judged_tree, review_iteration, rework, stale, verdict_of,
};
pub use manage::fork;
pub use params::{BadParam, parse_param, resolve_params};
pub use refusal::{FailedCheck, Refusal};
pub use rounds::iteration;
pub use state::{CorruptHistory, Ending, Note, RunState, Visit};
pub use status::Status;
pub use tasks::{TaskRef, plan_in_view, record_shape, task_effects, task_shape};
pub use trail::Passed;
pub use walk::{WalkReport, example_board, walk};
