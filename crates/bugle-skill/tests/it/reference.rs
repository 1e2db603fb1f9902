//! The guide's reference of `workflow.yaml` is generated from the JSON Schema, so that it has exactly the keys that
//! Bugle accepts.

use std::collections::VecDeque;
use std::fmt::Write as _;

use serde_json::{Map, Value};

const HEAD: &str = "# workflow.yaml

<!-- Generated from the JSON Schema: BUGLE_WRITE_REFERENCE=1 cargo test -p bugle-skill reference -->

This page lists every key of the schema that `bugle skill schema` prints.
[workflow.schema.json](../workflow.schema.json) is the same schema, for your editor.
[Skill format](skill-format.md) explains how the keys work together.
";

/// The schema, and the parts of it that still need a section.
struct Reference {
    definitions: Map<String, Value>,
    listed: Vec<String>,
    open: VecDeque<String>,
}

/// The name of a part: `RawTypeMap` is `type`.
fn title(name: &str) -> String {
    let name = name.strip_prefix("Raw").unwrap_or(name);
    name.strip_suffix("Map").unwrap_or(name).to_lowercase()
}

fn described(value: &Value) -> String {
    value["description"]
        .as_str()
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
}

fn joined(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// A description as part of a sentence.
fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The allowed values with their meanings; empty if any value is allowed.
fn choices(schema: &Value) -> Vec<String> {
    if let Some(constant) = schema["const"].as_str() {
        return vec![match described(schema).trim_end_matches('.') {
            "" => format!("`{constant}`"),
            help => format!("`{constant}` ({})", uncapitalized(help)),
        }];
    }
    let listed = schema["enum"].as_array().into_iter().flatten();
    let listed = listed.filter_map(Value::as_str).map(|word| format!("`{word}`"));
    let several = schema["oneOf"].as_array().into_iter().flatten();
    listed.chain(several.flat_map(choices)).collect()
}

/// Whether a cell names one value or the values of a list or map.
#[derive(Clone, Copy)]
enum Number {
    Singular,
    Plural,
}

impl Number {
    fn of(self, noun: &str) -> String {
        match self {
            Self::Singular => noun.to_owned(),
            Self::Plural => format!("{noun}s"),
        }
    }

    /// A link to the section of a part.
    fn link(self, title: &str) -> String {
        match (self, title) {
            (Self::Plural, "evidence") => format!("[{title}](#{title}) entries"),
            _ => format!("[{}](#{title})", self.of(title)),
        }
    }
}

impl Reference {
    /// The allowed values in plain English; a part with its own keys gets a section.
    fn kind(&mut self, schema: &Value, number: Number) -> String {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return self.named(name, number);
        }
        let choices = choices(schema);
        if !choices.is_empty() {
            return joined(&choices);
        }
        if let Some(several) = schema["anyOf"].as_array() {
            let mut words: Vec<String> = several
                .iter()
                .filter(|one| one["type"] != "null")
                .map(|one| self.kind(one, number))
                .collect();
            // A type with its own keys has a section, which also describes the type names.
            if let Some(part) = words.iter().position(|word| word.starts_with('[')) {
                let alone = (words.len() > 1).then(|| number.of("type name"));
                words = std::iter::once(words.swap_remove(part)).chain(alone).collect();
            }
            // If both alternatives use the same words, list the words only once.
            if let [one, list] = words.as_slice()
                && one.starts_with('`')
                && *list == format!("{} of {one}", number.of("list"))
            {
                return format!("{one}, or a list of these words");
            }
            return joined(&words);
        }
        let word = match &schema["type"] {
            Value::Array(words) => words
                .iter()
                .find(|word| *word != "null")
                .cloned()
                .unwrap_or_default(),
            word => word.clone(),
        };
        match word.as_str() {
            Some("integer") => number.of("whole number"),
            Some("array") => {
                let items = self.kind(&schema["items"], Number::Plural);
                format!("{} of {items}", number.of("list"))
            }
            Some("object") => {
                let values = self.kind(&schema["additionalProperties"], Number::Plural);
                format!("{} of names to {values}", number.of("map"))
            }
            Some(word) => number.of(word),
            None => number.of("any value"),
        }
    }

    fn named(&mut self, name: &str, number: Number) -> String {
        let definition = self.definitions.get(name).cloned().unwrap_or_default();
        if definition["properties"].is_null() {
            return self.kind(&definition, number);
        }
        if !self.listed.iter().any(|listed| listed == name) {
            self.listed.push(name.to_owned());
            self.open.push_back(name.to_owned());
        }
        number.link(&title(name))
    }

    /// The keys of a part as a table, required ones first.
    fn table(&mut self, schema: &Value) -> String {
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut keys: Vec<(&String, &Value)> =
            schema["properties"].as_object().into_iter().flatten().collect();
        keys.sort_by_key(|(name, _)| (!required.contains(&name.as_str()), name.as_str()));
        let mut text = String::from("| key | value | meaning |\n|---|---|---|\n");
        for (name, property) in keys {
            let must = if required.contains(&name.as_str()) {
                "Required. "
            } else {
                ""
            };
            let kind = self.kind(property, Number::Singular);
            writeln!(text, "| `{name}` | {kind} | {must}{} |", described(property)).unwrap();
        }
        text
    }
}

fn reference() -> String {
    let schema: Value = serde_json::from_str(&bugle_skill::workflow_schema()).unwrap();
    let mut reference = Reference {
        definitions: schema["$defs"].as_object().cloned().unwrap_or_default(),
        listed: Vec::new(),
        open: VecDeque::new(),
    };
    let mut text = HEAD.to_owned();
    write!(text, "\n## The file\n\n{}", reference.table(&schema)).unwrap();
    while let Some(name) = reference.open.pop_front() {
        let definition = reference.definitions.get(&name).cloned().unwrap_or_default();
        let table = reference.table(&definition);
        write!(
            text,
            "\n## {}\n\n{}\n\n{table}",
            title(&name),
            described(&definition)
        )
        .unwrap();
    }
    text
}

#[test]
fn the_workflow_reference_matches_the_schema() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/workflow.md");
    let text = reference();
    if std::env::var_os("BUGLE_WRITE_REFERENCE").is_some() {
        std::fs::write(file, text).unwrap();
        return;
    }
    assert_eq!(
        std::fs::read_to_string(file).unwrap_or_default(),
        text,
        "docs/reference/workflow.md does not match the schema; the comment at its top has the command that regenerates it"
    );
}
