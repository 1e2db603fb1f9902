//! The events of a task, and the task folded from them.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::board::TaskKind;
use super::order::Rank;
use super::status::TaskStatus;
use crate::id::{Actor, ContentHash, PlanId, RunId, TaskId, Timestamp};
use crate::name::{AgentName, SkillAddress};

/// Something that happened to a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskEvent {
    /// It was added.
    Added {
        /// What is to be done.
        title: String,
        /// Its parent task.
        parent: Option<TaskId>,
        /// Its place among its siblings.
        rank: Rank,
        /// The skill it names.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skill: Option<SkillAddress>,
        /// Who it is given to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        /// Where in a plan it stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<PlanLink>,
    },
    /// Work on it began.
    Started {
        /// Whose.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<AgentName>,
        /// The run that took it up.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunId>,
    },
    /// It was finished.
    Finished,
    /// It was left out.
    Skipped {
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The task above it with which it was left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<TaskId>,
    },
    /// It was tried and could not be finished.
    Failed {
        /// Why.
        reason: String,
    },
    /// Another agent or a person has to act before it can continue.
    Blocked {
        /// What about.
        reason: String,
    },
    /// It is to be done after all, or again: no agent works on it, and it is not closed.
    Reopened {
        /// The task below or above it that was opened and took it along.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<TaskId>,
    },
    /// Something was noted; earlier notes stay.
    Noted {
        /// What.
        text: String,
    },
    /// It was given another title.
    Retitled {
        /// The new one.
        title: String,
    },
    /// It names another skill, or none any more.
    SkillNamed {
        /// The new one.
        skill: Option<SkillAddress>,
    },
    /// The plan says something else about it now.
    Planned {
        /// Where in the plan it stands, and the hash of what it says there.
        plan: PlanLink,
    },
    /// It stays, although its plan no longer has it: from now on it is a task like one added by hand.
    Unplanned,
    /// It was moved.
    Moved {
        /// Its parent task now.
        parent: Option<TaskId>,
        /// Its place among its new siblings.
        rank: Rank,
    },
    /// It must wait for another task.
    Waits {
        /// The other.
        on: TaskId,
        /// Who says so.
        says: WaitSource,
    },
    /// It need not wait for another task any more.
    WaitsNoMore {
        /// The other.
        on: TaskId,
    },
    /// It need not come after another task, although the plan has it after that one.
    OrderWaived {
        /// The other.
        on: TaskId,
    },
    /// It was assigned to an agent, or to none.
    Assigned {
        /// Whose it is now.
        agent: Option<AgentName>,
    },
    /// It was worked on with a skill, in exactly this version.
    SkillUsed {
        /// The skill.
        skill: SkillAddress,
        /// The hash of the bytes that the plan is pinned to.
        pin: ContentHash,
    },
    /// It was taken out of the tree; all of this stays.
    Removed {
        /// Why.
        why: Removal,
    },
    /// It was put back into the tree.
    Restored,
}

/// Why a task is no longer in the tree.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Removal {
    /// A user or agent removed it.
    ByHand,
    /// It went with a task that it lay in.
    With(TaskId),
    /// The plan no longer has it.
    Vanished,
}

/// Who says that a task waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitSource {
    /// The plan: when it no longer says so, it is over.
    Plan,
    /// A user or agent.
    Hand,
    /// The order of the plan: nothing declares it, and every import works it out again.
    Order,
}

/// Where in a plan a task stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PlanLink {
    /// The plan.
    pub plan: PlanId,
    /// Its number there, as written; a phase has `Phase 2`, the plan as a whole nothing.
    #[serde(default)]
    pub number: String,
    /// Its title there; the task itself may have been given another one.
    pub title: String,
    /// The hash of what the plan says about it; empty if it says nothing.
    #[serde(default)]
    pub content_hash: String,
    /// Whether there is work in it.
    #[serde(rename = "substance")]
    pub kind: TaskKind,
}

/// An event as the store keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedTaskEvent {
    /// When it happened.
    pub at: Timestamp,
    /// Who made it happen.
    pub by: Actor,
    /// What happened.
    pub event: TaskEvent,
}

/// A task, as its events have made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// What is to be done.
    pub title: String,
    /// Its parent task.
    pub parent: Option<TaskId>,
    /// Its place among its siblings.
    pub rank: Rank,
    /// The skill it names.
    pub skill: Option<SkillAddress>,
    /// Whose it is.
    pub agent: Option<AgentName>,
    /// Where it stands by itself.
    pub status: TaskStatus,
    /// Why it is skipped, failed or blocked.
    pub reason: Option<String>,
    /// The task above it with which it was left out.
    pub skipped_with: Option<TaskId>,
    /// Why it is no longer in the tree.
    pub removed: Option<Removal>,
    /// How often it was begun again, or given back to be begun again, after it had failed.
    pub retries: u32,
    /// Where in a plan it stands.
    pub plan: Option<PlanLink>,
    /// The run that works on it.
    pub run: Option<RunId>,
    /// What it must wait for, and who says so.
    pub waits_for: BTreeMap<TaskId, WaitSource>,
    /// What it need not come after, although the plan has it after these.
    pub waived: BTreeSet<TaskId>,
    /// How many events made it.
    pub version: u64,
}

/// The events of a task do not follow from each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the history of task {0} does not begin with its being added")]
pub struct CorruptTask(pub TaskId);

impl Task {
    /// The task that is made by being added.
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

    /// Folds a whole history.
    pub fn replay(id: &TaskId, events: &[TaskEvent]) -> Result<Self, CorruptTask> {
        let (first, rest) = events.split_first().ok_or_else(|| CorruptTask(id.clone()))?;
        let mut task = Self::added(id.clone(), first)?;
        for event in rest {
            task.apply(event);
        }
        Ok(task)
    }

    /// What the task is after an event.
    pub fn apply(&mut self, event: &TaskEvent) {
        self.version += 1;
        match event {
            // A second beginning says nothing that the first has not said.
            TaskEvent::Added { .. } | TaskEvent::Noted { .. } | TaskEvent::SkillUsed { .. } => {}
            TaskEvent::Started { agent, run } => {
                if self.status == TaskStatus::Failed {
                    self.retries += 1;
                }
                self.stand(TaskStatus::Active, None);
                self.run.clone_from(run);
                // A run that starts a task takes it from the agent that had it.
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
                // The next start is another try, with nothing left of this one.
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

    /// Whether it is in the tree and there is still something to do.
    pub fn is_open(&self) -> bool {
        self.removed.is_none() && self.status.is_open()
    }

    /// Whether it only holds other tasks together.
    pub fn is_group(&self) -> bool {
        self.plan
            .as_ref()
            .is_some_and(|plan| plan.kind == TaskKind::Group)
    }

    /// Its number in its plan, if it has one.
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
