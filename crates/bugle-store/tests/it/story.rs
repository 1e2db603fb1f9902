//! A run to keep: its events, and what they come to.

use bugle_core::engine::{Event, Origin, Recorded, RunState};
use bugle_core::id::{Actor, ContentHash, RunId, SessionId, Timestamp, VisitNumber};
use bugle_core::outcome::Outcome;
use bugle_store::{NewRun, ProjectId, Store};
use bugle_testkit::spelling::{skill_address, step_id};
use serde_json::{Map, json};

/// A run that lives in memory and is told to a store event by event.
#[derive(Debug, Clone)]
pub(crate) struct Story {
    pub events: Vec<Recorded>,
    pub state: RunState,
}

/// What comes next in a story: the version it follows, the new events, and the state they lead to.
#[derive(Debug, Clone)]
pub(crate) struct Chapter {
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

/// An event that says how a run began.
pub(crate) fn started() -> Event {
    Event::Started {
        skill: skill_address("tested"),
        pin: hash(1),
        params: Map::from_iter([("topic".to_owned(), json!("größe 🎺"))]),
        origin: Origin::Fresh,
    }
}

impl Story {
    /// A run that has just entered its first step.
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

    /// A run as a store tells it.
    pub(crate) fn read(store: &mut impl Store, id: &RunId) -> Self {
        let stored = store.load(id).unwrap().unwrap();
        let state = RunState::replay(id, &stored.events).unwrap();
        Self {
            events: stored.events,
            state,
        }
    }

    /// What the story becomes if this happens.
    pub(crate) fn then(&self, at: i64, events: impl IntoIterator<Item = Event>) -> Chapter {
        let events: Vec<Recorded> = events.into_iter().map(|event| recorded(at, event)).collect();
        let mut state = self.state.clone();
        for event in &events {
            state.apply(event).unwrap();
        }
        Chapter {
            expected: self.state.version,
            events,
            state,
        }
    }

    /// The open visit ends, and the next step is entered.
    pub(crate) fn step_done(&self, at: i64, next: &str) -> Chapter {
        let visit = self.state.current().unwrap().number;
        let entered = Event::Entered {
            visit: visit.following(),
            step: step_id(next),
            after: Some(visit),
            files: None,
        };
        self.then(at, [ended(visit), entered])
    }

    /// The open visit ends, and with it the run.
    pub(crate) fn completed(&self, at: i64) -> Chapter {
        let visit = self.state.current().unwrap().number;
        self.then(at, [ended(visit), Event::Completed])
    }

    /// Somebody notes something.
    pub(crate) fn noted(&self, at: i64, text: &str) -> Chapter {
        let visit = self.state.current().unwrap().number;
        let text = text.to_owned();
        self.then(at, [Event::Noted { visit, text }])
    }

    /// Takes what happened into account.
    pub(crate) fn turn(&mut self, chapter: Chapter) {
        self.events.extend(chapter.events);
        self.state = chapter.state;
    }

    /// The run as a store is asked to keep it.
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
        exhausted: false,
        tree: None,
    }
}

/// The project at some place.
pub(crate) fn project(store: &mut impl Store) -> ProjectId {
    store.project("/home/ada/project", "p-ada", Timestamp(1)).unwrap()
}
