//! Guards: a subset of CEL, parsed once, checked against declared types, evaluated without I/O.
//!
//! What means what is [CEL's](https://github.com/google/cel-spec) business, and a test compares
//! every construct with an independent implementation. Supported are literals (whole numbers,
//! doubles, text, `true`, `false`, `null`, lists), names, fields, indexes, `! - * / % + < <= > >=
//! == != in && || ?:`, `has`, `size`, `double`, `startsWith`, `endsWith`, `contains`, `matches`
//! and the macros `all`, `exists`, `exists_one`, `filter`, `map`.
//!
//! Where JSON leaves CEL a choice:
//!
//! - A JSON number that 64 bits hold as whole is an int, any other a double. The two compare with
//!   each other and do not mix in arithmetic. [`Type::conform`] turns a value into the kind that its
//!   declaration asks for; do that to everything an expression will see.
//! - Objects are like CEL's messages: a field that holds `null` is unset, and `has(a.b.c)` is
//!   `false`, not an error, where `a.b` is unset already. They are read by field only.
//!
//! - `matches` looks for its pattern anywhere in the text, as CEL has it. The type check wants the
//!   pattern written out, so that one that does not parse is found before a run.
//!
//! Nothing here panics or runs away: sources, trees and the work of an evaluation are bounded.

mod calculate;
mod call;
mod check;
mod compare;
mod datum;
mod evaluate;
mod infix;
mod operands;
mod parse;
mod presence;
mod syntax;
mod token;
mod types;
mod work;

#[cfg(test)]
mod check_tests;
#[cfg(test)]
mod differential;
#[cfg(test)]
mod generator;
#[cfg(test)]
mod parse_tests;
#[cfg(test)]
mod soundness;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use types::{Fields, Scope, Type};

/// An expression that parses. Two are equal if they are spelled the same.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expression {
    source: String,
    root: syntax::Node,
}

/// Why a source is not an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// What is wrong and, where it can be told, how to write it.
    pub message: String,
    /// The byte of the source at which it is wrong.
    pub offset: usize,
}

/// Why an expression does not fit the types of what it names.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TypeError {
    /// What is wrong.
    pub message: String,
    /// The byte of the source at which it is wrong.
    pub offset: usize,
    /// How to write it.
    pub fix: Option<String>,
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// A name stands for nothing.
    #[error("there is no `{name}`")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// A field is not there.
    #[error("`{path}` is absent")]
    Absent {
        /// The field, with the names that lead to it.
        path: String,
    },
    /// An operation was given values of a kind it does not take.
    #[error("`{operation}` does not take {found}")]
    Unfit {
        /// The operator or function.
        operation: &'static str,
        /// What it was given.
        found: String,
    },
    /// A list has no such item.
    #[error("there is no item {index} in a list of {length}")]
    OutOfRange {
        /// Which item was asked for, counted from 0.
        index: i64,
        /// How many there are.
        length: usize,
    },
    /// A whole number left the range of 64 bits.
    #[error("a whole number grew beyond 64 bits")]
    Overflow,
    /// A whole number was divided by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A text is no regular expression.
    #[error("the pattern does not parse: {message}")]
    BadPattern {
        /// What is wrong with it.
        message: String,
    },
    /// The value is an infinity or no number at all, which JSON cannot hold.
    #[error("the result is not a finite number")]
    NotFinite,
    /// The expression asks for more work than a guard may do.
    #[error("the expression does too much work")]
    TooMuchWork,
    /// A guard was neither true nor false.
    #[error("a guard must be true or false, this is {found}")]
    NotABoolean {
        /// What it was.
        found: &'static str,
    },
}

/// A dotted name that an expression refers to, such as `state.extract.claims`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The name and the fields below it.
    pub segments: Vec<String>,
    /// The byte of the source at which it starts.
    pub offset: usize,
    /// Whether `has(...)` only asks if it is there.
    pub tested: bool,
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.segments.join("."))
    }
}

impl Expression {
    /// Parses a source.
    pub fn parse(source: &str) -> Result<Self, SyntaxError> {
        Ok(Self {
            root: parse::parse(source)?,
            source: source.to_owned(),
        })
    }

    /// The source.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The type of the value, or everything that does not fit the scope.
    pub fn check(&self, scope: &Scope) -> Result<Type, Vec<TypeError>> {
        check::check(&self.root, scope)
    }

    /// Checks that the value is `true` or `false`, and that the type of everything it reads is known.
    pub fn check_strictly(&self, scope: &Scope) -> Result<(), Vec<TypeError>> {
        check::check_strictly(&self.root, scope)
    }

    /// Checks that the value is `true` or `false`, as a guard must be.
    pub fn check_guard(&self, scope: &Scope) -> Result<(), Vec<TypeError>> {
        check::check_guard(&self.root, scope)
    }

    /// Every dotted name that the expression refers to, as long as it goes, in source order.
    /// The variables of macros are not among them.
    pub fn paths(&self) -> Vec<Path> {
        let mut found = Vec::new();
        collect_paths(&self.root, false, &mut Vec::new(), &mut found);
        found
    }

    /// The numbers, texts and truths that are spelled out in the expression.
    pub fn literals(&self) -> Vec<Value> {
        let mut found = Vec::new();
        let mut open = vec![&self.root];
        while let Some(node) = open.pop() {
            match &node.kind {
                syntax::NodeKind::Bool(truth) => found.push(Value::Bool(*truth)),
                syntax::NodeKind::Int(number) => found.push(Value::from(*number)),
                syntax::NodeKind::Double(number) => found.push(Value::from(*number)),
                syntax::NodeKind::Text(text) => found.push(Value::String(text.clone())),
                kind => open.extend(kind.children()),
            }
        }
        found
    }

    /// The value over `values`, an object that holds what each name stands for.
    pub fn evaluate(&self, values: &Value) -> Result<Value, EvaluationError> {
        evaluate::evaluate(&self.root, values)
    }

    /// Whether the guard holds over `values`.
    pub fn holds(&self, values: &Value) -> Result<bool, EvaluationError> {
        evaluate::is_true(&self.root, values)
    }
}

/// Collects below `node`; `locals` are the variables of the macros around it.
fn collect_paths<'n>(node: &'n syntax::Node, tested: bool, locals: &mut Vec<&'n str>, found: &mut Vec<Path>) {
    if let Some(segments) = node.dotted() {
        if segments.first().is_some_and(|name| !locals.contains(name)) {
            let segments = segments.into_iter().map(str::to_owned).collect();
            found.push(Path {
                segments,
                offset: node.start(),
                tested,
            });
        }
        return;
    }
    match &node.kind {
        syntax::NodeKind::Has(field) => collect_paths(field, true, locals, found),
        syntax::NodeKind::ForEach {
            list, variable, body, ..
        } => {
            collect_paths(list, false, locals, found);
            locals.push(variable);
            collect_paths(body, false, locals, found);
            locals.pop();
        }
        kind => kind
            .children()
            .into_iter()
            .for_each(|child| collect_paths(child, false, locals, found)),
    }
}

impl EvaluationError {
    fn unfit(operation: &'static str, given: &[&datum::Datum<'_>]) -> Self {
        let given: Vec<&str> = given.iter().map(|value| value.describe()).collect();
        Self::Unfit {
            operation,
            found: given.join(" and "),
        }
    }
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Expression {}

impl fmt::Debug for Expression {
    /// The source alone: the tree follows from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.source).finish()
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl FromStr for Expression {
    type Err = SyntaxError;

    fn from_str(source: &str) -> Result<Self, SyntaxError> {
        Self::parse(source)
    }
}

impl TryFrom<String> for Expression {
    type Error = SyntaxError;

    fn try_from(source: String) -> Result<Self, SyntaxError> {
        Ok(Self {
            root: parse::parse(&source)?,
            source,
        })
    }
}

impl From<Expression> for String {
    fn from(expression: Expression) -> Self {
        expression.source
    }
}
