//! The parts of a wake-up, and which of them are never omitted.

use serde::{Deserialize, Serialize};

/// A part of a wake-up, in reading order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The agent's identity.
    Identity,
    /// The lost agent's work that the agent takes over.
    Recovery,
    /// The skill.
    Skill,
    /// The plan.
    Plan,
    /// The tasks.
    Tasks,
    /// The current position, in one sentence.
    Position,
    /// The current step of a run.
    Step,
    /// Findings from earlier steps and tasks.
    Learnt,
    /// Recent events.
    Activity,
    /// Open questions for the agent.
    Questions,
    /// Messages from other agents and people.
    Messages,
    /// The parts that were omitted because they do not fit, and how to see them.
    Rest,
    /// The next action, with the exact command.
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

    /// The part's name in text for agents and people: the words of its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Skill => "current skill",
            Self::Step => "current step",
            Self::Position => "current position",
            Self::Learnt => "earlier results",
            Self::Activity => "recent activity",
            Self::Questions => "unanswered questions",
            Self::Rest => "omitted parts",
            part => part.as_str(),
        }
    }

    /// Whether the part is always shown in full.
    pub fn is_never_cut(self) -> bool {
        matches!(self, Self::Identity | Self::Position | Self::NextAction)
    }

    /// Whether the part's smallest size is always shown: messages, questions and takeovers are never omitted.
    pub fn is_never_dropped(self) -> bool {
        self.is_never_cut() || matches!(self, Self::Questions | Self::Messages | Self::Recovery)
    }

    /// Whether the part grows before other parts get more than a pointer: current work, takeovers and messages.
    pub(super) fn is_urgent(self) -> bool {
        matches!(
            self,
            Self::Step | Self::Recovery | Self::Questions | Self::Messages
        )
    }
}
