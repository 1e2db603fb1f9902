//! Skills that somebody broke, by accident or on purpose: each is refused with its rule, and nothing comes of it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Sandbox, answer};

const GOOD: &str = "version: 1\nsteps:\n  go: { title: Go, do: prompts/go.md, next: end }\n";

/// A good skill, to be broken.
fn good() -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::with_skill("broken", GOOD);
    let folder = sandbox.project().join(".bugle/skills/broken");
    sandbox.write(&folder.join("prompts/go.md"), "Go on.");
    (sandbox, folder)
}

/// Breaks a good skill, and expects it to be refused with this rule wherever it is used.
#[track_caller]
fn refused(rule: &str, break_it: impl FnOnce(&Path)) -> String {
    let (sandbox, folder) = good();
    break_it(&folder);
    refused_in(&sandbox, rule)
}

#[track_caller]
fn refused_in(sandbox: &Sandbox, rule: &str) -> String {
    let check = sandbox.run(&["skill", "check", "broken", "--json"]).exits(3);
    assert_eq!(check.err, "");
    let document = check.json();
    let problems = document["data"]["skills"][0]["problems"].as_array().unwrap();
    let of_rule: Vec<&Value> = problems
        .iter()
        .filter(|problem| problem["code"] == rule)
        .collect();
    assert!(!of_rule.is_empty(), "no {rule} in {problems:#?}");
    for problem in problems {
        assert_ne!(problem["message"], "");
        assert_ne!(problem["fix"], "");
    }
    sandbox.run(&["skill", "check", "broken"]).exits(3);
    sandbox
        .run(&["start", "broken"])
        .fails(3, "the skill `broken` breaks");
    let list = sandbox.run(&["skill", "list", "--json"]).ok().json();
    let skills = list["data"]["skills"].as_array().unwrap();
    assert!(skills.iter().any(|skill| skill["name"] == "broken"));
    let runs = sandbox.run(&["runs", "--json"]).ok().json();
    assert_eq!(runs["data"]["runs"], serde_json::json!([]), "no run came of it");
    of_rule
        .iter()
        .map(|problem| problem["message"].as_str().unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Replaces the workflow.
fn workflow(text: impl AsRef<[u8]>) -> impl FnOnce(&Path) {
    move |folder| fs::write(folder.join("workflow.yaml"), text).unwrap()
}

/// Replaces the text of the step.
fn prompt(text: impl AsRef<[u8]>) -> impl FnOnce(&Path) {
    move |folder| fs::write(folder.join("prompts/go.md"), text).unwrap()
}

fn many(text: &str, times: usize) -> String {
    text.repeat(times)
}

#[test]
fn what_is_broken_here_works_before_it_is_broken() {
    let (sandbox, _) = good();
    assert_eq!(sandbox.start(&["broken"]).action, "Go on.");
}

#[test]
fn broken_yaml() {
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
fn unknown_keys() {
    let message = refused("unknown-key", workflow(GOOD.replace("title", "titel")));
    assert_eq!(message, "there is no key `titel` here");
    refused("unknown-key", workflow(format!("{GOOD}extra: 1\n")));
}

#[test]
fn duplicate_ids() {
    let twice = format!("{GOOD}  go: {{ title: Again, do: Again., next: end }}\n");
    let message = refused("duplicate-key", workflow(twice));
    assert_eq!(message, "the key `go` stands twice");
    refused("duplicate-key", workflow(format!("version: 1\n{GOOD}")));
}

#[test]
fn cycles() {
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
fn tasks_of_no_plan() {
    let taking = GOOD.replace("next: end", "task: take, next: end");
    let message = refused("plan-unavailable", workflow(taking));
    assert_eq!(
        message,
        "step `go` takes a task, and not every path to it brings a plan"
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
fn files_of_ten_megabytes() {
    let ten_megabytes = format!("{GOOD}# {}\n", many("x", 10_000_000));
    refused("unreadable-file", workflow(ten_megabytes));
    refused("unreadable-file", prompt(many("word ", 2_000_000)));
    refused("unreadable-file", |folder| {
        fs::write(folder.join("SKILL.md"), many("-", 10_000_000)).unwrap();
    });
}

#[test]
fn files_that_are_not_text() {
    let message = refused("unreadable-file", prompt([0_u8, 159, 146, 150, 0]));
    assert!(message.contains("is not text in UTF-8"), "{message}");
    refused("unreadable-file", prompt(b"Gr\xfc\xdfe aus Latin-1"));
    refused("unreadable-file", workflow(b"version: 1 # \xff"));
    let wide: Vec<u8> = GOOD.encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused("unreadable-file", workflow([vec![0xff, 0xfe], wide].concat()));
    refused("unreadable-file", |folder| {
        fs::write(folder.join("SKILL.md"), b"---\nname: broken\xff\n---\n").unwrap();
    });
}

#[test]
fn a_mark_at_the_beginning_of_a_text_does_no_harm() {
    let (sandbox, folder) = good();
    sandbox.write(&folder.join("workflow.yaml"), format!("\u{feff}{GOOD}"));
    sandbox.write(&folder.join("prompts/go.md"), "\u{feff}Go on.\r\nNow.\r\n");
    let step = sandbox.start(&["broken"]);
    assert!(step.action.starts_with("Go on."), "{:?}", step.action);
}

#[test]
fn links_that_leave_the_folder() {
    let outside = |folder: &Path| {
        let secret = folder.join("../../../../secret.md").clone();
        fs::write(&secret, "the secret").unwrap();
        secret.canonicalize().unwrap()
    };
    let message = refused("unsafe-path", |folder| {
        fs::remove_file(folder.join("prompts/go.md")).unwrap();
        std::os::unix::fs::symlink(outside(folder), folder.join("prompts/go.md")).unwrap();
    });
    assert!(message.contains("leaves the skill's folder"), "{message}");
    refused("unsafe-path", |folder| {
        let secret = outside(folder);
        fs::remove_dir_all(folder.join("prompts")).unwrap();
        std::os::unix::fs::symlink(secret.parent().unwrap(), folder.join("prompts")).unwrap();
    });
    refused("unsafe-path", |folder| {
        let secret = outside(folder);
        fs::remove_file(folder.join("workflow.yaml")).unwrap();
        std::os::unix::fs::symlink(secret, folder.join("workflow.yaml")).unwrap();
    });
    refused("unreadable-file", |folder| {
        std::os::unix::fs::symlink("go.md", folder.join("prompts/loop.md")).unwrap();
        fs::remove_file(folder.join("prompts/go.md")).unwrap();
        std::os::unix::fs::symlink("loop.md", folder.join("prompts/go.md")).unwrap();
    });
}

#[test]
fn a_link_that_stays_inside_the_folder_is_a_file_like_any_other() {
    let (sandbox, folder) = good();
    fs::rename(folder.join("prompts/go.md"), folder.join("prompts/real.md")).unwrap();
    std::os::unix::fs::symlink("real.md", folder.join("prompts/go.md")).unwrap();
    assert_eq!(sandbox.start(&["broken"]).action, "Go on.");
}

#[test]
fn paths_that_leave_the_folder() {
    for path in [
        "../x.md",
        "prompts/../../x.md",
        "/etc/x.md",
        "./prompts/go.md",
        "prompts\\..\\x.md",
    ] {
        let message = refused(
            "unsafe-path",
            workflow(GOOD.replace("prompts/go.md", &format!("'{path}'"))),
        );
        assert!(
            message.contains("is not a path inside the skill's folder"),
            "{message}"
        );
    }
    for path in ["../x.md", "../../../etc/passwd"] {
        let resources = format!("next: end, resources: ['{path}']");
        refused("unsafe-path", workflow(GOOD.replace("next: end", &resources)));
    }
    refused(
        "bad-evidence",
        workflow(GOOD.replace("next: end", "next: end, expect: [{ artifact: ../x }]")),
    );
}

#[test]
fn things_that_are_not_files() {
    refused("unreadable-file", |folder| {
        fs::remove_file(folder.join("workflow.yaml")).unwrap();
        fs::create_dir(folder.join("workflow.yaml")).unwrap();
    });
    refused("unreadable-file", |folder| {
        for number in 0..600 {
            fs::write(folder.join(format!("prompts/{number}.md")), "x").unwrap();
        }
    });
}

#[test]
fn a_pipe_in_the_place_of_a_text_holds_nobody_up() {
    let (sandbox, folder) = good();
    fs::remove_file(folder.join("prompts/go.md")).unwrap();
    sandbox.tool(&folder, "mkfifo", &["prompts/go.md"]);
    for words in [["skill", "check", "broken"].as_slice(), &["start", "broken"]] {
        let mut command = sandbox.command("timeout", &sandbox.project());
        answer(command.args(["--signal=KILL", "20", "bugle"]).args(words)).exits(3);
    }
    refused_in(&sandbox, "unreadable-file");
}

#[test]
fn texts_made_to_exhaust_the_reader() {
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
fn guards_made_to_exhaust_the_reader() {
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
fn templates_made_to_exhaust_the_reader() {
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
fn texts_without_end() {
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
fn texts_that_no_value_could_fill_in() {
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
fn texts_with_names_that_nobody_knows() {
    refused("bad-template", prompt("{{ params. }}"));
    refused("undeclared-param", prompt("{{ params.nothing }}"));
    refused("unknown-name", prompt("{{ nothing }}"));
    refused("unknown-name", prompt("{{ state.nowhere.word }}"));
}

#[test]
fn no_text_of_a_workflow_counts_its_steps() {
    for text in [
        "There are 5 steps.",
        "This workflow has seven steps",
        "Do it in 3 steps.",
        "As in the third step.",
        "After step four, go on.",
        "A seven-step way.",
    ] {
        let message = refused("step-count-in-text", prompt(text));
        assert!(message.contains("the text speaks of `"), "{message}");
        let forbidding =
            format!("version: 1\nsteps:\n  go: {{ title: Go, do: Go., forbid: ['{text}'], next: end }}\n");
        let message = refused("step-count-in-text", workflow(forbidding));
        assert!(message.contains("what is forbidden speaks of `"), "{message}");
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
    // Where no workflow leads, the body is all there is.
    let sandbox = Sandbox::new();
    let prose =
        "---\nname: prose\ndescription: Use when there is prose.\n---\n\nThere are 5 steps. Go to step 4.\n";
    sandbox.write(&sandbox.project().join(".bugle/skills/prose/SKILL.md"), prose);
    sandbox.run(&["skill", "check", "prose"]).ok();
}

#[test]
fn what_a_step_shows_is_measured_with_its_documents() {
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
        long.contains("step-over-budget") && long.contains("with its documents"),
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
