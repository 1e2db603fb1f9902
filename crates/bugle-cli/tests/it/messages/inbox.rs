//! Inboxes, channels, and limits on message exchanges between agents.

use serde_json::json;

use super::{agent, used};
use crate::support::agents::{in_session, status, texts, unread};
use crate::support::sandbox::{Sandbox, answer_with_input};

#[test]
fn an_agents_status_counts_its_own_unread_messages() {
    let sandbox = used();
    agent(&sandbox, "ann");
    let status = || in_session(&sandbox, "ann", &["status"]).ok().out;
    assert!(!status().contains("unread"), "{}", status());
    for text in ["@ann one", "@ann two"] {
        sandbox.run(&["say", text, "--as", "boss"]).ok();
    }
    assert!(
        status().contains("\nMessages\n  bugle inbox  2 unread messages\n"),
        "{}",
        status()
    );
    in_session(&sandbox, "ann", &["inbox"]).ok();
    assert!(!status().contains("unread"), "{}", status());
}

#[test]
fn a_channel_shows_the_messages_of_a_branch() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    let git = |arguments: &[&str]| sandbox.tool(&sandbox.project(), "git", arguments);
    for branch in ["one", "two"] {
        git(&["checkout", "--quiet", "-b", branch]);
        for number in 1..=2 {
            sandbox
                .run(&["say", &format!("{branch} {number}"), "--as", "impl"])
                .ok();
        }
    }
    let channel = |words: &[&str]| {
        let all: Vec<&str> = ["channel", "--json"]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        texts(&sandbox.run(&all).ok().json()["data"]["messages"])
    };
    assert_eq!(channel(&[]), ["two 1", "two 2"]);
    assert_eq!(channel(&["one", "--last", "1"]), ["one 2"]);
    assert_eq!(channel(&["three"]), [""; 0]);
}

#[test]
fn terms_are_found_in_messages_notes_and_results() {
    let sandbox = Sandbox::with_skill("three", crate::support::workflows::THREE);
    sandbox
        .run(&["say", "@docs the Lighthouse port is 8080", "--as", "lead"])
        .ok();
    sandbox
        .run(&["say", "a report of lighthouses", "--as", "lead"])
        .ok();
    let task = crate::support::tasks::add_one(&sandbox, &["Look"]);
    sandbox
        .run(&["task", "note", &task, "the lighthouse is dark"])
        .ok();
    let step = sandbox.start(&["three"]);
    sandbox
        .run(&["note", "keep the lighthouse", "--run", &step.run])
        .ok();
    sandbox
        .report(&step, &json!({ "word": "lighthouse-keeper" }))
        .ok();
    let found = |words: &[&str]| {
        let all: Vec<&str> = ["search", "--json"]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        let found = sandbox.run(&all).ok().json();
        let list = found["data"]["found"].as_array().unwrap();
        let mut kinds: Vec<String> = list
            .iter()
            .map(|text| text["kind"].as_str().unwrap().to_owned())
            .collect();
        kinds.sort();
        kinds.join(" ")
    };
    assert_eq!(found(&["lighthouse"]), "message message note note result");
    assert_eq!(
        found(&["LIGHTHOUSE", "port"]),
        "message",
        "every term matches the start of a word"
    );
    assert_eq!(found(&["lighthouse is dark"]), "note");
    assert_eq!(found(&["word"]), "result");
    assert_eq!(found(&["house"]), "", "not in the middle of a word");
    sandbox.run(&["search", "?!"]).fails(2, "the query has no words");
    let shown = sandbox.run(&["search", "lighthouse", "--limit", "1"]).ok().out;
    assert!(
        shown.ends_with("4 more; `--limit NUMBER` shows them.\n"),
        "{shown}"
    );
    let elsewhere = sandbox
        .run_in(&sandbox.elsewhere(), &["search", "lighthouse"])
        .ok()
        .out;
    assert_eq!(
        elsewhere,
        "No text in this project contains all of these words.\n"
    );
}

#[test]
fn a_ping_pong_stops_and_is_reported_once() {
    let sandbox = used();
    let (first, second) = (agent(&sandbox, "ping"), agent(&sandbox, "pong"));
    let mut woken = 0;
    for turn in 0..20 {
        let (speaker, other) = if turn % 2 == 0 {
            ("ping", &second)
        } else {
            ("pong", &first)
        };
        let text = format!("@{} and you? {turn}", other.session);
        in_session(&sandbox, speaker, &["say", &text]).ok();
        let kept = other.hook("Stop", &json!({}));
        woken += usize::from(!kept.is_empty());
    }
    assert_eq!(woken, 12, "so many turns, and then they are let go");
    let told = unread(&sandbox, "human");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("have answered each other 12 times"), "{told:?}");
    // No message is lost: it waits until the agents wake for another reason.
    let prompted = second.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert!(prompted.contains("and you? 12"), "{prompted}");
    // A message from a person to one of the agents resets the count.
    sandbox.run(&["say", "@ping go on", "--as", "human"]).ok();
    first.hook("Stop", &json!({}));
    in_session(&sandbox, "ping", &["say", "@pong well?"]).ok();
    assert_ne!(second.hook("Stop", &json!({})), "");
    assert_eq!(unread(&sandbox, "human").len(), 1);
}

#[test]
fn an_exchange_that_makes_progress_is_no_ping_pong() {
    let sandbox = used();
    agent(&sandbox, "ping");
    agent(&sandbox, "pong");
    for turn in 0..30 {
        let (speaker, text) = if turn % 2 == 0 {
            ("ping", "@pong next")
        } else {
            ("pong", "@ping done")
        };
        if turn % 6 == 5 {
            in_session(&sandbox, "pong", &["task", "add", &format!("Part {turn}")]).ok();
        }
        in_session(&sandbox, speaker, &["say", text]).ok();
    }
    assert_eq!(unread(&sandbox, "human"), [""; 0]);
}

#[test]
fn an_agent_does_not_wake_itself() {
    let sandbox = used();
    let alone = agent(&sandbox, "alone");
    let said = in_session(
        &sandbox,
        "alone",
        &["say", "@alone note to self, @all too", "--json"],
    );
    assert_eq!(said.ok().json()["data"]["message"]["to_here"], json!(["lead"]));
    assert_eq!(alone.hook("Stop", &json!({})), "");
    in_session(&sandbox, "alone", &["ask", "@alone what now?"]).fails(4, "the question mentions only you");
    assert_eq!(status(&sandbox, "alone"), "idle");
}

#[test]
fn a_busy_agent_gets_all_messages_together_at_the_end_of_its_turn() {
    let sandbox = used();
    let busy = agent(&sandbox, "busy");
    for number in 1..=3 {
        sandbox
            .run(&["say", &format!("@busy number {number}"), "--as", "lead"])
            .ok();
    }
    let kept = busy.hook("Stop", &json!({}));
    let places: Vec<usize> = (1..=3)
        .map(|number| kept.find(&format!("number {number}")).unwrap())
        .collect();
    assert!(places.is_sorted(), "{kept}");
    assert_eq!(
        busy.hook("Stop", &json!({ "stop_hook_active": true })),
        "",
        "once"
    );
}

#[test]
fn binary_messages_are_refused_and_large_ones_arrive() {
    let sandbox = used();
    let mut binary = sandbox.bugle(&["ask", "-", "--as", "lead"]);
    answer_with_input(&mut binary, b"@human \0\x01").fails(2, "the message contains a NUL byte");
    let mut large = sandbox.bugle(&["say", "-", "--as", "lead"]);
    let mut text = "@impl ".to_owned();
    text.push_str(&"x".repeat(1024 * 1024 - text.len()));
    answer_with_input(&mut large, text.as_bytes()).ok();
    let client = agent(&sandbox, "impl");
    let told = client.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert!(told.len() < 20_000, "a wake-up is bounded: {}", told.len());
    let inbox = in_session(&sandbox, "impl", &["inbox", "--json", "--all"])
        .ok()
        .json();
    let both = [texts(&inbox["data"]["unread"]), texts(&inbox["data"]["read"])].concat();
    assert_eq!(both, [text]);
}
