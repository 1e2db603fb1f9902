//! References to the project's files: places such as `src/cache.rs:42`, and quotes from a place's file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::quote::quoted;
use super::{Field, Mismatch, Shape};
use crate::count::counted;

/// A kind of reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// A line or a range of lines in a file.
    Place,
    /// Text that occurs in the file of the place next to it.
    Quote,
}

impl Reference {
    /// A description for the agent.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Place => "a place such as src/lib.rs:42 or src/lib.rs:40-44",
            Self::Quote => "text copied from the file",
        }
    }
}

/// One or more lines of a file in the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, relative to the project's folder.
    pub file: String,
    /// The first line, starting at 1.
    pub from: usize,
    /// The last line.
    pub to: usize,
}

impl Place {
    /// Reads `path:line` or `path:from-to`.
    pub fn parse(text: &str) -> Option<Self> {
        let (file, lines) = text.trim().rsplit_once(':')?;
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let (from, to): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
        (!file.is_empty() && from > 0 && from <= to).then(|| Self {
            file: file.to_owned(),
            from,
            to,
        })
    }
}

/// A place in a value, with the quotes from its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The place.
    pub place: Place,
    /// The place's path in the value, such as `evidence[0].at`.
    pub path: String,
    /// The quotes, each with its path in the value.
    pub quotes: Vec<(String, String)>,
}

impl Citation {
    /// Every place in a value that has this shape.
    pub fn all(shape: &Shape, value: &Value) -> Vec<Self> {
        let mut found = Vec::new();
        collect(shape, value, "", &mut found);
        found
    }

    /// Compares the reference with its file; `text` is the file's text, or why the file cannot be read.
    pub fn mismatches(&self, text: Result<&str, &str>) -> Vec<Mismatch> {
        let mismatch = |path: &str, message: String| Mismatch {
            path: path.to_owned(),
            message,
        };
        let file = &self.place.file;
        let text = match text {
            Ok(text) => text,
            Err(why) => return vec![mismatch(&self.path, format!("{} {why}", quoted(file)))],
        };
        let lines = text.lines().count();
        if self.place.to > lines {
            let message = format!("{} has only {}", quoted(file), counted(lines, "line"));
            return vec![mismatch(&self.path, message)];
        }
        let words = in_one_line(text);
        let missing = self
            .quotes
            .iter()
            .filter(|(_, quote)| !words.contains(&in_one_line(quote)));
        missing
            .map(|(path, quote)| {
                mismatch(
                    path,
                    format!("{} does not contain {}", quoted(file), quoted(quote)),
                )
            })
            .collect()
    }
}

/// The text with every run of white space as one space, so that line breaks and indentation do not matter.
fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn collect(shape: &Shape, value: &Value, path: &str, out: &mut Vec<Citation>) {
    match (shape, value) {
        (Shape::Reference(Reference::Place), Value::String(text)) => {
            out.extend(Place::parse(text).map(|place| Citation {
                place,
                path: path.to_owned(),
                quotes: Vec::new(),
            }));
        }
        (Shape::Array { items, .. }, Value::Array(list)) => {
            for (index, item) in list.iter().enumerate() {
                collect(items, item, &format!("{path}[{index}]"), out);
            }
        }
        (Shape::Object(fields), Value::Object(map)) => {
            let inside = |field: &Field| {
                let name = field.name.as_str();
                if path.is_empty() {
                    name.to_owned()
                } else {
                    format!("{path}.{name}")
                }
            };
            let quote = |field: &Field| {
                let text = map.get(field.name.as_str())?.as_str()?;
                is_kind(field, Reference::Quote).then(|| (inside(field), text.to_owned()))
            };
            let quotes: Vec<(String, String)> = fields.iter().filter_map(quote).collect();
            for field in fields {
                let Some(value) = map.get(field.name.as_str()) else {
                    continue;
                };
                let before = out.len();
                collect(&field.shape, value, &inside(field), out);
                if is_kind(field, Reference::Place)
                    && let Some(citation) = out.get_mut(before)
                {
                    citation.quotes.clone_from(&quotes);
                }
            }
        }
        _ => {}
    }
}

fn is_kind(field: &Field, kind: Reference) -> bool {
    field.shape == Shape::Reference(kind)
}

/// Whether a quote among these fields has no single place next to it.
pub(crate) fn has_stray_quote(fields: &[Field]) -> bool {
    let count = |kind| fields.iter().filter(|field| is_kind(field, kind)).count();
    count(Reference::Quote) > 0 && count(Reference::Place) != 1
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::name::FieldName;
    use crate::shape::{Length, Presence};

    fn evidence() -> Shape {
        let field = |name: &str, shape| Field {
            name: FieldName::new(name).unwrap(),
            shape,
            presence: Presence::Optional,
            help: None,
        };
        let item = Shape::Object(vec![
            field("at", Shape::Reference(Reference::Place)),
            field("says", Shape::Reference(Reference::Quote)),
        ]);
        Shape::Object(vec![field(
            "evidence",
            Shape::Array {
                items: Box::new(item),
                length: Length::default(),
                unique: None,
            },
        )])
    }

    #[test]
    fn a_place_is_a_path_with_a_line_or_a_range() {
        let place = |from, to| Place {
            file: "src/a:b.rs".to_owned(),
            from,
            to,
        };
        assert_eq!(Place::parse("src/a:b.rs:7"), Some(place(7, 7)));
        assert_eq!(Place::parse("src/a:b.rs:7-9"), Some(place(7, 9)));
        for wrong in [
            "src/a.rs",
            "src/a.rs:",
            "src/a.rs:0",
            "src/a.rs:9-7",
            ":3",
            "src/a.rs:x",
        ] {
            assert_eq!(Place::parse(wrong), None, "{wrong}");
        }
        let shape = Shape::Reference(Reference::Place);
        assert_eq!(shape.mismatches(&json!("src/a.rs")).len(), 1);
        assert!(shape.mismatches(&shape.example()).is_empty());
    }

    #[test]
    fn every_place_is_compared_with_its_file() {
        let value = json!({ "evidence": [
            { "at": "a.rs:2", "says": "let x =\n    1;" }, { "at": "a.rs:4" }, { "at": "b.rs:1" }, { "says": "no place" },
        ] });
        let text = "fn a() {\n    let x = 1;\n}\n";
        let found: Vec<String> = Citation::all(&evidence(), &value)
            .iter()
            .flat_map(|citation| {
                let is_known = citation.place.file == "a.rs";
                citation.mismatches(if is_known { Ok(text) } else { Err("does not exist") })
            })
            .map(|mismatch| mismatch.to_string())
            .collect();
        assert_eq!(
            found,
            [
                "evidence[1].at: \"a.rs\" has only 3 lines",
                "evidence[2].at: \"b.rs\" does not exist",
            ]
        );
        let invented = json!({ "evidence": [{ "at": "a.rs:2", "says": "let x = 2;" }] });
        let citation = &Citation::all(&evidence(), &invented)[0];
        assert_eq!(
            citation.mismatches(Ok(text))[0].to_string(),
            "evidence[0].says: \"a.rs\" does not contain \"let x = 2;\""
        );
    }
}
