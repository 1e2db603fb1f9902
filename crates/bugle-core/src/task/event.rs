//! Task events, and the task folded from them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::board::TaskKind;
use super::order::Rank;
use super::status::TaskStatus;
use crate::id::{Actor, ContentHash, PlanId, RunId, TaskId, Timestamp};
use crate::name::{AgentName, SkillAddress};

/// A task event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    /// The task was added.
    Added {
        /// The title.
        title: String,
        /// The task's parent.
        parent: Option<TaskId>,
        /// The task's rank among its siblings.
        rank: Rank,
        /// The skill that the task names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skill: Option<SkillAddress>,
        /// The assignee.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        /// The task's place in a plan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<PlanLink>,
    },
    /// The task started.
    Started {
        /// The agent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        /// The run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunId>,
    },
    /// The task was closed as done.
    Finished,
    /// The task was skipped.
    Skipped {
        /// The reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The ancestor whose skip also skipped this task, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<TaskId>,
    },
    /// The task failed.
    Failed {
        /// The reason.
        reason: String,
    },
    /// The task is blocked: another agent or a person must act first.
    Blocked {
        /// The reason.
        reason: String,
    },
    /// The task was reopened: it is open, and no agent is working on it.
    Reopened {
        /// The descendant or ancestor whose reopening also reopened this task, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<TaskId>,
    },
    /// A note was recorded; earlier notes are kept.
    Noted {
        /// The text.
        text: String,
    },
    /// The task's title changed.
    Retitled {
        /// The new title.
        title: String,
    },
    /// The task's skill changed or was removed.
    SkillNamed {
        /// The new skill.
        skill: Option<SkillAddress>,
    },
    /// The task's text in the plan changed.
    Planned {
        /// The task's place in the plan, with the hash of its text.
        plan: PlanLink,
    },
    /// The plan no longer has the task. The task stays as if it had been added by hand.
    Unplanned,
    /// The task was moved.
    Moved {
        /// The task's new parent.
        parent: Option<TaskId>,
        /// The task's rank among its new siblings.
        rank: Rank,
    },
    /// The task depends on another task.
    Waits {
        /// The other task.
        on: TaskId,
        /// The source of the dependency.
        says: WaitSource,
    },
    /// The task no longer depends on another task.
    WaitsNoMore {
        /// The other task.
        on: TaskId,
    },
    /// The task may start before a task that comes earlier in plan order.
    OrderWaived {
        /// The other task.
        on: TaskId,
    },
    /// The task was assigned to an agent, or unassigned.
    Assigned {
        /// The new assignee.
        agent: Option<AgentName>,
    },
    /// An agent used this version of a skill for the task.
    SkillUsed {
        /// The skill.
        skill: SkillAddress,
        /// The hash of the skill's bytes; the plan is pinned to this version.
        pin: ContentHash,
    },
    /// The task was removed from the tree; its history is kept.
    Removed {
        /// The reason.
        why: Removal,
    },
    /// The task was restored.
    Restored,
}

/// Why a task was removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Removal {
    /// A user or agent removed the task.
    ByHand,
    /// An ancestor was removed.
    With(TaskId),
    /// The plan no longer has the task.
    Vanished,
}

/// The source of a dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitSource {
    /// The plan. The dependency ends when the plan no longer declares it.
    Plan,
    /// A user or agent.
    Hand,
    /// Plan order, which every import computes again.
    Order,
}

/// A task's place in a plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlanLink {
    /// The plan.
    pub plan: PlanId,
    /// The task's number as written; `Phase 2` for a phase, empty for the root task.
    #[serde(default)]
    pub number: String,
    /// The title in the plan; the task's own title may differ.
    pub title: String,
    /// The hash of the task's text in the plan; empty if the task has no text.
    #[serde(default)]
    pub content_hash: String,
    /// Whether the task has work of its own.
    #[serde(rename = "substance")]
    pub kind: TaskKind,
}

/// A stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedTaskEvent {
    /// When the event happened.
    pub at: Timestamp,
    /// The actor that caused the event.
    pub by: Actor,
    /// The event itself.
    pub event: TaskEvent,
}

/// A task, folded from its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The task's id.
    pub id: TaskId,
    /// The title.
    pub title: String,
    /// The task's parent.
    pub parent: Option<TaskId>,
    /// The task's rank among its siblings.
    pub rank: Rank,
    /// The skill that the task names.
    pub skill: Option<SkillAddress>,
    /// The assignee.
    pub agent: Option<AgentName>,
    /// The task's own status.
    pub status: TaskStatus,
    /// The reason, if the task is skipped, failed or blocked.
    pub reason: Option<String>,
    /// The ancestor whose skip also skipped this task, if any.
    pub skipped_with: Option<TaskId>,
    /// Why the task was removed, if it was.
    pub removed: Option<Removal>,
    /// How often the task was restarted or released after a failure.
    pub retries: u32,
    /// The task's place in a plan.
    pub plan: Option<PlanLink>,
    /// The run that is working on the task.
    pub run: Option<RunId>,
    /// The task's dependencies with their sources.
    pub waits_for: BTreeMap<TaskId, WaitSource>,
    /// Earlier tasks in plan order that the task does not wait for.
    pub waived: BTreeSet<TaskId>,
    /// The number of the task's events.
    pub version: u64,
}

/// A task's history is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the history of task {0} does not start with an `added` event")]
pub struct CorruptTask(pub TaskId);

impl Task {
    /// Creates a task from its `Added` event.
    pub fn added(id: TaskId, event: &TaskEvent) -> Result<Self, CorruptTask> {
        let TaskEvent::Added {
            title,
            parent,
            rank,
            skill,
            agent,
            plan,
        } = event
        else {
            return Err(CorruptTask(id));
        };
        Ok(Self {
            id,
            title: title.clone(),
            parent: parent.clone(),
            rank: *rank,
            skill: skill.clone(),
            agent: agent.clone(),
            status: TaskStatus::Pending,
            reason: None,
            skipped_with: None,
            removed: None,
            retries: 0,
            plan: plan.clone(),
            run: None,
            waits_for: BTreeMap::new(),
            waived: BTreeSet::new(),
            version: 1,
        })
    }

    /// Folds a complete history.
    pub fn replay(id: &TaskId, events: &[TaskEvent]) -> Result<Self, CorruptTask> {
        let (first, rest) = events.split_first().ok_or_else(|| CorruptTask(id.clone()))?;
        let mut task = Self::added(id.clone(), first)?;
        for event in rest {
            task.apply(event);
        }
        Ok(task)
    }

    /// Applies an event.
    pub fn apply(&mut self, event: &TaskEvent) {
        self.version += 1;
        match event {
            // These events change only the version. A repeated `Added` is ignored.
            TaskEvent::Added { .. } | TaskEvent::Noted { .. } | TaskEvent::SkillUsed { .. } => {}
            TaskEvent::Started { agent, run } => {
                if self.status == TaskStatus::Failed {
                    self.retries += 1;
                }
                self.stand(TaskStatus::Active, None);
                self.run.clone_from(run);
                // A run that starts a task takes the task over from its agent.
                if agent.is_some() || run.is_some() {
                    self.agent.clone_from(agent);
                }
            }
            TaskEvent::Finished => self.stand(TaskStatus::Done, None),
            TaskEvent::Skipped { reason, with } => {
                self.stand(TaskStatus::Skipped, reason.clone());
                self.skipped_with.clone_from(with);
            }
            TaskEvent::Failed { reason } => self.stand(TaskStatus::Failed, Some(reason.clone())),
            TaskEvent::Blocked { reason } => self.stand(TaskStatus::Blocked, Some(reason.clone())),
            TaskEvent::Reopened { .. } => {
                // Reopening a failed task counts as a retry.
                if self.status == TaskStatus::Failed {
                    self.retries += 1;
                }
                self.stand(TaskStatus::Pending, None);
                self.run = None;
            }
            TaskEvent::Retitled { title } => title.clone_into(&mut self.title),
            TaskEvent::SkillNamed { skill } => self.skill.clone_from(skill),
            TaskEvent::Planned { plan } => self.plan = Some(plan.clone()),
            TaskEvent::Unplanned => self.plan = None,
            TaskEvent::Moved { parent, rank } => {
                self.parent.clone_from(parent);
                self.rank = *rank;
            }
            TaskEvent::Waits { on, says } => {
                self.waits_for.insert(on.clone(), *says);
                if *says == WaitSource::Hand {
                    self.waived.remove(on);
                }
            }
            TaskEvent::WaitsNoMore { on } => {
                self.waits_for.remove(on);
            }
            TaskEvent::OrderWaived { on } => {
                self.waits_for.remove(on);
                self.waived.insert(on.clone());
            }
            TaskEvent::Assigned { agent } => self.agent.clone_from(agent),
            TaskEvent::Removed { why } => self.removed = Some(why.clone()),
            TaskEvent::Restored => self.removed = None,
        }
    }

    /// Whether the task is open and not removed.
    pub fn is_open(&self) -> bool {
        self.removed.is_none() && self.status.is_open()
    }

    /// Whether the task only groups other tasks.
    pub fn is_group(&self) -> bool {
        self.plan
            .as_ref()
            .is_some_and(|plan| plan.kind == TaskKind::Group)
    }

    /// The task's number in its plan, if it has one.
    pub fn number(&self) -> Option<&str> {
        self.plan
            .as_ref()
            .map(|plan| plan.number.as_str())
            .filter(|number| !number.is_empty())
    }

    fn stand(&mut self, status: TaskStatus, reason: Option<String>) {
        self.status = status;
        self.reason = reason;
        self.skipped_with = None;
    }
}
