//! The type checker: checks an expression against the declared types before it is evaluated.

use super::TypeError;
use super::operands::{arithmetic, comparison, membership};
use super::presence::{Place, proven};
use super::syntax::{Connective, Node, NodeKind, TextTest, Walk};
use super::types::{Scope, Type};
use crate::did_you_mean::nearest;
use crate::pattern::compile;
use crate::shape::Presence;

/// The type of the tree, or every type error.
pub(super) fn check(root: &Node, scope: &Scope) -> Result<Type, Vec<TypeError>> {
    infer(root, scope, Strictness::Lenient)
}

/// Like [`check`], but the value must also be `true` or `false`.
pub(super) fn check_guard(root: &Node, scope: &Scope) -> Result<(), Vec<TypeError>> {
    truth(root, check(root, scope)?)
}

/// Like [`check_guard`], but every type must also be known.
pub(super) fn check_strictly(root: &Node, scope: &Scope) -> Result<(), Vec<TypeError>> {
    truth(root, infer(root, scope, Strictness::Strict)?)
}

/// How strictly to check types. Guards are checked leniently. A step's checks are checked strictly: they may not read
/// fields of values with an unknown type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Lenient,
    Strict,
}

fn infer(root: &Node, scope: &Scope, strictness: Strictness) -> Result<Type, Vec<TypeError>> {
    let mut checker = Checker {
        scope,
        strictness,
        locals: Vec::new(),
        present: Vec::new(),
        errors: Vec::new(),
    };
    let found = checker.infer(root);
    if checker.errors.is_empty() {
        Ok(found)
    } else {
        Err(checker.errors)
    }
}

fn truth(root: &Node, found: Type) -> Result<(), Vec<TypeError>> {
    match found {
        Type::Bool | Type::Unknown => Ok(()),
        other => Err(vec![TypeError {
            message: format!("the expression must be true or false, but is {other}"),
            offset: root.offset,
            fix: truth_of(&other).map(str::to_owned),
        }]),
    }
}

/// How to write a condition where other languages rely on truthiness.
fn truth_of(found: &Type) -> Option<&'static str> {
    match found {
        Type::List(_) => Some("compare the list's size: `size(...) > 0`"),
        Type::String => Some("compare the text: `... != \"\"`"),
        Type::Int | Type::Double => Some("compare the number: `... > 0`"),
        Type::Enum(_) => Some("compare the value with one of the choices: `... == \"...\"`"),
        Type::Object(_) => Some("test for a field: `has(....field)`"),
        Type::Null | Type::Bool | Type::Unknown => None,
    }
}

struct Checker<'a> {
    scope: &'a Scope,
    strictness: Strictness,
    /// The variables of the enclosing macros, innermost last.
    locals: Vec<(&'a str, Type)>,
    /// The values that `has(...)` has proven to be present so far.
    present: Vec<Place>,
    errors: Vec<TypeError>,
}

impl<'a> Checker<'a> {
    fn fail(&mut self, offset: usize, message: String, fix: Option<String>) -> Type {
        self.errors.push(TypeError { message, offset, fix });
        Type::Unknown
    }

    fn wrong_type(&mut self, offset: usize, needs: &str, found: &Type) -> Type {
        self.fail(offset, format!("{needs}, but the value is {found}"), None)
    }

    /// Unwraps the result of an operator's type rules, and reports an error at `offset`.
    fn settle(&mut self, offset: usize, outcome: Result<Type, (String, Option<String>)>) -> Type {
        outcome.unwrap_or_else(|(message, fix)| self.fail(offset, message, fix))
    }

    fn place_of(&self, node: &Node) -> Option<Place> {
        Place::of(node, &self.local_names())
    }

    fn local_names(&self) -> Vec<&'a str> {
        self.locals.iter().map(|(name, _)| *name).collect()
    }

    fn infer(&mut self, node: &'a Node) -> Type {
        match &node.kind {
            NodeKind::Null => Type::Null,
            NodeKind::Bool(_) => Type::Bool,
            NodeKind::Int(_) => Type::Int,
            NodeKind::Double(_) => Type::Double,
            NodeKind::Text(_) => Type::String,
            NodeKind::List(items) => self.list(items),
            NodeKind::Name(name) => self.name(name, node.offset),
            NodeKind::Field { .. } => self.field(node),
            NodeKind::Has(field) => {
                self.read(field);
                Type::Bool
            }
            NodeKind::Index { of, at } => self.index(node, of, at),
            NodeKind::Not(inner) => {
                self.condition(inner, "`!`");
                Type::Bool
            }
            NodeKind::Negate(inner) => match self.infer(inner) {
                number if number.is_number() => number,
                other => self.wrong_type(node.offset, "`-` needs a number", &other),
            },
            NodeKind::Logic(connective, operands) => self.logic(*connective, operands),
            NodeKind::Compare(operator, left, right) => {
                let types = (self.infer(left), self.infer(right));
                let place = self.place_of(left).or_else(|| self.place_of(right));
                let outcome = comparison(*operator, (left, &types.0), (right, &types.1), place.as_ref());
                self.settle(node.offset, outcome)
            }
            NodeKind::In(item, list) => {
                let types = (self.infer(item), self.infer(list));
                let outcome = membership((item, &types.0), (list, &types.1));
                self.settle(node.offset, outcome)
            }
            NodeKind::Arithmetic(operator, left, right) => {
                let types = (self.infer(left), self.infer(right));
                let outcome = arithmetic(*operator, (left, &types.0), (right, &types.1));
                self.settle(node.offset, outcome)
            }
            NodeKind::Choose {
                condition,
                then,
                otherwise,
            } => self.choose(node, condition, then, otherwise),
            NodeKind::Size(inner) => match self.infer(inner) {
                Type::List(_) | Type::String | Type::Enum(_) | Type::Unknown => Type::Int,
                other => self.wrong_type(node.offset, "`size` needs a list or text", &other),
            },
            NodeKind::ToDouble(inner) => match self.infer(inner) {
                number if number.is_number() => Type::Double,
                other => self.wrong_type(node.offset, "`double` needs a number", &other),
            },
            NodeKind::TextTest { test, whole, part } => {
                for operand in [whole, part] {
                    let found = self.infer(operand);
                    if !found.is_text() {
                        let is_list = matches!(found, Type::List(_));
                        let fix = is_list.then(|| "test for a list item with `item in list`".to_owned());
                        let message = format!("`{}` needs text, but the value is {found}", test.as_str());
                        self.fail(operand.offset, message, fix);
                    }
                }
                if *test == TextTest::Matches {
                    self.pattern(part);
                }
                Type::Bool
            }
            NodeKind::ForEach {
                walk,
                list,
                variable,
                body,
            } => self.for_each(*walk, list, variable, body),
        }
    }

    /// A pattern must be a literal, so that it can be checked here.
    fn pattern(&mut self, node: &Node) {
        let NodeKind::Text(source) = &node.kind else {
            let fix = "write the pattern in quotes: `text.matches('^[a-z]+$')`".to_owned();
            self.fail(
                node.offset,
                "`matches` needs a pattern in quotes".to_owned(),
                Some(fix),
            );
            return;
        };
        if let Err(bad) = compile(source) {
            let message = format!("the pattern does not parse: {bad}");
            let fix = "write a regular expression, and `\\\\` for a backslash".to_owned();
            self.fail(node.offset, message, Some(fix));
        }
    }

    fn name(&mut self, name: &str, offset: usize) -> Type {
        let local = self
            .locals
            .iter()
            .rev()
            .find(|(local, _)| *local == name)
            .map(|(_, holds)| holds);
        if let Some(holds) = local.or_else(|| self.scope.get(name)) {
            return holds.clone();
        }
        let known: Vec<&str> = self
            .locals
            .iter()
            .map(|(local, _)| *local)
            .chain(self.scope.names())
            .collect();
        self.fail(
            offset,
            format!("unknown name `{name}`"),
            Some(suggestion(name, &known)),
        )
    }

    /// The type of a field that must be present.
    fn field(&mut self, node: &'a Node) -> Type {
        let (found, missing) = self.read(node);
        if let Some(missing) = missing {
            let fix = self.place_of(node).map_or_else(
                || "use the field inside a macro: `list.exists(item, has(item.field) && ...)`".to_owned(),
                |place| match self.strictness {
                    // Only the author knows whether a result without the field should pass.
                    Strictness::Strict => format!(
                        "write `has({place}) && ...` if it is required, or `!has({place}) || ...` if it is optional"
                    ),
                    Strictness::Lenient => {
                        format!("write `has({place}) && ...` or `has({place}) ? {place} : ...`")
                    }
                },
            );
            self.fail(node.start(), format!("`{missing}` may be absent"), Some(fix));
        }
        found
    }

    /// The type at the end of a chain of fields, and the chain's first optional field that is not proven to be present.
    fn read(&mut self, node: &'a Node) -> (Type, Option<String>) {
        let NodeKind::Field { of, name } = &node.kind else {
            return (self.infer(node), None);
        };
        let (owner, missing) = self.read(of);
        let fields = match &owner {
            Type::Object(fields) => fields,
            Type::Unknown => {
                if self.strictness == Strictness::Strict && self.errors.is_empty() {
                    let message = format!("the value before `.{name}` has an unknown type");
                    let fix = "use only values with a declared type: params, results and their fields";
                    self.fail(node.offset, message, Some(fix.to_owned()));
                }
                return (Type::Unknown, missing);
            }
            other => {
                let message = format!("`.{name}` needs an object, but the value is {other}");
                return (self.fail(node.offset, message, None), missing);
            }
        };
        let Some((holds, presence)) = fields.get(name) else {
            let known: Vec<&str> = fields.names().collect();
            let fix = Some(suggestion(name, &known));
            let owner = self
                .place_of(of)
                .map_or_else(|| "this object".to_owned(), |place| format!("`{place}`"));
            return (
                self.fail(node.offset, format!("{owner} has no `{name}`"), fix),
                missing,
            );
        };
        let place = self.place_of(node);
        let safe = presence == Presence::Required
            || place
                .as_ref()
                .is_some_and(|place| self.present.iter().any(|known| known.proves(place)));
        let itself = || place.map_or_else(|| name.clone(), |place| place.to_string());
        (holds.clone(), missing.or_else(|| (!safe).then(itself)))
    }

    fn index(&mut self, node: &'a Node, of: &'a Node, at: &'a Node) -> Type {
        let position = self.infer(at);
        match (self.infer(of), position) {
            (Type::Unknown, _) => Type::Unknown,
            (Type::List(items), Type::Int | Type::Unknown) => *items,
            (Type::List(_), other) => {
                self.wrong_type(at.offset, "a list index must be a whole number", &other)
            }
            (Type::Object(_), _) => {
                let fix = Some("write `.` and the field name".to_owned());
                self.fail(node.offset, "an object cannot be indexed".to_owned(), fix)
            }
            (other, _) => self.wrong_type(node.offset, "`[...]` needs a list", &other),
        }
    }

    fn list(&mut self, items: &'a [Node]) -> Type {
        let mut all = Type::Unknown;
        for item in items {
            let found = self.infer(item);
            all = if let Some(both) = all.unite(&found) {
                both
            } else {
                let message = format!("list items must have the same type, but {found} follows {all}");
                self.fail(item.offset, message, one_kind_of_number(&found, &all));
                all
            };
        }
        Type::List(Box::new(all))
    }

    fn choose(&mut self, node: &Node, condition: &'a Node, then: &'a Node, otherwise: &'a Node) -> Type {
        self.condition(condition, "`?`");
        let yes = self.assuming(condition, true, |checker| checker.infer(then));
        let no = self.assuming(condition, false, |checker| checker.infer(otherwise));
        yes.unite(&no).unwrap_or_else(|| {
            let message = format!("both branches of `?:` must have the same type, but are {yes} and {no}");
            self.fail(node.offset, message, one_kind_of_number(&yes, &no))
        })
    }

    /// An operand is evaluated only if the earlier operands did not decide the outcome. So it can read the values that
    /// they prove to be present.
    fn logic(&mut self, connective: Connective, operands: &'a [Node]) -> Type {
        let before = self.present.len();
        for operand in operands {
            self.condition(operand, &format!("`{}`", connective.as_str()));
            let proofs = proven(operand, connective == Connective::And, &self.local_names());
            self.present.extend(proofs);
        }
        self.present.truncate(before);
        Type::Bool
    }

    fn assuming<T>(&mut self, condition: &Node, outcome: bool, then: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.present.len();
        let proofs = proven(condition, outcome, &self.local_names());
        self.present.extend(proofs);
        let result = then(self);
        self.present.truncate(before);
        result
    }

    fn condition(&mut self, node: &'a Node, whose: &str) {
        let found = self.infer(node);
        if !matches!(found, Type::Bool | Type::Unknown) {
            let message = format!("{whose} needs true or false, but the value is {found}");
            self.fail(node.offset, message, truth_of(&found).map(str::to_owned));
        }
    }

    fn for_each(&mut self, walk: Walk, list: &'a Node, variable: &'a str, body: &'a Node) -> Type {
        let items = match self.infer(list) {
            Type::List(items) => *items,
            Type::Unknown => Type::Unknown,
            other => self.fail(
                list.offset,
                format!("`{}` needs a list, but the value is {other}", walk.as_str()),
                None,
            ),
        };
        self.locals.push((variable, items.clone()));
        let result = match walk {
            Walk::Map => Type::List(Box::new(self.infer(body))),
            Walk::Filter | Walk::All | Walk::Exists | Walk::ExistsOne => {
                self.condition(body, &format!("`{}`", walk.as_str()));
                if walk == Walk::Filter {
                    Type::List(Box::new(items))
                } else {
                    Type::Bool
                }
            }
        };
        self.locals.pop();
        result
    }
}

fn one_kind_of_number(one: &Type, two: &Type) -> Option<String> {
    let mixed = one.is_number() && two.is_number();
    mixed.then(|| "write whole numbers with a decimal point, such as `2.0`, or use `double(...)`".to_owned())
}

/// A hint with the closest known name, or with all known names.
fn suggestion(wrong: &str, known: &[&str]) -> String {
    match nearest(wrong, known.iter().copied()) {
        Some(close) => format!("did you mean `{close}`?"),
        None if known.is_empty() => "no names are in scope".to_owned(),
        None => format!("available: {}", known.join(", ")),
    }
}
