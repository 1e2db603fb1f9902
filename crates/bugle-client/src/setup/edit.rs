//! Edits a JSON document and keeps all other bytes: comments, order, indentation.

use super::json::{Json, Layout, quoted};
use super::jsonc::{Kind, Node, parse};
use super::splice::{EditError, Edited, line_end};

/// A document that is being edited.
pub(crate) struct Document {
    edited: Edited,
    root: Node,
}

/// The path to a value: the index of an item at each level.
pub(crate) type NodePath = Vec<usize>;

impl Document {
    /// Reads a document. An empty file counts as an empty object.
    pub(crate) fn read(text: &str) -> Result<Self, EditError> {
        let mut edited = Edited::new(text);
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            edited.insert(text.len(), &format!("{{}}{}", line_end(text)));
        }
        let root = parse(edited.text())?;
        let document = Self { edited, root };
        if matches!(document.root.kind, Kind::Object(_)) {
            Ok(document)
        } else {
            Err(document.error(document.root.start, "expected an object"))
        }
    }

    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    pub(crate) fn finish(self) -> Edited {
        self.edited
    }

    pub(crate) fn error(&self, at: usize, what: &str) -> EditError {
        EditError::at(self.edited.text(), at, what)
    }

    /// The value at a path.
    pub(crate) fn node(&self, path: &[usize]) -> Option<&Node> {
        path.iter()
            .try_fold(&self.root, |node, index| Some(&node.items().get(*index)?.value))
    }

    /// The path to a member of an object. Adds the member if it is missing.
    pub(crate) fn ensure(&mut self, path: &[usize], key: &str, empty: &Json) -> Result<NodePath, EditError> {
        let there = self.node(path).and_then(|node| node.position(key));
        let index = match there {
            Some(index) => index,
            None => self.add(path, Some(key), empty)?,
        };
        let path = [path, &[index]].concat();
        let (start, fits) = match (self.node(&path), empty) {
            (Some(node), Json::Array(_)) => (node.start, matches!(node.kind, Kind::Array(_))),
            (Some(node), _) => (node.start, matches!(node.kind, Kind::Object(_))),
            (None, _) => (0, false),
        };
        if fits {
            return Ok(path);
        }
        let kind = if matches!(empty, Json::Array(_)) {
            "an array"
        } else {
            "an object"
        };
        Err(self.error(start, &format!("`{key}` is not {kind}")))
    }

    /// Adds an item at the end of an object or array, and returns its index.
    pub(crate) fn add(
        &mut self,
        path: &[usize],
        key: Option<&str>,
        value: &Json,
    ) -> Result<usize, EditError> {
        let Some(node) = self.node(path) else {
            return Err(self.error(0, "the object or array for the new entry is missing"));
        };
        let (text, close) = (self.edited.text(), node.end - 1);
        let last = node.items().last().cloned();
        let count = node.items().len();
        let end = line_end(text);
        let unit = self.unit();
        let in_lines = match &last {
            Some(_) => text[node.start..node.end].contains('\n'),
            None => text[self.root.start..self.root.end].contains('\n') || self.root.items().is_empty(),
        };
        let outer = line_indent(text, node.start);
        let indent = last
            .as_ref()
            .and_then(|last| indent_alone(text, last.start))
            .map_or_else(|| format!("{outer}{unit}"), str::to_owned);
        let layout = if in_lines {
            Layout::Lines {
                end,
                indent: &indent,
                unit: &unit,
            }
        } else {
            Layout::Line
        };
        let mut item = match key {
            Some(key) => format!("{}: {}", quoted(key), value.render(&layout)),
            None => value.render(&layout),
        };
        if in_lines {
            item.insert_str(0, &format!("{end}{indent}"));
        } else if last.is_some() {
            item.insert(0, ' ');
        }
        // Insert the new item after comments, which belong to the item before them.
        let at = text[..close].trim_end_matches(WHITE).len();
        match last {
            Some(last) if last.comma.is_some() => self.edited.insert(at, &format!("{item},")),
            Some(last) if last.value.end == at => self.edited.insert(at, &format!(",{item}")),
            Some(last) => {
                self.edited.insert(at, &item);
                self.edited.insert(last.value.end, ",");
            }
            None => {
                if in_lines && !text[at..close].contains('\n') {
                    item.push_str(&format!("{end}{outer}"));
                }
                self.edited.insert(at, &item);
            }
        }
        self.read_again()?;
        Ok(count)
    }

    /// Replaces a value.
    pub(crate) fn replace(&mut self, path: &[usize], value: &Json) -> Result<(), EditError> {
        let Some(node) = self.node(path) else {
            return Ok(());
        };
        let text = self.edited.text();
        let (indent, unit) = (line_indent(text, node.start).to_owned(), self.unit());
        let layout = if text[self.root.start..self.root.end].contains('\n') {
            Layout::Lines {
                end: line_end(text),
                indent: &indent,
                unit: &unit,
            }
        } else {
            Layout::Line
        };
        let rendered = value.render(&layout);
        let (start, end) = (node.start, node.end);
        self.edited.replace(start, end, &rendered);
        self.read_again()
    }

    /// Removes an item, and every object or array that contained nothing else.
    pub(crate) fn remove(&mut self, path: &[usize]) -> Result<(), EditError> {
        let Some((index, outer)) = path.split_last() else {
            return Ok(());
        };
        let Some(node) = self.node(outer) else {
            return Ok(());
        };
        let items = node.items();
        let (Some(item), close) = (items.get(*index), node.end - 1) else {
            return Ok(());
        };
        let start = self.edited.text()[..item.start].trim_end_matches(WHITE).len();
        let comma = match (item.comma, index.checked_sub(1)) {
            (Some(comma), _) => Some(comma),
            (None, Some(before)) => items[before].comma,
            (None, None) => None,
        };
        let (end, open, alone) = (item.value.end, node.start + 1, items.len() == 1);
        let mut spans = vec![(start, end)];
        spans.extend(comma.map(|comma| (comma, comma + 1)));
        if alone {
            let text = self.edited.text();
            let outside = format!("{}{}", &text[open..start], text[end..close].replacen(',', "", 1));
            if outside.trim().is_empty() {
                spans = vec![(open, close)];
            }
        }
        spans.sort_unstable();
        for (start, end) in spans.into_iter().rev() {
            self.edited.remove(start, end);
        }
        self.read_again()?;
        let emptied = self.node(outer).is_some_and(|node| node.end - node.start == 2);
        if emptied { self.remove(outer) } else { Ok(()) }
    }

    fn read_again(&mut self) -> Result<(), EditError> {
        self.root = parse(self.edited.text())?;
        Ok(())
    }

    /// One level of indentation in this document.
    fn unit(&self) -> String {
        let first = self.root.items().first();
        let unit = first.and_then(|first| indent_alone(self.edited.text(), first.start));
        unit.filter(|unit| !unit.is_empty()).unwrap_or("  ").to_owned()
    }
}

const WHITE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The indentation of the line at a position.
fn line_indent(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..at].trim_start_matches('\u{feff}');
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The indentation before a position; `None` if other text precedes the position on its line.
fn indent_alone(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    let indent = &text[start..at];
    indent.trim_matches([' ', '\t']).is_empty().then_some(indent)
}
