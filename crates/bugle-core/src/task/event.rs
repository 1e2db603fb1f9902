//! What happens to a task, and the task that follows from it.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::board::Substance;
use super::order::Rank;
use super::standing::Standing;
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
        /// The task it lies in.
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
    /// Somebody else has to act before it can go on.
    Blocked {
        /// What about.
        reason: String,
    },
    /// It is to be done after all, or again: nobody works on it, and it is not closed.
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
    /// It stays, although its plan no longer has it: from now on it is a task like one that somebody added.
    Unplanned,
    /// It was moved.
    Moved {
        /// The task it lies in now.
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
    /// It was given to somebody, or taken from whoever had it.
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
    /// Somebody took it out.
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
    /// Somebody who knows better.
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
    pub substance: Substance,
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
    /// The task it lies in.
    pub parent: Option<TaskId>,
    /// Its place among its siblings.
    pub rank: Rank,
    /// The skill it names.
    pub skill: Option<SkillAddress>,
    /// Whose it is.
    pub agent: Option<AgentName>,
    /// Where it stands by itself.
    pub standing: Standing,
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
            standing: Standing::Pending,
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
                if self.standing == Standing::Failed {
                    self.retries += 1;
                }
                self.stand(Standing::Active, None);
                self.run.clone_from(run);
                // Whoever had it before has not got it any more when a run takes it up.
                if agent.is_some() || run.is_some() {
                    self.agent.clone_from(agent);
                }
            }
            TaskEvent::Finished => self.stand(Standing::Done, None),
            TaskEvent::Skipped { reason, with } => {
                self.stand(Standing::Skipped, reason.clone());
                self.skipped_with.clone_from(with);
            }
            TaskEvent::Failed { reason } => self.stand(Standing::Failed, Some(reason.clone())),
            TaskEvent::Blocked { reason } => self.stand(Standing::Blocked, Some(reason.clone())),
            TaskEvent::Reopened { .. } => {
                // Whoever begins it next tries it again, and will find it as if nothing had happened.
                if self.standing == Standing::Failed {
                    self.retries += 1;
                }
                self.stand(Standing::Pending, None);
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
        self.removed.is_none() && self.standing.is_open()
    }

    /// Whether it only holds other tasks together.
    pub fn is_group(&self) -> bool {
        self.plan
            .as_ref()
            .is_some_and(|plan| plan.substance == Substance::Group)
    }

    /// Its number in its plan, if it has one.
    pub fn number(&self) -> Option<&str> {
        self.plan
            .as_ref()
            .map(|plan| plan.number.as_str())
            .filter(|number| !number.is_empty())
    }

    fn stand(&mut self, standing: Standing, reason: Option<String>) {
        self.standing = standing;
        self.reason = reason;
        self.skipped_with = None;
    }
}
