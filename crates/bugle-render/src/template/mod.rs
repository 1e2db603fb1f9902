//! Step templates: minijinja with strict undefined values. Values are untrusted, so a bare `{{ value }}` is always one
//! line; a filter quotes or fences every line of longer text.

mod filters;
mod macros;
mod scan;
#[cfg(test)]
mod tests;

use bugle_core::did_you_mean::nearest;
use bugle_core::validate::{BadTemplate, Templates};
use minijinja::value::{Serde, Value};
use minijinja::{Environment, Error, UndefinedBehavior};

pub(crate) use filters::{as_text, fenced};

use filters::{counted, fence, items, json, plain, quote};
use macros::MACROS;
use scan::{excess, unknown_word};

/// The maximum number of instructions that a template may execute: enough for thousands of items. Stops runaway loops.
const FUEL: u64 = 500_000;

/// The maximum size of rendered text in bytes: more than accepted results can produce.
const MAX_TEXT: usize = 32 * 1024 * 1024;

/// A template that could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", line.map(|line| format!(" (line {line})")).unwrap_or_default())]
pub struct TemplateError {
    /// The error message.
    pub message: String,
    /// The line in the template.
    pub line: Option<usize>,
    /// Whether the cause is an undefined value. With other values, the template may render.
    pub undefined: bool,
}

/// The template engine.
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
        environment.add_filter("counted", counted);
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
        macros::add_to(&mut environment);
        Self(environment)
    }
}

impl Engine {
    /// Renders a template.
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
        if rendered.len() > MAX_TEXT {
            let message = format!("the rendered text is larger than {MAX_TEXT} bytes");
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
    /// Evaluates an expression.
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
        // minijinja resolves filters and tests only when it evaluates them.
        if let Some((word, range)) = unknown_word(source) {
            let message = format!("there is no filter or test `{word}`");
            return Err(BadTemplate {
                message,
                start: range.start,
                end: range.end,
            });
        }
        let names = template.undeclared_variables(true).into_iter();
        let mut names: Vec<String> = names.filter(|name| !MACROS.contains(&name.as_str())).collect();
        if let Some((name, start)) = unknown_macro(source, &names) {
            let meant = nearest(name, MACROS).map(|meant| format!("; did you mean `{meant}`?"));
            return Err(BadTemplate {
                message: format!("there is no macro `{name}`{}", meant.unwrap_or_default()),
                start,
                end: start + name.len(),
            });
        }
        names.sort();
        Ok(names)
    }
}

/// The first of `names` that the template calls like a macro, with its position.
fn unknown_macro<'a>(source: &str, names: &'a [String]) -> Option<(&'a str, usize)> {
    let called = names.iter().filter_map(|name| {
        let start = source.find(&format!("{name}("))?;
        Some((name.as_str(), start))
    });
    called.min_by_key(|(_, start)| *start)
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
