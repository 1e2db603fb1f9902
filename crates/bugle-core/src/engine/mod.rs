//! The engine: a pure state machine. [`decide`] turns a command into events, and [`RunState::apply`] folds events into
//! state. The same events always produce the same state.

mod also_found;
mod answer;
mod audit;
mod checks;
mod child;
mod child_run;
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
mod merge;
mod merged;
mod moves;
mod params;
mod refusal;
mod refusal_codes;
mod result;
mod rounds;
mod samples;
mod situation;
mod state;
mod status;
mod task_record;
mod task_ref;
mod tasks;
mod trail;
mod unfolding;
mod upgrade;
mod variants;
mod visit;
mod visit_outcome;
mod walk;

pub use also_found::{AlsoFound, FoundProblem};
pub use answer::may_answer;
pub use audit::{ImpossibleEvent, RULES, audit, audit_start, compare};
pub use child::{
    AnsweredEscalation, Assignment, ChildOrigin, ChildPlan, ChildReport, ChildState, ChildWork, Escalation,
    GateBrief, ReworkBrief,
};
pub use child_run::ChildStart;
pub use command::{Command, Decision, Environment, Report, input_since};
pub use context::{StepContext, context};
pub use decide::{decide, start};
pub use dispatch::{children, required_reports};
pub use event::{Event, Origin, Recorded};
pub use evidence::{EvidenceFinding, EvidenceReport};
pub use files::{Baseline, Candidate, CandidateKind, Fingerprint, Listing, judge_files};
pub use gate::{
    GateDecision, checked_at, incomplete_reviews, judged_tree, review_iteration, rework, stale, verdict_of,
};
pub use manage::fork;
pub use merge::{merged_result, returned_shape};
pub use merged::Merged;
pub use params::{BadParam, parse_param, resolve_params};
pub use refusal::{FailedCheck, Refusal};
pub use rounds::iteration;
pub use state::{CorruptHistory, RunState};
pub use status::RunStatus;
pub use task_ref::TaskRef;
pub use tasks::{plan_in_view, task_effects};
pub use trail::VisitSummary;
pub use visit::{Ending, Note, Visit};
pub use walk::{WalkReport, example_board, walk};
