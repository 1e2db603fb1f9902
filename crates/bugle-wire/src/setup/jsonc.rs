//! Reads JSON as clients read their settings, with comments and trailing commas, and keeps where everything stands.

use super::splice::EditError;

/// A value deeper than this is no settings file.
const DEEPEST: usize = 100;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
}

/// What a value is, as far as it matters to whoever edits around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    Object(Vec<Item>),
    Array(Vec<Item>),
    Text(String),
    /// A number, true, false or null.
    Other,
}

/// What an object or array holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// The key's start in an object, the value's in an array.
    pub start: usize,
    /// Empty in an array.
    pub key: String,
    pub value: Node,
    /// Where the comma behind it stands.
    pub comma: Option<usize>,
}

impl Node {
    /// What it holds; nothing if it can hold nothing.
    pub(crate) fn items(&self) -> &[Item] {
        match &self.kind {
            Kind::Object(items) | Kind::Array(items) => items,
            Kind::Text(_) | Kind::Other => &[],
        }
    }

    /// The index of a member of an object. Of several with one key, readers take the last.
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

    /// The texts of an array that holds nothing else.
    pub(crate) fn texts(&self) -> Option<Vec<&str>> {
        match &self.kind {
            Kind::Array(items) => items.iter().map(|item| item.value.text()).collect(),
            _ => None,
        }
    }
}

/// Reads a whole document.
pub(crate) fn parse(text: &str) -> Result<Node, EditError> {
    let mut reader = Reader {
        text,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
    };
    reader.trivia()?;
    let node = reader.value(0)?;
    reader.trivia()?;
    if reader.at < text.len() {
        return Err(reader.error("nothing may follow the document"));
    }
    Ok(node)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, what: &str) -> EditError {
        let what = if self.at >= self.text.len() {
            format!("the file ends too early: {what}")
        } else {
            what.to_owned()
        };
        EditError::at(self.text, self.at, what)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Goes past white space and comments.
    fn trivia(&mut self) -> Result<(), EditError> {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with([' ', '\t', '\n', '\r']) {
                self.at += 1;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.at += rest
                    .find("*/")
                    .ok_or_else(|| self.error("this comment is never closed"))?
                    + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, EditError> {
        if depth > DEEPEST {
            return Err(self.error("values are nested too deep"));
        }
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(self.items(b'}', depth)?),
            Some(b'[') => Kind::Array(self.items(b']', depth)?),
            Some(b'"') => Kind::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node {
            start,
            end: self.at,
            kind,
        })
    }

    fn items(&mut self, close: u8, depth: usize) -> Result<Vec<Item>, EditError> {
        self.at += 1;
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.trivia()?;
            if self.take(close) {
                return Ok(items);
            }
            if items.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.error("a comma or the end of the list is missing here"));
            }
            let start = self.at;
            let mut key = String::new();
            if close == b'}' {
                if self.peek() != Some(b'"') {
                    return Err(self.error("a key in double quotes is expected here"));
                }
                key = self.string()?;
                self.trivia()?;
                if !self.take(b':') {
                    return Err(self.error("a colon is expected here"));
                }
                self.trivia()?;
            }
            let value = self.value(depth + 1)?;
            self.trivia()?;
            let comma = self.take(b',').then(|| self.at - 1);
            items.push(Item {
                start,
                key,
                value,
                comma,
            });
        }
    }

    fn string(&mut self) -> Result<String, EditError> {
        let start = self.at;
        let mut escaped = false;
        let inner = self.text.as_bytes()[start + 1..].iter();
        let length = inner
            .take_while(|byte| {
                let ends = **byte == b'"' && !escaped;
                escaped = **byte == b'\\' && !escaped;
                !ends
            })
            .count();
        let end = start + length + 2;
        let read = self.text.get(start..end).map(serde_json::from_str::<String>);
        match read {
            Some(Ok(text)) => {
                self.at = end;
                Ok(text)
            }
            Some(Err(_)) => {
                Err(self.error("this text has a line break or an escape that JSON does not know"))
            }
            None => Err(self.error("this text is never closed")),
        }
    }

    fn word(&mut self) -> Result<Kind, EditError> {
        let rest = &self.text[self.at..];
        let length = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')))
            .unwrap_or(rest.len());
        if serde_json::from_str::<serde_json::Value>(&rest[..length]).is_err() {
            return Err(self.error("a value is expected here"));
        }
        self.at += length;
        Ok(Kind::Other)
    }
}
