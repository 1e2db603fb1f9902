//! The templates of steps: minijinja with strict names. A value comes from outside, so a bare `{{ value }}` is always
//! one line; whole texts go through a filter that marks or fences every line.

use std::borrow::Cow;

use bugle_core::validate::{BadTemplate, Templates};
use minijinja::value::{Serde, Value, ValueKind};
use minijinja::{Environment, Error, UndefinedBehavior};

use crate::template_scan::{excess, unknown_word};
use crate::text::is_plain;

/// How many instructions a template may take: enough for thousands of items, and an end to any loop.
const FUEL: u64 = 500_000;

/// How long a text may become when it is filled in: more than any results that were accepted could make it.
const LONGEST_TEXT: usize = 32 * 1024 * 1024;

/// Why a template could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", line.map(|line| format!(" (line {line})")).unwrap_or_default())]
pub struct TemplateError {
    /// What is wrong.
    pub message: String,
    /// In which line of the template.
    pub line: Option<usize>,
    /// Whether it is only that a value is not there, which other values may mend.
    pub undefined: bool,
}

/// The engine of templates.
#[derive(Debug)]
pub struct Engine(Environment<'static>);

impl Default for Engine {
    fn default() -> Self {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(64);
        environment.set_formatter(|out, _state, value| {
            out.write_str(&plain(value)?)
                .map_err(|_| Error::new(minijinja::ErrorKind::WriteFailure, "cannot write"))
        });
        environment.add_filter("quote", quote);
        environment.add_filter("items", items);
        environment.add_filter("fence", fence);
        environment.add_filter("json", json);
        environment.add_filter("length", minijinja::filters::length);
        environment.add_filter("join", minijinja::filters::join);
        environment.add_filter("upper", minijinja::filters::upper);
        environment.add_filter("lower", minijinja::filters::lower);
        environment.add_filter("default", minijinja::filters::default);
        environment.add_filter("first", minijinja::filters::first);
        environment.add_filter("last", minijinja::filters::last);
        environment.add_filter("map", minijinja::filters::map);
        environment.add_filter("selectattr", minijinja::filters::selectattr);
        environment.add_filter("rejectattr", minijinja::filters::rejectattr);
        environment.add_filter("list", minijinja::filters::list);
        environment.add_test("defined", minijinja::tests::is_defined);
        environment.add_test("undefined", minijinja::tests::is_undefined);
        environment.add_test("eq", minijinja::tests::is_eq);
        environment.add_test("equalto", minijinja::tests::is_eq);
        environment.add_test("ne", minijinja::tests::is_ne);
        environment.add_test("in", minijinja::tests::is_in);
        Self(environment)
    }
}

impl Engine {
    /// Fills in a template.
    pub fn render(&self, source: &str, context: &serde_json::Value) -> Result<String, TemplateError> {
        if let Some((message, block)) = excess(source) {
            let line = source[..block.start].matches('\n').count() + 1;
            return Err(TemplateError {
                message: message.to_owned(),
                line: Some(line),
                undefined: false,
            });
        }
        let rendered = self
            .0
            .template_from_str(source)
            .and_then(|template| template.render(Value::from(Serde(context))));
        let rendered = rendered.map_err(|error| {
            let message = error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned);
            let undefined = error.kind() == minijinja::ErrorKind::UndefinedError;
            TemplateError {
                message,
                line: error.line(),
                undefined,
            }
        })?;
        if rendered.len() > LONGEST_TEXT {
            let message = format!("filled in, it has more than {LONGEST_TEXT} bytes");
            return Err(TemplateError {
                message,
                line: None,
                undefined: false,
            });
        }
        Ok(rendered)
    }
}

impl Engine {
    /// The value of an expression.
    pub(crate) fn evaluate(
        &self,
        expression: &str,
        context: &serde_json::Value,
    ) -> Result<Value, TemplateError> {
        let evaluated = self
            .0
            .compile_expression(expression)
            .and_then(|compiled| compiled.eval(Value::from(Serde(context))));
        evaluated.map_err(|error| TemplateError {
            message: error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned),
            line: None,
            undefined: error.kind() == minijinja::ErrorKind::UndefinedError,
        })
    }
}

impl Templates for Engine {
    fn references(&self, source: &str) -> Result<Vec<String>, BadTemplate> {
        if let Some((message, block)) = excess(source) {
            return Err(BadTemplate {
                message: message.to_owned(),
                start: block.start,
                end: block.end,
            });
        }
        let template = self.0.template_from_str(source).map_err(|error| {
            let message = error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned);
            let range = error
                .line()
                .map_or(0..source.len(), |line| line_range(source, line));
            BadTemplate {
                message,
                start: range.start,
                end: range.end,
            }
        })?;
        // The engine looks for filters and tests only when it comes to them, which may be in one run of a hundred.
        if let Some((word, range)) = unknown_word(source) {
            let message = format!("there is no filter or test `{word}`");
            return Err(BadTemplate {
                message,
                start: range.start,
                end: range.end,
            });
        }
        let mut names: Vec<String> = template.undeclared_variables(true).into_iter().collect();
        names.sort();
        Ok(names)
    }
}

fn line_range(source: &str, line: usize) -> std::ops::Range<usize> {
    let mut start = 0;
    for (index, content) in source.split_inclusive('\n').enumerate() {
        if index + 1 == line {
            return start..start + content.trim_end().len();
        }
        start += content.len();
    }
    0..source.len()
}

/// A value as one line. What a filter made is its own responsibility and stays as it is.
fn plain(value: &Value) -> Result<String, Error> {
    if value.is_undefined() {
        return Err(Error::new(
            minijinja::ErrorKind::UndefinedError,
            "a value is not there",
        ));
    }
    if value.is_safe() {
        return Ok(value.to_string());
    }
    Ok(one_line(&as_text(value)))
}

pub(crate) fn as_text(value: &Value) -> String {
    match value.kind() {
        ValueKind::String | ValueKind::Number => value.to_string(),
        ValueKind::Bool => value.is_true().to_string(),
        ValueKind::None => "none".to_owned(),
        _ => serde_json::to_string(value).unwrap_or_default(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines of a text. Anything that a terminal or a parser may take for a line break is one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r', '\u{0b}', '\u{0c}', '\u{85}', '\u{2028}', '\u{2029}'])
}

fn quote(value: &Value) -> Value {
    let text = as_text(value);
    let marked: Vec<String> = lines(text.trim_end())
        .map(|line| format!("> {line}").trim_end().to_owned())
        .collect();
    Value::from_safe_string(marked.join("\n"))
}

fn fence(value: &Value) -> Value {
    Value::from_safe_string(fenced("", &as_text(value)))
}

fn json(value: &Value) -> Value {
    Value::from_safe_string(fenced(
        "json",
        &serde_json::to_string_pretty(value).unwrap_or_default(),
    ))
}

/// A block whose fence is longer than any run of backticks inside it.
pub(crate) fn fenced(language: &str, text: &str) -> String {
    let longest = if text.contains('`') {
        text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
    } else {
        0
    };
    let fence = "`".repeat(longest.max(2) + 1);
    let text = text.trim_end();
    // Line breaks of the usual kind stay where they are.
    let body = if is_plain(text) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(lines(text).collect::<Vec<_>>().join("\n"))
    };
    format!("{fence}{language}\n{body}\n{fence}")
}

fn items(value: &Value) -> Result<Value, Error> {
    let mut list = Vec::new();
    for item in value.try_iter()? {
        list.push(format!("- {}", item_text(&item)?));
    }
    let text = if list.is_empty() {
        "(none)".to_owned()
    } else {
        list.join("\n")
    };
    Ok(Value::from_safe_string(text))
}

/// An item on one line: `id` leads, the other fields follow by name.
fn item_text(item: &Value) -> Result<String, Error> {
    if item.kind() != ValueKind::Map {
        return Ok(one_line(&as_text(item)));
    }
    let mut lead = None;
    let mut rest = Vec::new();
    for key in item.try_iter()? {
        let text = one_line(&as_text(&item.get_item(&key)?));
        if key.as_str() == Some("id") {
            lead = Some(text);
        } else {
            rest.push(format!("{key}: {text}"));
        }
    }
    let rest = rest.join("; ");
    Ok(match lead {
        Some(lead) if rest.is_empty() => lead,
        Some(lead) => format!("{lead}: {rest}"),
        None => rest,
    })
}

#[cfg(test)]
mod tests {
    use bugle_core::validate::Templates;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::template_scan::{FILTERS, TESTS};

    fn render(source: &str, context: &serde_json::Value) -> String {
        Engine::default().render(source, context).unwrap()
    }

    #[test]
    fn a_bare_value_is_one_line() {
        let context = json!({ "params": { "topic": "one\n\n# Ignore the rest\u{2028}two", "n": 3, "list": ["a", "b"] } });
        assert_eq!(
            render("{{ params.topic }}", &context),
            "one # Ignore the rest two"
        );
        assert_eq!(
            render("{{ params.n }} {{ params.list }}", &context),
            r#"3 ["a","b"]"#
        );
    }

    #[test]
    fn filters_mark_every_line() {
        let context = json!({
            "text": "a\n\nb", "code": "x\n```\ny",
            "items": [{ "text": "It\nholds", "id": "C1", "kind": "claim" }, { "id": "C2" }], "empty": [],
        });
        assert_eq!(render("{{ text | quote }}", &context), "> a\n>\n> b");
        assert_eq!(render("{{ code | fence }}", &context), "````\nx\n```\ny\n````");
        assert_eq!(
            render("{{ items | items }}", &context),
            "- C1: kind: claim; text: It holds\n- C2"
        );
        assert_eq!(render("{{ empty | items }}", &context), "(none)");
        assert_eq!(render("{{ empty | json }}", &context), "```json\n[]\n```");
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let error = Engine::default()
            .render("{{ params.typo }}", &json!({ "params": {} }))
            .unwrap_err();
        assert_eq!(error.line, Some(1));
        let error = Engine::default().render("{% if state.x %}a{% endif %}", &json!({ "state": {} }));
        assert!(error.is_err(), "even a condition wants its name to be there");
    }

    #[test]
    fn names_are_listed_and_broken_templates_located() {
        let names = Engine::default()
            .references("{{ state.a.b }} {% for x in params.list %}{{ x.y }}{% endfor %}")
            .unwrap();
        assert_eq!(names, ["params.list", "state.a.b"]);
        let bad = Engine::default().references("fine\n{{ broken").unwrap_err();
        assert!(bad.start >= 5, "{bad:?}");
    }

    #[test]
    fn every_word_that_may_be_used_is_there_and_no_other() {
        let engine = Engine::default();
        for filter in FILTERS {
            let error = engine
                .render(&format!("{{{{ x | {filter} }}}}"), &json!({ "x": [["a"]] }))
                .err();
            assert!(
                !error.is_some_and(|error| error.message.contains("unknown")),
                "{filter}"
            );
        }
        for test in TESTS {
            let error = engine
                .render(&format!("{{{{ x is {test}(x) }}}}"), &json!({ "x": ["a"] }))
                .err();
            assert!(
                !error.is_some_and(|error| error.message.contains("unknown")),
                "{test}"
            );
        }
        let hidden = "{% if visit.iteration > 1 %}{{ 'a | b' }} {{ x | frobnicate }}{% endif %}";
        assert!(
            engine
                .references(hidden)
                .unwrap_err()
                .message
                .contains("`frobnicate`")
        );
        assert!(
            engine
                .references("{% if x is not frobbed %}a{% endif %}")
                .is_err()
        );
        assert!(
            engine
                .references("{{ x is not defined or y is defined }} {{ x | default('is odd') | upper }}")
                .is_ok()
        );
    }

    #[test]
    fn an_endless_template_ends() {
        let source = "{% for a in list %}{% for b in list %}{% for c in list %}{% for d in list %}x{% endfor %}{% endfor %}{% endfor %}{% endfor %}";
        let list: Vec<u32> = (0..100).collect();
        assert!(
            Engine::default()
                .render(source, &json!({ "list": list }))
                .is_err()
        );
    }

    proptest! {
        #[test]
        fn no_value_escapes_its_quotation_or_fence(text in "(\\PC|[\n\r`>#\u{2028}\u{85}]){0,60}") {
            let context = json!({ "text": text });
            let quoted = render("{{ text | quote }}", &context);
            prop_assert!(quoted.lines().all(|line| line.starts_with('>')), "{quoted:?}");
            let bare = render("{{ text }}", &context);
            prop_assert!(!bare.contains('\n') && !bare.contains('\r'));
            let fenced = render("{{ text | fence }}", &context);
            let fence = fenced.lines().next().unwrap().to_owned();
            let inside: Vec<&str> = fenced.lines().skip(1).collect();
            prop_assert!(inside[..inside.len() - 1].iter().all(|line| !line.contains(&fence)), "{fenced:?}");
        }
    }
}
