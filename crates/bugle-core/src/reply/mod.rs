//! The results of use cases: domain values that the command line, the MCP server and the dashboard show as text, XML,
//! JSON or HTML. `bugle-wire` maps them to the shapes of `--json`.

mod activity;
mod agent;
mod agent_host;
mod author;
mod dispatch;
mod doctor;
mod message;
mod next_command;
mod plan;
mod project;
mod recovery;
mod refused;
mod role;
mod run;
mod run_notice;
mod search;
mod setup;
mod skill;
mod spawn;
mod status;
mod step;
mod store;
mod task;
mod task_change;
mod task_name;
mod task_notice;
mod team;
mod timeline;
mod transcript;
mod wake;
mod wake_notice;

pub use activity::{ActivitySubject, ActivityView, WakeMessage};
pub use agent::{AgentBranch, AgentDetail, AgentList, AgentSummary};
pub use agent_host::AgentHost;
pub use author::{AgentLabel, Author};
pub use dispatch::{
    ChildView, DispatchView, DisputeView, FindingView, FindingsView, OrchestratorView, ReportProgress,
    ReportedWork, RetryView, ReviewLoopView, VariableView, VerdictView,
};
pub use doctor::{ClientHealth, DoctorView, HealthFinding, HealthState};
pub use message::{InboxView, MessageList, OpenQuestion, SaidMessage, SaidView};
pub use next_command::{CommandView, Need, Purpose};
pub use plan::{PinUpgrade, PinsUpgraded, PlanDetail, PlanImport, PlanList, PlanSummary};
pub use project::{
    FormerProject, JoinedFolder, ProjectChange, ProjectEntry, ProjectFolder, ProjectList, RemoteConflict,
};
pub use recovery::{
    LogView, RecoveryChecks, RecoveryView, TaskFile, UncommittedView, UnfinishedItem, UnfinishedWork,
};
pub use refused::{
    AnswerCommand, ChangedFiles, ChildCommand, PlanPlace, PlanRefusal, RefusalReason, Refused, ResultPlace,
    RunHelp, TextFile, TrustCommands,
};
pub use role::{ExportState, ExportedRole, RoleDefinition, RoleDetail, RoleEntry, RoleExport, RoleList};
pub use run::{FinalResult, FoundList, RunDetail, RunLabel, RunList, RunSummary, StoreCheck, VisitDetail};
pub use run_notice::RunNotice;
pub use search::{FoundKind, FoundText, SearchView};
pub use setup::{FileState, PluginView, SetupAction, SetupFile, SetupList, SetupNote, SetupView};
pub use skill::{
    CheckReport, CheckedSkill, ConventionDetail, ConventionEntry, ConventionList, ParamView, ProblemSeverity,
    ProblemView, SkillDetail, SkillEntry, SkillList, StepCheck, StepSummary, TestReport, TestReports,
    TrustEntry, TrustList, WayView,
};
pub use spawn::{
    AgentLogView, AgentResultView, PromptView, SpawnedView, SteeredView, Steering, SupervisorNotice,
};
pub use status::{AgentStatusView, PlanProgress, StatusView};
pub use step::{
    AnswerForm, AskView, Choice, EndView, ErrorView, FieldView, MessageView, Position, RefusalView,
    ResourceView, ResultView, Round, RunEnding, StepView, TaskLabel,
};
pub use store::{BackupView, PoolerCheck, StoreMove, StoreSwitch};
pub use task::{
    ChangedPlan, NextView, NoteView, PinView, PlanName, PlanText, ReadyList, ReminderView, SectionView,
    SkillChoiceView, SkillReason, TaskDetail, TaskLine, TaskPosition, TaskRun, TaskTree, TaskView,
};
pub use task_change::{SideEffect, TaskChange, TaskOutcome, TasksChanged};
pub use task_name::{ActiveTask, ClosedTask, TaskHolder, TaskName, TaskPlace};
pub use task_notice::{ImportNotice, PlanNotice, RulesProblem, SkillNotice, SkillVersion, TaskNotice};
pub use team::{AddedMember, TeamChange, TeamList, TeamMember};
pub use timeline::{Change, RunChange, TimelineEntry, TimelineKind, UnfinishedChild};
pub use transcript::TranscriptItem;
pub use wake::{
    AskedQuestion, BriefView, HeldRun, LearntView, NextAction, OpenWork, RunOwner, WakeFacts, WakePart,
    WakePartChange, WakePlan, WakeSection, WakeSkill, WakeView, WakeupDetail, WakeupDiff, WakeupList,
    WakeupSummary,
};
pub use wake_notice::{TemplateProblem, WakeNotice};
