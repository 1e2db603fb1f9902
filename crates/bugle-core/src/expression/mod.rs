//! Guards: a subset of CEL, parsed once, checked against declared types, evaluated without I/O.
//!
//! The semantics are [CEL's](https://github.com/google/cel-spec); a test compares every construct with an independent
//! implementation. The subset has literals (whole numbers, doubles, strings, `true`, `false`, `null`, lists), names,
//! fields, indexes, `! - * / % + < <= > >= == != in && || ?:`, `has`, `size`, `double`, `startsWith`, `endsWith`,
//! `contains`, `matches` and the macros `all`, `exists`, `exists_one`, `filter`, `map`.
//!
//! Choices that CEL leaves open for JSON:
//!
//! - A JSON number is an int if it is a whole number that fits into 64 bits, and a double otherwise. The two can be
//!   compared but not mixed in arithmetic. [`Type::conform`] converts a value to its declared number type; apply it
//!   to every value before evaluation.
//! - Objects behave like CEL messages: a field that is `null` is unset, and `has(a.b.c)` is `false`, not an error,
//!   if `a.b` is unset. Objects can be read only by field.
//! - `matches` finds its pattern anywhere in the string, as in CEL. The type check requires a literal pattern, so
//!   that it catches an invalid pattern before a run does.
//!
//! Nothing here panics or runs forever: source length, tree height and evaluation work are bounded.

mod calculate;
mod call;
mod check;
mod compare;
mod datum;
mod evaluate;
mod failing_item;
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

pub use failing_item::FailingItem;
pub use types::{Fields, Scope, Type};

/// A parsed expression. Expressions are equal if their sources are equal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Expression {
    source: String,
    root: syntax::Node,
}

/// The error for a source that does not parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// The error and, if known, the correct syntax.
    pub message: String,
    /// The byte offset of the error in the source.
    pub offset: usize,
}

/// The error for an expression that does not match the declared types.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TypeError {
    /// The error message.
    pub message: String,
    /// The byte offset of the error in the source.
    pub offset: usize,
    /// How to fix the error.
    pub fix: Option<String>,
}

/// The error for an expression that cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// An unknown name.
    #[error("unknown name `{name}`")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// An absent field.
    #[error("`{path}` is absent")]
    Absent {
        /// The field's full path.
        path: String,
    },
    /// Operands of the wrong kind.
    #[error("`{operation}` cannot be used with {found}")]
    Unfit {
        /// The operator or function.
        operation: &'static str,
        /// The operand kinds.
        found: String,
    },
    /// An index outside the list.
    #[error("index {index} is out of range for a list of length {length}")]
    OutOfRange {
        /// The index, starting at 0.
        index: i64,
        /// The list's length.
        length: usize,
    },
    /// A whole number that overflows 64 bits.
    #[error("a whole number does not fit into 64 bits")]
    Overflow,
    /// A whole number was divided by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An invalid regular expression.
    #[error("the pattern does not parse: {message}")]
    BadPattern {
        /// The parser's message.
        message: String,
    },
    /// An infinity or NaN, which JSON cannot represent.
    #[error("the result is not a finite number")]
    NotFinite,
    /// The guard exceeded its work limit.
    #[error("the expression exceeds the limit on evaluation steps")]
    TooMuchWork,
    /// A guard whose value is not a boolean.
    #[error("the expression must be true or false, but is {found}")]
    NotABoolean {
        /// The value's kind.
        found: &'static str,
    },
}

/// A dotted name in an expression, such as `state.extract.claims`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The root name and its fields.
    pub segments: Vec<String>,
    /// The byte offset in the source.
    pub offset: usize,
    /// Whether the name is the argument of `has(...)`.
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

    /// The source text.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The type of the value, or every type error.
    pub fn check(&self, scope: &Scope) -> Result<Type, Vec<TypeError>> {
        check::check(&self.root, scope)
    }

    /// Checks that the value is `true` or `false`, and that every type is known.
    pub fn check_strictly(&self, scope: &Scope) -> Result<(), Vec<TypeError>> {
        check::check_strictly(&self.root, scope)
    }

    /// Checks that the value is `true` or `false`.
    pub fn check_guard(&self, scope: &Scope) -> Result<(), Vec<TypeError>> {
        check::check_guard(&self.root, scope)
    }

    /// Every dotted name in the expression, in source order and at full length. Excludes macro variables.
    pub fn paths(&self) -> Vec<Path> {
        let mut found = Vec::new();
        collect_paths(&self.root, false, &mut Vec::new(), &mut found);
        found
    }

    /// The number, string and boolean literals in the expression.
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

    /// Evaluates the expression. `values` is an object with the value of each root name.
    pub fn evaluate(&self, values: &Value) -> Result<Value, EvaluationError> {
        evaluate::evaluate(&self.root, values)
    }

    /// The list items that make the expression false for `values`, if the expression tests all items of a named list.
    pub fn failing_items(&self, values: &Value) -> Vec<FailingItem> {
        failing_item::failing_items(&self.root, values)
    }

    /// Whether the guard is true for `values`.
    pub fn holds(&self, values: &Value) -> Result<bool, EvaluationError> {
        evaluate::is_true(&self.root, values)
    }
}

/// Collects the paths below `node`; `locals` are the variables of the enclosing macros.
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
    /// Prints only the source, which determines the tree.
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
