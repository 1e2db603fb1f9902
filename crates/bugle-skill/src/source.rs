//! Maps dotted keys to byte ranges of a YAML file.

use std::collections::HashMap;

use bugle_core::validate::ProblemLocation;
use granit_parser::{Event, Parser, Span as ParserSpan};

use crate::scalar::Scalar;

/// Maximum total length of all recorded paths. Every value has its own path, so deep nesting around a long list would
/// take too much memory. Beyond the limit, a value gets the location of its nearest recorded parent.
const MAX_PATH_BYTES: usize = 8 * 1024 * 1024;

/// A byte range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// The locations of all keys and values of a YAML file.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    places: HashMap<String, Entry>,
    text: String,
    /// The text's offset in the file.
    shift: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    key: Option<Span>,
    value: Span,
    /// The value, if its YAML source is spelled differently.
    scalar: Option<Scalar>,
}

impl SourceMap {
    /// Reads the locations in YAML text; `shift` is the text's offset in the file. If the YAML is invalid, only the
    /// text before the error has locations.
    pub fn of(text: &str, shift: usize) -> Self {
        if text.len() > crate::MAX_FILE_BYTES {
            return Self::default();
        }
        let mut reader = Reader {
            path_bytes: 0,
            map: Self::default(),
            stack: Vec::new(),
            text,
            shift,
        };
        for event in Parser::new_from_str(text) {
            let Ok((event, span)) = event else { break };
            if reader.path_bytes > MAX_PATH_BYTES {
                break;
            }
            reader.take(&event, span);
        }
        text.clone_into(&mut reader.map.text);
        reader.map.shift = shift;
        reader.map
    }

    /// The byte range of a location: its key, or the nearest parent.
    pub fn locate(&self, place: &ProblemLocation) -> Option<Span> {
        match place {
            ProblemLocation::Key { path, .. } => {
                let entry = self.nearest(path)?;
                Some(entry.key.unwrap_or(entry.value))
            }
            ProblemLocation::Inside { path, offset, .. } => {
                let entry = self.nearest(path)?;
                Some(self.word_at(entry, *offset))
            }
            ProblemLocation::Bytes { start, end, .. } => Some(Span {
                start: *start,
                end: *end,
            }),
            ProblemLocation::File(_) => None,
        }
    }

    /// Whether the file has this key.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.places.contains_key(path)
    }

    /// The byte range of the word at an offset in a value, or of the whole value for offset 0.
    fn word_at(&self, entry: &Entry, offset: usize) -> Span {
        let value = entry.value;
        let inner = value.start.saturating_sub(self.shift)..value.end.saturating_sub(self.shift);
        let source = self.text.get(inner).unwrap_or_default();
        if offset == 0 || source.is_empty() {
            return value;
        }
        let start = match &entry.scalar {
            Some(scalar) => scalar.source_offset(source, offset),
            None => source.floor_char_boundary(offset),
        };
        let rest = &source[start..];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let length = match word.trim_end_matches(['.', '-']).len() {
            0 => rest.find(char::is_whitespace).unwrap_or(rest.len()),
            length => length,
        };
        Span {
            start: value.start + start,
            end: value.start + start + length,
        }
    }

    fn nearest(&self, path: &str) -> Option<&Entry> {
        let mut path = path;
        loop {
            if let Some(entry) = self.places.get(path) {
                return Some(entry);
            }
            path = path.rsplit_once('.')?.0;
        }
    }
}

/// A container that is being read.
enum Frame {
    Map {
        path: String,
        key: Option<(String, Span)>,
        at_key: bool,
    },
    List {
        path: String,
        index: usize,
    },
}

struct Reader<'a> {
    path_bytes: usize,
    map: SourceMap,
    stack: Vec<Frame>,
    text: &'a str,
    shift: usize,
}

impl Reader<'_> {
    fn span(&self, span: ParserSpan) -> Span {
        let end_of_text = self.text.len();
        let bytes = span.byte_range().unwrap_or(end_of_text..end_of_text);
        Span {
            start: bytes.start + self.shift,
            end: bytes.end.max(bytes.start) + self.shift,
        }
    }

    fn take(&mut self, event: &Event<'_>, at: ParserSpan) {
        let span = self.span(at);
        match event {
            Event::Scalar(text, ..) => {
                if let Some(Frame::Map {
                    key,
                    at_key: at_key @ true,
                    ..
                }) = self.stack.last_mut()
                {
                    *key = Some((text.to_string(), span));
                    *at_key = false;
                } else {
                    // Quotes belong to the source, not to the value.
                    let quote = self.text[span.start - self.shift..].chars().next();
                    let quote = quote.filter(|c| matches!(c, '"' | '\''));
                    let quoted = quote.is_some();
                    let inner = Span {
                        start: span.start + usize::from(quoted),
                        end: span
                            .end
                            .saturating_sub(usize::from(quoted))
                            .max(span.start + usize::from(quoted)),
                    };
                    let source = self.text.get(inner.start - self.shift..inner.end - self.shift);
                    let scalar = (source != Some(text.as_ref())).then(|| Scalar::new(text, quote));
                    self.place(inner, scalar);
                    self.value_ended();
                }
            }
            Event::Alias(_) => {
                self.place(span, None);
                self.value_ended();
            }
            Event::MappingStart(..) => {
                let path = self.place(span, None);
                self.stack.push(Frame::Map {
                    path,
                    key: None,
                    at_key: true,
                });
            }
            Event::SequenceStart(..) => {
                let path = self.place(span, None);
                self.stack.push(Frame::List { path, index: 0 });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                self.stack.pop();
                self.value_ended();
            }
            _ => {}
        }
    }

    /// Records the location of the value that starts here, and returns its path.
    fn place(&mut self, value: Span, scalar: Option<Scalar>) -> String {
        let (path, key) = match self.stack.last() {
            None => (String::new(), None),
            Some(Frame::Map { path, key, .. }) => {
                let (name, span) = key
                    .clone()
                    .map_or((String::new(), None), |(name, span)| (name, Some(span)));
                (join(path, &name), span)
            }
            Some(Frame::List { path, index }) => (join(path, &index.to_string()), None),
        };
        self.path_bytes += path.len();
        self.map
            .places
            .entry(path.clone())
            .or_insert(Entry { key, value, scalar });
        path
    }

    fn value_ended(&mut self) {
        match self.stack.last_mut() {
            Some(Frame::Map { key, at_key, .. }) => {
                *key = None;
                *at_key = true;
            }
            Some(Frame::List { index, .. }) => *index += 1,
            None => {}
        }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use bugle_core::path::SkillPath;

    use super::*;

    fn found(text: &str, path: &str) -> String {
        let file = SkillPath::new("workflow.yaml").unwrap();
        let place = ProblemLocation::Key {
            file,
            path: path.to_owned(),
        };
        let span = SourceMap::of(text, 0).locate(&place).unwrap();
        text[span.start..span.end].to_owned()
    }

    #[test]
    fn a_key_is_found_by_its_path() {
        let text = "steps:\n  größe:\n    next: { ok: end, fail: 'x' }\n    forbid: [a, b]\n";
        assert_eq!(found(text, "steps.größe.next.fail"), "fail");
        assert_eq!(found(text, "steps.größe.forbid.1"), "b");
        assert_eq!(
            found(text, "steps.größe.title"),
            "größe",
            "an absent key has its parent's location"
        );
    }

    #[test]
    fn offset_zero_is_the_whole_value() {
        let text = "next: { ok: write, iterate: causes }\n";
        let file = SkillPath::new("workflow.yaml").unwrap();
        let place = ProblemLocation::Inside {
            file,
            path: "next.iterate".to_owned(),
            offset: 0,
        };
        let span = SourceMap::of(text, 0).locate(&place).unwrap();
        assert_eq!(&text[span.start..span.end], "causes");
    }

    /// The text at the place of `params.foo` in the value of `do`.
    fn reference(text: &str, value: &str) -> String {
        let place = ProblemLocation::Inside {
            file: SkillPath::new("workflow.yaml").unwrap(),
            path: "do".to_owned(),
            offset: value.find("params.foo").unwrap(),
        };
        let span = SourceMap::of(text, 0).locate(&place).unwrap();
        text[span.start..span.end].to_owned()
    }

    #[test]
    fn a_word_in_a_value_is_found_in_its_source() {
        for (text, value) in [
            ("do: Größe – {{ params.foo }}.\n", "Größe – {{ params.foo }}."),
            ("do: \"日本語\t{{ params.foo }}\"\n", "日本語\t{{ params.foo }}"),
            (
                "do: \"a \\\"b\\\" \\u00fc\\n{{ params.foo }}\"\n",
                "a \"b\" ü\n{{ params.foo }}",
            ),
            ("do: 'it''s {{ params.foo }}'\n", "it's {{ params.foo }}"),
            (
                "do: |\n  One ü.\n\n    Two {{ params.foo }}.\n",
                "One ü.\n\n  Two {{ params.foo }}.\n",
            ),
            (
                "do: >\n  One\n  two {{ params.foo }}.\n\n  Three.\n",
                "One two {{ params.foo }}.\nThree.\n",
            ),
            ("do: One\n  two {{ params.foo }}.\n", "One two {{ params.foo }}."),
        ] {
            assert_eq!(reference(text, value), "params.foo", "{text}");
        }
    }

    #[test]
    fn an_offset_counts_from_inside_the_quotes() {
        let text = "when: \"params.x == 1\"\n";
        let file = SkillPath::new("workflow.yaml").unwrap();
        let place = ProblemLocation::Inside {
            file,
            path: "when".to_owned(),
            offset: 7,
        };
        let span = SourceMap::of(text, 0).locate(&place).unwrap();
        assert!(text[span.start..].starts_with("x == 1"));
    }
}
