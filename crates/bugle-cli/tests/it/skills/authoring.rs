//! Skill authoring: check, graph, new, eject, preview, schema, test.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::reply::Shown;
use crate::support::sandbox::{Sandbox, answer};
use crate::support::workflows::{BUILT_IN, built_in_skills};

/// A workflow with something wrong in nearly every line.
const BROKEN: &str = "version: 1
params:
  count: { type: integer, min: 5, max: 2 }
  spare: string
steps:
  first:
    title: First
    do: \"Look at {{ params.cuont }}.\"
    result:
      sure: boolean
    loop: { until: \"result.sur\", limit: 3 }
    next: { ok: second, iterate: first }
  second:
    title: Second
    do: prompts/missing.md
    route:
      - { when: \"params.count > 'x'\", outcome: skip }
    tools: { deny: [Wriet] }
    next: { ok: third }
  fourth:
    title: Fourth
    do: No step leads here.
    next: end
";

#[test]
fn a_valid_skill_passes_the_check() {
    let sandbox = Sandbox::new();
    for name in built_in_skills() {
        let check = sandbox.run(&["skill", "check", name]).ok();
        assert_eq!(check.out, format!("{name}: ok\n"));
    }
    let all = sandbox.run(&["skill", "check"]).ok().out;
    assert_eq!(all, built_in_skills().join(": ok\n") + ": ok\n");
    let document = sandbox.run(&["skill", "check", "--json"]).ok().json();
    assert_eq!(document["kind"], "check");
    assert_eq!(document["data"]["errors"], 0);
    assert_eq!(document["data"]["warnings"], 0);
}

#[test]
fn each_problem_is_shown_in_its_place_with_a_fix() {
    let sandbox = Sandbox::with_skill("broken", BROKEN);
    let check = sandbox.run(&["skill", "check", "broken"]).exits(3);
    assert_eq!(check.err, "");
    insta::assert_snapshot!("check_for_people", sandbox.neutral(&check.out));
}

#[test]
fn each_problem_has_a_code_and_a_location_in_json() {
    let sandbox = Sandbox::with_skill("broken", BROKEN);
    let check = sandbox.run(&["skill", "check", "broken", "--json"]).exits(3);
    assert_eq!(check.json()["kind"], "check");
    insta::assert_snapshot!("check_for_programs", sandbox.neutral(&check.out));
}

#[test]
fn problems_in_skill_md_are_shown_with_their_line() {
    let sandbox = Sandbox::new();
    let folder = sandbox.skill(
        "front",
        "version: 1\nsteps:\n  go: { title: Go, do: Go., next: end }\n",
    );
    sandbox.write(
        &folder.join("SKILL.md"),
        "---\nname: other\ndescription: Use when something has to be tested.\nauthor: me\n---\n\nBody.\n",
    );
    let check = sandbox.run(&["skill", "check", "front"]).exits(3);
    assert!(
        check.out.contains("error[unknown-key]: unknown key `author`"),
        "{}",
        check.out
    );
    assert!(check.out.contains("SKILL.md:4:1"), "{}", check.out);
    sandbox.write(
        &folder.join("SKILL.md"),
        "---\nname: other\ndescription: Use when something has to be tested.\n---\n\nBody.\n",
    );
    let check = sandbox.run(&["skill", "check", "front"]).exits(3);
    assert!(check.out.contains("error[name-mismatch]"), "{}", check.out);
    assert!(check.out.contains("SKILL.md:2:1"), "{}", check.out);
    sandbox.write(&folder.join("SKILL.md"), "No front matter.\n");
    let check = sandbox.run(&["skill", "check", "front"]).exits(3);
    assert!(check.out.contains("error[bad-front-matter]"), "{}", check.out);
}

#[test]
fn a_steps_checks_are_listed_where_a_skill_is_shown() {
    let sandbox = Sandbox::new();
    let say = "Every statement needs a class.";
    let shown = sandbox.run(&["skill", "show", "decision-critic"]).ok().out;
    assert!(shown.contains(&format!("check: {say}")), "{shown}");
    let drawn = sandbox.run(&["skill", "graph", "decision-critic"]).ok().out;
    assert!(drawn.contains(&format!("\n  classify: {say}\n")), "{drawn}");
    for format in ["svg", "dot"] {
        let drawn = sandbox.run(&["skill", "graph", "decision-critic", "--format", format]);
        assert!(drawn.ok().out.contains(say), "{format}");
    }
    let json = sandbox
        .run(&["skill", "show", "decision-critic", "--json"])
        .ok()
        .json();
    let steps = json["data"]["steps"].as_array().unwrap();
    let checks = steps.iter().flat_map(|step| step["checks"].as_array().unwrap());
    let found = checks
        .filter(|check| check["say"] == say)
        .map(|check| check["that"].as_str().unwrap().to_owned());
    let expected = "state.extract.items.all(i, result.classes.exists(c, c.id == i.id))";
    assert_eq!(found.collect::<Vec<_>>(), [expected]);
}

#[test]
fn every_workflow_can_be_drawn_in_every_way() {
    let sandbox = Sandbox::new();
    for name in BUILT_IN {
        let draw = |format: &str| {
            sandbox
                .run(&["skill", "graph", name, "--format", format])
                .ok()
                .out
        };
        let shown = sandbox.run(&["skill", "show", name, "--json"]).ok().json();
        let steps: Vec<String> = shown["data"]["steps"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["title"].as_str().unwrap().to_owned())
            .collect();
        let terminal = sandbox.run(&["skill", "graph", name]).ok().out;
        assert_eq!(terminal, draw("terminal"));
        let (svg, mermaid, dot) = (draw("svg"), draw("mermaid"), draw("dot"));
        let picture = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(picture.root_element().tag_name().name(), "svg");
        assert!(
            mermaid.starts_with("flowchart") || mermaid.starts_with("---"),
            "{mermaid}"
        );
        assert!(dot.starts_with("digraph"), "{dot}");
        assert!(!terminal.contains('\u{1b}'), "no colour without a terminal");
        let written: String = picture.descendants().filter_map(|node| node.text()).collect();
        for title in steps {
            for (form, text) in [
                ("terminal", &terminal),
                ("svg", &written),
                ("mermaid", &mermaid),
                ("dot", &dot),
            ] {
                // A narrow terminal shortens long titles, and other formats escape quotes in their own way.
                let beginning: String = title.chars().take(12).collect();
                assert!(
                    text.contains(&title) || (form != "svg" && text.contains(&beginning)),
                    "{title} is not in the {form} of {name}:\n{text}"
                );
            }
        }
    }
}

#[test]
fn a_broken_workflow_can_be_drawn() {
    let sandbox = Sandbox::with_skill("broken", BROKEN);
    let drawn = sandbox.run(&["skill", "graph", "broken"]).ok().out;
    assert!(drawn.contains("fourth"), "{drawn}");
    sandbox.skill("broken", "steps: [");
    sandbox
        .run(&["skill", "graph", "broken"])
        .fails(2, "has no readable workflow");
}

#[test]
fn a_new_skill_works_without_edits() {
    for (where_to, folder) in [
        (None, Path::new("project/.bugle/skills/fresh-one")),
        (Some("--user"), Path::new("bugle-home/skills/fresh-one")),
    ] {
        let sandbox = Sandbox::new();
        let words: Vec<&str> = ["skill", "new", "fresh-one"]
            .into_iter()
            .chain(where_to)
            .collect();
        let made = sandbox.run(&words).ok().out;
        let folder = sandbox.root().join(folder);
        let workflow = fs::read_to_string(folder.join("workflow.yaml")).unwrap();
        assert!(workflow.contains("`bugle skill schema`"), "{workflow}");
        assert!(!workflow.contains("docs/"), "{workflow}");
        let next = made.trim().rsplit_once("Next: ").unwrap().1;
        let check = answer(sandbox.command("sh", &sandbox.project()).args(["-c", next]));
        assert_eq!(check.ok().out, "fresh-one: ok\n");
        let test = sandbox.run(&["skill", "test", "fresh-one"]).ok().out;
        assert!(
            !test.contains("not reached") && !test.contains("failed"),
            "{test}"
        );
        let step = sandbox.start(&["fresh-one", "topic=the cost of a test"]);
        assert!(step.action.contains("> the cost of a test"), "{}", step.action);
        let gathered = |confidence: &str| json!({ "findings": ["one", "two"], "confidence": confidence });
        let again = sandbox.report(&step, &gathered("low")).ok().step();
        assert_eq!(again.step, step.step);
        let last = sandbox.report(&again, &gathered("high")).ok().step();
        sandbox
            .report(&last, &json!({ "answer": "It is worth it." }))
            .ok()
            .end();
        sandbox.verify();
        assert_eq!(sandbox.unfinished_files(), Vec::<PathBuf>::new());
        sandbox.run(&words).fails(2, "already exists");
    }
    let sandbox = Sandbox::new();
    for bad in ["Bad Name", "../escape", "", "-", "a--b", "ä"] {
        sandbox
            .run(&["skill", "new", "--", bad])
            .fails(2, "is not a skill name");
    }
    assert!(!sandbox.project().join(".bugle").exists(), "nothing was created");
}

#[test]
fn every_path_of_the_built_in_skills_can_be_walked() {
    let sandbox = Sandbox::new();
    for name in BUILT_IN {
        let report = sandbox.run(&["skill", "test", name, "--json"]).ok().json();
        let report = report.pointer("/data/tests/0").unwrap_or(&report["data"]).clone();
        assert_eq!(report["name"], name);
        assert_eq!(report["failures"], json!([]));
        assert_eq!(report["missed"], json!([]));
        assert!(report["endings"].as_u64().unwrap() > 0);
    }
    sandbox.skill("broken", BROKEN);
    sandbox
        .run(&["skill", "test", "broken"])
        .fails(3, "the skill `broken` is invalid; errors: 9");
}

#[test]
fn a_test_names_the_check_that_no_sample_passes_instead_of_its_consequences() {
    let collect = |key: &str| {
        format!(
            "version: 1
steps:
  collect:
    title: Collect
    do: Collect the key.
    result:
      key: {key}
    check:
      - that: result.key.matches(\"^[A-Z]+-[0-9]+$\")
        say: \"`key` must look like ABC-12.\"
    next: write
  write:
    title: Write
    do: Write it down.
    next: end
"
        )
    };
    let sandbox = Sandbox::with_skill("keyed", &collect("string"));
    let test = sandbox.run(&["skill", "test", "keyed"]).exits(3).out;
    let second = test.lines().nth(1).unwrap_or_default();
    assert!(
        second.starts_with("failed: no sample result of step `collect` passes the check"),
        "{test}"
    );
    assert!(test.contains("help: give the field a `pattern`"), "{test}");
    assert!(
        !test.contains("not reached") && !test.contains("no path"),
        "{test}"
    );
    sandbox.skill("keyed", &collect("{ type: string, pattern: \"[A-Z]+-[0-9]+\" }"));
    let test = sandbox.run(&["skill", "test", "keyed"]).ok().out;
    assert!(test.ends_with("every path reaches an end\n"), "{test}");
}

#[test]
fn an_ejected_skill_copies_the_built_in_one_and_takes_precedence() {
    let sandbox = Sandbox::new();
    sandbox.run(&["skill", "eject", "deepthink"]).ok();
    let source = workspace().join("skills/deepthink");
    let copy = sandbox.project().join(".bugle/skills/deepthink");
    for file in ["SKILL.md", "workflow.yaml", "prompts/plan.md"] {
        assert_eq!(
            fs::read(copy.join(file)).unwrap(),
            fs::read(source.join(file)).unwrap(),
            "{file}"
        );
    }
    sandbox.run(&["skill", "check", "deepthink"]).ok();
    let list = sandbox.run(&["skill", "list", "--json"]).ok().json();
    let skills = list["data"]["skills"].as_array().unwrap();
    let entry = skills.iter().find(|skill| skill["name"] == "deepthink").unwrap();
    assert_eq!(entry["source"], "project");
    assert_eq!(entry["shadows"], json!(["built-in"]));
    sandbox.write(
        &copy.join("prompts/clarify.md"),
        "Mine: {{ params.question | quote }}",
    );
    sandbox
        .run(&["skill", "eject", "deepthink"])
        .fails(2, "already exists");
    let step = sandbox.start(&["deepthink", "question=Why?"]);
    assert_eq!(step.action, "Mine: > Why?");
    sandbox.run(&["skill", "eject", "deepthink", "--user"]).ok();
    assert!(sandbox.bugle_home().join("skills/deepthink/SKILL.md").is_file());
    for unknown in ["three", "../deepthink", ""] {
        sandbox
            .run(&["skill", "eject", unknown])
            .fails(4, "there is no built-in skill");
    }
}

#[test]
fn a_step_can_be_previewed_in_every_form_without_a_run() {
    let sandbox = Sandbox::new();
    for (name, step, title) in [
        ("decision-critic", "judge", "Judge the statements"),
        ("deepthink", "refine", "Revise the draft"),
        ("problem-analysis", "clarify", "Ask the reporter"),
    ] {
        for format in ["xml", "text", "json", "md"] {
            let words = ["skill", "preview", name, "--step", step, "--format", format];
            let preview = sandbox.run(&words).ok();
            assert!(
                preview.out.contains(title),
                "{name} as {format}:\n{}",
                preview.out
            );
            assert!(preview.out.contains("This is a preview"), "{}", preview.out);
            match format {
                "xml" => assert!(matches!(preview.shown(), Shown::Step(shown) if shown.step == step)),
                "json" => assert_eq!(preview.json()["data"]["position"]["step"], step),
                _ => {}
            }
        }
    }
    let words = ["skill", "preview", "planner", "--step", "completeness"];
    let gate = sandbox.run(&words).ok().step();
    assert_eq!(gate.starts.len(), 1, "{:?}", gate.starts);
    let json = sandbox.run(&[&words[..], &["--json"]].concat()).ok().json();
    assert_eq!(json["data"]["review_loop"]["gate"]["limit"], 5, "{json}");
    let first = sandbox.run(&["skill", "preview", "deepthink"]).ok().step();
    assert_eq!(first.step, "clarify");
    sandbox
        .run(&["skill", "preview", "deepthink", "--step", "clarfy"])
        .fails(4, "Did you mean `clarify`?");
    sandbox
        .run(&["skill", "preview", "planner", "--step", "look"])
        .fails(4, "use `--child agents/explore.yaml`");
    assert!(!sandbox.bugle_home().exists(), "a preview leaves nothing behind");
}

#[test]
fn the_schema_accepts_every_workflow_and_rejects_everything_else() {
    let sandbox = Sandbox::new();
    let schema = sandbox.run(&["skill", "schema"]).ok().json();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let parse = |text: &str| -> Value { serde_saphyr::from_str(text).unwrap() };
    sandbox.run(&["skill", "new", "fresh"]).ok();
    let fresh = sandbox.project().join(".bugle/skills/fresh/workflow.yaml");
    let files = BUILT_IN.map(|name| workspace().join("skills").join(name).join("workflow.yaml"));
    for file in files.iter().chain([&fresh]) {
        let workflow = parse(&fs::read_to_string(file).unwrap());
        let errors: Vec<String> = validator
            .iter_errors(&workflow)
            .map(|error| error.to_string())
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", file.display());
    }
    let good = "version: 1\nsteps:\n  go: { title: Go, do: Go., next: end }\n";
    assert!(validator.is_valid(&parse(good)));
    for (broken, why) in [
        (good.replace("title", "titel"), "an unknown key"),
        (good.replace("title: Go, ", ""), "a missing key"),
        (good.replace("next: end", "next: 7"), "a number for a step"),
        (good.replace("version: 1\n", ""), "no version"),
        (good.replace("steps:", "step:"), "an unknown part"),
    ] {
        assert!(
            !validator.is_valid(&parse(&broken)),
            "{why} is accepted:\n{broken}"
        );
    }
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
