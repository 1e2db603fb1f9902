//! Runs and their sub-agents' runs, in memory instead of a store.

use std::collections::BTreeMap;

use bugle_core::engine::{
    AnsweredEscalation, ChildOrigin, ChildReport, ChildState, Command, CorruptHistory, Decision, Environment,
    Event, EvidenceReport, Origin, Recorded, Refusal, RunState, RunStatus, audit, decide, example_board,
    resolve_params, start, task_effects,
};
use bugle_core::id::{Actor, ChildToken, ContentHash, RunId, Timestamp};
use bugle_core::path::SkillPath;
use bugle_core::task::Board;
use bugle_core::workflow::{StepText, Workflow};
use serde_json::{Map, Value};

use crate::condensed::{assert_same_course, assert_same_decision};
use crate::run::newer_workflow;
use crate::spelling::skill_address;

/// A skill and its runs. A run's id is derived from its slot, so that two worlds with the same events in a different
/// order have the same run ids.
#[derive(Debug, Clone)]
pub struct World {
    workflow: Workflow,
    children: BTreeMap<SkillPath, Workflow>,
    runs: BTreeMap<RunId, (RunState, Vec<Recorded>)>,
    slots: BTreeMap<String, Vec<RunId>>,
    main: RunId,
    /// A fingerprint of the project's files.
    pub tree: Option<String>,
    /// The tasks of the main run's plan, once it has a plan.
    board: Board,
}

impl World {
    /// A world in which the main run has just started.
    pub fn start(
        workflow: Workflow,
        children: BTreeMap<SkillPath, Workflow>,
        params: Map<String, Value>,
    ) -> Result<Self, Refusal> {
        let main = id_of("main");
        let events = start(
            skill_address("tested"),
            ContentHash::from_digest([1; 32]),
            &workflow,
            params,
            Origin::Fresh,
        )?;
        let mut world = Self {
            workflow,
            children,
            runs: BTreeMap::new(),
            slots: BTreeMap::new(),
            main: main.clone(),
            tree: None,
            board: example_board(),
        };
        world.insert(main, events);
        Ok(world)
    }

    /// The main run.
    pub fn main(&self) -> &RunId {
        &self.main
    }

    /// Every run with its events, without their times.
    pub fn history(&self) -> BTreeMap<&RunId, Vec<&Event>> {
        let runs = self.runs.iter();
        runs.map(|(id, (_, events))| (id, events.iter().map(|recorded| &recorded.event).collect()))
            .collect()
    }

    /// A run's state.
    pub fn state(&self, run: &RunId) -> &RunState {
        &self.runs[run].0
    }

    /// A run's workflow.
    pub fn workflow(&self, run: &RunId) -> Workflow {
        let child = match &self.state(run).origin {
            Origin::Fresh | Origin::Task(_) | Origin::Fork { .. } => None,
            Origin::Child(child) => child.work.workflow(&self.children),
        };
        child.unwrap_or_else(|| self.workflow.clone())
    }

    /// The reports of the sub-agents in a run's current visit.
    pub fn reports(&self, run: &RunId) -> Vec<ChildReport> {
        let state = self.state(run);
        let Some(token) = state.current_token() else {
            return Vec::new();
        };
        let children = state.current().map_or(0, |visit| visit.children().len());
        let slots = (1_u32..).take(children);
        slots
            .filter_map(|slot| {
                let child = ChildToken {
                    parent: token.clone(),
                    slot,
                };
                let latest = self.slots.get(&child.to_string())?.last()?;
                ChildReport::of(self.state(latest))
            })
            .collect()
    }

    /// Starts or resumes a sub-agent. Returns its run.
    pub fn start_child(&mut self, token: &ChildToken) -> Result<RunId, Refusal> {
        let latest = self.slots.get(&token.to_string()).and_then(|runs| runs.last());
        match latest {
            Some(run) if self.state(run).status != RunStatus::Cancelled => Ok(run.clone()),
            _ => self.attempt(token, None),
        }
    }

    /// Restarts a stopped sub-agent.
    pub fn retry(&mut self, token: &ChildToken, answer: &str) -> Result<RunId, Refusal> {
        let latest = self.slots.get(&token.to_string()).and_then(|runs| runs.last());
        let report = latest.and_then(|run| ChildReport::of(self.state(run)));
        let answered = match report.map(|report| report.state) {
            Some(ChildState::Escalated(kind, reason)) => Some(AnsweredEscalation {
                kind,
                reason,
                answer: answer.to_owned(),
            }),
            _ => None,
        };
        self.attempt(token, answered)
    }

    fn attempt(
        &mut self,
        token: &ChildToken,
        answered: Option<AnsweredEscalation>,
    ) -> Result<RunId, Refusal> {
        let parent = self.state(&token.parent.run);
        let waits = parent.current_token().as_ref() == Some(&token.parent);
        if !waits {
            return Err(Refusal::StaleVisit {
                visit: token.parent.visit,
                ended: None,
            });
        }
        let workflow = self.workflow(&token.parent.run);
        let before = self.slots.get(&token.to_string()).map_or(0, Vec::len);
        let attempt = u32::try_from(before).unwrap_or(u32::MAX) + 1;
        let text = |text: &StepText, values: &Value| match text {
            StepText::Inline(text) | StepText::Literal(text) => Ok(format!("{text} {}", values["child"])),
            StepText::File(file) => Ok::<_, Refusal>(file.to_string()),
        };
        let origin = ChildOrigin::of(parent, &workflow, token, (attempt, answered), text)?;
        let (origin, given) = origin.ok_or(Refusal::UnknownVisit(token.parent.visit))?;
        let (skill, pin) = (parent.skill.clone(), parent.pin.clone());
        let child = origin.work.workflow(&self.children).unwrap_or(workflow);
        let params = resolve_params(&child, &given).unwrap_or(given);
        let events = start(skill, pin, &child, params, Origin::Child(origin))?;
        let id = id_of(&format!("{token} {attempt}"));
        self.insert(id.clone(), events);
        self.slots.entry(token.to_string()).or_default().push(id.clone());
        Ok(id)
    }

    fn insert(&mut self, id: RunId, events: Vec<Event>) {
        let recorded: Vec<Recorded> = events.into_iter().map(recorded).collect();
        if let Ok(state) = RunState::replay(&id, &recorded) {
            self.runs.insert(id, (state, recorded));
        }
    }

    /// Decides a run's command with all evidence found. If it is accepted, records its events.
    ///
    /// # Panics
    ///
    /// If the events fail an audit.
    pub fn submit(&mut self, run: &RunId, command: Command<'_>) -> Result<Decision, CorruptHistory> {
        let workflow = self.workflow(run);
        let state = self.state(run);
        let step = state.current().and_then(|visit| workflow.step(&visit.step));
        let found: Vec<_> = step.map_or(Vec::new(), |step| {
            step.expect.iter().map(EvidenceReport::met).collect()
        });
        let children = self.reports(run);
        let environment = Environment {
            evidence: Some(&found),
            trusted: true,
            children: &children,
            tree: self.tree.as_deref(),
            tasks: Some(&self.board),
            ..Environment::unknown()
        };
        let newer = newer_workflow(&command);
        let decision = decide(state, &workflow, command.clone(), environment);
        // Check only some decisions, because worlds are large.
        if state.version.is_multiple_of(4) {
            assert_same_decision(state, &workflow, (command, environment), &decision);
        }
        if let Decision::Accept(events) = &decision {
            assert_eq!(audit(state, &workflow, newer, events), Ok(()), "{events:?}");
        }
        if let (Decision::Accept(events), Some((state, all))) = (&decision, self.runs.get_mut(run)) {
            for (task, effect) in task_effects(state, events) {
                self.board.apply(&task, &effect);
            }
            let before = (state.clone(), all.len());
            for event in events.clone() {
                let happened = recorded(event);
                state.apply(&happened)?;
                all.push(happened);
            }
            if before.0.version.is_multiple_of(4) {
                assert_same_course(&before.0, &all[before.1..], state);
            }
        }
        Ok(decision)
    }
}

fn recorded(event: Event) -> Recorded {
    Recorded {
        at: Timestamp(1000),
        by: Actor::Program,
        event,
    }
}

fn id_of(place: &str) -> RunId {
    RunId::from_random(seed_of(place))
}

/// The FNV-1a hash of a string.
pub fn seed_of(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
