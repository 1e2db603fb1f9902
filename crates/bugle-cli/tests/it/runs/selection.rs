//! The run that a command selects if none is named: by session, else by project.

use serde_json::json;

use crate::support::sandbox::{Sandbox, answer};
use crate::support::workflows::THREE;

const SESSION_VARIABLES: [&str; 2] = ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"];

#[test]
fn if_several_runs_are_open_each_is_listed_with_its_command() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let first = sandbox.start(&["three"]);
    let second = sandbox.start(&["three"]);
    for command in ["step", "show", "pause", "cancel", "resume", "upgrade"] {
        let failed = sandbox
            .run(&[command])
            .fails(2, "several runs are open in this project");
        for step in [&first, &second] {
            assert!(
                failed.err.contains(&format!("bugle step {}", step.run)),
                "{}",
                failed.err
            );
        }
    }
    sandbox.run(&["cancel", &first.run]).ok();
    assert_eq!(sandbox.run(&["step"]).ok().step(), second);
}

#[test]
fn if_very_many_runs_are_open_the_rest_are_counted() {
    let sandbox = Sandbox::with_skill("three", THREE);
    for _ in 0..14 {
        sandbox.start(&["three"]);
    }
    let failed = sandbox
        .run(&["step"])
        .fails(2, "several runs are open in this project");
    let named = failed
        .err
        .lines()
        .filter(|line| line.contains("bugle step r-"))
        .count();
    assert!(named >= 10, "{}", failed.err);
    assert!(
        named == 14 || failed.err.contains("bugle run list"),
        "{}",
        failed.err
    );
}

#[test]
fn all_runs_can_be_listed_however_many_there_are() {
    let sandbox = Sandbox::with_skill("three", THREE);
    for _ in 0..53 {
        sandbox.start(&["three"]);
    }
    let here = sandbox.run(&["runs", "--json"]).ok().json();
    let listed = here["data"]["runs"].as_array().unwrap().len() as u64;
    assert_eq!(listed + here["data"]["more"].as_u64().unwrap(), 53);
    let text = sandbox.run(&["runs"]).ok().out;
    assert!(
        text.ends_with("and 3 more: add `--limit 53` to see them\n"),
        "{text}"
    );
    let all = sandbox.run(&["runs", "--limit", "53"]).ok().out;
    assert_eq!(
        all.lines().filter(|line| line.starts_with("r-")).count(),
        53,
        "{all}"
    );
    assert_eq!(all.lines().count(), 54, "a heading and nothing else: {all}");
}

#[test]
fn a_session_finds_its_own_run_among_others() {
    for variable in SESSION_VARIABLES {
        let sandbox = Sandbox::with_skill("three", THREE);
        let start = |session| {
            sandbox
                .run_in_session(variable, session, &["start", "three"])
                .ok()
                .step()
        };
        let (one, two) = (start("session-one"), start("session-two"));
        sandbox.start(&["three"]);
        for (session, step) in [("session-one", &one), ("session-two", &two)] {
            let found = sandbox.run_in_session(variable, session, &["step"]).ok().step();
            assert_eq!(found, *step, "{variable}");
            // The command selects the same run from any folder: an agent without memory does not know where its run
            // began.
            let away = answer(
                sandbox
                    .bugle(&["step"])
                    .current_dir(sandbox.elsewhere())
                    .env(variable, session),
            );
            assert_eq!(away.ok().step(), *step);
        }
        sandbox
            .run_in_session(variable, "session-three", &["step"])
            .fails(2, "several runs are open in this project");
        sandbox.run_as_person(&["cancel", &one.run]).ok();
        sandbox
            .run_in_session(variable, "session-one", &["step"])
            .fails(2, "several runs are open in this project");
        let detail = sandbox.run(&["show", &two.run, "--json"]).ok().json();
        assert_eq!(detail["data"]["timeline"][0]["by"], "agent session-two");
    }
}

#[test]
fn a_run_is_found_from_every_folder_of_its_project() {
    let sandbox = Sandbox::with_skill("three", THREE);
    sandbox.git_init();
    let step = sandbox.start(&["three"]);
    let deep = sandbox.project().join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    assert_eq!(sandbox.run_in(&deep, &["step"]).ok().step(), step);
    let runs = sandbox.run_in(&deep, &["runs", "--json"]).ok().json();
    assert_eq!(
        runs["data"]["runs"][0]["directory"],
        sandbox.project().to_str().unwrap()
    );
}

#[test]
fn all_worktrees_of_a_repository_are_one_project() {
    let sandbox = Sandbox::with_skill("three", THREE);
    sandbox.git_init();
    let tree = sandbox.work_tree("other");
    let step = sandbox.start(&["three"]);
    assert_eq!(
        sandbox.run_in(&tree, &["step"]).ok().step(),
        step,
        "seen from the other worktree"
    );
    let second = sandbox.report(&step, &json!({ "word": "one" })).ok().step();
    assert_eq!(sandbox.run_in(&tree, &["step"]).ok().step(), second);
    // The skill is in the first worktree only. The run uses a pinned copy, so there is no notice about a missing skill.
    assert!(second.notices.is_empty(), "{:?}", second.notices);
    sandbox
        .run_in(&tree, &["start", "three"])
        .fails(4, "there is no skill `three`");
    sandbox
        .run_in(&sandbox.elsewhere(), &["step"])
        .fails(4, "no run is open in this project");
}

#[test]
fn outside_git_each_folder_is_a_project() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let step = sandbox.start(&["three"]);
    let inner = sandbox.project().join("inner");
    std::fs::create_dir(&inner).unwrap();
    sandbox
        .run_in(&inner, &["step"])
        .fails(4, "no run is open in this project");
    assert_eq!(sandbox.run_in(&inner, &["step", &step.run]).ok().step(), step);
}

#[test]
fn a_project_reached_through_a_link_is_the_same_project() {
    let sandbox = Sandbox::with_skill("three", THREE);
    let step = sandbox.start(&["three"]);
    let link = sandbox.root().join("link");
    std::os::unix::fs::symlink(sandbox.project(), &link).unwrap();
    assert_eq!(sandbox.run_in(&link, &["step"]).ok().step(), step);
}
