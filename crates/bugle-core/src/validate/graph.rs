//! Rules about the graph: every step can be reached, and can reach the end within a bounded number of visits.

use std::collections::BTreeSet;

use super::flow::Flow;
use super::{Problem, ProblemLocation, Rule, Subject};
use crate::did_you_mean::nearest;
use crate::name::StepId;
use crate::outcome::{Outcome, Target};
use crate::workflow::{MAX_LIMIT, StepDef};

pub(super) fn check(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let steps = &subject.definition.steps;
    if steps.is_empty() {
        out.push(subject.problem(
            Rule::EntryMissing,
            "steps",
            "the workflow has no steps".to_owned(),
            "add at least one step under `steps`",
        ));
        return;
    }
    duplicates(subject, out);
    for step in steps {
        targets(subject, step, out);
        outcomes(subject, step, out);
        limits(subject, step, out);
    }
    reachability(subject, flow, out);
    cycles(subject, flow, out);
    gates(subject, flow, out);
}

fn duplicates(subject: &Subject<'_>, out: &mut Vec<Problem>) {
    let mut seen: BTreeSet<&StepId> = BTreeSet::new();
    for step in &subject.definition.steps {
        if !seen.insert(&step.id) {
            out.push(subject.problem(
                Rule::DuplicateStep,
                format!("steps.{}", step.id),
                format!("two steps have the id `{}`", step.id),
                "rename one of the steps",
            ));
        }
    }
}

fn targets(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let known = |id: &StepId| subject.definition.step(id).is_some();
    let mut unknown = |path: String, id: &StepId| {
        let ids = subject.definition.steps.iter().map(|step| step.id.as_str());
        let fix = match nearest(id.as_str(), ids) {
            Some(meant) => format!("did you mean `{meant}`? Otherwise, add a step `{id}`"),
            None => format!("add a step `{id}`, or name an existing step or `end`"),
        };
        out.push(Problem {
            rule: Rule::UnknownTarget,
            place: ProblemLocation::Inside {
                file: subject.file.clone(),
                path,
                offset: 0,
            },
            message: format!("there is no step `{id}`"),
            fix,
        });
    };
    for (word, target) in step.next.entries() {
        if let Target::Step(id) = target
            && !known(id)
        {
            unknown(format!("steps.{}.next.{word}", step.id), id);
        }
    }
    if let Some(Target::Step(id)) = &step.on_error
        && !known(id)
    {
        unknown(format!("steps.{}.on_error", step.id), id);
    }
    if let Some(gate) = &step.gate
        && !known(&gate.rework)
    {
        unknown(format!("steps.{}.gate.rework", step.id), &gate.rework);
    }
}

fn outcomes(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let id = &step.id;
    if step.next.entries().next().is_none() {
        out.push(subject.problem(
            Rule::NoWayOut,
            format!("steps.{id}.next"),
            format!("step `{id}` has no next step"),
            "add `next: some_step` or `next: end`",
        ));
        return;
    }
    for outcome in step.possible_outcomes() {
        if step.leads_to(outcome).is_none() {
            let (path, cause) = producer(step, outcome);
            out.push(subject.problem(
                Rule::UnmappedOutcome,
                path,
                format!(
                    "step `{id}` can end with `{outcome}` ({cause}), but `next` does not map that outcome"
                ),
                format!("add `{outcome}: some_step` (or `default`) to the step's `next`"),
            ));
        }
    }
    for (word, _) in step.next.entries() {
        let dead = match word.parse::<Outcome>() {
            Ok(outcome) => !step.can_end(outcome),
            // The default is dead if every possible outcome has its own entry.
            Err(()) => step
                .possible_outcomes()
                .iter()
                .all(|outcome| step.next.own(*outcome).is_some()),
        };
        if dead {
            out.push(subject.problem(
                Rule::DeadOutcome,
                format!("steps.{id}.next.{word}"),
                format!("step `{id}` can never end with `{word}`"),
                match word {
                    "skip" => "add a `route` with the outcome `skip`, or remove this entry",
                    "iterate" => "add a `loop`, or remove this entry",
                    _ => "remove this entry",
                },
            ));
        }
    }
}

/// The part of a step that causes an outcome: its key and a description.
fn producer(step: &StepDef, outcome: Outcome) -> (String, &'static str) {
    let id = &step.id;
    if let Some(index) = step.route.iter().position(|route| route.outcome == outcome) {
        return (format!("steps.{id}.route.{index}"), "from its route");
    }
    match outcome {
        Outcome::Iterate => (format!("steps.{id}.loop"), "from its loop"),
        Outcome::Fail if step.gate.is_some() => (format!("steps.{id}.gate"), "from its gate"),
        Outcome::Fail if step.repeat.is_some() => (format!("steps.{id}.loop"), "at its loop's limit"),
        _ => (format!("steps.{id}.next"), "when it succeeds"),
    }
}

fn limits(subject: &Subject<'_>, step: &StepDef, out: &mut Vec<Problem>) {
    let fan_out = step
        .dispatch
        .as_ref()
        .and_then(|dispatch| dispatch.fan_out.limit());
    let limits = [
        ("loop", step.repeat.as_ref().map(|repeat| repeat.limit)),
        ("gate", step.gate.as_ref().map(|gate| gate.limit)),
        ("dispatch", fan_out),
    ];
    let quorum = step.dispatch.as_ref().and_then(|dispatch| dispatch.quorum);
    if let Some(quorum) = quorum.filter(|quorum| !(1..=fan_out.unwrap_or(1)).contains(quorum)) {
        out.push(subject.problem(
            Rule::BadLimit,
            format!("steps.{}.dispatch.quorum", step.id),
            format!("a quorum of {quorum} is not between 1 and the number of sub-agents"),
            format!("choose a quorum from 1 to {}", fan_out.unwrap_or(1)),
        ));
    }
    for (part, limit) in limits {
        if let Some(limit) = limit
            && !(1..=MAX_LIMIT).contains(&limit)
        {
            out.push(subject.problem(
                Rule::BadLimit,
                format!("steps.{}.{part}.limit", step.id),
                format!("a limit of {limit} is not between 1 and {MAX_LIMIT}"),
                format!("choose a limit from 1 to {MAX_LIMIT}"),
            ));
        }
    }
}

fn reachability(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let steps = &subject.definition.steps;
    let reachable = flow.reachable_from(0);
    let ending = flow.reaching_end();
    // A missing next step is already reported. Skip the steps that it affects, because adding the next step may also
    // make them reachable or let them end.
    let gap = flow.reaching_gap();
    for (index, step) in steps.iter().enumerate() {
        if gap.contains(&index) || (gap.contains(&0) && !reachable.contains(&index)) {
            continue;
        }
        if !reachable.contains(&index) {
            out.push(subject.problem(
                Rule::UnreachableStep,
                format!("steps.{}", step.id),
                format!(
                    "no path from the first step `{}` reaches step `{}`",
                    steps[0].id, step.id
                ),
                "add a transition to the step, or remove the step",
            ));
        } else if !ending.contains(&index) {
            out.push(subject.problem(
                Rule::EndUnreachable,
                format!("steps.{}", step.id),
                format!("no path from step `{}` reaches `end`", step.id),
                "add a transition to `end` in this step or a later step",
            ));
        }
    }
}

fn cycles(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    for cycle in flow.unbounded_cycles() {
        let names: Vec<&str> = cycle
            .iter()
            .map(|index| subject.definition.steps[*index].id.as_str())
            .collect();
        let round = format!("{} -> {}", names.join(" -> "), names[0]);
        let last = names[names.len() - 1];
        let asks = cycle.iter().find_map(|index| {
            let step = &subject.definition.steps[*index];
            Some((&step.id, step.ask.as_ref()?))
        });
        let help = match asks {
            None => "repeat the cycle through a `loop` (outcome `iterate`) or a `gate` (outcome `fail`)"
                .to_owned(),
            Some((id, ask)) => {
                let is_plain = |choice: &&String| !choice.contains(['\'', '"', '\\']);
                // A guard cannot judge free text, so a step must decide whether the answer is sufficient.
                let (step, until) = match ask.choices.iter().find(is_plain) {
                    Some(choice) => ("a step with", format!("state.{id}.answer == '{choice}'")),
                    None => (
                        "a step with the result `done: boolean` and",
                        "result.done".to_owned(),
                    ),
                };
                format!(
                    "after the question, add {step} `loop: {{ until: \"{until}\", limit: 3 }}`, and map its `iterate` \
                     back to the start of the cycle"
                )
            }
        };
        out.push(subject.problem(
            Rule::UnboundedCycle,
            format!("steps.{last}.next"),
            format!("the cycle {round} has no limit"),
            help,
        ));
    }
}

fn gates(subject: &Subject<'_>, flow: &Flow, out: &mut Vec<Problem>) {
    let steps = &subject.definition.steps;
    for (index, step) in steps.iter().enumerate() {
        let Some(gate) = &step.gate else { continue };
        let Some(rework) = steps.iter().position(|other| other.id == gate.rework) else {
            continue;
        };
        let failing = step.next.own(Outcome::Fail);
        if failing.is_some_and(|target| target.step() != Some(&gate.rework)) {
            out.push(subject.problem(
                Rule::GateNeverReturns,
                format!("steps.{}.next.fail", step.id),
                format!(
                    "gate `{}` does not send failed work to its rework step `{}`",
                    gate.name, gate.rework
                ),
                format!("write `fail: {}`", gate.rework),
            ));
        } else if !flow.reachable_from(rework).contains(&index) {
            out.push(subject.problem(
                Rule::GateNeverReturns,
                format!("steps.{}.gate.rework", step.id),
                format!(
                    "no path from the rework step `{}` leads back to the gate `{}`",
                    gate.rework, gate.name
                ),
                format!("add a path from `{}` back to `{}`", gate.rework, step.id),
            ));
        }
    }
}
