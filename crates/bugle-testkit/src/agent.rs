//! A synthetic agent that drives a run to its end with valid, pseudorandom results.

use bugle_core::engine::{Command, Report, RunState};
use bugle_core::expression::Expression;
use bugle_core::outcome::Outcome;
use bugle_core::shape::{Length, Presence, Range, Shape};
use bugle_core::workflow::{StepDef, Workflow};
use serde_json::{Map, Value};

/// Maximum distance of a random number or length from its lower bound.
const SPREAD: u64 = 8;

/// An agent that makes pseudorandom choices. The same seed gives the same choices.
#[derive(Debug, Clone)]
pub struct SyntheticAgent {
    seed: u64,
    /// The literals in the workflow's guards.
    telling: Vec<Value>,
}

impl SyntheticAgent {
    /// An agent for runs of `workflow`.
    pub fn new(workflow: &Workflow, seed: u64) -> Self {
        let routes = workflow.steps().iter().flat_map(|step| &step.route);
        let loops = workflow.steps().iter().filter_map(|step| step.repeat.as_ref());
        let guards = routes
            .map(|route| &route.when)
            .chain(loops.map(|repeat| &repeat.until));
        Self {
            seed,
            telling: guards.flat_map(Expression::literals).collect(),
        }
    }

    /// Params for a run of `workflow`. Sometimes omits optional ones.
    pub fn params(&mut self, workflow: &Workflow) -> Map<String, Value> {
        let mut params = Map::new();
        for arg in workflow.params() {
            if arg.presence == Presence::Required || self.one_in(2) {
                params.insert(arg.name.to_string(), self.value(&arg.shape));
            }
        }
        params
    }

    /// The next command of the agent or its user; `None` if the run is waiting for neither.
    pub fn next_command(&mut self, workflow: &Workflow, state: &RunState) -> Option<Command<'static>> {
        let visit = state.current()?;
        let step = workflow.step(&visit.step)?;
        if visit.judged.is_some() {
            return Some(Command::Answer {
                visit: Some(visit.number),
                answer: Some("accept".to_owned()),
                reason: Some("it will do".to_owned()),
            });
        }
        if let Some(ask) = &step.ask {
            let answer = if ask.choices.is_empty() {
                format!("an answer of {}", self.below(100))
            } else {
                ask.choices[self.index(ask.choices.len())].clone()
            };
            return Some(Command::Answer {
                visit: self.one_in(2).then_some(visit.number),
                answer: Some(answer),
                reason: None,
            });
        }
        let report = if may_fail(step) && self.one_in(5) {
            Report::Failed {
                reason: "it cannot be done".to_owned(),
            }
        } else if step.result.is_empty() || step.dispatch.is_some() {
            Report::Done(None)
        } else {
            Report::Done(Some(self.value(&Shape::Object(step.result.clone()))))
        };
        Some(Command::Done {
            visit: visit.number,
            report,
            note: self.one_in(6).then(|| "worth keeping".to_owned()),
        })
    }

    /// A value that matches `shape`, if there is one.
    pub fn value(&mut self, shape: &Shape) -> Value {
        if !self.telling.is_empty() && self.one_in(3) {
            let index = self.index(self.telling.len());
            if shape.mismatches(&self.telling[index]).is_empty() {
                return self.telling[index].clone();
            }
        }
        match shape {
            Shape::String(length) => {
                let count = self.count(*length);
                let text: String = (0..count).map(|_| self.letter()).collect();
                // A string that must not be empty must not be blank either.
                let is_blank = text.trim().is_empty();
                Value::String(if is_blank { "x".repeat(count) } else { text })
            }
            Shape::Reference(_) => shape.example(),
            Shape::Pattern(pattern, length) => {
                let samples = pattern.samples(*length, 3);
                let index = self.index(samples.len().max(1));
                samples.get(index).cloned().map_or(Value::Null, Value::String)
            }
            Shape::Integer(range) => {
                let whole = self.whole(*range);
                // A client may send an integer as a float, such as `1.0`.
                if self.one_in(8) {
                    Value::from(whole)
                } else {
                    #[expect(clippy::cast_possible_truncation, reason = "bounds in tests are small")]
                    Value::from(whole as i64)
                }
            }
            Shape::Number(range) => {
                let fraction = f64::from(u8::try_from(self.below(8)).unwrap_or(0)) / 8.0;
                let number = self.whole(*range) + fraction;
                let admitted = range.max.is_none_or(|max| number <= max);
                Value::from(if admitted { number } else { number - fraction })
            }
            Shape::Boolean => Value::Bool(self.one_in(2)),
            Shape::Enum(choices) => match choices.as_slice() {
                [] => Value::Null,
                choices => Value::String(choices[self.index(choices.len())].clone()),
            },
            list @ Shape::Array { unique: Some(_), .. } => list.example(),
            Shape::Array { items, length, .. } => {
                let count = self.count(*length);
                Value::Array((0..count).map(|_| self.value(items)).collect())
            }
            Shape::Object(fields) => {
                let mut map = Map::new();
                for field in fields {
                    let wanted = field.presence == Presence::Required || self.one_in(2);
                    if wanted {
                        map.insert(field.name.to_string(), self.value(&field.shape));
                    } else if self.one_in(3) {
                        map.insert(field.name.to_string(), Value::Null);
                    }
                }
                Value::Object(map)
            }
        }
    }

    fn count(&mut self, length: Length) -> usize {
        let min = length.min.unwrap_or(0);
        let most = length.max.unwrap_or(min + 4).saturating_sub(min).min(4);
        min + self.index(most + 1)
    }

    /// An integer in the range, near its lower bound.
    fn whole(&mut self, range: Range) -> f64 {
        let spread = u8::try_from(self.below(SPREAD)).unwrap_or(0);
        match (range.min, range.max) {
            (None, None) => f64::from(spread) - 4.0,
            (None, Some(max)) => max.floor() - f64::from(spread),
            (Some(min), max) => {
                let least = min.ceil();
                let number = least + f64::from(spread);
                if max.is_none_or(|max| number <= max) {
                    number
                } else {
                    least
                }
            }
        }
    }

    fn letter(&mut self) -> char {
        const LETTERS: [char; 12] = ['a', 'b', 'z', 'Z', '7', ' ', '\'', '"', '\n', 'ä', '<', '🚩'];
        LETTERS[self.index(LETTERS.len())]
    }

    /// True with probability `1/n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    /// The next pseudorandom number, below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.seed ^ (self.seed >> 29)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        (mixed ^ (mixed >> 32)) % bound.max(1)
    }
}

/// Whether the agent may fail a step: the workflow handles a failure, and the step is not a gate.
fn may_fail(step: &StepDef) -> bool {
    step.gate.is_none() && step.leads_to(Outcome::Fail).is_some()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::sound_shape;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn random_values_fit_their_shape(shape in sound_shape(), seed in any::<u64>()) {
            let mut agent = SyntheticAgent { seed, telling: Vec::new() };
            let value = agent.value(&shape);
            prop_assert!(shape.mismatches(&value).is_empty(), "{} is not {}", value, shape);
        }

        #[test]
        fn the_same_seed_makes_the_same_choices(shape in sound_shape(), seed in any::<u64>()) {
            let mut one = SyntheticAgent { seed, telling: Vec::new() };
            let mut other = one.clone();
            prop_assert_eq!(one.value(&shape), other.value(&shape));
        }
    }
}
