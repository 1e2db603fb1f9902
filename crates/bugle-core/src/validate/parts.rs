//! Rules about a step's parts: mutually exclusive keys, and names that must exist elsewhere.

use super::{Problem, Rule, Subject};
use crate::did_you_mean::nearest;
use crate::outcome::Outcome;
use crate::tool::{self, ToolPolicy};
use crate::workflow::{Evidence, StepDef};

pub(super) fn check(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    for step in &subject.definition.steps {
        exclusive(subject, step, out);
        tools(subject, step, out);
        evidence(subject, step, out);
        conventions(subject, step, out);
    }
}

fn exclusive(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let id = &step.id;
    let mut conflict = |part: &str, message: String, fix: &str| {
        out.push(subject.problem(Rule::ConflictingParts, format!("steps.{id}.{part}"), message, fix));
    };
    if step.title.trim().is_empty() {
        conflict(
            "title",
            format!("step `{id}` has an empty title"),
            "describe the step in a few words",
        );
    }
    if step.ask.is_some() {
        let others = [
            ("result", !step.result.is_empty()),
            ("expect", !step.expect.is_empty()),
            ("loop", step.repeat.is_some()),
            ("gate", step.gate.is_some()),
            ("dispatch", step.dispatch.is_some()),
        ];
        for (part, present) in others {
            if present {
                conflict(
                    part,
                    format!(
                        "step `{id}` asks a question and ends with the answer, so it cannot have `{part}`"
                    ),
                    "move the question to its own step",
                );
            }
        }
    }
    if step.gate.is_some() && step.dispatch.is_none() {
        conflict(
            "gate",
            format!("step `{id}` has a gate but no reviewer"),
            "add a `dispatch` with a reviewer",
        );
    }
    if step.gate.is_some() && !step.route.is_empty() {
        conflict(
            "route",
            format!("step `{id}` has a gate and a route, and both decide its outcome"),
            "keep only the gate or only the route",
        );
    }
    if step.gate.is_some() && step.repeat.is_some() {
        conflict(
            "loop",
            format!("step `{id}` has a gate and a loop, and both decide its outcome"),
            "keep only the gate or only the loop",
        );
    }
    if step.repeat.is_none() && step.route.iter().any(|route| route.outcome == Outcome::Iterate) {
        conflict(
            "route",
            format!("the route of step `{id}` iterates without a limit"),
            if step.ask.is_some() {
                "route to a step with a `loop`, and iterate there"
            } else {
                "add a `loop` with a limit to the step"
            },
        );
    }
    if let Some(ask) = &step.ask {
        let mut sorted = ask.choices.clone();
        sorted.sort();
        sorted.dedup();
        if sorted.len() != ask.choices.len() || ask.choices.iter().any(|choice| choice.trim().is_empty()) {
            conflict(
                "ask.choices",
                format!("step `{id}` has an empty choice or the same choice twice"),
                "make every choice unique and non-empty",
            );
        }
    }
}

fn tools(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let key = match step.tools {
        ToolPolicy::Unrestricted => return,
        ToolPolicy::Deny(_) | ToolPolicy::DenyExcept { .. } => "deny",
        ToolPolicy::Allow(_) => "allow",
    };
    for (index, name) in step.tools.named().iter().enumerate() {
        if !tool::is_known(name) {
            let fix = match nearest(name, tool::known_names()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "use a client's tool name, such as Edit or mcp__server__tool".to_owned(),
            };
            out.push(subject.problem(
                Rule::UnknownTool,
                format!("steps.{}.tools.{key}.{index}", step.id),
                format!("no client has a tool `{name}`"),
                fix,
            ));
        }
    }
}

fn evidence(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    for (index, evidence) in step.expect.iter().enumerate() {
        let place = format!("steps.{}.expect.{index}", step.id);
        let mut bad = |message: &str, fix: &str| {
            out.push(subject.problem(Rule::BadEvidence, place.clone(), message.to_owned(), fix));
        };
        match evidence {
            Evidence::Artifact { pattern, .. } => {
                if pattern.trim().is_empty() {
                    bad(
                        "the pattern is empty",
                        "give a path or glob, such as `docs/plans/*.md`",
                    );
                } else if pattern.starts_with('/') || pattern.split('/').any(|part| part == "..") {
                    bad(
                        "the pattern leads outside the project's folder",
                        "use a path relative to the project, without `..`",
                    );
                }
            }
            Evidence::Plan { file } => {
                if file.trim().is_empty() {
                    bad(
                        "the plan's file name is empty",
                        "give the file's path, such as `{{ result.file }}`",
                    );
                }
            }
            Evidence::Command {
                line,
                timeout_seconds,
            } => {
                if line.trim().is_empty() {
                    bad(
                        "the command is empty",
                        "add a command that exits with code 0 when the work is done",
                    );
                } else if !(1..=3600).contains(timeout_seconds) {
                    bad(
                        "the timeout is not between 1 and 3600 seconds",
                        "choose a `timeout` from 1 to 3600 seconds",
                    );
                }
            }
        }
    }
}

fn conventions(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let known = &subject.package.conventions;
    for (index, name) in step.conventions.iter().enumerate() {
        // If the section depends on the run, only the convention can be checked here.
        let certain = match name.split_once('#') {
            Some((convention, section)) if section.contains("{{") => convention,
            _ => name.as_str(),
        };
        if !known.contains(certain) {
            let fix = match nearest(name, known.iter().map(String::as_str)) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "use the name of a file in a `conventions` folder, without `.md`".to_owned(),
            };
            out.push(subject.problem(
                Rule::MissingConvention,
                format!("steps.{}.conventions.{index}", step.id),
                format!("there is no convention `{name}`"),
                fix,
            ));
        }
    }
}
