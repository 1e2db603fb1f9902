//! The versioned shapes of `--json`. Each is a table of fields, filled from the value of the same name in
//! [`bugle_core::reply`]. Within a version, fields are added and never changed.

#[macro_use]
mod to_wire;

mod agent;
mod dispatch;
mod doctor;
mod message;
mod plan;
mod project;
mod role;
mod run;
mod search;
mod sentences;
mod setup;
mod skill;
mod spawn;
mod status;
mod step;
mod task;
mod team;
mod transcript;
mod wake;
mod words;

use bugle_core::reply;
use serde::Serialize;

pub use to_wire::ToWire;

/// The version of these shapes.
pub const VERSION: u32 = 1;

/// An answer as `--json` prints it.
#[derive(Debug, Serialize)]
struct Document<T> {
    version: u32,
    kind: &'static str,
    data: T,
}

/// A value that a command can print.
pub trait Answer: ToWire {
    /// The name of the value's shape.
    const KIND: &'static str;

    /// The answer as one JSON document with a final newline.
    fn to_json(&self) -> String {
        let document = Document {
            version: VERSION,
            kind: Self::KIND,
            data: self.to_wire(),
        };
        // Keys are strings and no number is NaN or infinite, so serialisation cannot fail.
        let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
        text.push('\n');
        text
    }
}

macro_rules! answers {
    ($($value:ident => $kind:literal,)*) => { $(impl Answer for reply::$value { const KIND: &'static str = $kind; })* };
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
    VisitDetail => "visit",
    FoundList => "found",
    StoreCheck => "store",
    SkillList => "skills",
    TrustList => "trust",
    ProjectList => "projects",
    TeamList => "team",
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
    SetupList => "setups",
    PluginView => "plugin",
}
