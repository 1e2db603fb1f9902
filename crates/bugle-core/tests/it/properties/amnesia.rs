//! The amnesia proof: agents and sub-agents that forget everything at random moments do exactly the same as agents
//! that never forget. Bugle's output is their only source of information.

use std::cell::Cell;

use bugle_core::engine::{
    Assignment, ChildState, Command, Decision, Escalation, Origin, Refusal, Report, children, resolve_params,
    review_iteration,
};
use bugle_core::id::{ChildToken, RunId, VisitNumber};
use bugle_core::shape::{Field, Shape};
use bugle_core::workflow::WorkflowDef;
use bugle_testkit::agent::SyntheticAgent;
use bugle_testkit::family::family;
use bugle_testkit::strategy::valid_workflow;
use bugle_testkit::world::{World, seed_of};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::cases;

/// More actions than any run of these workflows needs. A run that needs more does not terminate.
const MAX_ACTS: u32 = 20_000;

/// The parts of a printed step that an agent acts on.
enum Printed {
    /// The run is over, or there is nothing that an agent can do.
    Nothing,
    /// A person must decide what to do after a review.
    Decision(VisitNumber, u32),
    /// A person must answer a question.
    Question(VisitNumber, Vec<String>),
    /// Sub-agents must start before the visit can end.
    Dispatch(VisitNumber, Vec<ChildToken>),
    /// There is work to do.
    Work(VisitNumber, Vec<Field>, bool),
}

fn printed(world: &World, run: &RunId) -> Printed {
    let state = world.state(run);
    let workflow = world.workflow(run);
    let Some(visit) = state.current() else {
        return Printed::Nothing;
    };
    let step = workflow.step(&visit.step).unwrap();
    if visit.judged.is_some() {
        return Printed::Decision(visit.number, review_iteration(state, &workflow, visit.number));
    }
    if let Some(ask) = &step.ask {
        return Printed::Question(visit.number, ask.choices.clone());
    }
    if step.dispatch.is_some() {
        let reports = world.reports(run);
        let open = children(visit, &reports)
            .into_iter()
            .filter_map(|(slot, _, report)| {
                let reported = report.is_some_and(|report| report.state.has_reported());
                let parent = state.current_token()?;
                (!reported).then_some(ChildToken { parent, slot })
            });
        return Printed::Dispatch(visit.number, open.collect());
    }
    let is_child = matches!(state.origin, Origin::Child(_));
    Printed::Work(visit.number, step.result.clone(), is_child)
}

/// One or more agents whose actions depend only on the current situation.
struct Agents<'a> {
    world: World,
    /// Whether the agent forgets everything now.
    forgets: &'a dyn Fn() -> bool,
    acts: Cell<u32>,
}

impl Agents<'_> {
    /// Works on a run until it is over or its agent has died.
    fn work(&mut self, run: &RunId) {
        loop {
            self.acts.set(self.acts.get() + 1);
            assert!(self.acts.get() < MAX_ACTS, "the run does not end");
            let command = match printed(&self.world, run) {
                Printed::Nothing => return,
                Printed::Decision(visit, iteration) => self.decision(run, visit, iteration),
                Printed::Question(visit, choices) => self.answer(run, visit, &choices),
                Printed::Dispatch(visit, open) => {
                    for token in open {
                        if let Ok(child) = self.world.start_child(&token) {
                            self.work(&child);
                        }
                        if (self.forgets)() {
                            break;
                        }
                    }
                    Command::Done {
                        visit,
                        report: Report::Done(None),
                        note: None,
                    }
                }
                Printed::Work(visit, required, is_child) => self.report(run, visit, &required, is_child),
            };
            if (self.forgets)() {
                // The agent died before it reported. An orchestrator restarts a dead sub-agent.
                if matches!(self.world.state(run).origin, Origin::Child(_)) {
                    return;
                }
                continue;
            }
            self.say(run, &command);
            if (self.forgets)() {
                // The answer was lost: the agent sends the same report again, which changes nothing.
                self.say(run, &command);
            }
        }
    }

    fn say(&mut self, run: &RunId, command: &Command<'static>) {
        match self.world.submit(run, command.clone()).unwrap() {
            // The earlier report has already moved the run to another step, so this report may be refused.
            Decision::Accept(_)
            | Decision::Already
            | Decision::Refuse(
                Refusal::ChildrenMissing { .. } | Refusal::StaleVisit { .. } | Refusal::WrongStatus(_),
            ) => {}
            Decision::Refuse(Refusal::ChildrenAsking(asking)) => self.settle(run, &asking),
            Decision::Refuse(Refusal::ReportWithoutFindings(slots)) => {
                let parent = self.world.state(run).current_token().unwrap();
                for slot in slots {
                    let token = ChildToken {
                        parent: parent.clone(),
                        slot,
                    };
                    let stopped = self
                        .world
                        .reports(run)
                        .into_iter()
                        .find(|report| report.slot == slot);
                    assert!(stopped.is_some_and(|report| !matches!(report.state, ChildState::Finished(_))));
                    self.world.retry(&token, "go on as you see fit").unwrap();
                }
            }
            other => panic!("{command:?}: {other:?}"),
        }
    }

    /// Handles sub-agents' open questions. A gate needs the reviewers' reports, so their questions are answered. Any
    /// other step ends with the questions unanswered.
    fn settle(&mut self, run: &RunId, asking: &[(u32, ChildState)]) {
        // A sub-agent that is waiting for a person resumes through its start command, which answers the question.
        if asking.iter().any(|(_, state)| *state == ChildState::Waiting) {
            return;
        }
        let parent = self.world.state(run).current_token().unwrap();
        let workflow = self.world.workflow(run);
        let visit = self.world.state(run).current().unwrap();
        if workflow.step(&visit.step).unwrap().gate.is_none() {
            let end = Command::Done {
                visit: visit.number,
                report: Report::Unanswered,
                note: None,
            };
            self.say(run, &end);
            return;
        }
        for (slot, _) in asking {
            let token = ChildToken {
                parent: parent.clone(),
                slot: *slot,
            };
            self.world.retry(&token, "go on as you see fit").unwrap();
        }
    }

    fn chance(&self, run: &RunId, visit: VisitNumber) -> SyntheticAgent {
        SyntheticAgent::new(&self.world.workflow(run), seed_of(&format!("{run}#{visit}")))
    }

    fn decision(&self, run: &RunId, visit: VisitNumber, iteration: u32) -> Command<'static> {
        let mut chance = self.chance(run, visit);
        let word = match (chance.one_in(8), chance.one_in(3)) {
            (true, _) => "abort",
            (_, true) if iteration < 5 => "continue",
            _ => "accept",
        };
        Command::Answer {
            visit: Some(visit),
            answer: Some(word.to_owned()),
            reason: Some("the user said so".to_owned()),
        }
    }

    fn answer(&self, run: &RunId, visit: VisitNumber, choices: &[String]) -> Command<'static> {
        let mut chance = self.chance(run, visit);
        let chosen = match choices {
            [] => "whatever you think".to_owned(),
            [only] => only.clone(),
            [first, .., last] => {
                if chance.one_in(2) {
                    first.clone()
                } else {
                    last.clone()
                }
            }
        };
        Command::Answer {
            visit: Some(visit),
            answer: Some(chosen),
            reason: None,
        }
    }

    /// The checks that a reviewer's report must cover, after the first review.
    fn fixed_checks(&self, run: &RunId) -> Option<Value> {
        match &self.world.state(run).origin {
            Origin::Child(origin) => match &origin.assignment {
                Assignment::Review(brief) if !brief.checks.is_empty() => Some(json!(brief.checks)),
                _ => None,
            },
            _ => None,
        }
    }

    fn report(
        &self,
        run: &RunId,
        visit: VisitNumber,
        required: &[Field],
        is_child: bool,
    ) -> Command<'static> {
        let mut chance = self.chance(run, visit);
        let report = if is_child && chance.one_in(12) {
            Report::Escalated {
                kind: Escalation::NeedsDecision,
                reason: "which of the two?".to_owned(),
            }
        } else if required.is_empty() {
            Report::Done(None)
        } else {
            let mut result = chance.value(&Shape::Object(required.to_vec()));
            if let (Some(checks), Some(made)) = (self.fixed_checks(run), result.get_mut("checks")) {
                *made = checks;
            }
            Report::Done(Some(result))
        };
        Command::Done {
            visit,
            report,
            note: None,
        }
    }
}

/// The complete history of a world in which agents forget at the given moments.
fn played(world: &World, forgets: &dyn Fn() -> bool) -> World {
    let mut agents = Agents {
        world: world.clone(),
        forgets,
        acts: Cell::new(0),
    };
    let main = agents.world.main().clone();
    agents.work(&main);
    assert!(!agents.world.state(&main).status.is_open(), "the run is over");
    agents.world
}

fn is_worth_it(definition: &WorkflowDef) -> bool {
    definition
        .steps
        .iter()
        .any(|step| step.dispatch.is_some() || step.gate.is_some())
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn an_agent_that_forgets_acts_like_one_that_does_not(
        main in valid_workflow().prop_filter("sub-agents", is_worth_it),
        child in valid_workflow(),
        seed in any::<u64>(),
        often in 2..=6_u64,
    ) {
        let (workflow, children) = family(main, &child);
        let mut chance = SyntheticAgent::new(&workflow, seed);
        let params = resolve_params(&workflow, &chance.params(&workflow)).unwrap();
        // A dispatch refuses a list that is too long.
        let Ok(world) = World::start(workflow, children, params) else { return Ok(()) };
        let remembered = played(&world, &|| false);
        let dice = std::cell::RefCell::new(chance);
        let forgotten = played(&world, &|| dice.borrow_mut().one_in(often));
        prop_assert_eq!(remembered.history(), forgotten.history());
    }
}
