//! A run that lives in memory: every decision goes through the engine, every event is kept.

use bugle_core::engine::{
    ChildReport, ChildState, Command, CorruptHistory, Decision, Environment, Event, EvidenceReport, Origin,
    Recorded, RunState, audit, decide, example_board, start, task_effects,
};
use bugle_core::id::{Actor, ContentHash, RunId, SessionId, Timestamp};
use bugle_core::shape::Shape;
use bugle_core::task::Board;
use bugle_core::workflow::{Workflow, sub_agent_result};
use serde_json::{Map, Value, json};

use crate::agent::SyntheticAgent;
use crate::condensed::{assert_same_course, assert_same_decision};
use crate::spelling::skill_address;

/// A run of a workflow whose evidence is always found and whose commands are trusted.
#[derive(Debug, Clone)]
pub struct TestRun<'a> {
    /// The workflow it runs.
    pub workflow: &'a Workflow,
    /// Everything that happened.
    pub events: Vec<Recorded>,
    /// What that comes to, folded event by event.
    pub state: RunState,
    /// The tasks of its plan, from the moment on at which it brings one.
    pub board: Board,
}

impl<'a> TestRun<'a> {
    /// Starts a run with params that were resolved already.
    pub fn start(workflow: &'a Workflow, params: Map<String, Value>) -> Result<Self, CorruptHistory> {
        let pin = ContentHash::from_digest([1; 32]);
        // A list of sub-agents that is too long for the first step is a fault of the workflow's, not of a test's run.
        let begun = start(skill_address("tested"), pin, workflow, params, Origin::Fresh);
        Self::from_events(workflow, begun.unwrap_or_default())
    }

    /// A run that begins with these events, such as a fork.
    pub fn from_events(
        workflow: &'a Workflow,
        events: impl IntoIterator<Item = Event>,
    ) -> Result<Self, CorruptHistory> {
        let mut tick = 0;
        let events: Vec<Recorded> = events
            .into_iter()
            .map(|event| {
                tick += 1;
                recorded(tick, event)
            })
            .collect();
        let state = RunState::replay(&RunId::from_random(7), &events)?;
        Ok(Self {
            workflow,
            events,
            state,
            board: example_board(),
        })
    }

    /// What the engine says to a command where all evidence is there.
    pub fn decide(&self, command: Command<'_>) -> Decision {
        self.with_environment(|environment| decide(&self.state, self.workflow, command, environment))
    }

    fn with_environment<T>(&self, then: impl FnOnce(Environment<'_>) -> T) -> T {
        let step = self
            .state
            .current()
            .and_then(|visit| self.workflow.step(&visit.step));
        let found: Vec<EvidenceReport> = step.map_or(Vec::new(), |step| {
            step.expect.iter().map(EvidenceReport::met).collect()
        });
        let children = self.reports();
        then(Environment {
            evidence: Some(&found),
            trusted: true,
            children: &children,
            tasks: Some(&self.board),
            ..Environment::unknown()
        })
    }

    /// What the sub-agents of the current visit report, always the same: reviewers find something at every third visit.
    fn reports(&self) -> Vec<ChildReport> {
        let Some(visit) = self.state.current() else {
            return Vec::new();
        };
        let Some(step) = self.workflow.step(&visit.step) else {
            return Vec::new();
        };
        let report = |slot: u32| {
            let result = if step.gate.is_some() {
                review(visit.number.0 % 3 == 1)
            } else {
                let seed = u64::from(visit.number.0) * 100 + u64::from(slot);
                SyntheticAgent::new(self.workflow, seed).value(&Shape::Object(sub_agent_result(step)))
            };
            ChildReport {
                slot,
                run: RunId::from_random(u64::from(slot)),
                state: ChildState::Finished(Some(result)),
                tree: None,
            }
        };
        (1_u32..)
            .zip(visit.children())
            .map(|(slot, _)| report(slot))
            .collect()
    }

    /// Decides a command and, if it is accepted, lets it happen.
    ///
    /// # Panics
    ///
    /// If what happens does not pass an audit.
    pub fn submit(&mut self, command: Command<'_>) -> Result<Decision, CorruptHistory> {
        let newer = newer_workflow(&command);
        let decision = self.decide(command.clone());
        self.with_environment(|environment| {
            assert_same_decision(&self.state, self.workflow, (command, environment), &decision);
        });
        if let Decision::Accept(events) = &decision {
            assert_eq!(
                audit(&self.state, self.workflow, newer, events),
                Ok(()),
                "{events:?}"
            );
            self.record(events.clone())?;
        }
        Ok(decision)
    }

    /// Lets these things happen.
    pub fn record(&mut self, events: impl IntoIterator<Item = Event>) -> Result<(), CorruptHistory> {
        let events: Vec<Event> = events.into_iter().collect();
        for (task, effect) in task_effects(&self.state, &events) {
            self.board.apply(&task, &effect);
        }
        let before = (self.state.clone(), self.events.len());
        for event in events {
            let tick = i64::try_from(self.events.len()).unwrap_or(i64::MAX) + 1;
            let happened = recorded(tick, event);
            self.state.apply(&happened)?;
            self.events.push(happened);
        }
        assert_same_course(&before.0, &self.events[before.1..], &self.state);
        Ok(())
    }
}

/// The workflow that a command moves a run to.
pub(crate) fn newer_workflow<'a>(command: &Command<'a>) -> Option<&'a Workflow> {
    match command {
        Command::Upgrade { workflow, .. } => Some(workflow),
        _ => None,
    }
}

/// What a reviewer reports: something grave, or nothing.
pub fn review(objects: bool) -> Value {
    let finding = json!({
        "severity": "must", "category": "errors", "location": "src/lib.rs:7", "element": "parse",
        "problem": "it accepts anything", "action": "refuse what is not a number",
    });
    let findings = if objects { vec![finding] } else { Vec::new() };
    json!({ "checks": ["errors", "naming"], "findings": findings })
}

/// An event at a moment, by an agent in the odd moments and by a person in the even ones.
fn recorded(tick: i64, event: Event) -> Recorded {
    let by = if tick % 2 == 1 {
        Actor::Agent(SessionId("session".to_owned()))
    } else {
        Actor::Person("ada".to_owned())
    };
    Recorded {
        at: Timestamp(1000 + tick),
        by,
        event,
    }
}
