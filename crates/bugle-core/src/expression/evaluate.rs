//! The evaluator, with CEL's semantics and a work limit.

use std::rc::Rc;

use regex::Regex;
use serde_json::{Map, Value};

use super::EvaluationError;
use super::calculate::calculate;
use super::compare::{compare, holds};
use super::datum::{Datum, List, Text, field, whole};
use super::syntax::{Connective, Node, NodeKind, TextTest, Walk};
use super::work::{COMPILING, MAX_DEPTH, Work, copied, scanned};
use crate::pattern::compile;

type Outcome<'a> = Result<Datum<'a>, EvaluationError>;

/// Evaluates the tree.
pub(super) fn evaluate(root: &Node, values: &Value) -> Result<Value, EvaluationError> {
    let mut evaluator = Evaluator::over(values);
    let result = evaluator.value(root)?;
    evaluator.export(&result, 0)
}

/// Evaluates a guard's tree to `true` or `false`.
pub(super) fn is_true(root: &Node, values: &Value) -> Result<bool, EvaluationError> {
    let mut evaluator = Evaluator::over(values);
    match evaluator.value(root)? {
        Datum::Bool(truth) => Ok(truth),
        other => Err(EvaluationError::NotABoolean {
            found: other.describe(),
        }),
    }
}

struct Evaluator<'a> {
    roots: Option<&'a Map<String, Value>>,
    /// The variables of the enclosing macros, innermost last.
    locals: Vec<(&'a str, Datum<'a>)>,
    work: Work,
    /// Compiled patterns, cached because a macro tests every item with the same pattern.
    patterns: Vec<(String, Regex)>,
}

impl<'a> Evaluator<'a> {
    fn over(values: &'a Value) -> Self {
        Self {
            roots: values.as_object(),
            locals: Vec::new(),
            work: Work::default(),
            patterns: Vec::new(),
        }
    }

    fn value(&mut self, node: &'a Node) -> Outcome<'a> {
        self.work.pay(1)?;
        match &node.kind {
            NodeKind::Null => Ok(Datum::Null),
            NodeKind::Bool(truth) => Ok(Datum::Bool(*truth)),
            NodeKind::Int(number) => Ok(Datum::Int(*number)),
            NodeKind::Double(number) => Ok(Datum::Double(*number)),
            NodeKind::Text(text) => Ok(Datum::Text(Text::Given(text))),
            NodeKind::List(items) => {
                let items = items
                    .iter()
                    .map(|item| self.value(item))
                    .collect::<Result<Rc<[_]>, _>>()?;
                Ok(Datum::List(List::Made(items)))
            }
            NodeKind::Name(name) => self.name(name),
            NodeKind::Field { name, .. } => self.find(node)?.ok_or_else(|| EvaluationError::Absent {
                path: node.dotted().map_or_else(|| name.clone(), |path| path.join(".")),
            }),
            NodeKind::Has(field) => Ok(Datum::Bool(self.find(field)?.is_some())),
            NodeKind::Index { of, at } => self.item(of, at),
            NodeKind::Not(inner) => Ok(Datum::Bool(!self.truth(inner, "!")?)),
            NodeKind::Negate(inner) => match self.value(inner)? {
                Datum::Int(number) => number
                    .checked_neg()
                    .map(Datum::Int)
                    .ok_or(EvaluationError::Overflow),
                Datum::Double(number) => Ok(Datum::Double(-number)),
                other => Err(EvaluationError::unfit("-", &[&other])),
            },
            NodeKind::Logic(connective, operands) => {
                // The first `false` decides `&&`, the first `true` decides `||`.
                let decisive = *connective == Connective::Or;
                self.decide(decisive, operands.iter(), |evaluator, operand| {
                    evaluator.truth(operand, connective.as_str())
                })
            }
            NodeKind::Compare(comparison, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                compare(&mut self.work, *comparison, &left, &right).map(Datum::Bool)
            }
            NodeKind::In(item, list) => {
                let item = self.value(item)?;
                match self.value(list)? {
                    Datum::List(list) => holds(&mut self.work, &list, &item).map(Datum::Bool),
                    other => Err(EvaluationError::unfit("in", &[&item, &other])),
                }
            }
            NodeKind::Arithmetic(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.work.pay(copied(&left) + copied(&right))?;
                calculate(*operator, &left, &right)
            }
            NodeKind::Choose {
                condition,
                then,
                otherwise,
            } => {
                if self.truth(condition, "?")? {
                    self.value(then)
                } else {
                    self.value(otherwise)
                }
            }
            NodeKind::Size(inner) => self.size(inner),
            NodeKind::ToDouble(inner) => match self.value(inner)? {
                #[expect(
                    clippy::cast_precision_loss,
                    reason = "CEL's `double` rounds to the nearest double"
                )]
                Datum::Int(number) => Ok(Datum::Double(number as f64)),
                Datum::Double(number) => Ok(Datum::Double(number)),
                other => Err(EvaluationError::unfit("double", &[&other])),
            },
            NodeKind::TextTest { test, whole, part } => self.test(*test, whole, part),
            NodeKind::ForEach {
                walk,
                list,
                variable,
                body,
            } => self.for_each(*walk, list, variable, body),
        }
    }

    fn name(&self, name: &str) -> Outcome<'a> {
        let local = self.locals.iter().rev().find(|(local, _)| *local == name);
        local
            .map(|(_, value)| value.clone())
            .or_else(|| self.roots?.get(name).map(Datum::from))
            .ok_or_else(|| EvaluationError::UnknownName {
                name: name.to_owned(),
            })
    }

    /// The value at the end of a chain of fields; `None` if a field is absent.
    ///
    /// Objects behave like CEL messages, not maps: a field with the value `null` is unset, and so is everything below
    /// it.
    fn find(&mut self, node: &'a Node) -> Result<Option<Datum<'a>>, EvaluationError> {
        let NodeKind::Field { of, name } = &node.kind else {
            return self.value(node).map(Some);
        };
        match self.find(of)? {
            None => Ok(None),
            Some(Datum::Object(fields)) => Ok(field(fields, name)),
            Some(other) => Err(EvaluationError::unfit(".", &[&other])),
        }
    }

    fn item(&mut self, of: &'a Node, at: &'a Node) -> Outcome<'a> {
        let (of, at) = (self.value(of)?, self.value(at)?);
        // As in CEL, a double without a fraction works as an index.
        let index = match &at {
            Datum::Int(index) => Some(*index),
            Datum::Double(double) => whole(*double),
            _ => None,
        };
        let (Datum::List(list), Some(index)) = (&of, index) else {
            return Err(EvaluationError::unfit("[]", &[&of, &at]));
        };
        let position = usize::try_from(index).ok();
        position
            .and_then(|position| list.get(position))
            .ok_or(EvaluationError::OutOfRange {
                index,
                length: list.len(),
            })
    }

    fn truth(&mut self, node: &'a Node, operator: &'static str) -> Result<bool, EvaluationError> {
        match self.value(node)? {
            Datum::Bool(truth) => Ok(truth),
            other => Err(EvaluationError::unfit(operator, &[&other])),
        }
    }

    /// Evaluates the items one by one until a result is `decisive`. As in CEL, an error counts only if no other result
    /// decides: `error || true` is `true`.
    fn decide<I>(
        &mut self,
        decisive: bool,
        asked: impl Iterator<Item = I>,
        mut ask: impl FnMut(&mut Self, I) -> Result<bool, EvaluationError>,
    ) -> Outcome<'a> {
        let mut undecided = Ok(Datum::Bool(!decisive));
        for one in asked {
            match ask(self, one) {
                Ok(answer) if answer == decisive => return Ok(Datum::Bool(decisive)),
                Ok(_) => {}
                Err(error) => undecided = undecided.and(Err(error)),
            }
        }
        undecided
    }

    fn size(&mut self, inner: &'a Node) -> Outcome<'a> {
        let value = self.value(inner)?;
        self.work.pay(scanned(&value))?;
        let size = match &value {
            Datum::Text(text) => text.as_str().chars().count(),
            Datum::List(list) => list.len(),
            other => return Err(EvaluationError::unfit("size", &[other])),
        };
        i64::try_from(size)
            .map(Datum::Int)
            .map_err(|_| EvaluationError::Overflow)
    }

    fn test(&mut self, test: TextTest, whole: &'a Node, part: &'a Node) -> Outcome<'a> {
        let (whole, part) = (self.value(whole)?, self.value(part)?);
        self.work.pay(scanned(&whole))?;
        let (Datum::Text(long), Datum::Text(short)) = (&whole, &part) else {
            return Err(EvaluationError::unfit(test.as_str(), &[&whole, &part]));
        };
        let (long, short) = (long.as_str(), short.as_str());
        Ok(Datum::Bool(match test {
            TextTest::StartsWith => long.starts_with(short),
            TextTest::EndsWith => long.ends_with(short),
            TextTest::Contains => long.contains(short),
            TextTest::Matches => self.matches(long, short)?,
        }))
    }

    /// Whether a pattern matches anywhere in a string, as in CEL.
    fn matches(&mut self, text: &str, pattern: &str) -> Result<bool, EvaluationError> {
        if let Some((_, regex)) = self.patterns.iter().find(|(known, _)| known == pattern) {
            return Ok(regex.is_match(text));
        }
        self.work.pay(COMPILING)?;
        let regex = compile(pattern).map_err(|bad| EvaluationError::BadPattern { message: bad.message })?;
        let answer = regex.is_match(text);
        self.patterns.push((pattern.to_owned(), regex));
        Ok(answer)
    }

    fn for_each(&mut self, walk: Walk, list: &'a Node, variable: &'a str, body: &'a Node) -> Outcome<'a> {
        let list = match self.value(list)? {
            Datum::List(list) => list,
            other => return Err(EvaluationError::unfit(walk.as_str(), &[&other])),
        };
        let holds = |evaluator: &mut Self, item: Datum<'a>| {
            evaluator.with(variable, item, |evaluator| evaluator.truth(body, walk.as_str()))
        };
        match walk {
            Walk::All | Walk::Exists => self.decide(walk == Walk::Exists, list.iter(), holds),
            Walk::ExistsOne => {
                let mut count = 0_usize;
                for item in list.iter() {
                    count += usize::from(holds(self, item)?);
                }
                Ok(Datum::Bool(count == 1))
            }
            Walk::Filter => {
                let mut kept = Vec::new();
                for item in list.iter() {
                    if holds(self, item.clone())? {
                        kept.push(item);
                    }
                }
                Ok(Datum::List(List::Made(kept.into())))
            }
            Walk::Map => {
                let made = list
                    .iter()
                    .map(|item| self.with(variable, item, |evaluator| evaluator.value(body)))
                    .collect::<Result<Rc<[_]>, _>>()?;
                Ok(Datum::List(List::Made(made)))
            }
        }
    }

    /// Runs `then` with a variable bound.
    fn with<T>(&mut self, variable: &'a str, value: Datum<'a>, then: impl FnOnce(&mut Self) -> T) -> T {
        self.locals.push((variable, value));
        let result = then(self);
        self.locals.pop();
        result
    }

    /// Converts the value to JSON, which has no infinity and no NaN.
    fn export(&mut self, value: &Datum<'a>, depth: usize) -> Result<Value, EvaluationError> {
        if depth > MAX_DEPTH {
            return Err(EvaluationError::TooMuchWork);
        }
        self.work.pay(1)?;
        Ok(match value {
            Datum::Null => Value::Null,
            Datum::Bool(truth) => Value::Bool(*truth),
            Datum::Int(number) => Value::from(*number),
            Datum::Double(number) => serde_json::Number::from_f64(*number)
                .map(Value::Number)
                .ok_or(EvaluationError::NotFinite)?,
            Datum::Text(text) => {
                self.work.pay(scanned(value))?;
                Value::from(text.as_str())
            }
            Datum::List(list) => Value::Array(
                list.iter()
                    .map(|item| self.export(&item, depth + 1))
                    .collect::<Result<_, _>>()?,
            ),
            Datum::Object(fields) => Value::Object(
                fields
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), self.export(&Datum::from(value), depth + 1)?)))
                    .collect::<Result<_, _>>()?,
            ),
        })
    }
}
