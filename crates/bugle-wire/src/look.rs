//! What a person who looks on is shown: what needs them, what is moving, and each thing with what lies around it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    AgentDetail, AgentLogView, AgentSummary, AskView, FindingView, RunDetail, RunSummary, SaidMessage,
    StepView, TaskLine, TaskName, TaskPosition, VerdictView, WakeupDetail, WakeupSummary,
};

/// A project by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectName {
    /// Its id.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub place: String,
}

/// What needs a person, and what is moving, in all projects.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NowView {
    /// What people were asked.
    pub questions: Vec<QuestionView>,
    /// Runs that wait for a person, or were put aside.
    pub stopped: Vec<RunLine>,
    /// Whether there are more of these.
    pub more_stopped: bool,
    /// Agents that failed, or wait for an answer.
    pub troubled: Vec<AgentLine>,
    /// What people were told and have not read, by project.
    pub unread: Vec<MailView>,
    /// Runs that an agent is at.
    pub moving: Vec<RunLine>,
    /// Whether there are more of these.
    pub more_moving: bool,
    /// Agents that are at work or at hand.
    pub agents: Vec<AgentLine>,
}

/// A question that a person was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QuestionView {
    /// In which project.
    pub project: ProjectName,
    /// The branch of whoever asks, if they are in that project.
    pub branch: Option<String>,
    /// The question.
    pub message: SaidMessage,
}

/// What the person who looks after a project was told and has not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MailView {
    /// The project.
    pub project: ProjectName,
    /// The messages, the oldest first.
    pub messages: Vec<SaidMessage>,
    /// How many more there are.
    pub more: u64,
    /// How far these reach.
    pub up_to: u64,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLine {
    /// The run.
    pub run: RunSummary,
    /// Its project.
    pub project: ProjectName,
    /// What it was started for, in short.
    pub about: Option<String>,
    /// What it asks a person, if it does.
    pub question: Option<String>,
    /// The agents that work on it, as `project:branch:name`.
    pub agents: Vec<String>,
}

/// Runs, a page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunsView {
    /// The runs, the latest change first.
    pub runs: Vec<RunLine>,
    /// The run that the next page follows.
    pub next: Option<String>,
    /// Whether this is not the first page.
    pub later: bool,
}

/// An agent in a list, with its project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLine {
    /// The agent.
    pub agent: AgentSummary,
    /// Its project.
    pub project: ProjectName,
    /// Its branch.
    pub branch: String,
    /// What it asked and waits for.
    pub question: Option<SaidMessage>,
}

/// A run with what lies around it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunLook {
    /// The run; of its timeline, one page.
    pub detail: RunDetail,
    /// Its project.
    pub project: ProjectName,
    /// The step it is at.
    pub step: Option<StepView>,
    /// What a person is asked.
    pub ask: Option<AskView>,
    /// Whether that is what becomes of work that a gate sent back too often.
    pub at_gate: bool,
    /// The visit that is open.
    pub visit: Option<u32>,
    /// Why nothing can be said about the step, if that is so.
    pub trouble: Option<String>,
    /// What its reviews found, the latest first.
    pub reviews: Vec<ReviewLook>,
    /// The runs of its sub-agents.
    pub children: Vec<ChildLook>,
    /// The run that called for it.
    pub parent: Option<String>,
    /// The agents that work on it.
    pub agents: Vec<AgentSummary>,
    /// The visits that it can be rewound to, the latest first.
    pub visits: Vec<VisitLook>,
    /// The event before which the timeline can be looked at further.
    pub earlier: Option<u64>,
    /// Whether what is shown ends before the last event.
    pub later: bool,
}

/// A visit of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VisitLook {
    /// Its number.
    pub number: u32,
    /// Its step.
    pub step: String,
    /// How it ended, if it did.
    pub outcome: Option<String>,
}

/// What a review found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReviewLook {
    /// The visit of the gate.
    pub visit: u32,
    /// The verdict.
    pub verdict: VerdictView,
    /// Whether the files have changed since it let them pass. Only the latest review is compared with them.
    pub stale: bool,
    /// What blocks.
    pub blocking: Vec<FindingView>,
    /// Which of these were taken as risks since, from 1.
    pub accepted: Vec<usize>,
    /// What does not.
    pub noted: Vec<FindingView>,
}

/// The run of a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChildLook {
    /// The run.
    pub run: RunSummary,
    /// The visit that called for it.
    pub visit: u32,
    /// Which of that visit's sub-agents it is, from 1.
    pub slot: u32,
    /// Its status; for one that ended without success, how it ended.
    pub status: String,
    /// What it failed at or asked, if it ended without success.
    pub trouble: Option<String>,
    /// What it was called for, in short.
    pub about: Option<String>,
}

/// A plan in a list, known without reading its tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanLine {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its file.
    pub file: String,
    /// The branch it was imported on last.
    pub branch: Option<String>,
    /// When it was imported last, in milliseconds since 1970.
    pub imported_at: i64,
    /// How many tasks it has, as far as they were counted.
    pub tasks: u32,
    /// How many of these are closed.
    pub closed: u32,
    /// Whether there are more tasks than were counted.
    pub at_least: bool,
}

/// The tasks of a project or a plan, a page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanLook {
    /// The plans of the project.
    pub plans: Vec<PlanLine>,
    /// The plan that is shown, if it is one.
    pub plan: Option<PlanLine>,
    /// Where work stands.
    pub position: Option<TaskPosition>,
    /// What the first task of the page lies in, the outermost first.
    pub above: Vec<TaskName>,
    /// The tasks in order.
    pub tasks: Vec<TaskLine>,
    /// What each of them, and what they wait for, is called in short, by id.
    pub names: BTreeMap<String, String>,
    /// The task that the next page follows.
    pub next: Option<String>,
    /// Whether this is not the first page.
    pub later: bool,
}

/// What was said on a branch, a page of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelLook {
    /// The branches on which something was said.
    pub channels: Vec<BranchChannel>,
    /// The branch that is shown.
    pub branch: String,
    /// The messages, the oldest first.
    pub messages: Vec<SaidMessage>,
    /// The place before which more was said.
    pub earlier: Option<u64>,
    /// Whether what is shown ends before the last message.
    pub later: bool,
    /// Those who can be spoken to, as they are written there.
    pub known: Vec<String>,
}

/// A branch on which something was said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BranchChannel {
    /// The branch; `-` if there is none.
    pub branch: String,
    /// When the last message was said, in milliseconds since 1970.
    pub last_at: i64,
}

/// An agent with what lies around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLook {
    /// The agent.
    pub detail: AgentDetail,
    /// Its project.
    pub project: ProjectName,
    /// Its branch.
    pub branch: String,
    /// Whether a person was asked, and can answer.
    pub asks_person: bool,
    /// The last things said by it or to it, the oldest first.
    pub messages: Vec<SaidMessage>,
    /// The wake-ups it was given last.
    pub wakeups: Vec<WakeupSummary>,
    /// What it did last, if Bugle started it.
    pub log: Option<AgentLogView>,
}

/// Wake-ups that were given, a page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupsLook {
    /// The wake-ups, the latest first.
    pub wakeups: Vec<WakeupSummary>,
    /// The wake-up that the next page follows.
    pub next: Option<String>,
    /// Whether this is not the first page.
    pub later: bool,
}

/// A wake-up with what lies around it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WakeupLook {
    /// The wake-up.
    pub detail: WakeupDetail,
    /// The one that the same agent was given before.
    pub before: Option<WakeupSummary>,
    /// The difference to it, by line: `-` only in the earlier one, `+` only in this, a space in both.
    pub difference: Vec<String>,
}
