//! The place in a valid workflow where a fault is inserted.

use bugle_core::outcome::Target;
use bugle_core::validate::{Package, Rule};
use bugle_core::workflow::{StepDef, WorkflowDef};
use proptest::sample::Index;

use crate::spelling::step_id;

/// A way to break a rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fault {
    pub(super) rule: Rule,
    /// Other rules that may break too.
    pub(super) along: &'static [Rule],
    pub(super) commit: fn(&mut Site),
}

/// A valid workflow and the place for a fault.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) definition: WorkflowDef,
    pub(super) package: Package,
    pub(super) at: usize,
    pub(super) variant: Index,
}

impl Site {
    /// Picks one of several variants.
    pub(super) fn choose<T: Clone>(&self, options: &[T]) -> T {
        self.variant.get(options).clone()
    }

    /// The faulty step.
    pub(super) fn step(&mut self) -> &mut StepDef {
        &mut self.definition.steps[self.at]
    }

    /// The faulty step. If the user or sub-agents produce its result, inserts a new step before it and returns the
    /// new step.
    pub(super) fn working_step(&mut self) -> &mut StepDef {
        let step = self.step();
        if step.ask.is_some() || step.dispatch.is_some() {
            let plain = self.plain("inserted");
            self.insert(plain);
        }
        self.step()
    }

    /// A new step that leads to the faulty step.
    pub(super) fn plain(&mut self, id: &str) -> StepDef {
        let target = Target::Step(self.step().id.clone());
        let mut plain = self.definition.steps[self.at].clone();
        plain.id = step_id(id);
        plain.result.clear();
        plain.expect.clear();
        plain.ask = None;
        plain.route.clear();
        plain.repeat = None;
        plain.gate = None;
        plain.dispatch = None;
        plain.on_error = None;
        plain.next = bugle_core::outcome::Transitions::linear(target);
        plain
    }

    /// Inserts a new step before the faulty step and redirects the faulty step's incoming transitions to the new
    /// step, which becomes the faulty step.
    pub(super) fn insert(&mut self, new: StepDef) {
        let old = self.step().id.clone();
        let redirect = |target: &mut Option<Target>| {
            if target.as_ref().and_then(Target::step) == Some(&old) {
                *target = Some(Target::Step(new.id.clone()));
            }
        };
        for step in &mut self.definition.steps {
            for outcome in bugle_core::outcome::Outcome::ALL {
                redirect(step.next.slot(outcome));
            }
            redirect(&mut step.next.default);
            redirect(&mut step.on_error);
            if let Some(gate) = step.gate.as_mut().filter(|gate| gate.rework == old) {
                gate.rework = new.id.clone();
            }
        }
        self.definition.steps.insert(self.at, new);
    }
}
