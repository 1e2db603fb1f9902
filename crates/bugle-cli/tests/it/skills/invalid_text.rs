//! Workflows and prompts that are refused, each by its rule.

use std::fs;

use super::broken_skill::{GOOD, good, many, prompt, refused, refused_in, workflow};
use crate::support::sandbox::Sandbox;

#[test]
fn the_skill_is_valid_before_it_is_broken() {
    let (sandbox, _) = good();
    assert_eq!(sandbox.start(&["broken"]).action, "Go on.");
}

#[test]
fn broken_yaml_is_refused() {
    for text in [
        "steps: [",
        "version: 1\nsteps: go",
        "\"",
        "version: 1\n steps: {}\nx",
        "[]",
        "null",
        "",
        "# nothing",
    ] {
        refused("bad-yaml", workflow(text));
    }
    refused("unknown-version", workflow(GOOD.replace('1', "2")));
    refused("entry-missing", workflow("version: 1\nsteps: {}\n"));
}

#[test]
fn unknown_keys_are_refused() {
    let message = refused("unknown-key", workflow(GOOD.replace("title", "titel")));
    assert_eq!(message, "unknown key `titel`");
    refused("unknown-key", workflow(format!("{GOOD}extra: 1\n")));
}

#[test]
fn duplicate_ids_are_refused() {
    let twice = format!("{GOOD}  go: {{ title: Again, do: Again., next: end }}\n");
    let message = refused("duplicate-key", workflow(twice));
    assert_eq!(message, "duplicate key `go`");
    refused("duplicate-key", workflow(format!("version: 1\n{GOOD}")));
}

#[test]
fn endless_cycles_are_refused() {
    let round = "version: 1\nsteps:\n  go: { title: Go, do: Go., next: back }\n  \
                 back: { title: Back, do: Back., next: { ok: go, fail: end } }\n";
    refused("unbounded-cycle", workflow(round));
    refused("end-unreachable", workflow(GOOD.replace("next: end", "next: go")));
    let message = refused(
        "unknown-target",
        workflow(GOOD.replace("next: end", "next: nowhere")),
    );
    assert_eq!(message, "there is no step `nowhere`");
}

#[test]
fn tasks_without_a_plan_are_refused() {
    let taking = GOOD.replace("next: end", "task: take, next: end");
    let message = refused("plan-unavailable", workflow(taking));
    assert_eq!(
        message,
        "step `go` takes a task, but some paths to the step do not import a plan"
    );
    refused(
        "task-unavailable",
        workflow(GOOD.replace("next: end", "task: done, next: end")),
    );
    let message = refused(
        "bad-yaml",
        workflow(GOOD.replace("next: end", "task: finish, next: end")),
    );
    assert!(message.contains("finish"), "{message}");
    let waves = "dispatch: { role: developer, for_each: tasks, as: task }, next: end";
    refused("plan-unavailable", workflow(GOOD.replace("next: end", waves)));
    let both = "expect: [{ plan: a.md, command: ls }], next: end";
    refused("bad-evidence", workflow(GOOD.replace("next: end", both)));
    refused("tasks-of-sub-agent", |folder| {
        let child = "dispatch: { role: developer, workflow: agents/work.yaml }, next: end";
        workflow(GOOD.replace("next: end", child))(folder);
        fs::create_dir_all(folder.join("agents")).unwrap();
        let taking = "version: 1\nsteps:\n  work: { title: Work, do: Work., task: take, next: end }\n";
        fs::write(folder.join("agents/work.yaml"), taking).unwrap();
    });
}

#[test]
fn workflows_that_would_exhaust_the_parser_are_refused() {
    refused(
        "bad-yaml",
        workflow(format!("version: 1\nsteps: {}", many("[", 200_000))),
    );
    refused(
        "bad-yaml",
        workflow(format!(
            "version: 1\nsteps: {{ go: {{ title: {}",
            many("{a: ", 100_000)
        )),
    );
    let mut bomb = "version: 1\na0: &a0 [x, x]\n".to_owned();
    for level in 1..60 {
        let before = level - 1;
        bomb.push_str(&format!("a{level}: &a{level} [*a{before}, *a{before}]\n"));
    }
    let (sandbox, folder) = good();
    sandbox.write(&folder.join("workflow.yaml"), format!("{bomb}steps: *a59\n"));
    sandbox.run(&["skill", "check", "broken"]).exits(3);
    let shape = format!(
        "next: end, result: {{ a: {}string{} }}",
        many("{ type: array, items: ", 2000),
        many(" }", 2000)
    );
    sandbox.write(&folder.join("workflow.yaml"), GOOD.replace("next: end", &shape));
    sandbox.run(&["skill", "check", "broken"]).exits(3);
}

#[test]
fn guards_that_would_exhaust_the_parser_are_refused() {
    for guard in [
        format!("{}true{}", many("(", 50_000), many(")", 50_000)),
        format!("{}true", many("!", 50_000)),
        format!("{}true", many("true && ", 20_000)),
        format!("{}true", many("true ? true : ", 20_000)),
        format!("{}1 == 1", many("1 + ", 50_000)),
        format!("params{} == 1", many(".a", 50_000)),
    ] {
        let route = format!("next: {{ ok: end, skip: end }}, route: [{{ when: '{guard}', outcome: skip }}]");
        let (sandbox, folder) = good();
        sandbox.write(&folder.join("workflow.yaml"), GOOD.replace("next: end", &route));
        sandbox.run(&["skill", "check", "broken"]).exits(3);
    }
}

#[test]
fn templates_that_would_exhaust_the_parser_are_refused() {
    for expression in [
        format!("{}1{}", many("(", 50_000), many(")", 50_000)),
        format!("{}1", many("-", 50_000)),
        format!("{}1", many("not ", 50_000)),
        format!("1{}", many("| upper", 50_000)),
        format!("{}1", many("1 + ", 50_000)),
        format!("{}1", many("1 if 1 else ", 20_000)),
        format!("params{}", many(".a", 50_000)),
        format!("{}{}", many("[", 50_000), many("]", 50_000)),
    ] {
        let (sandbox, folder) = good();
        sandbox.write(&folder.join("prompts/go.md"), format!("{{{{ {expression} }}}}"));
        sandbox.run(&["skill", "check", "broken"]).exits(3);
    }
    let (sandbox, folder) = good();
    let nested = format!("{}x{}", many("{% if true %}", 2000), many("{% endif %}", 2000));
    sandbox.write(&folder.join("prompts/go.md"), nested);
    sandbox.run(&["skill", "check", "broken"]).exits(3);
}

#[test]
fn prompts_that_render_without_end_are_refused() {
    let (sandbox, folder) = good();
    for endless in [
        "{% for a in 'xxxxxxxxxx' * 999 %}{% for b in 'xxxxxxxxxx' * 999 %}{{ a }}{{ b }}{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ 'x' * 10000000 }}",
    ] {
        sandbox.write(&folder.join("prompts/go.md"), endless);
        sandbox.run(&["skill", "check", "broken"]).exits(3);
        sandbox.run(&["start", "broken"]).exits(3);
    }
}

#[test]
fn prompts_that_cannot_be_rendered_are_refused() {
    for text in [
        "{{ 1 | frobnicate }}",
        "{{ 1 is frobnicated }}",
        "{% include 'x' %}",
        "{% extends 'x' %}",
        "{{ 'x'.foo() }}",
    ] {
        refused("bad-template", prompt(text));
    }
}

#[test]
fn prompts_with_unknown_names_are_refused() {
    refused("bad-template", prompt("{{ params. }}"));
    refused("undeclared-param", prompt("{{ params.nothing }}"));
    refused("unknown-name", prompt("{{ nothing }}"));
    refused("unknown-name", prompt("{{ state.nowhere.word }}"));
}

#[test]
fn texts_that_count_or_number_steps_are_refused() {
    for text in [
        "There are 5 steps.",
        "This workflow has seven steps",
        "Do it in 3 steps.",
        "As in the third step.",
        "After step four, go on.",
        "A seven-step way.",
    ] {
        let message = refused("step-count-in-text", prompt(text));
        assert!(message.contains("the text mentions `"), "{message}");
        let forbidding =
            format!("version: 1\nsteps:\n  go: {{ title: Go, do: Go., forbid: ['{text}'], next: end }}\n");
        let message = refused("step-count-in-text", workflow(forbidding));
        assert!(message.contains("the `forbid` entry mentions `"), "{message}");
        refused("step-count-in-text", |folder| {
            let skill = format!("---\nname: broken\ndescription: Use when it is broken.\n---\n\n{text}\n");
            fs::write(folder.join("SKILL.md"), skill).unwrap();
        });
    }
    for harmless in [
        "Take one step at a time.",
        "As a first step, look around.",
        "Name the next step and the last step.",
        "Find two stepping stones.",
        "Keep the steps_2 table; see 3.step files.",
    ] {
        let (sandbox, folder) = good();
        fs::write(folder.join("prompts/go.md"), harmless).unwrap();
        sandbox.run(&["skill", "check", "broken"]).ok();
    }
    // A skill without a workflow may number its steps: there is no workflow that the numbers could contradict.
    let sandbox = Sandbox::new();
    let prose =
        "---\nname: prose\ndescription: Use when there is prose.\n---\n\nThere are 5 steps. Go to step 4.\n";
    sandbox.write(&sandbox.project().join(".bugle/skills/prose/SKILL.md"), prose);
    sandbox.run(&["skill", "check", "prose"]).ok();
}

#[test]
fn a_steps_size_includes_its_documents() {
    let with = |keys: &str| format!("version: 1\nsteps:\n  go: {{ title: Go, do: Go., {keys} next: end }}\n");
    let resource = |length: usize| {
        let (sandbox, folder) = good();
        sandbox.write(&folder.join("workflow.yaml"), with("resources: [long.md],"));
        fs::remove_file(folder.join("prompts/go.md")).unwrap();
        sandbox.write(&folder.join("resources/long.md"), "word ".repeat(length / 5));
        sandbox
    };
    refused_in(&resource(100_000), "step-too-long");
    let long = resource(25_000).run(&["skill", "check", "broken"]).ok().out;
    assert!(
        long.contains("step-over-budget") && long.contains("including its documents"),
        "{long}"
    );
    let fine = resource(10_000).run(&["skill", "check", "broken"]).ok().out;
    assert!(!fine.contains("step-over-budget"), "{fine}");
    refused("step-too-long", prompt(&"word ".repeat(20_000)));
    let (sandbox, folder) = good();
    fs::remove_file(folder.join("prompts/go.md")).unwrap();
    for name in ["one", "two", "three", "four"] {
        let text = format!(
            "---\nname: {name}\ndescription: Long\nroles: [developer]\n---\n\n{}\n",
            "word ".repeat(2_000)
        );
        sandbox.write(
            &sandbox.project().join(format!(".bugle/conventions/{name}.md")),
            text,
        );
    }
    sandbox.write(
        &folder.join("workflow.yaml"),
        with("conventions: [one, two, three, four],"),
    );
    refused_in(&sandbox, "step-too-long");
}
