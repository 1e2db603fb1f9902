//! Agents on two machines that share a store, each with its own supervisor.

use std::fs;
use std::process::Command;

use crate::support::agent_project::{Place, signal};
use crate::support::machines::Machines;

#[test]
fn a_message_from_one_machine_wakes_an_idle_agent_on_the_other_once() {
    let Some(machines) = Machines::new() else { return };
    let (one, other) = (Place::of(machines.one), Place::of(machines.other));
    other.spawn("star", "Count the stars.", &[]);
    let began = other.pipe("began");
    other.behave("echo > \"$HOME/began\"");
    let mut supervisors = [one.supervisor(), other.supervisor()];
    one.say("lead", "@star word <one> of the exchange");
    fs::read(&began).unwrap();
    for supervisor in &mut supervisors {
        signal(supervisor, "-TERM");
        assert!(supervisor.wait().unwrap().success());
    }
    one.supervise_once();
    other.supervise_once();
    assert_eq!(one.calls().len(), 0);
    let calls = other.calls();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert_eq!(calls[1].prompt.matches("word <one>").count(), 1, "{calls:?}");
    assert_eq!(one.unread("star"), 0);
    // The process and log on the other machine cannot be accessed from here.
    for words in [["agent", "logs", "star"], ["agent", "kill", "star"]] {
        one.sandbox.run(&words).fails(2, "is on another machine");
    }
    let list = one.sandbox.run(&["agent", "list"]).ok();
    assert!(list.out.contains("  on "), "{}", list.out);
    other.sandbox.verify();
}

#[test]
fn an_agent_of_a_killed_host_is_recovered_where_its_branch_was_fetched() {
    let Some(machines) = Machines::new() else { return };
    let (server, database) = (machines.server, machines.database.clone());
    let (one, other) = (Place::of(machines.one), Place::of(machines.other));
    let began = one.pipe("began");
    one.behave("echo > \"$HOME/began\"; sleep 600");
    one.spawn("star", "Count the stars.", &["--worktree", "--detach"]);
    fs::read(&began).unwrap();
    // The host is still reporting.
    let recover = ["agent", "recover", "star"];
    let refused = other.sandbox.run(&recover).exits(3);
    assert!(refused.err.contains("is running"), "{}", refused.err);
    let runner = one.agent("star")["process"].as_u64().unwrap();
    // Without `--`, some versions of `kill` read `-1234` as `-1`, which means every process.
    let killed = Command::new("kill")
        .args(["-KILL", "--", &format!("-{runner}")])
        .status();
    assert!(killed.unwrap().success());
    server.sql(&database, "UPDATE machine SET seen_at = 0");
    let list = other.sandbox.run(&["agent", "list"]).ok();
    assert!(list.out.contains("not seen for"), "{}", list.out);
    let refused = other.sandbox.run(&recover).exits(3);
    assert!(
        refused.err.contains("the agent's branch agent/star-"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("fetch origin"), "{}", refused.err);
    let tree = one.agent("star")["directory"].as_str().unwrap().to_owned();
    let git = |place: &Place, folder: &str, words: &[&str]| {
        place.sandbox.tool(std::path::Path::new(folder), "git", words);
    };
    git(&one, &tree, &["push", "--quiet", "origin", "HEAD"]);
    git(
        &other,
        other.sandbox.project().to_str().unwrap(),
        &["fetch", "--quiet", "origin"],
    );
    other.sandbox.run(&recover).ok();
    let calls = other.calls();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert!(calls[0].prompt.contains("Count the stars."), "{calls:?}");
    let agent = other.agent("star");
    let folder = agent["directory"].as_str().unwrap();
    assert!(
        folder.starts_with(other.sandbox.bugle_home().to_str().unwrap()),
        "{folder}"
    );
    // The host comes back: its supervisor leaves the agent alone.
    one.behave("");
    one.supervise_once();
    assert_eq!(one.calls().len(), 1);
    other.supervise_once();
    assert_eq!(other.calls().len(), 1);
    other.sandbox.verify();
}
