//! Runs for tests: their events and states.

use bugle_core::engine::{Event, Origin, Recorded, RunState};
use bugle_core::id::{Actor, ContentHash, RunId, SessionId, Timestamp, VisitNumber};
use bugle_core::outcome::Outcome;
use bugle_core::workflow::Decider;
use bugle_store::{NewRun, ProjectId, Store};
use bugle_testkit::spelling::{skill_address, step_id};
use serde_json::{Map, json};

/// A run in memory that tests write to a store step by step.
#[derive(Debug, Clone)]
pub(crate) struct TestRun {
    pub events: Vec<Recorded>,
    pub state: RunState,
}

/// New events of a run, the version they follow, and the state after them.
#[derive(Debug, Clone)]
pub(crate) struct RunUpdate {
    pub expected: u64,
    pub events: Vec<Recorded>,
    pub state: RunState,
}

pub(crate) fn hash(seed: u8) -> ContentHash {
    ContentHash::from_digest([seed; 32])
}

pub(crate) fn recorded(at: i64, event: Event) -> Recorded {
    Recorded {
        at: Timestamp(at),
        by: Actor::Agent(SessionId("session".to_owned())),
        event,
    }
}

/// A run's first event.
pub(crate) fn started() -> Event {
    Event::Started {
        decides: Decider::Project,
        skill: skill_address("tested"),
        pin: hash(1),
        params: Map::from_iter([("topic".to_owned(), json!("größe 🎺"))]),
        origin: Origin::Fresh,
    }
}

impl TestRun {
    /// A run at its first step.
    pub(crate) fn new(id: &str, at: i64) -> Self {
        let entered = Event::Entered {
            visit: VisitNumber(1),
            step: step_id("extract"),
            after: None,
            files: None,
        };
        let events = vec![recorded(at, started()), recorded(at, entered)];
        let state = RunState::replay(&RunId::parse(id).unwrap(), &events).unwrap();
        Self { events, state }
    }

    /// A run loaded from the store.
    pub(crate) fn read(store: &mut Store, id: &RunId) -> Self {
        let stored = store.load(id).unwrap().unwrap();
        let state = RunState::replay(id, &stored.events).unwrap();
        Self {
            events: stored.events,
            state,
        }
    }

    /// An update with these events.
    pub(crate) fn then(&self, at: i64, events: impl IntoIterator<Item = Event>) -> RunUpdate {
        let events: Vec<Recorded> = events.into_iter().map(|event| recorded(at, event)).collect();
        let mut state = self.state.clone();
        for event in &events {
            state.apply(event).unwrap();
        }
        RunUpdate {
            expected: self.state.version,
            events,
            state,
        }
    }

    /// An update that ends the current visit and enters the next step.
    pub(crate) fn step_done(&self, at: i64, next: &str) -> RunUpdate {
        let visit = self.state.current().unwrap().number;
        let entered = Event::Entered {
            visit: visit.following(),
            step: step_id(next),
            after: Some(visit),
            files: None,
        };
        self.then(at, [ended(visit), entered])
    }

    /// An update that ends the current visit and the run.
    pub(crate) fn completed(&self, at: i64) -> RunUpdate {
        let visit = self.state.current().unwrap().number;
        self.then(at, [ended(visit), Event::Completed])
    }

    /// An update that adds a note.
    pub(crate) fn noted(&self, at: i64, text: &str) -> RunUpdate {
        let visit = self.state.current().unwrap().number;
        let text = text.to_owned();
        self.then(at, [Event::Noted { visit, text }])
    }

    /// Applies an update to the run.
    pub(crate) fn apply(&mut self, update: RunUpdate) {
        self.events.extend(update.events);
        self.state = update.state;
    }

    /// The run as input for [`Store::create`].
    pub(crate) fn as_new<'a>(&'a self, project: &'a ProjectId, session: Option<&'a SessionId>) -> NewRun<'a> {
        NewRun {
            project,
            directory: "/home/ada/größe",
            session,
            state: &self.state,
            events: &self.events,
        }
    }
}

fn ended(visit: VisitNumber) -> Event {
    Event::Ended {
        visit,
        outcome: Outcome::Ok,
        result: Some(json!({ "claims": ["It holds"], "sure": 0.1 })),
        reason: None,
        evidence: Vec::new(),
        merged: None,
        also_found: Vec::new(),
        no_progress: false,
        exhausted: false,
        tree: None,
    }
}

/// Creates a project.
pub(crate) fn project(store: &mut Store) -> ProjectId {
    store.project("/home/ada/project", "p-ada", Timestamp(1)).unwrap()
}
