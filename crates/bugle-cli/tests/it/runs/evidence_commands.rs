//! Commands as evidence, and the trust that they need.

use std::fs;
use std::path::PathBuf;

use super::evidence_files::{expecting, started};
use crate::support::sandbox::Sandbox;

#[test]
fn a_projects_command_runs_only_after_a_person_trusts_the_skill() {
    let (sandbox, step) = started("command: touch ran");
    let mark = sandbox.project().join("ran");
    let refused = sandbox.printed(step.command()).refused("untrusted");
    assert!(!mark.exists(), "the command did not run");
    assert!(
        refused.details.contains(&"command: touch ran".to_owned()),
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
    assert!(!mark.exists(), "the command still did not run");

    let trusted = sandbox.run_as_person(&["trust", "proof"]).ok().out;
    assert!(trusted.contains("touch ran"), "{trusted}");
    let listed = sandbox.run(&["skill", "list"]).ok().out;
    assert!(listed.contains("proof  (project)"), "{listed}");
    sandbox.printed(step.command()).ok().end();
    assert!(mark.exists(), "the command ran in the project's folder");
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
    // A changed prompt revokes trust too, because the prompt is part of the trusted skill.
    sandbox.skill("proof", &expecting("command: 'true'"));
    let again = sandbox.start(&["proof"]);
    sandbox.printed(again.command()).ok().end();
    sandbox.write(&folder.join("prompts/more.md"), "More.");
    let changed = sandbox.start(&["proof"]);
    sandbox.printed(changed.command()).refused("untrusted");
}

#[test]
fn a_run_started_before_the_skill_changed_keeps_its_trust() {
    let (sandbox, step) = started("command: 'true'");
    sandbox.run_as_person(&["trust", "proof"]).ok();
    sandbox.skill("proof", &expecting("command: touch ran"));
    sandbox.printed(step.command()).ok().end();
    assert!(!sandbox.project().join("ran").exists());
}

#[test]
fn a_users_own_skill_needs_no_trust() {
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
    assert!(detail.contains("the command exited with code 1"), "{detail}");
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
fn a_command_with_huge_output_or_a_missing_program_is_refused() {
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
        refused.details[0].contains("the command exited with code 127"),
        "{:?}",
        refused.details
    );
}

#[test]
fn a_command_that_takes_too_long_is_killed_with_its_child_processes() {
    let (sandbox, step) =
        started("{ command: '(sleep 60; echo survived) > alive & echo begun; wait', timeout: 1 }");
    sandbox.run_as_person(&["trust", "proof"]).ok();
    // Reading a pipe ends only when every process that has it open for writing has exited.
    sandbox.tool(&sandbox.project(), "mkfifo", &["alive"]);
    let pipe = sandbox.project().join("alive");
    let log_tail = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    let refused = sandbox.printed(step.command()).refused("evidence-unmet");
    let detail = &refused.details[0];
    assert!(detail.contains("the command timed out"), "{detail}");
    assert!(detail.contains("begun"), "{detail}");
    assert_eq!(log_tail.join().unwrap(), "", "a process was left behind");
    assert_eq!(sandbox.unfinished_files(), Vec::<PathBuf>::new());
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
fn values_in_a_command_are_arguments_and_never_code() {
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
        ["`test -e <result.file> && test v'1; touch ran' = 'v1; touch ran'` exits with code 0"]
    );
    let odd = "a b'; touch ran; echo '$(touch ran)`touch ran`";
    let refused = sandbox
        .report(&step, &serde_json::json!({ "file": odd }))
        .refused("evidence-unmet");
    assert!(
        refused.details[0].contains("the command exited with code 1"),
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
fn the_check_refuses_a_command_whose_values_could_be_code_or_missing() {
    for (command, problem) in [
        ("test \"{{ params.version }}\"", "inside quotes"),
        ("sh -c {{ params.version }}", "run a value after `-c` as code"),
        ("echo {{ params.verion }}", "no param `verion`"),
        ("echo {{ result.path }}", "has no field `path`"),
        ("echo {{ result }} {{ params.version", "`{{` is not closed"),
    ] {
        let sandbox = Sandbox::with_skill("proof", &with_values(command));
        let checked = sandbox.run(&["skill", "check", "proof"]);
        assert_ne!(checked.code, Some(0), "{command}: {checked:?}");
        let said = format!("{}{}", checked.out, checked.err);
        assert!(said.contains(problem), "{command}: {said}");
    }
}

#[test]
fn commands_that_need_trust_are_listed_when_the_run_starts() {
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
