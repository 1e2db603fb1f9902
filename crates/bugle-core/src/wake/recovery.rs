//! Takeover from a lost agent: the agent's actions, and the number of failures of the same work.

use crate::agent::AgentNames;
use crate::id::{Actor, Timestamp};
use crate::name::AgentName;
use crate::task::{RecordedTaskEvent, TaskEvent};

/// After this many failures, the task is probably too large and should be split.
pub const FAILURES_TO_SPLIT: u32 = 3;

/// Maximum number of uncommitted files listed in a wake-up.
const MAX_CHANGED_FILES: usize = 20;

/// A lost agent, identified by name or client session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostAgent {
    names: AgentNames,
}

impl LostAgent {
    /// Creates a lost agent with one name, with or without `@`.
    pub fn new(called: &str) -> Self {
        Self {
            names: AgentNames::new(called),
        }
    }

    /// Adds another name.
    #[must_use]
    pub fn also_called(mut self, name: &str) -> Self {
        self.names = self.names.and(name);
        self
    }

    /// Whether this is one of the agent's names.
    pub fn is_called(&self, name: &str) -> bool {
        self.names.include(name)
    }

    /// Whether a task with this assignee belongs to the agent.
    pub fn holds(&self, agent: Option<&AgentName>) -> bool {
        agent.is_some_and(|agent| self.is_called(agent.as_str()))
    }

    /// Whether the agent was the actor.
    pub fn acted(&self, by: &Actor) -> bool {
        by.session().is_some_and(|session| self.is_called(&session.0))
    }

    /// Whether an event in the agent's own run counts as its act: the agent was the actor, or the actor is not a known
    /// agent.
    pub fn did_in_own_run(&self, by: &Actor) -> bool {
        self.acted(by) || by.session().is_none()
    }

    /// The task events that the agent caused, in order: events by the agent itself, and events by no known agent while
    /// the task was assigned to this agent. Adding a task or importing a plan is not work on the task.
    pub fn deeds<'a>(&self, events: &'a [RecordedTaskEvent]) -> Vec<&'a RecordedTaskEvent> {
        let mut is_holder = false;
        let mut deeds = Vec::new();
        for recorded in events {
            match &recorded.event {
                TaskEvent::Added { agent, .. }
                | TaskEvent::Started { agent, .. }
                | TaskEvent::Assigned { agent } => is_holder = self.holds(agent.as_ref()),
                _ => {}
            }
            let work = !matches!(
                recorded.event,
                TaskEvent::Added { .. }
                    | TaskEvent::Planned { .. }
                    | TaskEvent::SkillUsed { .. }
                    | TaskEvent::Waits { .. }
                    | TaskEvent::WaitsNoMore { .. }
            );
            let by_no_other_agent = is_holder && recorded.by.session().is_none();
            if work && (by_no_other_agent || self.acted(&recorded.by)) {
                deeds.push(recorded);
            }
        }
        deeds
    }
}

/// An earlier wake-up that took over work from an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Takeover {
    /// The agent.
    pub from: String,
    /// The time.
    pub at: Timestamp,
}

/// How often the same work has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Failures {
    /// The number of reported failures.
    pub reported: u32,
    /// How often an agent died during the work, including this time.
    pub died: u32,
}

impl Failures {
    /// Counts the failures. A death counts once, even if it causes several wake-ups: an agent whose work was taken over
    /// counts again only if it has acted since then.
    pub fn count(
        reported: u32,
        lost_agent: &LostAgent,
        last_act: Option<Timestamp>,
        earlier: &[Takeover],
    ) -> Self {
        let mut agents: Vec<LostAgent> = Vec::new();
        let mut died = 0;
        for takeover in earlier {
            let agent = LostAgent::new(&takeover.from);
            if !agents.contains(&agent) {
                agents.push(agent);
                died += 1;
            }
        }
        let last = earlier
            .iter()
            .filter(|takeover| lost_agent.is_called(&takeover.from))
            .map(|takeover| takeover.at)
            .max();
        let is_new = match last {
            None => true,
            Some(last) => last_act.is_some_and(|act| act > last),
        };
        Self {
            reported,
            died: died + u32::from(is_new),
        }
    }

    /// The total.
    pub fn all(self) -> u32 {
        self.reported.saturating_add(self.died)
    }

    /// Whether the work should be split instead of retried.
    pub fn call_for_a_split(self) -> bool {
        self.all() >= FAILURES_TO_SPLIT
    }
}

/// A worktree's uncommitted files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Uncommitted {
    /// The first files, each with git's two-letter status.
    pub files: Vec<String>,
    /// The number of files that are not listed.
    pub more: u64,
}

impl Uncommitted {
    /// Parses the output of `git status --porcelain=v1 -z --no-renames`.
    pub fn read(status: &[u8]) -> Self {
        let mut uncommitted = Self::default();
        for entry in status.split(|byte| *byte == 0).filter(|entry| entry.len() > 3) {
            if uncommitted.files.len() < MAX_CHANGED_FILES {
                uncommitted
                    .files
                    .push(String::from_utf8_lossy(entry).into_owned());
            } else {
                uncommitted.more += 1;
            }
        }
        uncommitted
    }

    /// Whether everything is committed.
    pub fn is_clean(&self) -> bool {
        self.files.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SessionId;

    fn takeover(from: &str, at: i64) -> Takeover {
        Takeover {
            from: from.to_owned(),
            at: Timestamp(at),
        }
    }

    fn event(by: Actor, event: TaskEvent) -> RecordedTaskEvent {
        RecordedTaskEvent {
            at: Timestamp(0),
            by,
            event,
        }
    }

    fn started(agent: &str) -> TaskEvent {
        TaskEvent::Started {
            agent: AgentName::new(agent).ok(),
            run: None,
        }
    }

    fn noted(text: &str) -> TaskEvent {
        TaskEvent::Noted {
            text: text.to_owned(),
        }
    }

    #[test]
    fn all_spellings_of_a_name_match() {
        let lost_agent = LostAgent::new("@Impl.1");
        for name in ["impl-1", "IMPL.1", "@impl.1", " impl 1 "] {
            assert!(lost_agent.is_called(name), "{name}");
        }
        assert!(!lost_agent.is_called("impl-2"));
        assert!(lost_agent.acted(&Actor::Agent(SessionId("Impl.1".to_owned()))));
        assert!(!lost_agent.acted(&Actor::Person("impl-1".to_owned())));
    }

    #[test]
    fn acts_of_others_do_not_count() {
        let june = || Actor::Agent(SessionId("june".to_owned()));
        let events = [
            event(Actor::Program, noted("before June started the task")),
            event(Actor::Program, started("june")),
            event(Actor::Program, noted("while June had the task")),
            event(
                Actor::Agent(SessionId("may".to_owned())),
                noted("by another agent"),
            ),
            event(june(), noted("her own")),
            event(Actor::Program, started("may")),
            event(Actor::Program, noted("after May took the task over")),
            event(june(), noted("her own again")),
        ];
        let lost_agent = LostAgent::new("june");
        let deeds: Vec<&TaskEvent> = lost_agent
            .deeds(&events)
            .iter()
            .map(|recorded| &recorded.event)
            .collect();
        assert_eq!(
            deeds,
            [&events[1], &events[2], &events[4], &events[7]].map(|recorded| &recorded.event)
        );
    }

    #[test]
    fn a_death_counts_once_and_three_failures_suggest_a_split() {
        let lost = LostAgent::new("c");
        let count = |reported, last_act: Option<i64>, earlier: &[Takeover]| {
            Failures::count(reported, &lost, last_act.map(Timestamp), earlier)
        };
        assert_eq!(count(0, None, &[]).all(), 1);
        let two = [takeover("a", 1), takeover("b", 2)];
        assert!(count(0, None, &two).call_for_a_split());
        assert!(!count(0, None, &two[..1]).call_for_a_split());
        assert!(count(2, None, &[]).call_for_a_split());
        let again = [takeover("a", 1), takeover("c", 5)];
        assert_eq!(count(0, Some(4), &again).died, 2, "the death was already counted");
        assert_eq!(
            count(0, Some(6), &again).died,
            3,
            "the agent came back and died again"
        );
    }

    #[test]
    fn the_first_changed_files_are_named_and_the_rest_counted() {
        let status: String = (0..25).map(|at| format!(" M file {at}\0")).collect();
        let uncommitted = Uncommitted::read(status.as_bytes());
        assert_eq!(uncommitted.files.len(), MAX_CHANGED_FILES);
        assert_eq!(
            (uncommitted.files[1].as_str(), uncommitted.more),
            (" M file 1", 5)
        );
        assert!(Uncommitted::read(b"").is_clean());
    }
}
