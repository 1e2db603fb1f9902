//! Faults in steps and params: types, guards, text, tools, evidence.

use bugle_core::outcome::{Outcome, Target};
use bugle_core::shape::{Field, Length, Presence, Range, Shape};
use bugle_core::tool::ToolPolicy;
use bugle_core::workflow::{Arg, Ask, Evidence, Route, StepText};
use serde_json::Value;

use super::Site;
use crate::spelling::{expression, field_name, skill_path};

pub(super) fn conflicting_parts(site: &mut Site) {
    let part = site.choose(&["title", "ask", "route"]);
    match part {
        "ask" if site.step().ask.is_none() => {
            site.step().ask = Some(Ask {
                question: "Which of the two?".to_owned(),
                choices: vec!["one".to_owned(), "one".to_owned()],
                by: bugle_core::workflow::Answerer::User,
            });
        }
        "route" => {
            let mut step = site.plain("inserted");
            step.next.iterate = Some(Target::End);
            step.route.push(Route {
                when: expression("visit.iteration < 2"),
                outcome: Outcome::Iterate,
            });
            site.insert(step);
        }
        _ => "  ".clone_into(&mut site.step().title),
    }
}

/// Types that no value matches.
fn impossible() -> [Shape; 4] {
    let short = Length {
        min: Some(3),
        max: Some(2),
    };
    let narrow = Range {
        min: Some(1.0),
        max: Some(0.0),
    };
    [
        Shape::String(short),
        Shape::Array {
            items: Box::new(Shape::Number(narrow)),
            length: Length::default(),
            unique: None,
        },
        Shape::Enum(Vec::new()),
        Shape::Object(vec![Field {
            name: field_name("inner"),
            shape: Shape::Object(Vec::new()),
            presence: Presence::Optional,
            help: None,
        }]),
    ]
}

pub(super) fn ill_typed_param(site: &mut Site) {
    let arg = Arg {
        name: field_name("odd"),
        shape: Shape::Boolean,
        presence: Presence::Optional,
        default: None,
        help: None,
    };
    let shape = site.choose(&impossible());
    let (good, bad) = (Some(Value::Bool(true)), Some(Value::from("true")));
    let odd = match site.choose(&["shape", "default", "required", "twice"]) {
        "shape" => Arg { shape, ..arg },
        "default" => Arg { default: bad, ..arg },
        "required" => Arg {
            presence: Presence::Required,
            default: good,
            ..arg
        },
        _ => {
            site.definition.params.push(arg.clone());
            arg
        }
    };
    site.definition.params.push(odd);
}

pub(super) fn ill_typed_result(site: &mut Site) {
    let shape = site.choose(&impossible());
    site.working_step().result.push(Field {
        name: field_name("odd"),
        shape,
        presence: Presence::Optional,
        help: None,
    });
}

/// Adds a route with this guard. The route's outcome is `ok`, so it has no other effect.
fn guarded(site: &mut Site, source: &str) {
    site.working_step().route.push(Route {
        when: expression(source),
        outcome: Outcome::Ok,
    });
}

pub(super) fn ill_typed_expression(site: &mut Site) {
    let source = site.choose(&[
        "visit.iteration == 'one'",
        "visit.iteration",
        "visit.iteration + 0.5 > 1.0",
        "run.id > 3",
        "nobody.knows",
        "result.no_such_field == 1",
        "state.no_such_step.field == 1",
        "size(visit.number) > 0",
    ]);
    guarded(site, source);
}

pub(super) fn undeclared_param(site: &mut Site) {
    let source = site.choose(&[
        "params.undeclared",
        "visit.number > 1 && params.undeclared == 'x'",
    ]);
    guarded(site, source);
}

pub(super) fn result_unavailable(site: &mut Site) {
    let step = site.working_step();
    step.result.push(Field {
        name: field_name("earlier"),
        shape: Shape::Boolean,
        presence: Presence::Required,
        help: None,
    });
    // A step has no earlier result on its first visit.
    let source = format!("state.{}.earlier", step.id);
    guarded(site, &source);
}

pub(super) fn missing_prompt(site: &mut Site) {
    let missing = StepText::File(skill_path("prompts/missing.md"));
    site.step().action = site.choose(&[missing, StepText::Inline(" \n".to_owned())]);
}

pub(super) fn missing_resource(site: &mut Site) {
    site.step().resources.push(skill_path("resources/missing.md"));
}

pub(super) fn missing_convention(site: &mut Site) {
    site.step().conventions.push("missing".to_owned());
}

pub(super) fn unknown_tool(site: &mut Site) {
    let tools = vec!["Read".to_owned(), "Hammer".to_owned()];
    site.step().tools = site.choose(&[ToolPolicy::Deny(tools.clone()), ToolPolicy::Allow(tools)]);
}

pub(super) fn bad_evidence(site: &mut Site) {
    let artifact = |pattern: &str| Evidence::Artifact {
        pattern: pattern.to_owned(),
        existing: true,
    };
    let command = |line: &str, timeout_seconds| Evidence::Command {
        line: line.to_owned(),
        timeout_seconds,
    };
    let bad = site.choose(&[
        artifact(" "),
        artifact("/etc/passwd"),
        artifact("docs/../../x"),
        command("", 10),
        command("make", 0),
        command("make", 3601),
    ]);
    site.working_step().expect.push(bad);
}

pub(super) fn step_count_in_text(site: &mut Site) {
    let promise = site.choose(&["As in step 3", "Repeat steps 2 to 4", "Now do Step #2"]);
    let in_title = site.choose(&[true, false]);
    let step = site.step();
    if in_title {
        promise.clone_into(&mut step.title);
    } else {
        step.action = StepText::Inline(promise.to_owned());
    }
}
