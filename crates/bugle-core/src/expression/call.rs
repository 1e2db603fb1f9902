//! The functions and macros in expressions.

use super::syntax::{Node, NodeKind, TextTest, Walk};
use crate::did_you_mean::nearest;

/// A call, identified by its name and whether it is called on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signature {
    /// `has(a.b)`
    Has,
    /// `size(x)`
    SizeOf,
    /// `double(x)`
    ToDouble,
    /// `x.size()`
    Size,
    /// `x.contains(y)` and similar.
    TextTest(TextTest),
    /// `x.all(item, ...)` and similar.
    Walk(Walk),
}

impl Signature {
    const FUNCTIONS: [Self; 3] = [Self::Has, Self::SizeOf, Self::ToDouble];

    fn methods() -> impl Iterator<Item = Self> {
        let tests = TextTest::ALL.iter().copied().map(Self::TextTest);
        let walks = Walk::ALL.iter().copied().map(Self::Walk);
        std::iter::once(Self::Size).chain(tests).chain(walks)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Has => "has",
            Self::SizeOf | Self::Size => "size",
            Self::ToDouble => "double",
            Self::TextTest(test) => test.as_str(),
            Self::Walk(walk) => walk.as_str(),
        }
    }

    /// How to write the call.
    fn usage(self) -> String {
        match self {
            Self::Has => "has(value.field)".to_owned(),
            Self::SizeOf => "size(value)".to_owned(),
            Self::ToDouble => "double(number)".to_owned(),
            Self::Size => "value.size()".to_owned(),
            Self::TextTest(TextTest::Matches) => "text.matches('pattern')".to_owned(),
            Self::TextTest(test) => format!("text.{}(part)", test.as_str()),
            Self::Walk(Walk::Map) => "list.map(item, expression)".to_owned(),
            Self::Walk(walk) => format!("list.{}(item, condition)", walk.as_str()),
        }
    }

    pub(super) fn find(name: &str, on_value: bool) -> Option<Self> {
        if on_value {
            let size = (name == Self::Size.name()).then_some(Self::Size);
            size.or_else(|| TextTest::from_word(name).map(Self::TextTest))
                .or_else(|| Walk::from_word(name).map(Self::Walk))
        } else {
            Self::FUNCTIONS.into_iter().find(|one| one.name() == name)
        }
    }

    /// The node for a call with these operands, or an error that shows the correct usage.
    pub(super) fn build(self, on: Option<Box<Node>>, arguments: Vec<Node>) -> Result<NodeKind, String> {
        let mut arguments = arguments.into_iter().map(Box::new);
        let parts = (on, arguments.next(), arguments.next(), arguments.next());
        match (self, parts) {
            (Self::Has, (None, Some(field), None, None)) if matches!(field.kind, NodeKind::Field { .. }) => {
                Ok(NodeKind::Has(field))
            }
            (Self::SizeOf, (None, Some(of), None, None)) | (Self::Size, (Some(of), None, None, None)) => {
                Ok(NodeKind::Size(of))
            }
            (Self::ToDouble, (None, Some(number), None, None)) => Ok(NodeKind::ToDouble(number)),
            (Self::TextTest(test), (Some(whole), Some(part), None, None)) => {
                Ok(NodeKind::TextTest { test, whole, part })
            }
            (Self::Walk(walk), (Some(list), Some(item), Some(body), None)) => match item.kind {
                NodeKind::Name(variable) => Ok(NodeKind::ForEach {
                    walk,
                    list,
                    variable,
                    body,
                }),
                _ => Err(format!(
                    "the first argument of `{}` must be a variable name: write `{}`",
                    self.name(),
                    self.usage()
                )),
            },
            _ => Err(format!(
                "invalid call to `{}`: write `{}`",
                self.name(),
                self.usage()
            )),
        }
    }
}

/// The error for an unknown function, with a suggestion.
pub(super) fn no_such_function(name: &str, on_value: bool) -> String {
    if let Some(other) = Signature::find(name, !on_value) {
        return format!("invalid call to `{name}`: write `{}`", other.usage());
    }
    let known: Vec<&str> = if on_value {
        Signature::methods().map(Signature::name).collect()
    } else {
        Signature::FUNCTIONS.into_iter().map(Signature::name).collect()
    };
    match nearest(name, known.iter().copied()) {
        Some(close) => format!("there is no function `{name}`: did you mean `{close}`?"),
        None => format!("there is no function `{name}`; available: {}", known.join(", ")),
    }
}
