//! A step's text is printed verbatim, with little overhead.
//!
//! `cargo test -p bugle-cli --test it step_overhead -- --nocapture` prints the share of the frame for every step.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use roxmltree::{Document, Node};
use serde_json::json;

use crate::support::sandbox::Sandbox;
use crate::support::script::{Memory, walk};

/// Walks that visit the steps of every built-in skill.
const WALKS: [&str; 20] = [
    "codebase-analysis.json",
    "decision-critic.json",
    "deepthink-full.json",
    "develop-rework.json",
    "doc-sync.json",
    "execute-plan-rework.json",
    "fix-rework.json",
    "incoherence.json",
    "paper-to-markdown.json",
    "planner-rework.json",
    "problem-analysis.json",
    "prompt-engineer-ecosystem.json",
    "prompt-engineer-external.json",
    "prompt-engineer-greenfield.json",
    "prompt-engineer-problem.json",
    "prompt-engineer-single.json",
    "refactor.json",
    "refactor-none.json",
    "solution-design.json",
    "writing-style.json",
];

/// The elements whose text comes from the skill, its documents, or the run's values. Everything else is the frame:
/// tags, attributes, commands, and Bugle's own sentences.
const OWN: [&str; 17] = [
    "step_header",
    "task",
    "current_action",
    "resource",
    "role_brief",
    "denied_tools",
    "allowed_tools",
    "action",
    "forbidden",
    "expected_output",
    "question",
    "location",
    "element",
    "problem",
    "check",
    "child",
    "criterion",
];

/// The number of characters that Bugle added to a printed step, and the total.
fn frame(xml: &str) -> (usize, usize) {
    let document = Document::parse(xml).unwrap();
    let is_own = |node: &Node<'_, '_>| OWN.contains(&node.tag_name().name());
    let own: usize = document
        .descendants()
        .filter(is_own)
        .map(|node| node.text().unwrap_or_default().trim().chars().count())
        .sum();
    let all = xml.trim_end().chars().count();
    (all - own, all)
}

fn percent(part: usize, whole: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap());
    100.0 * number(part) / number(whole)
}

/// The average number of characters that Bugle adds to a step. The share depends on how short the skills are.
const FRAME: usize = 560;

#[test]
fn the_frame_of_built_in_skill_steps_is_short() {
    let mut visits = 0;
    // Count all visits to a step together, because agents read the output of each visit.
    let mut steps: BTreeMap<(String, String, String), (usize, usize)> = BTreeMap::new();
    for file in WALKS {
        let walked = walk(file, Memory::Keeps);
        for xml in walked.printed {
            // Count paths as if they were under a user's home instead of the test's.
            let xml = xml.replace(&walked.bugle_home, "/home/ada/.bugle");
            let document = Document::parse(&xml).unwrap();
            let header = document
                .descendants()
                .find(|node| node.has_tag_name("step_header"))
                .unwrap();
            let at = |name: &str| header.attribute(name).unwrap_or_default().to_owned();
            let title = header.text().unwrap_or_default().to_owned();
            let (added, all) = frame(&xml);
            visits += 1;
            let step = steps.entry((at("skill"), at("step"), title)).or_default();
            *step = (step.0 + added, step.1 + all);
        }
    }
    let mut table = String::new();
    for ((skill, step, _), (added, all)) in &steps {
        let _ = writeln!(
            table,
            "{skill:<20} {step:<24} {added:>6} of {all:>6}  {:>5.1} %",
            percent(*added, *all)
        );
    }
    let (added, all) = steps.values().fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    let total = percent(added, all);
    let _ = writeln!(
        table,
        "{} steps: {added} of {all} characters, {total:.2} %, {} for each visit",
        steps.len(),
        added / visits
    );
    println!("{table}");
    assert!(added / visits <= FRAME, "{table}");
}

#[test]
fn commands_and_code_can_be_copied_as_printed() {
    let sandbox = Sandbox::new();
    let code = "fn f<T>(a: &T) -> Vec<Vec<T>> { a[b[0]]>c }";
    let command = "cd app && python -m pytest < /dev/null";
    let decision = format!("{command}\n{code}\n</current_action> &amp; <![CDATA[x]]");
    let params = sandbox.root().join("params.json");
    sandbox.write(&params, json!({ "decision": decision }).to_string());
    let file = params.to_str().unwrap();
    let shown = sandbox
        .run(&[
            "start",
            "decision-critic",
            "--params-file",
            file,
            "--format",
            "xml",
        ])
        .ok()
        .out;
    for line in [command, "</current_action> &amp; <![CDATA[x]]"] {
        assert!(shown.lines().any(|shown| shown == format!("> {line}")), "{shown}");
    }
    let document = Document::parse(&shown).unwrap();
    let action = document
        .descendants()
        .find(|node| node.has_tag_name("current_action"))
        .unwrap();
    assert!(action.text().unwrap().contains(code), "{shown}");
    assert_eq!(shown.matches("bugle done").count(), 1, "{shown}");
}

#[test]
fn an_empty_result_file_is_reported_as_empty() {
    let sandbox = Sandbox::new();
    let step = sandbox.start(&["decision-critic", "decision=Move the queue"]);
    sandbox.write(step.result_file(), " \n");
    let refused = sandbox.printed(step.command()).refused("result-unreadable");
    assert!(refused.message.contains("it is empty"), "{refused:?}");
    assert!(!refused.message.contains("EOF"), "{refused:?}");
    let items = vec![json!({ "id": "1", "kind": "claim", "text": "t" }); 3];
    let short = json!({ "choice": "c", "items": items });
    sandbox.write(step.result_file(), short.to_string());
    let refused = sandbox.printed(step.command()).refused("result-mismatch");
    assert!(
        refused
            .details
            .iter()
            .any(|detail| detail.contains("found 1 character")),
        "{refused:?}"
    );
    assert!(
        !refused
            .details
            .iter()
            .any(|detail| detail.contains("1 characters")),
        "{refused:?}"
    );
}
