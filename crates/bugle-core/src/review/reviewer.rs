//! Reviewer independence. Agents tend to confirm their own work, so a gate needs another agent.

/// A sub-agent's involvement in the work that it reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Involvement {
    /// The sub-agent led the work or did part of it.
    Author,
    /// The sub-agent was not involved.
    None,
}

/// The reviewer's relation to the work, as far as sessions and hooks show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviewer {
    /// The reviewer is in a different session than the agent that leads the work, or in no session.
    OtherSession,
    /// Hooks saw a sub-agent that was not involved in the work.
    SubAgent,
    /// Hooks saw a sub-agent that was involved in the work.
    Author,
    /// The reviewer is in the session that leads the work, and that session's hooks saw no sub-agent.
    MainThread,
    /// The reviewer is in the session that leads the work, and no hooks can tell that session's sub-agents from its
    /// main thread.
    SameSession,
}

impl Reviewer {
    /// Classifies a reviewer. `seen` is the involvement of the sub-agent that hooks saw, if any; `hooks_tell` says
    /// whether hooks can see sub-agents.
    pub fn of(is_same_session: bool, seen: Option<Involvement>, hooks_tell: bool) -> Self {
        match (is_same_session, seen) {
            (false, _) => Self::OtherSession,
            (true, Some(Involvement::None)) => Self::SubAgent,
            (true, Some(Involvement::Author)) => Self::Author,
            (true, None) if hooks_tell => Self::MainThread,
            (true, None) => Self::SameSession,
        }
    }

    /// Whether the review is a self-review.
    pub fn is_self(self) -> bool {
        match self {
            Self::OtherSession | Self::SubAgent => false,
            Self::Author | Self::MainThread | Self::SameSession => true,
        }
    }

    /// Whether Bugle refuses the review. It refuses only if hooks can identify sub-agents, because then a sub-agent can
    /// review instead.
    pub fn is_refused(self) -> bool {
        matches!(self, Self::Author | Self::MainThread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_review_is_refused_with_hooks_and_marked_without() {
        let judged = |same, seen, tell| {
            let reviewer = Reviewer::of(same, seen, tell);
            (reviewer.is_self(), reviewer.is_refused())
        };
        assert_eq!(judged(true, None, true), (true, true));
        assert_eq!(judged(true, None, false), (true, false));
        for tell in [true, false] {
            assert_eq!(judged(true, Some(Involvement::None), tell), (false, false));
            assert_eq!(judged(true, Some(Involvement::Author), tell), (true, true));
            assert_eq!(judged(false, None, tell), (false, false));
        }
    }
}
