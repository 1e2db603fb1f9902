//! Workflows with valid YAML and the right keys, but with mistakes in names, types, guards and parts.

use bugle_core::validate::Rule;
use bugle_core::workflow::task_shape;
use bugle_core::workflow::{Evidence, FanOut, TaskUse};
use bugle_skill::parse_workflow;

use crate::support::{case, params, path, step_with, workflow_problems, workflows};

#[test]
fn tasks_of_a_plan() {
    let text = "version: 1\nparams:\n  given: { type: task, required: true }\nsteps:\n  \
                plan: { title: Plan, do: Plan., expect: [{ plan: \"{{ params.given.title }}.md\" }], next: go }\n  \
                go: { title: Go, do: Go., task: take, next: build }\n  \
                build: { title: Build, do: Build., task: [take, done], next: all }\n  \
                all:\n    title: All\n    do: All.\n    next: end\n    \
                dispatch: { role: developer, for_each: tasks, as: task }\n";
    let (definition, _, problems) = parse_workflow(&path("workflow.yaml"), text);
    assert_eq!(problems, []);
    let definition = definition.unwrap();
    assert_eq!(definition.params[0].shape, task_shape());
    let uses: Vec<&[TaskUse]> = definition.steps.iter().map(|step| step.task.as_slice()).collect();
    let (taking, both) = ([TaskUse::Take], [TaskUse::Take, TaskUse::Done]);
    assert_eq!(uses, [&[] as &[TaskUse], &taking, &both, &[]]);
    assert_eq!(
        definition.steps[0].expect,
        [Evidence::Plan {
            file: "{{ params.given.title }}.md".to_owned()
        }]
    );
    let dispatch = definition.steps[3].dispatch.as_ref().unwrap();
    assert!(
        matches!(&dispatch.fan_out, FanOut::Tasks { item, limit: 8 } if item.as_str() == "task"),
        "{dispatch:?}"
    );
    let cases = [
        case("an unknown action", step_with("task: begin"), &[Rule::BadYaml]),
        case(
            "an unknown action in a list",
            step_with("task: [take, begin]"),
            &[Rule::BadYaml],
        ),
        case(
            "a plan that is also a command",
            step_with("expect:\n  - { plan: a.md, command: ls }"),
            &[Rule::BadEvidence],
        ),
        case(
            "bounds on a task",
            params("given: { type: task, min: 1 }"),
            &[Rule::IllTypedParam],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn names_and_paths() {
    let cases = [
        case(
            "a step with a hyphen",
            "version: 1\nsteps:\n  fill-in: { title: Fill in, do: Fill in., next: end }\n",
            &[Rule::BadName],
        ),
        case(
            "a step called end",
            "version: 1\nsteps:\n  end: { title: End, do: End., next: end }\n",
            &[Rule::BadName],
        ),
        case(
            "a step whose name YAML reads as a number",
            "version: 1\nsteps:\n  1: { title: One, do: One., next: end }\n",
            &[Rule::BadName],
        ),
        case("a param in capitals", params("Mode: string"), &[Rule::BadName]),
        case(
            "a field whose name is a literal in CEL",
            step_with("result:\n  true: boolean"),
            &[Rule::BadName],
        ),
        case(
            "a target with a space",
            step_with("next: the end"),
            &[Rule::BadName],
        ),
        case(
            "a target in a map",
            step_with("next: { ok: end, fail: Try-Again }"),
            &[Rule::BadName],
        ),
        case(
            "an invalid name in `on_error`",
            step_with("on_error: Try-Again"),
            &[Rule::BadName],
        ),
        case(
            "a prompt outside the folder",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: ../secrets.md\n    next: end\n",
            &[Rule::UnsafePath],
        ),
        case(
            "an absolute path",
            "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: /etc/motd.md\n    next: end\n",
            &[Rule::UnsafePath],
        ),
        case(
            "a resource outside the folder",
            step_with("resources: [format.md, ../../x.md]"),
            &[Rule::UnsafePath],
        ),
        case(
            "a sub-agent's workflow outside the folder",
            step_with("dispatch: { role: explore, workflow: ..\\agents.yaml }"),
            &[Rule::UnsafePath],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn types() {
    let cases = [
        case(
            "a list without items",
            params("targets: { type: array }"),
            &[Rule::IllTypedParam],
        ),
        case("a bare list", params("targets: array"), &[Rule::IllTypedParam]),
        case(
            "a list in an object of a result",
            step_with(
                "result:\n  plan:\n    type: object\n    fields:\n      parts: { type: array, min: 1 }",
            ),
            &[Rule::IllTypedResult],
        ),
        case(
            "bounds on a boolean",
            params("mode: { type: boolean, min: 1 }"),
            &[Rule::IllTypedParam],
        ),
        case(
            "choices on a string",
            params("mode: { type: string, choices: [quick, full] }"),
            &[Rule::IllTypedParam],
        ),
        case(
            "items on a number, fields on a list",
            step_with(
                "result:\n  count: { type: integer, items: string }\n  list: { type: array, items: string, fields: {} }",
            ),
            &[Rule::IllTypedResult, Rule::IllTypedResult],
        ),
        case(
            "a negative length and a fractional one",
            params("mode: { type: string, min: -1, max: 2.5 }"),
            &[Rule::IllTypedParam, Rule::IllTypedParam],
        ),
        case(
            "a default in a result",
            step_with("result:\n  kind: { type: string, default: bug }"),
            &[Rule::IllTypedResult],
        ),
        case(
            "a map without `type`",
            params("mode: { help: How thorough to be }"),
            &[Rule::BadYaml],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn limits() {
    let cases = [
        case(
            "a loop without a limit",
            step_with("loop: { until: 'true' }"),
            &[Rule::BadYaml],
        ),
        case(
            "a negative limit",
            step_with("loop: { until: 'true', limit: -1 }"),
            &[Rule::BadYaml],
        ),
        case(
            "a limit in words",
            step_with("loop: { until: 'true', limit: five }"),
            &[Rule::BadYaml],
        ),
        case(
            "a limit that is too large",
            step_with("gate: { name: Review, rework: ask, limit: 99999999999 }"),
            &[Rule::BadYaml],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn expressions() {
    let cases = [
        case(
            "an expression that ends too early",
            step_with("loop: { until: \"result.confidence ==\", limit: 3 }"),
            &[Rule::BadExpression],
        ),
        case(
            "an expression with an umlaut",
            step_with(
                "route:\n  - when: \"params.größe == 1\"\n    outcome: skip\nnext: { ok: end, skip: end }",
            ),
            &[Rule::BadExpression],
        ),
        case(
            "a single equals sign",
            step_with(
                "route:\n  - when: params.mode = 'quick'\n    outcome: skip\nnext: { ok: end, skip: end }",
            ),
            &[Rule::BadExpression],
        ),
        case(
            "an empty expression",
            step_with("route:\n  - { when: '', outcome: skip }\nnext: { ok: end, skip: end }"),
            &[Rule::BadExpression],
        ),
        case(
            "an expression on its own line",
            step_with("loop:\n  limit: 3\n  until: >-\n    result.confidence === 'high'"),
            &[Rule::BadExpression],
        ),
        case(
            "an expression for a list of sub-agents",
            step_with("dispatch: { role: explore, for_each: 'state.scan.', as: target }"),
            &[Rule::BadExpression],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn parts_of_a_step() {
    let cases = [
        case(
            "tools both denied and allowed",
            step_with("tools: { deny: [Edit], allow: [Read] }"),
            &[Rule::ConflictingParts],
        ),
        case("empty tools", step_with("tools: {}"), &[Rule::ConflictingParts]),
        case(
            "evidence of two kinds",
            step_with("expect:\n  - artifact: docs/*.md\n    command: cargo test"),
            &[Rule::BadEvidence],
        ),
        case(
            "evidence of no kind",
            step_with("expect:\n  - artifact: docs/*.md\n  - existing: true"),
            &[Rule::BadEvidence],
        ),
        case(
            "a timeout on an artifact",
            step_with("expect:\n  - { artifact: docs/*.md, timeout: 5 }"),
            &[Rule::BadEvidence],
        ),
        case(
            "`existing` on a command",
            step_with("expect:\n  - { command: cargo test, existing: true }"),
            &[Rule::BadEvidence],
        ),
        case(
            "`for_each` without `as`",
            step_with("dispatch: { role: explore, for_each: params.targets }"),
            &[Rule::ConflictingParts],
        ),
    ];
    insta::assert_snapshot!(workflows(&cases));
}

#[test]
fn a_limit_of_sub_agents_without_a_list_is_refused() {
    let text = step_with("dispatch: { role: explore, limit: 4 }");
    let rules: Vec<Rule> = workflow_problems(&text)
        .into_iter()
        .map(|(problem, _)| problem.rule)
        .collect();
    assert_eq!(
        rules,
        [Rule::ConflictingParts],
        "authors would rely on a limit that has no effect"
    );
}

#[test]
fn everything_wrong_is_reported_at_once() {
    let text = "\
version: 3
params:
  Mode: string
  targets: { type: array }
steps:
  first-step: { title: First, do: Go., next: end }
  second:
    title: Second
    do: ../escape.md
    role: boss
    tools: { deny: [Edit], allow: [Read] }
    expect:
      - existing: true
    route:
      - { when: 'params.mode ==', outcome: skp }
    loop: { until: '(', limit: 3 }
    next: { ok: THE END, later: end }
";
    let rules = [
        Rule::UnknownVersion,
        Rule::BadName,
        Rule::IllTypedParam,
        Rule::BadName,
        Rule::UnknownRole,
        Rule::UnsafePath,
        Rule::ConflictingParts,
        Rule::BadEvidence,
        Rule::BadExpression,
        Rule::UnknownKey,
        Rule::BadExpression,
        Rule::BadName,
        Rule::UnknownKey,
    ];
    insta::assert_snapshot!(workflows(&[case(
        "a workflow with a mistake in every part",
        text,
        &rules
    )]));
}
