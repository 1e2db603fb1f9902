//! Files as evidence.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::support::reply::Step;
use crate::support::sandbox::Sandbox;

/// A workflow with one step that expects this evidence.
pub(crate) fn expecting(evidence: &str) -> String {
    format!(
        "version: 1\nsteps:\n  work:\n    title: Work\n    do: Work.\n    expect:\n      - {evidence}\n    next: end\n"
    )
}

pub(crate) fn started(evidence: &str) -> (Sandbox, Step) {
    let sandbox = Sandbox::with_skill("proof", &expecting(evidence));
    let step = sandbox.start(&["proof"]);
    (sandbox, step)
}

/// Sets a file's modification time to an hour ago.
fn age(file: &PathBuf) {
    let hour_ago = SystemTime::now() - Duration::from_hours(1);
    let file = fs::File::options().write(true).open(file).unwrap();
    file.set_modified(hour_ago).unwrap();
}

#[test]
fn a_file_must_be_created_or_changed_during_the_step() {
    let sandbox = Sandbox::with_skill("proof", &expecting("artifact: 'docs/plans/*.md'"));
    let old = sandbox.project().join("docs/plans/old.md");
    sandbox.write(&old, "as it was");
    age(&old);
    let step = sandbox.start(&["proof"]);
    assert_eq!(
        step.checks,
        ["a file that matches docs/plans/*.md, created or changed in this step"]
    );
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    for part in ["docs/plans/old.md", "unchanged since the step began"] {
        assert!(refused.details[0].contains(part), "{:?}", refused.details);
    }
    assert_eq!(refused.command(), step.command());
    sandbox.write(&sandbox.project().join("docs/plans/deeper/new.md"), "too deep");
    sandbox.printed(step.command()).refused("evidence-unmet");
    sandbox.write(&old, "changed now");
    let end = sandbox.printed(refused.command()).ok().end();
    let shown = sandbox.run(&["show", &end.run]).ok().out;
    assert!(shown.contains("found docs/plans/old.md"), "{shown}");
    sandbox.verify();
}

#[test]
fn touching_a_file_or_changing_the_clock_is_not_evidence() {
    let sandbox = Sandbox::with_skill("proof", &expecting("artifact: 'docs/*.md'"));
    let old = sandbox.project().join("docs/old.md");
    sandbox.write(&old, "as it was");
    let step = sandbox.start(&["proof"]);
    let set_time = |time: SystemTime| {
        let file = fs::File::options().write(true).open(&old).unwrap();
        file.set_modified(time).unwrap();
    };
    set_time(SystemTime::now() + Duration::from_hours(1));
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    assert!(refused.details[0].contains("unchanged"), "{:?}", refused.details);
    // A changed file counts even if its modification time is before the step, for example after a clock correction.
    sandbox.write(&old, "changed");
    set_time(SystemTime::now() - Duration::from_hours(1));
    sandbox.printed(step.command()).ok().end();
    sandbox.verify();
}

#[test]
fn a_link_or_a_folder_is_not_evidence() {
    let (sandbox, step) = started("artifact: 'proof.md'");
    let proof = sandbox.project().join("proof.md");
    let outside = sandbox.elsewhere().join("outside.md");
    sandbox.write(&outside, "made elsewhere");
    for target in [outside, sandbox.elsewhere(), sandbox.project().join("nowhere")] {
        std::os::unix::fs::symlink(&target, &proof).unwrap();
        let refused = sandbox.printed(step.command()).refused("evidence-unmet");
        assert!(
            refused.details[0].contains("links do not count"),
            "{:?}",
            refused.details
        );
        fs::remove_file(&proof).unwrap();
    }
    fs::create_dir(&proof).unwrap();
    sandbox.printed(step.command()).refused("evidence-unmet");
    fs::remove_dir(&proof).unwrap();
    sandbox.write(&proof, "here");
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn a_file_named_in_the_result_must_be_new_too() {
    let workflow = expecting("artifact: 'reports/{{ result.name }}.md'").replacen(
        "    next:",
        "    result:\n      name: string\n    next:",
        1,
    );
    let sandbox = Sandbox::with_skill("proof", &workflow);
    sandbox.write(&sandbox.project().join("reports/old.md"), "as it was");
    let step = sandbox.start(&["proof"]);
    let refused = sandbox
        .report(&step, &serde_json::json!({ "name": "old" }))
        .refused("evidence-unmet");
    assert!(
        refused.details[0].contains("a file that matches reports/old.md")
            && refused.details[0].contains("unchanged"),
        "{:?}",
        refused.details
    );
    sandbox.write(&sandbox.project().join("reports/new.md"), "new");
    sandbox
        .report(&step, &serde_json::json!({ "name": "new" }))
        .ok()
        .end();
    sandbox.verify();
}

#[test]
fn a_forked_run_needs_its_own_change() {
    let (sandbox, step) = started("artifact: 'proof.txt'");
    sandbox.write(&sandbox.project().join("proof.txt"), "by the first run");
    sandbox.printed(step.command()).ok().end();
    let fork = sandbox.run(&["fork", &step.visit]).ok().step();
    let refused = sandbox.printed(fork.command()).refused("evidence-unmet");
    assert!(refused.details[0].contains("unchanged"), "{:?}", refused.details);
    sandbox.write(&sandbox.project().join("proof.txt"), "by the fork");
    sandbox.printed(fork.command()).ok().end();
    sandbox.verify();
}

#[test]
fn a_plan_outside_the_project_is_not_evidence() {
    let workflow = expecting("plan: '{{ params.plan }}'").replacen(
        "steps:",
        "params:\n  plan: { type: string, required: true }\nsteps:",
        1,
    );
    let sandbox = Sandbox::with_skill("proof", &workflow);
    let plan = "# Plan\n\n## Task 1: Build\n\nBuild it.\n";
    let outside = sandbox.elsewhere().join("plan.md");
    sandbox.write(&outside, plan);
    std::os::unix::fs::symlink(&outside, sandbox.project().join("linked.md")).unwrap();
    for given in [outside.to_str().unwrap(), "linked.md"] {
        let step = sandbox.start(&["proof", &format!("plan={given}")]);
        let refused = sandbox.printed(step.command()).refused("evidence-unmet");
        assert!(
            refused.details[0].contains("the file is outside the project"),
            "{:?}",
            refused.details
        );
    }
    sandbox.write(&sandbox.project().join("plan.md"), plan);
    let step = sandbox.start(&["proof", "plan=plan.md"]);
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn an_existing_file_counts_if_the_skill_allows_it() {
    let (sandbox, step) = started("{ artifact: 'docs/**/*.md', existing: true }");
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    let folder = sandbox.project();
    assert!(
        refused.details[0].ends_with(&format!("there is no such file in {}", folder.display())),
        "{:?}",
        refused.details
    );
    let old = sandbox.project().join("docs/a/b/old.md");
    sandbox.write(&old, "as it was");
    age(&old);
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn an_empty_file_is_not_evidence() {
    for evidence in [
        "artifact: 'proof.txt'",
        "{ artifact: 'proof.txt', existing: true }",
    ] {
        let (sandbox, step) = started(evidence);
        let proof = sandbox.project().join("proof.txt");
        sandbox.write(&proof, "");
        let refused = sandbox.printed(step.command()).refused("evidence-unmet");
        assert!(
            refused.details[0].ends_with("empty: proof.txt"),
            "{:?}",
            refused.details
        );
        sandbox.write(&proof, "x");
        sandbox.printed(step.command()).ok().end();
    }
}

#[test]
fn files_are_searched_only_in_the_runs_project() {
    let (sandbox, step) = started("artifact: 'proof.txt'");
    sandbox.write(&sandbox.elsewhere().join("proof.txt"), "in the wrong place");
    sandbox.printed(step.command()).refused("evidence-unmet");
    let outside = sandbox.elsewhere().join("folder");
    sandbox.write(&outside.join("proof.txt"), "behind a link");
    std::os::unix::fs::symlink(&outside, sandbox.project().join("linked")).unwrap();
    sandbox.printed(step.command()).refused("evidence-unmet");
    sandbox.write(&sandbox.project().join("proof.txt"), "here");
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn a_pattern_can_use_params_but_never_leaves_the_project() {
    let workflow = expecting("artifact: 'out/{{ params.name }}.txt'").replacen(
        "steps:",
        "params:\n  name: { type: string, required: true }\nsteps:",
        1,
    );
    let sandbox = Sandbox::with_skill("proof", &workflow);
    sandbox.write(&sandbox.root().join("secret.txt"), "outside");
    let away = sandbox.start(&["proof", "name=../../secret"]);
    let refused = sandbox.printed(away.command()).refused("evidence-unmet");
    assert!(
        refused.details[0].contains("points outside the project"),
        "{:?}",
        refused.details
    );
    let step = sandbox.start(&["proof", "name=report"]);
    assert_eq!(
        step.checks,
        ["a file that matches out/report.txt, created or changed in this step"]
    );
    sandbox.write(&sandbox.project().join("out/report.txt"), "x");
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn all_evidence_is_checked_and_everything_missing_is_named() {
    let workflow = "
version: 1
steps:
  work:
    title: Work
    do: Work.
    expect:
      - artifact: one.txt
      - command: test -e two.txt
      - artifact: three.txt
    result:
      word: string
    next: end
";
    let sandbox = Sandbox::with_skill("proof", workflow);
    sandbox.run_as_person(&["trust", "proof"]).ok();
    let step = sandbox.start(&["proof"]);
    sandbox.printed(step.command()).refused("result-missing");
    sandbox.write(&sandbox.project().join("one.txt"), "1");
    let refused = sandbox
        .report(&step, &serde_json::json!({ "word": "done" }))
        .refused("evidence-unmet");
    assert_eq!(refused.details.len(), 2, "{:?}", refused.details);
    assert!(
        step.result_file().exists(),
        "the result does not have to be written again"
    );
    sandbox.write(&sandbox.project().join("two.txt"), "");
    sandbox.write(&sandbox.project().join("three.txt"), "3");
    sandbox.printed(refused.command()).ok().end();
}
