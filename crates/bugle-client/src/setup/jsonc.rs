//! Parses JSON as clients do, with comments and trailing commas. Records the position of each value.

use jsonc_parser::ast::{self, ObjectPropName};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::splice::EditError;

/// Extensions of JSON that clients accept: comments and trailing commas.
const CLIENT_JSON: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A value and its byte range in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// The kind of a value, with only the details that edits need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Text(String),
    /// A number, true, false or null.
    Other,
}

/// An item of an object or array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// In an object, the start of the key; in an array, the start of the value.
    pub start: usize,
    /// Empty in an array.
    pub key: String,
    pub value: Node,
    /// The position of the comma after the item.
    pub comma: Option<usize>,
}

impl Node {
    /// The items of an object or array; empty for other values.
    pub(crate) fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Object(items) | Kind::Array(items) => items,
            Kind::Text(_) | Kind::Other => &[],
        }
    }

    /// The index of an object's member. If a key is duplicated, the last member counts.
    pub(crate) fn position(&self, key: &str) -> Option<usize> {
        match &self.kind {
            Kind::Object(items) => items.iter().rposition(|item| item.key == key),
            _ => None,
        }
    }

    /// A member of an object.
    pub(crate) fn member(&self, key: &str) -> Option<&Node> {
        self.position(key).map(|index| &self.items()[index].value)
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The strings in an array that contains only strings.
    pub(crate) fn texts(&self) -> Option<Vec<&str>> {
        match &self.kind {
            Kind::Array(items) => items.iter().map(|item| item.value.text()).collect(),
            _ => None,
        }
    }
}

/// Reads a whole document.
pub(crate) fn parse(text: &str) -> Result<Node, EditError> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::Off,
        tokens: true,
    };
    let json = text.trim_start_matches('\u{feff}');
    let offset = text.len() - json.len();
    let parsed = parse_to_ast(json, &collect, &CLIENT_JSON).map_err(|error| {
        let message = error.kind().to_string();
        EditError::at(text, offset + error.range().start, lower_first(&message))
    })?;
    let reader = Reader {
        offset,
        tokens: parsed.tokens.unwrap_or_default(),
    };
    match parsed.value {
        Some(value) => Ok(reader.node(&value)),
        None => Err(EditError::at(text, text.len(), "expected a value")),
    }
}

fn lower_first(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

struct Reader<'a> {
    /// The length of the byte order mark before the document.
    offset: usize,
    tokens: Vec<TokenAndRange<'a>>,
}

impl Reader<'_> {
    fn node(&self, value: &ast::Value<'_>) -> Node {
        let kind = match value {
            ast::Value::Object(object) => {
                let properties = object.properties.iter();
                let items = properties.map(|property| {
                    let key = match &property.name {
                        ObjectPropName::String(name) => name.value.to_string(),
                        ObjectPropName::Word(name) => name.value.to_owned(),
                    };
                    self.item(property.start(), key, &property.value)
                });
                Kind::Object(items.collect())
            }
            ast::Value::Array(array) => {
                let elements = array.elements.iter();
                let items = elements.map(|element| self.item(element.start(), String::new(), element));
                Kind::Array(items.collect())
            }
            ast::Value::StringLit(text) => Kind::Text(text.value.to_string()),
            ast::Value::NumberLit(_) | ast::Value::BooleanLit(_) | ast::Value::NullKeyword(_) => Kind::Other,
        };
        Node {
            start: self.offset + value.start(),
            end: self.offset + value.end(),
            kind,
        }
    }

    fn item(&self, start: usize, key: String, value: &ast::Value<'_>) -> Item {
        let next = self
            .tokens
            .partition_point(|token| token.range.start < value.end());
        let comma = self.tokens.get(next).filter(|token| token.token == Token::Comma);
        Item {
            start: self.offset + start,
            key,
            value: self.node(value),
            comma: comma.map(|comma| self.offset + comma.range.start),
        }
    }
}
