//! Turns a plan's blocks into steps. Every forward transition leads to a later step and every backward transition has a
//! limit, so the workflow is valid.

use bugle_core::outcome::{Outcome, Target, Transitions};
use bugle_core::role::AgentRole;
use bugle_core::shape::{Field, Presence, Shape};
use bugle_core::workflow::{
    Arg, Ask, AtLimit, Dispatch, DispatchWork, FanOut, GateConfig, Loop, Route, StepDef, StepText,
    WorkflowDef,
};

use super::guard::{Guards, around, guard};
use super::paths::Paths;
use super::plan::{Block, Given, GuardPlan, ParamPlan, Plan, StepPlan};
use super::shape::{fields, least};
use crate::spelling::{expression, field_name, step_id};

/// A place for a guard, which is filled in once the graph is known.
enum Slot {
    Route { step: usize, line: usize },
    Until { step: usize },
}

struct Layout {
    guards: Guards,
    total: usize,
    steps: Vec<StepDef>,
    open: Vec<(Slot, GuardPlan)>,
    dispatched: Vec<usize>,
}

/// Builds a plan's workflow.
pub(super) fn definition(plan: &Plan, guards: Guards) -> WorkflowDef {
    let mut layout = Layout {
        guards,
        total: plan.body.len(),
        steps: Vec::new(),
        open: Vec::new(),
        dispatched: Vec::new(),
    };
    layout.block(&plan.body, None);
    let mut made = WorkflowDef {
        params: plan.params.iter().enumerate().map(param).collect(),
        ..WorkflowDef::new(layout.steps)
    };
    let paths = Paths::of(&made);
    // Add all dispatches first, so that no guard reads a result that sub-agents produce.
    for at in &layout.dispatched {
        made.steps[*at].dispatch = Some(Dispatch::new(AgentRole::GeneralPurpose, DispatchWork::Brief));
    }
    for at in layout.dispatched {
        made.steps[at].dispatch = Some(dispatch(&made, &paths, at));
    }
    for (slot, planned) in &layout.open {
        match *slot {
            Slot::Route { step, line } => {
                made.steps[step].route[line].when = guard(planned, &made, &paths, step, guards);
            }
            Slot::Until { step } => {
                let until = guard(planned, &made, &paths, step, guards);
                if let Some(repeat) = &mut made.steps[step].repeat {
                    repeat.until = until;
                }
            }
        }
    }
    made
}

fn param((index, plan): (usize, &ParamPlan)) -> Arg {
    Arg {
        name: field_name(&format!("p{index}")),
        shape: plan.shape.clone(),
        presence: match plan.given {
            Given::Always => Presence::Required,
            Given::ByDefault | Given::Perhaps => Presence::Optional,
        },
        default: matches!(plan.given, Given::ByDefault).then(|| least(&plan.shape)),
        help: None,
    }
}

/// One sub-agent per item of an available list, or a single sub-agent if there is no list.
fn dispatch(definition: &WorkflowDef, paths: &Paths, at: usize) -> Dispatch {
    let lists = around(definition, paths, at).into_iter();
    let list = lists
        .filter(|sight| !sight.doubtful)
        .find(|sight| matches!(sight.shape, Shape::Array { .. }));
    // A list may be empty, but a gate needs at least one reviewer.
    let list = list.filter(|_| definition.steps[at].gate.is_none());
    let role = definition.steps[at].role.unwrap_or(AgentRole::GeneralPurpose);
    Dispatch {
        fan_out: list.map_or(FanOut::One, |sight| FanOut::ForEach {
            list: expression(&sight.path),
            item: field_name("item"),
            limit: 8,
        }),
        ..Dispatch::new(role, DispatchWork::Brief)
    }
}

fn id_of(index: usize) -> String {
    format!("s{}", index + 1)
}

fn to(index: Option<usize>) -> Target {
    index.map_or(Target::End, |index| Target::Step(step_id(&id_of(index))))
}

impl Layout {
    /// Adds a block's steps. The block leads to `next`.
    fn block(&mut self, block: &Block, next: Option<usize>) {
        let first = self.steps.len();
        match block {
            Block::Step(plan) => self.plain(plan, next),
            Block::Sequence(blocks) => {
                for (index, block) in blocks.iter().enumerate() {
                    let following = self.steps.len() + block.len();
                    let last = index + 1 == blocks.len();
                    self.block(block, if last { next } else { Some(following) });
                }
            }
            Block::Branch {
                at,
                when,
                main,
                other,
                by_default,
            } => {
                let mut step = self.step(at, true);
                let around = other.as_ref().map_or(next, |_| Some(first + 1 + main.len()));
                step.next = Transitions::linear(to(Some(first + 1)));
                if *by_default {
                    step.next.default = Some(to(around));
                } else {
                    step.next.skip = Some(to(around));
                }
                self.route(&mut step, when);
                if let Some((jump, _)) = at.jump.as_ref().filter(|_| self.guards == Guards::OverAnything) {
                    self.route(&mut step, jump);
                }
                self.steps.push(step);
                self.block(main, next);
                if let Some(other) = other {
                    self.block(other, next);
                }
            }
            Block::Loop {
                body,
                last,
                until,
                limit,
                at_limit,
            } => {
                if let Some(body) = body {
                    self.block(body, Some(first + body.len()));
                }
                let mut step = self.step(&asking_nothing(last), true);
                step.next = Transitions::linear(to(next));
                step.next.iterate = Some(to(Some(first)));
                if *at_limit == AtLimit::Fail && step.on_error.is_none() {
                    step.next.fail = Some(to(next));
                }
                step.repeat = Some(Loop {
                    until: expression("true"),
                    limit: *limit,
                    at_limit: *at_limit,
                });
                let slot = Slot::Until {
                    step: self.steps.len(),
                };
                self.open.push((slot, until.clone()));
                self.steps.push(step);
            }
            Block::Gate { work, review, limit } => {
                self.block(work, Some(first + work.len()));
                let mut step = self.step(&asking_nothing(review), false);
                step.next = Transitions::linear(to(next));
                step.next.fail = Some(to(Some(first)));
                step.on_error = None;
                step.result = Vec::new();
                if !self.dispatched.contains(&self.steps.len()) {
                    self.dispatched.push(self.steps.len());
                }
                step.gate = Some(GateConfig {
                    name: "Completeness".to_owned(),
                    rework: step_id(&id_of(first)),
                    limit: *limit,
                    blocks: bugle_core::review::Severity::default(),
                });
                self.steps.push(step);
            }
        }
    }

    fn plain(&mut self, plan: &StepPlan, next: Option<usize>) {
        let mut step = self.step(plan, plan.jump.is_some());
        if let Some((when, index)) = &plan.jump {
            step.next = Transitions::linear(to(next));
            step.next.skip = Some(self.later(*index));
            self.route(&mut step, when);
        } else if plan.by_default {
            step.next = Transitions::default();
            step.next.default = Some(to(next));
        } else {
            step.next = Transitions::linear(to(next));
        }
        self.steps.push(step);
    }

    /// A step after the current step, or the end.
    fn later(&self, index: proptest::sample::Index) -> Target {
        let ahead = self.total - self.steps.len();
        let chosen = self.steps.len() + 1 + index.index(ahead);
        to((chosen < self.total).then_some(chosen))
    }

    fn route(&mut self, step: &mut StepDef, when: &GuardPlan) {
        let slot = Slot::Route {
            step: self.steps.len(),
            line: step.route.len(),
        };
        step.route.push(Route {
            when: expression("true"),
            outcome: Outcome::Skip,
        });
        self.open.push((slot, when.clone()));
    }

    /// Builds a planned step without its transitions.
    fn step(&mut self, plan: &StepPlan, guarded: bool) -> StepDef {
        let at = self.steps.len();
        let asks = plan.ask.is_some();
        let mut result = if asks {
            Vec::new()
        } else {
            fields(plan.fields.clone())
        };
        if guarded && !asks && self.guards == Guards::OverOwnResult {
            result.push(Field {
                name: field_name("settled"),
                shape: Shape::Boolean,
                presence: Presence::Required,
                help: None,
            });
        }
        // A guarded step must not dispatch: its guards read the agent's own result, but in a dispatch the sub-agents
        // produce the result.
        if plan.trimmings.dispatched && !asks && !guarded {
            self.dispatched.push(at);
        }
        StepDef {
            id: step_id(&id_of(at)),
            title: format!("Work on part {}", at + 1),
            phase: plan.trimmings.phase.map(str::to_owned),
            role: Some(plan.trimmings.role),
            action: StepText::Inline("Do the work and report it.".to_owned()),
            resources: Vec::new(),
            conventions: Vec::new(),
            forbid: vec!["Guessing".to_owned()],
            tools: plan.trimmings.tools.clone(),
            result,
            merge: std::collections::BTreeMap::new(),
            check: Vec::new(),
            expect: if asks {
                Vec::new()
            } else {
                plan.trimmings.expect.clone()
            },
            ask: plan.ask.clone().map(|choices| self.question(choices, guarded)),
            route: Vec::new(),
            repeat: None,
            gate: None,
            dispatch: None,
            task: Vec::new(),
            next: Transitions::default(),
            on_error: plan.on_error.map(|index| self.later(index)),
        }
    }

    /// A question. It has choices if a guard reads its answer.
    fn question(&self, choices: Vec<String>, guarded: bool) -> Ask {
        let open = choices.is_empty() && !(guarded && self.guards == Guards::OverOwnResult);
        Ask {
            question: "Is this right?".to_owned(),
            choices: if open || !choices.is_empty() {
                choices
            } else {
                vec!["yes".to_owned(), "no".to_owned()]
            },
            by: bugle_core::workflow::Answerer::User,
        }
    }
}

/// The step plan without its question: loops and reviews end with work, never with an answer.
fn asking_nothing(plan: &StepPlan) -> StepPlan {
    StepPlan {
        ask: None,
        ..plan.clone()
    }
}
