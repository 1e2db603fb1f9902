//! Rules about texts: each is there, uses only names it can know, and promises no step numbers.

use super::flow::Flow;
use super::guards::calls_nobody_sometimes;
use super::{Place, Problem, Rule, Subject, nearest};
use crate::name::FieldName;
use crate::path::SkillPath;
use crate::workflow::{DispatchWork, Evidence, FanOut, StepDef, StepText};

/// How many characters a step's text may have, resources aside: more is not read, but skimmed.
pub const STEP_BUDGET: usize = 6000;

pub(super) fn check(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let certain = flow.certain_results();
    for (index, step) in subject.definition.steps.iter().enumerate() {
        present(subject, step, out);
        for (origin, source) in templates_of(subject, step) {
            names(subject, flow, &certain[index], (index, &origin, source), out);
            if let Some((start, end)) = step_number(source) {
                out.push(Problem {
                    rule: Rule::StepCountInText,
                    place: origin.bytes(subject.file, start, end),
                    message: format!("the text speaks of `{}`", &source[start..end]),
                    fix: "say what is meant instead: numbers go wrong when the workflow changes".to_owned(),
                });
            }
        }
        if let Some((start, end)) = step_number(&step.title) {
            out.push(subject.problem(
                Rule::StepCountInText,
                format!("steps.{}.title", step.id),
                format!("the title speaks of `{}`", &step.title[start..end]),
                "leave the number out: Bugle counts",
            ));
        }
    }
    unused_files(subject, out);
}

/// Where a template comes from.
pub(super) enum Origin {
    File(SkillPath),
    Key(String),
}

impl Origin {
    fn bytes(&self, workflow: &SkillPath, start: usize, end: usize) -> Place {
        match self {
            Self::File(file) => Place::Bytes {
                file: file.clone(),
                start,
                end,
            },
            Self::Key(path) => Place::Inside {
                file: workflow.clone(),
                path: path.clone(),
                offset: start,
            },
        }
    }
}

/// Every template of a step that can be read, with where it stands.
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
        if let Evidence::Artifact { pattern, .. } = evidence {
            found.push((
                Origin::Key(format!("steps.{id}.expect.{index}.artifact")),
                pattern.as_str(),
            ));
        }
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
                    Some(meant) => format!("write the file, or did you mean `{meant}`?"),
                    None => "write the file, or put the text here".to_owned(),
                };
                out.push(subject.problem(
                    Rule::MissingPrompt,
                    format!("steps.{id}.do"),
                    format!("there is no file `{file}` with the text of step `{id}`"),
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
            "say what to do",
        ));
    }
    for (index, file) in step.resources.iter().enumerate() {
        if !texts.contains_key(file) {
            out.push(subject.problem(
                Rule::MissingResource,
                format!("steps.{id}.resources.{index}"),
                format!("there is no resource `{file}`"),
                "write the file, or remove this line",
            ));
        }
    }
}

fn names(
    subject: &Subject<'_>,
    flow: &Flow,
    certain: &std::collections::BTreeSet<usize>,
    (index, origin, source): (usize, &Origin, &str),
    out: &mut Vec<Problem>,
) {
    let references = match subject.templates.references(source) {
        Ok(references) => references,
        Err(bad) => {
            out.push(Problem {
                rule: Rule::BadTemplate,
                place: origin.bytes(subject.file, bad.start, bad.end),
                message: format!("the template does not parse: {}", bad.message),
                fix: "mend the template; `{% raw %}` shows braces as they are".to_owned(),
            });
            return;
        }
    };
    for name in references {
        let start = source.find(&name).unwrap_or(0);
        let place = origin.bytes(subject.file, start, start + name.len().min(source.len() - start));
        let mut push = |rule, message, fix| {
            out.push(Problem {
                rule,
                place: place.clone(),
                message,
                fix,
            });
        };
        let mut parts = name.split('.');
        let root = parts.next().unwrap_or_default();
        let rest: Vec<&str> = parts.collect();
        match root {
            "params" => {
                if let Some((rule, message, fix)) = param_flaw(subject, &rest, source) {
                    push(rule, message, fix);
                }
            }
            "state" => {
                if let Some((rule, message, fix)) = state_flaw(subject, flow, certain, index, &rest, source) {
                    push(rule, message, fix);
                }
            }
            "visit" | "run" | "gate" => {
                let known: &[&str] = match root {
                    "visit" => &["number", "iteration", "step"],
                    "run" => &["id", "skill"],
                    _ => &["name", "iteration", "checks", "findings"],
                };
                if let Some(field) = rest.first()
                    && !known.contains(field)
                {
                    let list = known.join(", ");
                    push(
                        Rule::UnknownName,
                        format!("`{root}` has no `{field}`"),
                        format!("it has {list}"),
                    );
                }
            }
            "child" => {
                if let Some((rule, message, fix)) = child_flaw(&subject.definition.steps[index], &rest) {
                    push(rule, message, fix);
                }
            }
            "result" => push(
                Rule::UnknownName,
                "a step's text cannot see its own result, which does not exist yet".to_owned(),
                "use `state.<step>` for the result of an earlier step".to_owned(),
            ),
            _ => push(
                Rule::UnknownName,
                format!("a template does not know `{root}`"),
                "it knows params, state, visit, gate and run".to_owned(),
            ),
        }
    }
}

type Flaw = (Rule, String, String);

/// `child` is what one sub-agent gets; only the text that is its brief knows it.
fn child_flaw(step: &StepDef, rest: &[&str]) -> Option<Flaw> {
    let brief = step
        .dispatch
        .as_ref()
        .filter(|dispatch| dispatch.work == DispatchWork::Brief);
    let Some(dispatch) = brief else {
        return Some((
            Rule::UnknownName,
            "only the brief of a sub-agent knows `child`".to_owned(),
            "a brief is the text of a step with a `dispatch` that names no workflow".to_owned(),
        ));
    };
    let item = match &dispatch.fan_out {
        FanOut::ForEach { item, .. } => Some(item),
        FanOut::One => None,
    };
    let known: Vec<&str> = dispatch.with.keys().chain(item).map(FieldName::as_str).collect();
    let wanted = rest.first().filter(|wanted| !known.contains(wanted))?;
    let fix = match nearest(wanted, known.iter().copied()) {
        Some(meant) => format!("did you mean `child.{meant}`?"),
        None => format!("add `{wanted}` to the dispatch's `with`"),
    };
    Some((
        Rule::UnknownName,
        format!("the sub-agent is not given `{wanted}`"),
        fix,
    ))
}

fn param_flaw(subject: &Subject<'_>, rest: &[&str], source: &str) -> Option<Flaw> {
    let wanted = rest.first()?;
    let params = &subject.definition.params;
    let Some(arg) = params.iter().find(|arg| arg.name.as_str() == *wanted) else {
        let fix = match nearest(wanted, params.iter().map(|arg| arg.name.as_str())) {
            Some(meant) => format!("did you mean `params.{meant}`?"),
            None => format!("declare `{wanted}` under `params`"),
        };
        return Some((
            Rule::UndeclaredParam,
            format!("there is no param `{wanted}`"),
            fix,
        ));
    };
    let absent = arg.presence == crate::shape::Presence::Optional && arg.default.is_none();
    (absent && !asks_for(source, &format!("params.{wanted}"))).then(|| {
        (
            Rule::UnknownName,
            format!("param `{wanted}` may be absent"),
            format!("put it behind `{{% if params.{wanted} is defined %}}`, or give the param a default"),
        )
    })
}

fn state_flaw(
    subject: &Subject<'_>,
    flow: &Flow,
    certain: &std::collections::BTreeSet<usize>,
    at: usize,
    rest: &[&str],
    source: &str,
) -> Option<Flaw> {
    let steps = &subject.definition.steps;
    let wanted = rest.first()?;
    let Some(earlier) = steps.iter().position(|step| step.id.as_str() == *wanted) else {
        let fix = match nearest(wanted, steps.iter().map(|step| step.id.as_str())) {
            Some(meant) => format!("did you mean `state.{meant}`?"),
            None => "use the id of an earlier step".to_owned(),
        };
        return Some((Rule::UnknownName, format!("there is no step `{wanted}`"), fix));
    };
    if let Some(field) = rest.get(1) {
        let fields = result_fields(&steps[earlier]);
        let Some((_, optional)) = fields.iter().find(|(name, _)| name == field) else {
            let list: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
            let fix = match nearest(field, list.iter().copied()) {
                Some(meant) => format!("did you mean `state.{wanted}.{meant}`?"),
                None if list.is_empty() => format!("declare a `result` in step `{wanted}`"),
                None => format!("its result has {}", list.join(", ")),
            };
            return Some((
                Rule::UnknownName,
                format!("step `{wanted}` has no result `{field}`"),
                fix,
            ));
        };
        if *optional && !asks_for(source, &format!("state.{wanted}.{field}")) {
            return Some((
                Rule::ResultUnavailable,
                format!("result `{field}` of step `{wanted}` may be absent"),
                format!("put it behind `{{% if state.{wanted}.{field} is defined %}}`"),
            ));
        }
    }
    if certain.contains(&earlier) {
        return None;
    }
    if !flow.can_precede(earlier, at) {
        return Some((
            Rule::ResultUnavailable,
            format!("no path visits `{wanted}` before `{}`", steps[at].id),
            "use the result of a step that comes earlier".to_owned(),
        ));
    }
    let own_round = earlier == at && source.contains("visit.iteration");
    let protected = own_round || asks_for(source, &format!("state.{wanted}"));
    (!protected).then(|| {
        (
            Rule::ResultUnavailable,
            format!(
                "not every path to `{}` brings a result of `{wanted}`",
                steps[at].id
            ),
            format!("put it behind `{{% if state.{wanted} is defined %}}`"),
        )
    })
}

/// The fields of a step's result, and whether each may be absent. The answer to a question is a result.
fn result_fields(step: &StepDef) -> Vec<(&str, bool)> {
    let mut fields: Vec<(&str, bool)> = step
        .result
        .iter()
        .map(|field| {
            (
                field.name.as_str(),
                field.presence == crate::shape::Presence::Optional,
            )
        })
        .collect();
    if step.ask.is_some() {
        fields.push(("answer", false));
    }
    if step.dispatch.is_some() {
        fields = ["children", "finished", "failed", "escalated", "missing"]
            .map(|name| (name, false))
            .to_vec();
        if step.gate.is_some() {
            // A gate that called nobody has judged nothing.
            let may_call_nobody = calls_nobody_sometimes(step);
            fields.extend([
                ("verdict", may_call_nobody),
                ("review", may_call_nobody),
                ("decision", true),
            ]);
        }
    }
    fields
}

/// Whether a template asks if a name is there. What it does with the answer shows when
/// the skill is tested: every path is rendered with strict names.
fn asks_for(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let rest = source[at + name.len()..].trim_start();
        let rest = rest.strip_prefix('.').map_or(rest, |field| {
            field
                .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.')
                .trim_start()
        });
        ["is defined", "is not defined", "is undefined", "is not undefined"]
            .iter()
            .any(|question| rest.starts_with(question))
    })
}

/// Where a text speaks of a step by number: `step 3`, `steps 2 to 4`, `Step 3/7`.
pub(super) fn step_number(text: &str) -> Option<(usize, usize)> {
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
        if number.len() < after.len() && digits > 0 {
            return Some((start, text.len() - number.len() + digits));
        }
    }
    None
}

fn unused_files(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    // Only the workflow at the root of a skill speaks for the whole folder.
    if subject.file.as_str() != "workflow.yaml" {
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
                place: Place::File(file.clone()),
                message: format!("no step uses `{file}`"),
                fix: "use it in a step, or remove it".to_owned(),
            });
        }
    }
}
