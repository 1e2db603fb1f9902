//! The parts of a wake-up, and which are never left out.

use serde::{Deserialize, Serialize};

/// A part of a wake-up, in the order in which they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Who the agent is.
    Identity,
    /// What is to be taken over from an agent that died.
    Recovery,
    /// The skill.
    Skill,
    /// The plan.
    Plan,
    /// The tasks.
    Tasks,
    /// Where work stands, in a sentence.
    Position,
    /// The current step of a run.
    Step,
    /// What earlier steps and tasks found.
    Learnt,
    /// What happened lately.
    Activity,
    /// What the agent was asked and has not answered.
    Questions,
    /// What others have said.
    Messages,
    /// Which parts were left out because there was no room, and how to see them.
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
    /// The parts that can be cut, the one with the strongest claim on the budget first.
    pub(super) const CLAIMS: [Self; 9] = [
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

    /// The part with the weakest claim.
    pub(super) const WEAKEST: Self = Self::CLAIMS[Self::CLAIMS.len() - 1];

    /// Whether it is shown whatever the budget.
    pub fn is_never_cut(self) -> bool {
        matches!(self, Self::Identity | Self::Position | Self::NextAction)
    }

    /// Whether at least its smallest size is shown whatever the budget: what others said or asked, and what is to be taken
    /// over, is never passed over.
    pub fn is_never_dropped(self) -> bool {
        self.is_never_cut() || matches!(self, Self::Questions | Self::Messages | Self::Recovery)
    }

    /// Whether it is wanted whole before others get more than their smallest size: what is to be done now, and what others
    /// left or said, is of little use in pieces.
    pub(super) fn is_wanted_whole(self) -> bool {
        matches!(
            self,
            Self::Step | Self::Recovery | Self::Questions | Self::Messages
        )
    }
}
