//! What the program checks itself before it believes that a step is done: files, and commands of trusted skills.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::harness::Sandbox;
use crate::shown::Step;

/// A workflow with one step that expects this.
fn expecting(evidence: &str) -> String {
    format!(
        "version: 1\nsteps:\n  work:\n    title: Work\n    do: Work.\n    expect:\n      - {evidence}\n    next: end\n"
    )
}

fn started(evidence: &str) -> (Sandbox, Step) {
    let sandbox = Sandbox::with_skill("proof", &expecting(evidence));
    let step = sandbox.start(&["proof"]);
    (sandbox, step)
}

/// Makes a file look as if it had been written an hour ago.
fn age(file: &PathBuf) {
    let hour_ago = SystemTime::now() - Duration::from_hours(1);
    let file = fs::File::options().write(true).open(file).unwrap();
    file.set_modified(hour_ago).unwrap();
}

#[test]
fn a_file_must_be_made_or_changed_in_the_step() {
    let sandbox = Sandbox::with_skill("proof", &expecting("artifact: 'docs/plans/*.md'"));
    let old = sandbox.project().join("docs/plans/old.md");
    sandbox.write(&old, "as it was");
    age(&old);
    let step = sandbox.start(&["proof"]);
    assert_eq!(
        step.checks,
        ["a file that matches docs/plans/*.md, made or changed in this step"]
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
fn touching_a_file_or_moving_the_clock_changes_no_content() {
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
    // A clock that was ahead when the step began: the change has an earlier time than the entry.
    sandbox.write(&old, "changed");
    set_time(SystemTime::now() - Duration::from_hours(1));
    sandbox.printed(step.command()).ok().end();
    sandbox.verify();
}

#[test]
fn neither_a_link_nor_a_folder_is_evidence() {
    let (sandbox, step) = started("artifact: 'proof.md'");
    let proof = sandbox.project().join("proof.md");
    let outside = sandbox.elsewhere().join("outside.md");
    sandbox.write(&outside, "made elsewhere");
    for target in [outside, sandbox.elsewhere(), sandbox.project().join("nowhere")] {
        std::os::unix::fs::symlink(&target, &proof).unwrap();
        let refused = sandbox.printed(step.command()).refused("evidence-unmet");
        assert!(
            refused.details[0].contains("a link does not count"),
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
fn a_file_that_the_result_names_must_be_new_too() {
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
fn a_forked_run_asks_for_a_change_of_its_own() {
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
fn a_plan_outside_the_project_is_no_evidence() {
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
            refused.details[0].contains("it is outside the project"),
            "{:?}",
            refused.details
        );
    }
    sandbox.write(&sandbox.project().join("plan.md"), plan);
    let step = sandbox.start(&["proof", "plan=plan.md"]);
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn a_file_that_was_there_before_counts_where_the_skill_says_so() {
    let (sandbox, step) = started("{ artifact: 'docs/**/*.md', existing: true }");
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    assert!(
        refused.details[0].ends_with("there is no such file"),
        "{:?}",
        refused.details
    );
    let old = sandbox.project().join("docs/a/b/old.md");
    sandbox.write(&old, "as it was");
    age(&old);
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn an_empty_file_is_evidence_of_nothing() {
    for evidence in [
        "artifact: 'proof.txt'",
        "{ artifact: 'proof.txt', existing: true }",
    ] {
        let (sandbox, step) = started(evidence);
        let proof = sandbox.project().join("proof.txt");
        sandbox.write(&proof, "");
        let refused = sandbox.printed(step.command()).refused("evidence-unmet");
        assert!(
            refused.details[0].ends_with("there is nothing in proof.txt"),
            "{:?}",
            refused.details
        );
        sandbox.write(&proof, "x");
        sandbox.printed(step.command()).ok().end();
    }
}

#[test]
fn files_are_looked_for_in_the_project_of_the_run_and_nowhere_else() {
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
fn a_pattern_can_depend_on_params_but_never_leave_the_project() {
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
        refused.details[0].contains("leaves the project's folder"),
        "{:?}",
        refused.details
    );
    let step = sandbox.start(&["proof", "name=report"]);
    assert_eq!(
        step.checks,
        ["a file that matches out/report.txt, made or changed in this step"]
    );
    sandbox.write(&sandbox.project().join("out/report.txt"), "x");
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn a_command_of_a_project_runs_only_after_a_person_trusted_the_skill() {
    let (sandbox, step) = started("command: touch ran");
    let mark = sandbox.project().join("ran");
    let refused = sandbox.printed(step.command()).refused("untrusted");
    assert!(!mark.exists(), "nothing was run");
    assert!(
        refused.details.contains(&"it would run: touch ran".to_owned()),
        "{:?}",
        refused.details
    );
    assert_eq!(refused.command(), step.command());
    let listed = sandbox.run(&["skill", "list"]).ok().out;
    assert!(listed.contains("proof  (project, not trusted)"), "{listed}");

    for variable in ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"] {
        for words in [["trust", "proof"].as_slice(), &["skill", "trust", "proof"]] {
            let refused = sandbox
                .run_in_session(variable, "a-session", words)
                .refused("person-needed");
            assert!(refused.message.contains("Only a person can trust a skill"));
        }
    }
    sandbox.printed(step.command()).refused("untrusted");
    assert!(!mark.exists(), "still nothing was run");

    let trusted = sandbox.run_as_person(&["trust", "proof"]).ok().out;
    assert!(trusted.contains("touch ran"), "{trusted}");
    let listed = sandbox.run(&["skill", "list"]).ok().out;
    assert!(listed.contains("proof  (project)"), "{listed}");
    sandbox.printed(step.command()).ok().end();
    assert!(mark.exists(), "it ran in the project's folder");
    sandbox.verify();
}

#[test]
fn trust_is_lost_when_the_skill_changes() {
    let (sandbox, step) = started("command: 'true'");
    sandbox.run_as_person(&["trust", "proof"]).ok();
    sandbox.printed(step.command()).ok().end();
    let folder = sandbox.skill("proof", &expecting("command: touch ran"));
    let changed = sandbox.start(&["proof"]);
    sandbox.printed(changed.command()).refused("untrusted");
    assert!(!sandbox.project().join("ran").exists());
    // A changed prompt is a changed skill: what it asks for is part of what was trusted.
    sandbox.skill("proof", &expecting("command: 'true'"));
    let again = sandbox.start(&["proof"]);
    sandbox.printed(again.command()).ok().end();
    sandbox.write(&folder.join("prompts/more.md"), "More.");
    let changed = sandbox.start(&["proof"]);
    sandbox.printed(changed.command()).refused("untrusted");
}

#[test]
fn a_run_begun_before_the_skill_changed_keeps_its_trust() {
    let (sandbox, step) = started("command: 'true'");
    sandbox.run_as_person(&["trust", "proof"]).ok();
    sandbox.skill("proof", &expecting("command: touch ran"));
    sandbox.printed(step.command()).ok().end();
    assert!(!sandbox.project().join("ran").exists());
}

#[test]
fn a_skill_of_the_user_needs_no_word_of_trust() {
    let sandbox = Sandbox::new();
    let folder = sandbox.bugle_home().join("skills/proof");
    sandbox.skill_at(&folder, "proof", &expecting("command: 'test \"$PWD\" != /'"));
    let step = sandbox.start(&["proof"]);
    sandbox.printed(step.command()).ok().end();
}

#[test]
fn a_command_that_fails_shows_its_last_lines() {
    let (sandbox, step) =
        started("command: 'for i in 1 2 3 4; do echo line $i; done; echo broken >&2; test -e fixed'");
    sandbox.run_as_person(&["trust", "proof"]).ok();
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    let detail = &refused.details[0];
    assert!(detail.contains("it exited with 1"), "{detail}");
    assert!(detail.contains("line 4\nbroken"), "{detail}");
    assert_eq!(
        sandbox.position(&step.run).1.as_deref(),
        Some(step.visit.as_str())
    );
    sandbox.write(&sandbox.project().join("fixed"), "");
    sandbox.printed(refused.command()).ok().end();
    assert_eq!(sandbox.unfinished_files(), Vec::<PathBuf>::new());
}

#[test]
fn a_command_that_floods_or_is_not_there_is_only_a_refusal() {
    let (sandbox, step) =
        started("command: 'head -c 5000000 /dev/zero | tr \"\\0\" x; printf \"\\377 the end\"; exit 3'");
    sandbox.run_as_person(&["trust", "proof"]).ok();
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    let detail = &refused.details[0];
    assert!(detail.ends_with("the end"), "{detail}");
    assert!(detail.len() < 5000, "{} bytes", detail.len());
    sandbox.skill("proof", &expecting("command: no-such-program --now"));
    sandbox.run_as_person(&["trust", "proof"]).ok();
    let step = sandbox.start(&["proof"]);
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    assert!(
        refused.details[0].contains("it exited with 127"),
        "{:?}",
        refused.details
    );
}

#[test]
fn a_command_that_takes_too_long_is_stopped_with_all_that_it_started() {
    let (sandbox, step) =
        started("{ command: '(sleep 60; echo survived) > alive & echo begun; wait', timeout: 1 }");
    sandbox.run_as_person(&["trust", "proof"]).ok();
    // A pipe comes to its end when the last process that holds it does.
    sandbox.tool(&sandbox.project(), "mkfifo", &["alive"]);
    let pipe = sandbox.project().join("alive");
    let last_words = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    let detail = &refused.details[0];
    assert!(detail.contains("it took too long and was stopped"), "{detail}");
    assert!(detail.contains("begun"), "{detail}");
    assert_eq!(last_words.join().unwrap(), "", "a process was left behind");
    assert_eq!(sandbox.unfinished_files(), Vec::<PathBuf>::new());
}

#[test]
fn all_evidence_is_checked_and_all_that_lacks_is_named() {
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
        "the result need not be written again"
    );
    sandbox.write(&sandbox.project().join("two.txt"), "");
    sandbox.write(&sandbox.project().join("three.txt"), "3");
    sandbox.printed(refused.command()).ok().end();
}

/// A skill whose step runs this command, with a param `version` and a result `file`.
fn with_values(command: &str) -> String {
    let yaml = serde_json::to_string(command).unwrap();
    format!(
        "version: 1\nparams:\n  version: {{ type: string, required: true }}\nsteps:\n  work:\n    title: Work\n    do: Work.\n    \
         expect:\n      - command: {yaml}\n    result:\n      file: string\n    next: end\n"
    )
}

#[test]
fn values_in_a_command_are_words_and_never_code() {
    let command = "test -e {{ result.file }} && test v{{ params.version }} = 'v1; touch ran'";
    let sandbox = Sandbox::with_skill("proof", &with_values(command));
    sandbox.run(&["skill", "check", "proof"]).ok();
    sandbox.run(&["skill", "test", "proof"]).ok();
    let trusted = sandbox.run_as_person(&["trust", "proof"]).ok().out;
    assert!(
        trusted.contains("test -e <result.file> && test v<params.version> ="),
        "{trusted}"
    );
    let step = sandbox.start(&["proof", "version=1; touch ran"]);
    assert_eq!(
        step.checks,
        ["`test -e <result.file> && test v'1; touch ran' = 'v1; touch ran'` exits with 0"]
    );
    let odd = "a b'; touch ran; echo '$(touch ran)`touch ran`";
    let refused = sandbox
        .report(&step, &serde_json::json!({ "file": odd }))
        .refused("evidence-unmet");
    assert!(
        refused.details[0].contains("it exited with 1"),
        "{:?}",
        refused.details
    );
    sandbox.write(&sandbox.project().join(odd), "x");
    let end = sandbox.printed(refused.command()).ok().end();
    assert!(!sandbox.project().join("ran").exists());
    let shown = sandbox.run(&["show", &end.run]).ok().out;
    assert!(
        shown.contains("test v'1; touch ran'") && !shown.contains("{{"),
        "{shown}"
    );
    sandbox.verify();
}

#[test]
fn a_command_whose_values_could_be_code_or_nothing_is_refused_by_the_check() {
    for (command, problem) in [
        ("test \"{{ params.version }}\"", "inside quotes"),
        ("sh -c {{ params.version }}", "run as code"),
        ("echo {{ params.verion }}", "no param `verion`"),
        ("echo {{ result.path }}", "has no `path`"),
        ("echo {{ result }} {{ params.version", "never closed"),
    ] {
        let sandbox = Sandbox::with_skill("proof", &with_values(command));
        let checked = sandbox.run(&["skill", "check", "proof"]);
        assert_ne!(checked.code, Some(0), "{command}: {checked:?}");
        let said = format!("{}{}", checked.out, checked.err);
        assert!(said.contains(problem), "{command}: {said}");
    }
}

#[test]
fn commands_that_need_trust_are_named_when_the_run_starts() {
    let sandbox = Sandbox::with_skill("proof", &with_values("git rev-parse v{{ params.version }}"));
    let started = sandbox.run(&["start", "proof", "version=1.2"]).ok().out;
    for part in [
        "git rev-parse v'1.2'",
        "commands that the user must trust first",
        "trust proof",
    ] {
        assert!(started.contains(part), "{part}: {started}");
    }
    sandbox.run_as_person(&["trust", "proof"]).ok();
    let started = sandbox.run(&["start", "proof", "version=1.2"]).ok().out;
    assert!(!started.contains("must trust first"), "{started}");
}
