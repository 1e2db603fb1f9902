//! The values that `has(...)` proves to be present, for each part of an expression.

use std::fmt;

use super::syntax::{Connective, Node, NodeKind};

/// A path in an expression, such as `state.extract.claims` or `item.notes[0]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The binding of the root name: 0 for the scope, n for the nth local variable.
    binding: usize,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Named(String),
    Item(i64),
}

impl Place {
    /// The path that `node` represents, if any. `locals` are the variables of the enclosing macros, innermost last.
    pub(super) fn of(node: &Node, locals: &[&str]) -> Option<Self> {
        match &node.kind {
            NodeKind::Name(name) => {
                let binding = locals
                    .iter()
                    .rposition(|local| local == name)
                    .map_or(0, |index| index + 1);
                Some(Self {
                    binding,
                    steps: vec![Step::Named(name.clone())],
                })
            }
            NodeKind::Field { of, name } => {
                Self::of(of, locals).map(|place| place.then(Step::Named(name.clone())))
            }
            NodeKind::Index { of, at } => match at.kind {
                NodeKind::Int(index) => Self::of(of, locals).map(|place| place.then(Step::Item(index))),
                _ => None,
            },
            _ => None,
        }
    }

    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Whether the presence of `self` proves the presence of `other`. A value can be present only if its containers
    /// are.
    pub(super) fn proves(&self, other: &Self) -> bool {
        self.binding == other.binding && self.steps.starts_with(&other.steps)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            match step {
                Step::Named(name) if index == 0 => f.write_str(name)?,
                Step::Named(name) => write!(f, ".{name}")?,
                Step::Item(item) => write!(f, "[{item}]")?,
            }
        }
        Ok(())
    }
}

/// The paths that are certainly present if `node` evaluates to `outcome`.
pub(super) fn proven(node: &Node, outcome: bool, locals: &[&str]) -> Vec<Place> {
    match (&node.kind, outcome) {
        (NodeKind::Has(field), true) => Place::of(field, locals).into_iter().collect(),
        (NodeKind::Not(inner), _) => proven(inner, !outcome, locals),
        (NodeKind::Logic(Connective::And, operands), true)
        | (NodeKind::Logic(Connective::Or, operands), false) => operands
            .iter()
            .flat_map(|operand| proven(operand, outcome, locals))
            .collect(),
        _ => Vec::new(),
    }
}
