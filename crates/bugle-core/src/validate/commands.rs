//! Rules about commands as evidence: each value is known, safely quoted, and a single word.

use super::names::{Paths, names};
use super::origin::Origin;
use super::{Problem, Rule, Subject};
use crate::shape::{Field, Shape};
use crate::workflow::command_line::{Fragment, flaws, parts};
use crate::workflow::{Evidence, StepDef};

pub(super) fn check(subject: &Subject<'_>, paths: &Paths<'_>, index: usize, out: &mut Vec<Problem>) {
    let step = &subject.definition.steps[index];
    for (number, evidence) in step.expect.iter().enumerate() {
        let Evidence::Command { line, .. } = evidence else {
            continue;
        };
        let origin = Origin::Evidence(format!("steps.{}.expect.{number}.command", step.id));
        let mut bad = |(start, end): (usize, usize), message: String, fix: &str| {
            out.push(Problem {
                rule: Rule::BadEvidence,
                place: origin.bytes(subject.file, start, end),
                message,
                fix: fix.to_owned(),
            });
        };
        for flaw in flaws(line) {
            bad((flaw.start, flaw.end), flaw.message.to_owned(), flaw.fix);
        }
        for (expression, place) in values(line) {
            if let Some(shape @ (Shape::Array { .. } | Shape::Object(_))) =
                shape_of(subject, step, expression)
            {
                let message = format!("`{expression}` must be a single shell argument, but is {shape}");
                bad(
                    place,
                    message,
                    "pass a string or number; `{{ list | join(' ') }}` joins a list into one argument",
                );
            }
        }
        let Some(source) = source(line) else { continue };
        match subject.templates.references(&source) {
            Ok(_) => names(subject, paths, (index, &origin, &source), out),
            Err(error) => bad(
                (error.start, error.end),
                format!("the value does not parse: {}", error.message),
                "write literal braces as a value: `{{ '{{.Name}}' }}`",
            ),
        }
    }
}

/// The templates in a step's commands.
pub(super) fn sources(step: &StepDef) -> impl Iterator<Item = String> {
    step.expect.iter().filter_map(|evidence| match evidence {
        Evidence::Command { line, .. } => source(line),
        Evidence::Artifact { .. } | Evidence::Plan { .. } => None,
    })
}

/// A command line as a template: the values keep their offsets, and everything else is replaced with spaces. `None` if
/// the line has no values.
fn source(line: &str) -> Option<String> {
    let mut source = String::with_capacity(line.len());
    let mut has_values = false;
    for part in parts(line).ok()? {
        match part {
            Fragment::Text(text) => source.extend(std::iter::repeat_n(' ', text.len())),
            Fragment::Value { start, end, .. } => {
                has_values = true;
                source.push_str(&line[start..end]);
            }
        }
    }
    has_values.then_some(source)
}

fn values(line: &str) -> Vec<(&str, (usize, usize))> {
    let parts = parts(line).unwrap_or_default();
    parts
        .into_iter()
        .filter_map(|part| match part {
            Fragment::Value {
                expression,
                start,
                end,
            } => Some((expression, (start, end))),
            Fragment::Text(_) => None,
        })
        .collect()
}

/// The declared shape of the value at a dotted path, if there is one.
fn shape_of<'a>(subject: &Subject<'a>, step: &'a StepDef, path: &str) -> Option<&'a Shape> {
    let mut names = path.split('.');
    let fields: &'a [Field] = match names.next()? {
        "params" => {
            let wanted = names.next()?;
            let params = &subject.definition.params;
            let arg = params.iter().find(|arg| arg.name.as_str() == wanted)?;
            return inner(&arg.shape, names);
        }
        "result" if step.dispatch.is_none() => &step.result,
        "state" => {
            let wanted = names.next()?;
            let steps = &subject.definition.steps;
            let earlier = steps.iter().find(|step| step.id.as_str() == wanted)?;
            &earlier.result
        }
        _ => return None,
    };
    let wanted = names.next()?;
    let field = fields.iter().find(|field| field.name.as_str() == wanted)?;
    inner(&field.shape, names)
}

fn inner<'a, 'b>(shape: &'a Shape, names: impl Iterator<Item = &'b str>) -> Option<&'a Shape> {
    let mut shape = shape;
    for name in names {
        let Shape::Object(fields) = shape else {
            return None;
        };
        shape = &fields.iter().find(|field| field.name.as_str() == name)?.shape;
    }
    Some(shape)
}
