//! The parts of a wake-up, and which of them are never omitted.

use serde::{Deserialize, Serialize};

/// A part of a wake-up, in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Who the agent is.
    Identity,
    /// What to take over from a dead agent.
    Recovery,
    /// The skill.
    Skill,
    /// The plan.
    Plan,
    /// The tasks.
    Tasks,
    /// The position of the work, in a sentence.
    Position,
    /// The current step of a run.
    Step,
    /// What earlier steps and tasks found.
    Learnt,
    /// Recent events.
    Activity,
    /// Open questions to the agent.
    Questions,
    /// Messages from others.
    Messages,
    /// Which parts were omitted for lack of room, and how to see them.
    Rest,
    /// What to do next, with the exact command.
    NextAction,
}

enum_text!(Part {
    Identity = "identity",
    Recovery = "recovery",
    Skill = "skill",
    Plan = "plan",
    Tasks = "tasks",
    Position = "position",
    Step = "step",
    Learnt = "learnt",
    Activity = "activity",
    Questions = "questions",
    Messages = "messages",
    Rest = "rest",
    NextAction = "next action",
});

impl Part {
    /// The parts that can be shortened, highest priority first.
    pub const CLAIMS: [Self; 9] = [
        Self::Step,
        Self::Recovery,
        Self::Questions,
        Self::Messages,
        Self::Tasks,
        Self::Skill,
        Self::Plan,
        Self::Learnt,
        Self::Activity,
    ];

    /// The part with the lowest priority.
    pub(super) const WEAKEST: Self = Self::CLAIMS[Self::CLAIMS.len() - 1];

    /// Whether it is always shown in full.
    pub fn is_never_cut(self) -> bool {
        matches!(self, Self::Identity | Self::Position | Self::NextAction)
    }

    /// Whether at least its smallest size is always shown: messages, questions and a takeover are never omitted.
    pub fn is_never_dropped(self) -> bool {
        self.is_never_cut() || matches!(self, Self::Questions | Self::Messages | Self::Recovery)
    }

    /// Whether it should be whole before other parts get more than their smallest size: the current work, and what
    /// others left or said, are of little use in pieces.
    pub(super) fn is_wanted_whole(self) -> bool {
        matches!(
            self,
            Self::Step | Self::Recovery | Self::Questions | Self::Messages
        )
    }
}
