//! Answers as data, with one shape per kind of answer. `--json` prints the data; every other format is rendered from it. The
//! shapes are versioned: within a version, fields are added and never changed.

#[macro_use]
mod text_enum;

mod activity;
mod agent;
mod dispatch;
mod doctor;
mod message;
mod plan;
mod project;
mod recovery;
mod role;
mod run;
mod search;
mod setup;
mod skill;
mod spawn;
mod status;
mod step;
mod task;
mod transcript;
mod wake;

use serde::Serialize;

pub use activity::{ActivityView, WakeMessage};
pub use agent::{AgentBranch, AgentDetail, AgentList, AgentStatus, AgentSummary};
pub use dispatch::{
    ChildView, DispatchView, DisputeView, FindingView, FindingsView, OrchestratorView, RetryView,
    ReviewLoopView, Severity, VariableView, VerdictView,
};
pub use doctor::{ClientHealth, DoctorView, HealthFinding, HealthState};
pub use message::{InboxView, MessageKind, MessageList, OpenQuestion, SaidMessage, SaidView};
pub use plan::{PinsUpgraded, PlanDetail, PlanImport, PlanList, PlanSummary};
pub use project::{ProjectEntry, ProjectList};
pub use recovery::{LogView, RecoveryChecks, RecoveryView, TaskFile, UncommittedView, UnfinishedWork};
pub use role::{ExportState, ExportedRole, RoleDefinition, RoleDetail, RoleEntry, RoleExport, RoleList};
pub use run::{Outcome, RunDetail, RunList, RunSummary, StoreCheck, TimelineEntry, TimelineKind};
pub use search::{FoundKind, FoundText, SearchView};
pub use setup::{FileState, PluginView, SetupAction, SetupFile, SetupView};
pub use skill::{
    CheckReport, CheckedSkill, ConventionDetail, ConventionEntry, ConventionList, ParamView, ProblemSeverity,
    ProblemView, SkillDetail, SkillEntry, SkillList, StepCheck, StepSummary, TestReport, TestReports,
    TrustEntry, TrustList, WayView,
};
pub use spawn::{AgentLogView, AgentResultView, PromptView, SpawnedView, SteeredView};
pub use status::{AgentStatusView, PlanProgress, StatusView};
pub use step::{
    AskView, Choice, EndView, ErrorView, FieldView, MessageView, Position, RefusalView, ResourceView,
    ResultView, Round, RunStatus, StepView, TaskLabel,
};

pub use task::{
    CommandView, NextView, NoteView, PinView, PlanName, PlanText, ReadyList, ReminderView, SectionView,
    SkillChoiceView, SkillReason, TaskDetail, TaskLine, TaskName, TaskPosition, TaskState, TaskTree,
    TaskView, TasksChanged,
};
pub use transcript::TranscriptItem;

pub use wake::{
    BriefView, HeldRun, LearntView, NextAction, PartDetail, PartResult, WakeFacts, WakePart, WakePlan,
    WakeReason, WakeSection, WakeSkill, WakeView, WakeupDetail, WakeupDiff, WakeupList, WakeupSummary,
};

/// The version of these shapes.
pub const VERSION: u32 = 1;

/// An answer as `--json` prints it.
#[derive(Debug, Serialize)]
pub struct Document<'a, T> {
    /// The version of the shapes.
    pub version: u32,
    /// The name of `data`'s shape.
    pub kind: &'static str,
    /// The answer.
    pub data: &'a T,
}

/// A shape that can be an answer.
pub trait Answer: Serialize + Sized {
    /// The name of its shape.
    const KIND: &'static str;

    /// The answer as one JSON document with a final newline.
    fn to_json(&self) -> String {
        let document = Document {
            version: VERSION,
            kind: Self::KIND,
            data: self,
        };
        // Keys are strings and no number is NaN or infinite, so serialization cannot fail.
        let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
        text.push('\n');
        text
    }
}

macro_rules! answers {
    ($($shape:ty => $kind:literal,)*) => { $(impl Answer for $shape { const KIND: &'static str = $kind; })* };
}

answers! {
    MessageView => "message",
    StatusView => "status",
    StepView => "step",
    EndView => "end",
    RefusalView => "refusal",
    ErrorView => "error",
    FindingsView => "findings",
    RunList => "runs",
    RunDetail => "run",
    StoreCheck => "store",
    SkillList => "skills",
    TrustList => "trust",
    ProjectList => "projects",
    SkillDetail => "skill",
    CheckReport => "check",
    TestReports => "tests",
    ConventionList => "conventions",
    ConventionDetail => "convention",
    RoleList => "roles",
    RoleDetail => "role",
    RoleDefinition => "role_definition",
    RoleExport => "role_export",
    TaskTree => "tasks",
    TaskDetail => "task",
    TasksChanged => "tasks_changed",
    NextView => "next",
    ReadyList => "ready",
    SkillChoiceView => "task_skill",
    PlanList => "plans",
    PlanDetail => "plan",
    PlanImport => "plan_import",
    PlanText => "plan_section",
    PinsUpgraded => "plan_skills",
    SaidView => "said",
    MessageList => "messages",
    InboxView => "inbox",
    SearchView => "search",
    AgentList => "agents",
    AgentDetail => "agent",
    WakeView => "wake",
    BriefView => "brief",
    WakeupList => "wakeups",
    WakeupDetail => "wakeup",
    WakeupDiff => "wakeup_diff",
    DoctorView => "doctor",
    SpawnedView => "spawned",
    AgentLogView => "agent_log",
    AgentResultView => "agent_result",
    SteeredView => "steered",
    SetupView => "setup",
    PluginView => "plugin",
}
