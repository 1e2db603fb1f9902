//! Rules about texts: each text exists, uses only names with a value, and mentions no step numbers.

use super::flow::Flow;
use super::names::{Paths, names};
use super::origin::Origin;
use super::{Problem, ProblemLocation, Rule, Subject, commands};
use crate::did_you_mean::nearest;
use crate::path::SkillPath;
use crate::workflow::{Evidence, StepDef, StepText};

/// Maximum length of a step's text without resources, in characters. Agents skim longer texts.
const STEP_BUDGET: usize = 6000;
/// Maximum length of a step's text together with its documents, in characters.
const SHOWN_BUDGET: usize = 20_000;
/// Clients truncate longer output. A step must fit, because it ends with the command that continues the run.
const MAX_SHOWN_LENGTH: usize = 30_000;

/// Checks the length of a step's rendered text and documents. Returns rule, message and fix.
pub fn check_length(step: &StepDef, text: usize, documents: usize) -> Option<(Rule, String, &'static str)> {
    let (id, shown) = (&step.id, text.saturating_add(documents));
    if shown > MAX_SHOWN_LENGTH {
        let message =
            format!("step `{id}` shows {shown} characters; clients truncate text after {MAX_SHOWN_LENGTH}");
        return Some((
            Rule::StepTooLong,
            message,
            "shorten the text, split the step, or have the agent read a file",
        ));
    }
    if text > STEP_BUDGET {
        let message =
            format!("the text of step `{id}` is {text} characters long; the budget is {STEP_BUDGET}");
        let fix = "shorten the text, split the step, or move reference material into a resource";
        return Some((Rule::StepOverBudget, message, fix));
    }
    (shown > SHOWN_BUDGET).then(|| {
        let message = format!(
            "step `{id}` shows {shown} characters including its documents; the budget is {SHOWN_BUDGET}"
        );
        let fix = "use single sections of conventions, shorten resources, or split the step";
        (Rule::StepOverBudget, message, fix)
    })
}

pub(super) fn check(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let paths = Paths::of(subject, flow);
    for (index, step) in subject.definition.steps.iter().enumerate() {
        present(subject, step, out);
        for (origin, source) in templates_of(subject, step) {
            names(subject, &paths, (index, &origin, source), out);
            if let Some((start, end)) = promise(source) {
                out.push(Problem {
                    rule: Rule::StepCountInText,
                    place: origin.bytes(subject.file, start, end),
                    message: format!("the text mentions `{}`", &source[start..end]),
                    fix: "describe the step instead: step numbers change when the workflow changes"
                        .to_owned(),
                });
            }
        }
        commands::check(subject, &paths, index, out);
        for (index, forbidden) in step.forbid.iter().enumerate() {
            if let Some((start, end)) = promise(forbidden) {
                out.push(subject.problem(
                    Rule::StepCountInText,
                    format!("steps.{}.forbid.{index}", step.id),
                    format!("the `forbid` entry mentions `{}`", &forbidden[start..end]),
                    "describe the step instead: step numbers change when the workflow changes",
                ));
            }
        }
        if let Some((start, end)) = promise(&step.title) {
            out.push(subject.problem(
                Rule::StepCountInText,
                format!("steps.{}.title", step.id),
                format!("the title mentions `{}`", &step.title[start..end]),
                "remove the number: Bugle counts the steps",
            ));
        }
    }
    unused_files(subject, out);
}

/// All readable templates in a step, with their origins.
pub(super) fn templates_of<'a>(subject: &Subject<'a>, step: &'a StepDef) -> Vec<(Origin, &'a str)> {
    let id = &step.id;
    let mut found = Vec::new();
    match &step.action {
        StepText::Inline(text) => found.push((Origin::Key(format!("steps.{id}.do")), text.as_str())),
        StepText::Literal(_) => {}
        StepText::File(file) => {
            if let Some(text) = subject.package.texts.get(file) {
                found.push((Origin::File(file.clone()), text.as_str()));
            }
        }
    }
    if let Some(ask) = &step.ask {
        found.push((
            Origin::Key(format!("steps.{id}.ask.question")),
            ask.question.as_str(),
        ));
    }
    for (index, convention) in step.conventions.iter().enumerate() {
        if convention.contains("{{") {
            found.push((
                Origin::Key(format!("steps.{id}.conventions.{index}")),
                convention.as_str(),
            ));
        }
    }
    for (index, evidence) in step.expect.iter().enumerate() {
        let (key, template) = match evidence {
            Evidence::Artifact { pattern, .. } => ("artifact", pattern),
            Evidence::Plan { file } => ("plan", file),
            Evidence::Command { .. } => continue,
        };
        found.push((
            Origin::Evidence(format!("steps.{id}.expect.{index}.{key}")),
            template.as_str(),
        ));
    }
    found
}

fn present(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let texts = &subject.package.texts;
    let id = &step.id;
    let empty = match &step.action {
        StepText::File(file) => match texts.get(file) {
            None => {
                let fix = match nearest(file.as_str(), texts.keys().map(SkillPath::as_str)) {
                    Some(meant) => format!("did you mean `{meant}`? Otherwise, create the file"),
                    None => "create the file, or write the text directly in `do`".to_owned(),
                };
                out.push(subject.problem(
                    Rule::MissingPrompt,
                    format!("steps.{id}.do"),
                    format!("there is no file `{file}` for the text of step `{id}`"),
                    fix,
                ));
                false
            }
            Some(text) => text.trim().is_empty(),
        },
        StepText::Inline(text) | StepText::Literal(text) => text.trim().is_empty(),
    };
    if empty {
        out.push(subject.problem(
            Rule::MissingPrompt,
            format!("steps.{id}.do"),
            format!("the text of step `{id}` is empty"),
            "tell the agent what to do",
        ));
    }
    for (index, file) in step.resources.iter().enumerate() {
        if !texts.contains_key(file) {
            out.push(subject.problem(
                Rule::MissingResource,
                format!("steps.{id}.resources.{index}"),
                format!("there is no resource `{file}`"),
                "create the file, or remove this line",
            ));
        }
    }
}

/// The byte range of the first step number or step count in a text.
pub(super) fn promise(text: &str) -> Option<(usize, usize)> {
    step_number(text).or_else(|| step_count(text))
}

const NUMBERS: [&str; 15] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "twenty",
];
/// `first` is deliberately missing: "as a first step" is not a count.
const ORDINALS: [&str; 11] = [
    "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth",
];

/// The byte range of a step's number: `step 3`, `steps 2 to 4`, `Step 3/7`, `step four`.
fn step_number(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    for (start, _) in lower.match_indices("step") {
        let before = lower[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-')) {
            continue;
        }
        let after = lower[start + 4..]
            .strip_prefix('s')
            .unwrap_or(&lower[start + 4..]);
        let number = after.trim_start_matches([' ', '#']);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let word = number.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let length = if NUMBERS.contains(&&number[..word]) {
            word
        } else {
            digits
        };
        if number.len() < after.len() && length > 0 {
            return Some((start, text.len() - number.len() + length));
        }
    }
    None
}

/// The byte range of a step count or ordinal: `7 steps`, `seven-step`, `the third step`.
fn step_count(text: &str) -> Option<(usize, usize)> {
    let lower = text.to_ascii_lowercase();
    lower.match_indices("step").find_map(|(at, _)| {
        let rest = &lower[at + 4..];
        let (several, rest) = rest.strip_prefix('s').map_or((false, rest), |rest| (true, rest));
        let before = lower[..at].trim_end_matches([' ', '-']);
        let start = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric()).len();
        let word = &before[start..];
        let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        // "One step at a time" is not a count.
        let is_count = is_number || (NUMBERS.contains(&word) && word != "one");
        let is_place = !several && ORDINALS.contains(&word);
        let is_word = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let is_apart = before.len() < at && !lower[..start].ends_with(['.', '_']);
        (is_word && is_apart && (is_count || is_place)).then_some((start, at + 4 + usize::from(several)))
    })
}

fn unused_files(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    // Only the check of the main workflow sees every workflow that may use a file.
    if !subject.is_main() {
        return;
    }
    let definitions = || std::iter::once(subject.definition).chain(subject.package.children.values());
    for file in subject.package.texts.keys() {
        if !file.as_str().starts_with("prompts/") && !file.as_str().starts_with("resources/") {
            continue;
        }
        let used = definitions()
            .flat_map(|definition| &definition.steps)
            .any(|step| step.action == StepText::File(file.clone()) || step.resources.contains(file));
        if !used {
            out.push(Problem {
                rule: Rule::UnusedFile,
                place: ProblemLocation::File(file.clone()),
                message: format!("no step uses `{file}`"),
                fix: "use the file in a step, or remove the file".to_owned(),
            });
        }
    }
}
