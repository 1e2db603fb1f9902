//! An in-memory run: the engine decides every command, and all events are kept.

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

/// A run for which all evidence is found and all commands are trusted.
#[derive(Debug, Clone)]
pub struct TestRun<'a> {
    /// The run's workflow.
    pub workflow: &'a Workflow,
    /// The run's events.
    pub events: Vec<Recorded>,
    /// The run's state, folded from the events.
    pub state: RunState,
    /// The tasks of the run's plan, once the run has a plan.
    pub board: Board,
}

impl<'a> TestRun<'a> {
    /// Starts a run with resolved params.
    pub fn start(workflow: &'a Workflow, params: Map<String, Value>) -> Result<Self, CorruptHistory> {
        let pin = ContentHash::from_digest([1; 32]);
        // If the first step has too many sub-agents, the workflow is at fault, not the run.
        let begun = start(skill_address("tested"), pin, workflow, params, Origin::Fresh);
        Self::from_events(workflow, begun.unwrap_or_default())
    }

    /// A run that starts with these events, such as a fork.
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

    /// The engine's decision about a command, with all evidence found.
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

    /// Deterministic reports of the current visit's sub-agents: reviewers report a finding on every third visit.
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
                also_found: Vec::new(),
            }
        };
        (1_u32..)
            .zip(visit.children())
            .map(|(slot, _)| report(slot))
            .collect()
    }

    /// Decides a command. If it is accepted, records its events.
    ///
    /// # Panics
    ///
    /// If the events fail an audit.
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

    /// Records these events.
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

/// The workflow that a command upgrades the run to, if any.
pub(crate) fn newer_workflow<'a>(command: &Command<'a>) -> Option<&'a Workflow> {
    match command {
        Command::Upgrade { workflow, .. } => Some(workflow),
        _ => None,
    }
}

/// A reviewer's report: one blocking finding, or none.
pub fn review(objects: bool) -> Value {
    let finding = json!({
        "severity": "must", "category": "errors", "location": "src/lib.rs:7", "element": "parse",
        "problem": "it accepts anything", "action": "refuse what is not a number",
    });
    let findings = if objects { vec![finding] } else { Vec::new() };
    json!({ "checks": ["errors", "naming"], "findings": findings })
}

/// An event at a tick: by an agent at odd ticks, by a user at even ones.
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
