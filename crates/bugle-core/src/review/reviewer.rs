//! The independence of reviewers. An agent that reviews its own work confirms it, so a gate needs another agent.

/// The part of a sub-agent in the work that it reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Involvement {
    /// It led the work or did some of it.
    Author,
    /// None.
    None,
}

/// What Bugle knows about the reviewing agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reviewer {
    /// It is in another session than the agent that leads the work, or in none.
    OtherSession,
    /// Hooks saw a sub-agent without a part in the work.
    SubAgent,
    /// Hooks saw a sub-agent with a part in the work.
    Author,
    /// It is in the session that leads the work, and the hooks of that session saw no sub-agent.
    MainThread,
    /// It is in the session that leads the work, and no hooks distinguish its sub-agents from its main thread.
    SameSession,
}

impl Reviewer {
    /// The reviewer in a session. `seen` is the part of the sub-agent that hooks saw, if any; `hooks_tell` says
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

    /// Whether the review is refused: only if a sub-agent could do it and hooks would recognize it.
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
