//! The faults that can be put into a sound workflow, at least one for each rule that the validator keeps on its own.

use std::collections::BTreeMap;

use bugle_core::outcome::{Outcome, Target, Transitions};
use bugle_core::role::AgentRole;
use bugle_core::shape::{Field, Length, Presence, Range, Shape};
use bugle_core::tool::ToolPolicy;
use bugle_core::validate::Rule;
use bugle_core::workflow::{
    Arg, Ask, AtLimit, Dispatch, DispatchWork, Evidence, FanOut, GateConfig, Loop, Route, StepText,
    WorkflowDef,
};
use serde_json::Value;

use super::broken::{Fault, Site};
use crate::spelling::{expression, field_name, skill_path, step_id};

/// Losing a transition can cut off whatever came after it.
const CUT_OFF: &[Rule] = &[
    Rule::UnreachableStep,
    Rule::EndUnreachable,
    Rule::ResultUnavailable,
    Rule::GateNeverReturns,
];

pub(super) const FAULTS: &[Fault] = &[
    fault(Rule::UnknownTarget, CUT_OFF, unknown_target),
    fault(Rule::DuplicateStep, &[Rule::UnreachableStep], duplicate_step),
    fault(Rule::UnreachableStep, &[], unreachable_step),
    // A place without a way to the end can only be one where something goes round for ever.
    fault(Rule::EndUnreachable, &[Rule::UnboundedCycle], end_unreachable),
    fault(Rule::NoWayOut, CUT_OFF, no_way_out),
    fault(Rule::UnmappedOutcome, &[], unmapped_outcome),
    fault(Rule::DeadOutcome, &[], dead_outcome),
    fault(Rule::UnboundedCycle, &[], unbounded_cycle),
    fault(Rule::BadLimit, &[], bad_limit),
    fault(Rule::GateNeverReturns, &[], gate_never_returns),
    fault(Rule::ConflictingParts, &[], conflicting_parts),
    fault(Rule::IllTypedParam, &[], ill_typed_param),
    fault(Rule::IllTypedResult, &[], ill_typed_result),
    fault(Rule::IllTypedExpression, &[], ill_typed_expression),
    fault(Rule::UndeclaredParam, &[], undeclared_param),
    fault(Rule::ResultUnavailable, &[], result_unavailable),
    fault(Rule::MissingPrompt, &[], missing_prompt),
    fault(Rule::MissingResource, &[], missing_resource),
    fault(Rule::MissingConvention, &[], missing_convention),
    fault(Rule::UnknownTool, &[], unknown_tool),
    fault(Rule::BadEvidence, &[], bad_evidence),
    fault(Rule::StepCountInText, &[], step_count_in_text),
    fault(Rule::DispatchMissing, &[], dispatch_missing),
    fault(Rule::DispatchMisfit, &[], dispatch_misfit),
    fault(Rule::DispatchRecursion, &[], dispatch_recursion),
    fault(Rule::EntryMissing, &[], entry_missing),
];

const fn fault(rule: Rule, along: &'static [Rule], commit: fn(&mut Site)) -> Fault {
    Fault { rule, along, commit }
}

fn unknown_target(site: &mut Site) {
    let nowhere = step_id("nowhere");
    let part = site.choose(&["next", "on_error", "rework"]);
    let step = site.step();
    match (part, &mut step.gate) {
        ("on_error", _) => step.on_error = Some(Target::Step(nowhere)),
        ("rework", Some(gate)) => gate.rework = nowhere,
        _ => step.next.ok = Some(Target::Step(nowhere)),
    }
}

fn duplicate_step(site: &mut Site) {
    let twin = site.step().clone();
    site.definition.steps.push(twin);
}

fn unreachable_step(site: &mut Site) {
    let mut island = site.plain("island");
    island.next = Transitions::linear(Target::End);
    site.definition.steps.push(island);
}

fn end_unreachable(site: &mut Site) {
    let mut fork = site.plain("fork");
    fork.on_error = Some(Target::Step(step_id("trap")));
    let mut trap = site.plain("trap");
    trap.next = Transitions::linear(Target::Step(step_id("trap")));
    site.insert(fork);
    site.definition.steps.push(trap);
}

fn no_way_out(site: &mut Site) {
    site.step().next = Transitions::default();
}

fn unmapped_outcome(site: &mut Site) {
    let mut step = site.plain("inserted");
    let until = expression("visit.iteration > 1");
    let repeat = |at_limit| Loop {
        until: until.clone(),
        limit: 3,
        at_limit,
    };
    match site.choose(&["skip", "iterate", "limit", "gate"]) {
        "skip" => step.route.push(Route {
            when: until,
            outcome: Outcome::Skip,
        }),
        "iterate" => step.repeat = Some(repeat(AtLimit::Ok)),
        "limit" => {
            step.next.iterate = Some(Target::Step(step.id.clone()));
            step.repeat = Some(repeat(AtLimit::Fail));
        }
        _ => {
            step.gate = Some(GateConfig {
                name: "Completeness".to_owned(),
                rework: step.id.clone(),
                limit: 3,
            });
        }
    }
    site.insert(step);
}

fn dead_outcome(site: &mut Site) {
    let mut step = site.plain("inserted");
    match site.choose(&["skip", "iterate", "default"]) {
        "skip" => step.next.skip = Some(Target::End),
        "iterate" => step.next.iterate = Some(Target::End),
        _ => {
            step.next.fail = Some(Target::End);
            step.next.default = Some(Target::End);
        }
    }
    site.insert(step);
}

fn unbounded_cycle(site: &mut Site) {
    let entry = site.definition.steps[0].id.clone();
    let mut step = site.plain("inserted");
    // A step put before the entry is led to instead of it, so it goes back to itself.
    step.on_error = Some(Target::Step(entry));
    site.insert(step);
    let entry = site.definition.steps[0].id.clone();
    site.step().on_error = Some(Target::Step(entry));
}

fn bad_limit(site: &mut Site) {
    let mut step = site.plain("inserted");
    let limit = site.choose(&[0, 101, u32::MAX]);
    step.next.iterate = Some(Target::Step(step.id.clone()));
    step.repeat = Some(Loop {
        until: expression("visit.iteration > 1"),
        limit,
        at_limit: AtLimit::Ok,
    });
    site.insert(step);
}

fn gate_never_returns(site: &mut Site) {
    let mut mend = site.plain("mend");
    let mut review = site.plain("review");
    let elsewhere = site.choose(&[true, false]);
    review.gate = Some(GateConfig {
        name: "Completeness".to_owned(),
        rework: if elsewhere {
            review.id.clone()
        } else {
            mend.id.clone()
        },
        limit: 3,
    });
    review.next.fail = Some(Target::Step(mend.id.clone()));
    mend.next = Transitions::linear(Target::End);
    site.insert(review);
    site.definition.steps.push(mend);
}

fn conflicting_parts(site: &mut Site) {
    match site.choose(&["title", "ask", "route"]) {
        "title" => "  ".clone_into(&mut site.step().title),
        "ask" => {
            let step = site.step();
            step.ask = Some(Ask {
                question: "Which of the two?".to_owned(),
                choices: vec!["one".to_owned(), "one".to_owned()],
            });
        }
        _ => {
            let mut step = site.plain("inserted");
            step.next.iterate = Some(Target::End);
            step.route.push(Route {
                when: expression("visit.iteration < 2"),
                outcome: Outcome::Iterate,
            });
            site.insert(step);
        }
    }
}

/// Types that no value can have.
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

fn ill_typed_param(site: &mut Site) {
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

fn ill_typed_result(site: &mut Site) {
    let shape = site.choose(&impossible());
    site.working_step().result.push(Field {
        name: field_name("odd"),
        shape,
        presence: Presence::Optional,
        help: None,
    });
}

/// Adds a route that changes nothing but has this guard.
fn guarded(site: &mut Site, source: &str) {
    site.step().route.push(Route {
        when: expression(source),
        outcome: Outcome::Ok,
    });
}

fn ill_typed_expression(site: &mut Site) {
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

fn undeclared_param(site: &mut Site) {
    let source = site.choose(&[
        "params.undeclared",
        "visit.number > 1 && params.undeclared == 'x'",
    ]);
    guarded(site, source);
}

fn result_unavailable(site: &mut Site) {
    let step = site.working_step();
    step.result.push(Field {
        name: field_name("earlier"),
        shape: Shape::Boolean,
        presence: Presence::Required,
        help: None,
    });
    // On its first visit, a step has no result from before.
    let source = format!("state.{}.earlier", step.id);
    guarded(site, &source);
}

fn missing_prompt(site: &mut Site) {
    let missing = StepText::File(skill_path("prompts/missing.md"));
    site.step().action = site.choose(&[missing, StepText::Inline(" \n".to_owned())]);
}

fn missing_resource(site: &mut Site) {
    site.step().resources.push(skill_path("resources/missing.md"));
}

fn missing_convention(site: &mut Site) {
    site.step().conventions.push("missing".to_owned());
}

fn unknown_tool(site: &mut Site) {
    let tools = vec!["Read".to_owned(), "Hammer".to_owned()];
    site.step().tools = site.choose(&[ToolPolicy::Deny(tools.clone()), ToolPolicy::Allow(tools)]);
}

fn bad_evidence(site: &mut Site) {
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

fn step_count_in_text(site: &mut Site) {
    let promise = site.choose(&["As in step 3", "Repeat steps 2 to 4", "Now do Step #2"]);
    let in_title = site.choose(&[true, false]);
    let step = site.step();
    if in_title {
        promise.clone_into(&mut step.title);
    } else {
        step.action = StepText::Inline(promise.to_owned());
    }
}

/// Puts in a step that starts this workflow.
fn dispatching(site: &mut Site, file: &str, with: &[(&str, &str)]) {
    let mut step = site.plain("inserted");
    step.dispatch = Some(Dispatch {
        role: AgentRole::Explore,
        work: DispatchWork::Workflow(skill_path(file)),
        fan_out: FanOut::One,
        with: with
            .iter()
            .map(|(name, source)| (field_name(name), expression(source)))
            .collect::<BTreeMap<_, _>>(),
    });
    site.insert(step);
}

fn dispatch_missing(site: &mut Site) {
    dispatching(site, "agents/missing.yaml", &[]);
}

fn dispatch_misfit(site: &mut Site) {
    let wanted = Arg {
        name: field_name("topic"),
        shape: Shape::text(),
        presence: Presence::Required,
        default: None,
        help: None,
    };
    let child = WorkflowDef::new([site.plain("look")]).param(wanted);
    site.package
        .children
        .insert(skill_path("agents/look.yaml"), child);
    let with: &[(&str, &str)] = site.choose(&[&[][..], &[("topic", "run.id"), ("extra", "run.id")][..]]);
    dispatching(site, "agents/look.yaml", with);
}

fn dispatch_recursion(site: &mut Site) {
    let file = site.choose(&["workflow.yaml", "agents/again.yaml"]);
    let mut again = site.plain("again");
    again.dispatch = Some(Dispatch {
        role: AgentRole::Explore,
        work: DispatchWork::Workflow(skill_path(file)),
        fan_out: FanOut::One,
        with: BTreeMap::new(),
    });
    site.package
        .children
        .insert(skill_path(file), WorkflowDef::new([again]));
    dispatching(site, file, &[]);
}

fn entry_missing(site: &mut Site) {
    site.definition.steps.clear();
}
