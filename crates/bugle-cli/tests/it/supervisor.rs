//! Agents that Bugle starts, wakes and steers: exactly once, whatever is killed.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::harness::{answer, answer_with_input};
use crate::supervised::{Place, signal};

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
    let session = place.agent("star")["session"].as_str().unwrap().to_owned();
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
fn a_name_is_taken_once_and_made_up_if_none_is_given() {
    let place = Place::new();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    let again = place.sandbox.run(&["spawn", "claude", "b", "--name", "star"]);
    assert_eq!(again.code, Some(3), "{again:?}");
    assert!(again.err.contains("there is an agent star already"), "{again:?}");
    let made_up = place
        .sandbox
        .run(&["spawn", "claude", "c", "--detach", "--json"])
        .ok()
        .json();
    let name = made_up["data"]["name"].as_str().unwrap();
    assert!(name.starts_with("claude-"), "{name}");
}

#[test]
fn a_work_tree_of_its_own_is_made() {
    let place = Place::new();
    place.sandbox.git_init();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star", "--worktree"])
        .ok();
    let directory = place.agent("star")["directory"].as_str().unwrap().to_owned();
    assert!(directory.contains("/worktrees/star-"), "{directory}");
    let listed = place
        .sandbox
        .tool(&place.sandbox.project(), "git", &["worktree", "list"]);
    assert!(listed.out.contains(&directory), "{listed:?}");
}

#[test]
fn no_work_tree_is_made_where_the_checkout_would_run_programs_of_the_repository() {
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
    // A hook is passed over: what it does is not part of the files.
    let hook = project.join(".git/hooks/post-checkout");
    place
        .sandbox
        .write(&hook, format!("#!/bin/sh\n{program} </dev/null\n"));
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&hook, executable).unwrap();
    place.sandbox.run(&words).ok();
    assert!(!marker.exists());
}

#[test]
fn a_client_that_is_not_installed_leaves_everything_unread_and_is_told_once() {
    let place = Place::new();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    fs::remove_file(place.program("claude")).unwrap();
    place
        .sandbox
        .run(&["say", "@star the spec is ready", "--as", "lead"])
        .ok();
    for _ in 0..2 {
        place.sandbox.run(&["up", "--once"]).ok();
        assert_eq!(place.unread("star"), 1);
        assert_eq!(place.status("star"), "failed");
    }
    let told = place.told();
    let about: Vec<&String> = told
        .iter()
        .filter(|text| text.contains("not installed"))
        .collect();
    assert_eq!(about.len(), 1, "{told:?}");
    // It is there again, and somebody says something more: both arrive together.
    place.install("claude");
    place
        .sandbox
        .run(&["say", "@star are you there?", "--as", "lead"])
        .ok();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    for text in ["the spec is ready", "are you there?"] {
        assert!(calls[1].prompt.contains(text), "{calls:?}");
    }
    assert_eq!(place.unread("star"), 0);
}

#[test]
fn an_idle_agent_that_is_spoken_to_is_woken_once_in_its_session() {
    let place = Place::new();
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    let session = place.agent("star")["session"].as_str().unwrap().to_owned();
    for number in 1..=3 {
        let text = format!("@star message number {number}");
        place.sandbox.run(&["say", &text, "--as", "lead"]).ok();
    }
    place.sandbox.run(&["up", "--once"]).ok();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(
        calls[1].words.ends_with(&format!("--resume {session}")),
        "{calls:?}"
    );
    let at = |number: u32| calls[1].prompt.find(&format!("message number {number}")).unwrap();
    assert!(at(1) < at(2) && at(2) < at(3), "{calls:?}");
    let told = place.told();
    assert!(told.iter().all(|text| text.contains("exit code 0")), "{told:?}");
}

#[test]
fn a_busy_agent_gets_everything_together_afterwards() {
    let place = Place::new();
    let (began, go_on) = (place.pipe("began"), place.pipe("go-on"));
    place.behave("echo > \"$HOME/began\"; cat \"$HOME/go-on\"; rm \"$HOME/behaviour\"");
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star", "--detach"])
        .ok();
    fs::read(&began).unwrap();
    assert_eq!(place.status("star"), "busy");
    let mut supervisor = place.supervisor();
    for number in 1..=3 {
        let text = format!("@star message number {number}");
        place.sandbox.run(&["say", &text, "--as", "lead"]).ok();
    }
    assert_eq!(place.calls().len(), 1);
    fs::write(&go_on, "").unwrap();
    signal(&supervisor, "-KILL");
    supervisor.wait().unwrap();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    for number in 1..=3 {
        let text = format!("message number {number}");
        assert_eq!(calls[1].prompt.matches(&text).count(), 1, "{calls:?}");
    }
}

#[test]
fn killing_ends_the_group_and_nobody_recovers_it() {
    let place = Place::new();
    for (name, force) in [("gentle", false), ("rude", true)] {
        let began = place.pipe(name);
        place.behave(&format!("sleep 600 & echo $! > \"$HOME/{name}\"; wait"));
        place
            .sandbox
            .run(&["spawn", "claude", "a", "--name", name, "--detach"])
            .ok();
        let inner = fs::read_to_string(&began).unwrap().trim().to_owned();
        let mut words = vec!["kill", name];
        words.extend(force.then_some("--force"));
        place.sandbox.run(&words).ok();
        assert_eq!(place.status(name), "failed");
        let stat = fs::read_to_string(format!("/proc/{inner}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }
    place.sandbox.run(&["up", "--once"]).ok();
    assert_eq!(place.calls().len(), 2);
    let again = place.sandbox.run(&["kill", "gentle"]);
    assert_eq!(again.code, Some(4), "{again:?}");
}

#[test]
fn an_interrupted_agent_is_idle_and_goes_on_in_its_session() {
    let place = Place::new();
    let began = place.pipe("began");
    place.behave("echo > \"$HOME/began\"; sleep 600");
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star", "--detach"])
        .ok();
    fs::read(&began).unwrap();
    place.sandbox.run(&["interrupt", "star"]).ok();
    assert_eq!(place.status("star"), "idle");
    place.sandbox.run(&["up", "--once"]).ok();
    assert_eq!(place.calls().len(), 1);
    place.behave("");
    let session = place.agent("star")["session"].as_str().unwrap().to_owned();
    let answer = place
        .sandbox
        .run(&["prompt", "star", "Go on with the moon."])
        .ok();
    assert_eq!(answer.out, "All done.\n");
    let calls = place.calls();
    assert!(
        calls[1].words.ends_with(&format!("--resume {session}")),
        "{calls:?}"
    );
    assert!(calls[1].prompt.contains("Go on with the moon."), "{calls:?}");
}

#[test]
fn whoever_dies_at_work_is_recovered_three_times_and_then_the_person_is_told() {
    let place = Place::new();
    place.behave("kill -KILL $$");
    place
        .sandbox
        .run(&[
            "spawn",
            "claude",
            "Count the stars.",
            "--name",
            "star",
            "--detach",
        ])
        .ok();
    place.sandbox.run(&["up", "--once"]).ok();
    let calls = place.calls();
    assert_eq!(calls.len(), 4, "{calls:?}");
    for call in &calls[1..] {
        assert!(call.prompt.contains("Count the stars."), "{call:?}");
        assert!(call.words.contains("--session-id"), "{call:?}");
    }
    assert_eq!(place.status("star"), "failed");
    let told = place.told();
    let given_up = told.iter().filter(|text| text.contains("not started again"));
    assert_eq!(given_up.count(), 1, "{told:?}");
}

#[test]
fn a_dead_agent_s_successor_finishes_its_work() {
    let place = Place::new();
    place.behave("rm \"$HOME/behaviour\"; kill -KILL $$");
    place
        .sandbox
        .run(&[
            "spawn",
            "claude",
            "Count the stars.",
            "--name",
            "star",
            "--detach",
        ])
        .ok();
    place.sandbox.run(&["up", "--once"]).ok();
    assert_eq!(place.calls().len(), 2);
    assert_eq!(place.sandbox.run(&["result", "star"]).ok().out, "All done.\n");
    assert_eq!(place.agent("star")["recoveries"], 1);
}

#[test]
fn there_is_one_supervisor_and_it_ends_when_it_is_asked_to() {
    let place = Place::new();
    let began = place.pipe("began");
    let mut supervisor = place.supervisor();
    let second = place.sandbox.run(&["up"]);
    assert_eq!(second.code, Some(2), "{second:?}");
    let holder = format!("process {}", supervisor.id());
    assert!(second.err.contains(&holder), "{second:?}");
    // An agent that it has woken goes with it, and can be taken up again.
    place
        .sandbox
        .run(&["spawn", "claude", "a", "--name", "star"])
        .ok();
    place.behave("echo $$ > \"$HOME/began\"; sleep 600");
    place.sandbox.run(&["say", "@star go on", "--as", "lead"]).ok();
    let client = fs::read_to_string(&began).unwrap().trim().to_owned();
    signal(&supervisor, "-TERM");
    assert!(supervisor.wait().unwrap().success());
    assert_eq!(place.status("star"), "idle");
    let stat = fs::read_to_string(format!("/proc/{client}/stat")).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    place.sandbox.run(&["up", "--once"]).ok();
}

/// What was said to whom, and how often it is in a text.
fn count_words(text: &str, seen: &mut BTreeMap<String, usize>) {
    for word in text.split('<').skip(1) {
        let word = word.split('>').next().unwrap();
        if word.contains('-') {
            *seen.entry(word.to_owned()).or_default() += 1;
        }
    }
}

#[test]
fn a_supervisor_that_is_killed_again_and_again_loses_and_repeats_nothing() {
    const SPEAKERS: usize = 4;
    const EACH: usize = 500;
    let place = Place::new();
    let agents = ["sun", "moon", "star"];
    for agent in agents {
        place.sandbox.run(&["spawn", "claude", "a", "--name", agent]).ok();
    }
    let speaking = AtomicUsize::new(SPEAKERS);
    thread::scope(|scope| {
        for speaker in 0..SPEAKERS {
            let (place, speaking) = (&place, &speaking);
            scope.spawn(move || {
                for number in 0..EACH {
                    let agent = agents[number % agents.len()];
                    let text = format!("@{agent} word <{agent}-{speaker}-{number}> of the exchange");
                    let name = format!("lead-{speaker}");
                    place.sandbox.run(&["say", &text, "--as", &name]).ok();
                }
                speaking.fetch_sub(1, Ordering::SeqCst);
            });
        }
        // Points that nobody chose, from before the first look to after the last.
        let mut round = 0;
        while speaking.load(Ordering::SeqCst) > 0 {
            round += 1;
            let seconds = format!("0.{:04}", 50 + (round * 7919) % 3_000);
            let mut doomed = place.sandbox.command("timeout", &place.sandbox.project());
            answer(doomed.args(["--signal=KILL", &seconds, "bugle", "up"]));
        }
        assert!(round > 10, "it was killed {round} times");
    });
    place.sandbox.run(&["up", "--once"]).ok();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for call in place.calls() {
        count_words(&call.prompt, &mut seen);
    }
    // What did not fit into a prompt was counted there, and is in the inbox.
    for agent in agents {
        let left = place.sandbox.run(&["messages", "--for", agent, "--unread"]).ok();
        count_words(&left.out, &mut seen);
    }
    let mut wanted: BTreeMap<String, usize> = BTreeMap::new();
    for speaker in 0..SPEAKERS {
        for number in 0..EACH {
            let agent = agents[number % agents.len()];
            wanted.insert(format!("{agent}-{speaker}-{number}"), 1);
        }
    }
    assert_eq!(seen, wanted);
}
