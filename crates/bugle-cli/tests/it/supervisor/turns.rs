//! Starting and waking agents; each prompt is delivered once.

use std::fs;

use crate::support::agent_project::{Place, signal};
use crate::support::executable::write_executable;
use crate::support::sandbox::answer_with_input;

#[test]
fn an_agent_is_started_with_its_task_and_its_answer_is_printed() {
    let place = Place::new();
    let words = [
        "spawn",
        "claude",
        "Count the stars.",
        "--name",
        "star",
        "--role",
        "explore",
        "--model",
        "small",
        "--",
        "--permission-mode",
        "plan",
    ];
    let answer = place.sandbox.run(&words).ok();
    assert_eq!(answer.out, "All done.\n");
    let calls = place.calls();
    assert_eq!(calls.len(), 1);
    let session = place.session("star");
    let wanted = format!(
        "-p --output-format stream-json --verbose --model small --permission-mode plan --session-id {session}"
    );
    assert_eq!(calls[0].words, wanted);
    assert!(calls[0].prompt.contains("You are @star"), "{calls:?}");
    assert!(calls[0].prompt.contains("\nCount the stars.\n"), "{calls:?}");
    assert!(calls[0].prompt.contains("## Your role: `explore`"), "{calls:?}");
    let agent = place.agent("star");
    assert_eq!(agent["agent"]["status"], "complete");
    assert_eq!((&agent["tokens"], &agent["cost"]), (&15.into(), &500_000.into()));
    assert_eq!(agent["exit_code"], 0);
    assert_eq!(place.sandbox.run(&["result", "star"]).ok().out, "All done.\n");
    let log = place.sandbox.run(&["logs", "star"]).ok().out;
    assert!(log.contains(&format!("session {session}")), "{log}");
    let followed = place.sandbox.run(&["logs", "star", "--follow"]).ok().out;
    assert_eq!(followed, log);
    let attach = place.sandbox.run(&["attach", "star"]).ok().out;
    assert!(attach.contains(&format!("claude --resume {session}")), "{attach}");
}

#[test]
fn the_whole_prompt_arrives_whatever_its_length() {
    let place = Place::new();
    let task = format!("{} and then the end.", "x".repeat(1_000_000));
    let spawned = answer_with_input(
        &mut place.sandbox.bugle(&["spawn", "claude", "-", "--name", "long"]),
        task.as_bytes(),
    );
    spawned.ok();
    assert!(place.calls()[0].prompt.contains(&task));
}

#[test]
fn a_name_is_unique_and_generated_if_none_is_given() {
    let place = Place::new();
    place.spawn("star", "a", &[]);
    let again = place.sandbox.run(&["spawn", "claude", "b", "--name", "star"]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert!(
        again.err.contains("an agent named star already exists"),
        "{again:?}"
    );
    let made_up = place
        .sandbox
        .run(&["spawn", "claude", "c", "--detach", "--json"])
        .ok()
        .json();
    let name = made_up["data"]["name"].as_str().unwrap();
    assert!(name.starts_with("claude-"), "{name}");
}

#[test]
fn an_agent_gets_its_own_worktree_on_request() {
    let place = Place::new();
    place.sandbox.git_init();
    place.spawn("star", "a", &["--worktree"]);
    let directory = place.agent("star")["directory"].as_str().unwrap().to_owned();
    assert!(directory.contains("/worktrees/star-"), "{directory}");
    let listed = place
        .sandbox
        .tool(&place.sandbox.project(), "git", &["worktree", "list"]);
    assert!(listed.out.contains(&directory), "{listed:?}");
}

#[test]
fn a_worktree_is_refused_if_its_checkout_would_run_the_repositorys_programs() {
    let place = Place::new();
    place.sandbox.git_init();
    let project = place.sandbox.project();
    let marker = place.sandbox.root().join("ran");
    let program = format!("touch '{}'; cat", marker.display());
    place
        .sandbox
        .write(&project.join(".gitattributes"), "* filter=x\n");
    let git = |words: &[&str]| place.sandbox.tool(&project, "git", words).ok();
    git(&["add", "-A"]);
    git(&["commit", "--quiet", "--message", "second"]);
    git(&["config", "filter.x.smudge", &program]);
    let words = ["spawn", "claude", "a", "--name", "star", "--worktree"];
    let refused = place.sandbox.run(&words).fails(2, "filter.x.smudge");
    assert!(refused.err.contains("worktree add -b agent/star-"), "{refused:?}");
    git(&["config", "--unset", "filter.x.smudge"]);
    // Unlike filters, git hooks are skipped without an error: the checked-out files are the same without them.
    let hook = project.join(".git/hooks/post-checkout");
    write_executable(&hook, &format!("#!/bin/sh\n{program} </dev/null\n"));
    place.sandbox.run(&words).ok();
    assert!(!marker.exists());
}

#[test]
fn a_client_that_is_not_installed_leaves_everything_unread_and_is_reported_once() {
    let place = Place::new();
    place.spawn("star", "a", &[]);
    fs::remove_file(place.program("claude")).unwrap();
    place.say("lead", "@star the spec is ready");
    for _ in 0..2 {
        place.supervise_once();
        assert_eq!(place.unread("star"), 1);
        assert_eq!(place.status("star"), "failed");
    }
    let told = place.told();
    let about: Vec<&String> = told
        .iter()
        .filter(|text| text.contains("not installed"))
        .collect();
    assert_eq!(about.len(), 1, "{told:?}");
    // After the client is reinstalled, both messages arrive together.
    place.install("claude");
    place.say("lead", "@star are you there?");
    place.supervise_once();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    for text in ["the spec is ready", "are you there?"] {
        assert!(calls[1].prompt.contains(text), "{calls:?}");
    }
    assert_eq!(place.unread("star"), 0);
}

#[test]
fn a_message_wakes_an_idle_agent_once_in_its_session() {
    let place = Place::new();
    place.spawn("star", "a", &[]);
    let session = place.session("star");
    for number in 1..=3 {
        let text = format!("@star message number {number}");
        place.say("lead", &text);
    }
    place.supervise_once();
    place.supervise_once();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(
        calls[1].words.ends_with(&format!("--resume {session}")),
        "{calls:?}"
    );
    let at = |number: u32| calls[1].prompt.find(&format!("message number {number}")).unwrap();
    assert!(at(1) < at(2) && at(2) < at(3), "{calls:?}");
    let told = place.told();
    assert!(
        told.iter().all(|text| text.contains("exited with code 0")),
        "{told:?}"
    );
}

#[test]
fn turns_that_end_in_the_same_way_are_reported_once_until_the_report_is_read() {
    let place = Place::new();
    place.spawn("star", "Wait for messages.", &["--detach"]);
    place.supervise_once();
    let ends = || {
        let told = place.told();
        told.iter().filter(|text| text.contains("@star exited")).count()
    };
    for number in 1..=4 {
        place.say("lead", &format!("@star message {number}"));
        place.supervise_once();
    }
    assert_eq!((place.calls().len(), ends()), (5, 1));
    place.sandbox.run_as_person(&["inbox"]).ok();
    place.say("lead", "@star message 5");
    place.supervise_once();
    assert_eq!((place.calls().len(), ends()), (6, 2));
}

#[test]
fn messages_to_a_busy_agent_are_delivered_together_afterwards() {
    let place = Place::new();
    let (began, release) = (place.pipe("began"), place.pipe("go-on"));
    place.behave("echo > \"$HOME/began\"; cat \"$HOME/go-on\"; rm \"$HOME/behaviour\"");
    place.spawn("star", "a", &["--detach"]);
    fs::read(&began).unwrap();
    assert_eq!(place.status("star"), "busy");
    let mut supervisor = place.supervisor();
    for number in 1..=3 {
        let text = format!("@star message number {number}");
        place.say("lead", &text);
    }
    assert_eq!(place.calls().len(), 1);
    fs::write(&release, "").unwrap();
    signal(&supervisor, "-KILL");
    supervisor.wait().unwrap();
    place.supervise_once();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    for number in 1..=3 {
        let text = format!("message number {number}");
        assert_eq!(calls[1].prompt.matches(&text).count(), 1, "{calls:?}");
    }
}
