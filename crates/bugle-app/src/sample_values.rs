//! Sample values for a step's templates, for checks, previews and tests of a skill.

use std::collections::BTreeMap;

use bugle_core::expression::Type;
use bugle_core::outcome::{Outcome, Target};
use bugle_core::path::SkillPath;
use bugle_core::shape::Shape;
use bugle_core::validate::{KnownValues, guard_scope};
use bugle_core::workflow::{
    DispatchWork, FanOut, StepDef, WorkflowDef, record_shape, sub_agent_result, task_shape,
};
use serde_json::{Map, Value, json};

/// The workflows of a skill's sub-agents.
pub(crate) type Children = BTreeMap<SkillPath, WorkflowDef>;

/// A template context with a sample value for every param and every result.
pub(crate) fn context(definition: &WorkflowDef, step: &StepDef, children: &Children) -> Value {
    let params: Map<String, Value> = definition
        .params
        .iter()
        .map(|arg| {
            let value = arg.default.clone().unwrap_or_else(|| arg.shape.example());
            (arg.name.to_string(), value)
        })
        .collect();
    let state: Map<String, Value> = definition
        .steps
        .iter()
        .map(|step| (step.id.to_string(), result(definition, step, children)))
        .collect();
    json!({
        "params": params,
        "changed": state,
        "state": state,
        "visit": { "number": 1, "iteration": 1, "step": step.id, "first": true, "remembered": false },
        "run": { "id": "r-xample", "skill": "example" },
        "gate": { "name": "example", "iteration": 2, "checks": ["example"], "findings": [finding()] },
        "child": child_params(definition, step),
        "task": task(),
        "record": [record_shape().example()],
        "deferred": [deferred_finding()],
    })
}

/// A sample result of a step.
fn result(definition: &WorkflowDef, step: &StepDef, children: &Children) -> Value {
    if let Some(ask) = &step.ask {
        return json!({ "answer": ask.choices.first().map_or("an answer", String::as_str) });
    }
    if step.dispatch.is_none() {
        return Shape::Object(step.result.clone()).example();
    }
    let reported = child_result(step, children);
    let child = json!({ "slot": 1, "params": child_params(definition, step), "outcome": "finished", "result": reported, "run": "r-xample" });
    let review = json!({ "checks": ["example"], "findings": [] });
    let verdict =
        json!({ "iteration": 1, "status": "pass", "blocking": [], "noted": [], "checks": ["example"] });
    json!({
        "children": [child], "finished": 1, "failed": 0, "escalated": 0, "missing": 0,
        "review": review, "verdict": verdict,
    })
}

/// A sample report from a step's sub-agent: the result of the first step that ends its workflow.
pub(crate) fn child_result(step: &StepDef, children: &Children) -> Value {
    let brief = || Shape::Object(sub_agent_result(step)).example();
    match step.dispatch.as_ref().map(|dispatch| &dispatch.work) {
        Some(DispatchWork::Workflow(file)) => {
            let ends = |step: &&StepDef| step.leads_to(Outcome::Ok) == Some(&Target::End);
            let last = children.get(file).and_then(|child| child.steps.iter().find(ends));
            last.map_or_else(|| json!({}), |last| Shape::Object(last.result.clone()).example())
        }
        Some(DispatchWork::Brief) | None => brief(),
    }
}

/// Sample params for a step's sub-agent, based on the types of their expressions.
fn child_params(definition: &WorkflowDef, step: &StepDef) -> Value {
    let Some(dispatch) = &step.dispatch else {
        return json!({});
    };
    let all = (0..definition.steps.len()).collect();
    let scope = guard_scope(definition, KnownValues::everything(&all));
    let mut values: Map<String, Value> = dispatch
        .with
        .iter()
        .map(|(name, value)| {
            let found = value.check(&scope).unwrap_or(Type::Unknown);
            (name.to_string(), found.example())
        })
        .collect();
    let item = match &dispatch.fan_out {
        FanOut::One => None,
        FanOut::ForEach { list, .. } => match list.check(&scope) {
            Ok(Type::List(items)) => Some(items.example()),
            _ => Some(Type::Unknown.example()),
        },
        FanOut::Tasks { .. } => Some(task()),
    };
    values.extend(dispatch.fan_out.item().map(ToString::to_string).zip(item));
    Value::Object(values)
}

/// A sample task.
fn task() -> Value {
    let mut task = task_shape().example();
    for (key, value) in [("number", "1"), ("title", "Lay the groundwork"), ("skill", "")] {
        task[key] = Value::from(value);
    }
    task
}

/// A sample finding that did not block.
fn deferred_finding() -> Value {
    let mut finding = finding();
    finding["gate"] = Value::from("example");
    finding
}

/// A sample finding.
pub(crate) fn finding() -> Value {
    json!({
        "severity": "must", "category": "example", "location": "somewhere", "element": "something",
        "problem": "it is wrong", "action": "fix it", "seen": 1,
    })
}
