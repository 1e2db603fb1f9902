//! Who reviews. An agent that reviews its own work confirms it; a gate needs another agent.

/// The part that a sub-agent had in the work that it reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Involvement {
    /// It led the work or did some of it.
    Author,
    /// It had none.
    None,
}

/// The agent that carries out a review, as far as Bugle knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviewer {
    /// It acts in another session than the agent that leads the work, or in none.
    OtherSession,
    /// Hooks saw a sub-agent that had no part in the work.
    SubAgent,
    /// Hooks saw a sub-agent that had a part in the work.
    Author,
    /// It acts in the session that leads the work, and the hooks of that session saw no sub-agent.
    MainThread,
    /// It acts in the session that leads the work, and no hooks tell its sub-agents from its main thread.
    SameSession,
}

impl Reviewer {
    /// The reviewer in a session. `seen` is the part of the sub-agent that hooks saw, if they saw one; `hooks_tell` is
    /// whether they would have seen one.
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

    /// Whether the review is refused: only where a sub-agent could do it and would be recognised.
    pub fn is_refused(self) -> bool {
        matches!(self, Self::Author | Self::MainThread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_self_review_is_refused_where_hooks_tell_and_marked_elsewhere() {
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
