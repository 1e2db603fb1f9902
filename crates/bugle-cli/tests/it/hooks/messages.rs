//! Messages delivered by hooks: each once, none lost.

use serde_json::{Value, json};

use crate::support::hook_client::{Client, GUARDED};
use crate::support::sandbox::Sandbox;

/// A hook's output limit, in the client's unit, with a margin for the frame.
const MOST: usize = 9_000;

fn used() -> Sandbox {
    let sandbox = Sandbox::with_skill("guarded", GUARDED);
    sandbox.run(&["say", "hello", "--as", "boss"]).ok();
    sandbox
}

fn say(sandbox: &Sandbox, text: &str) -> String {
    let said = sandbox.run(&["say", text, "--as", "boss", "--json"]).ok().json();
    said["data"]["message"]["id"].as_str().unwrap().to_owned()
}

fn after_a_tool(client: Client<'_>) -> String {
    client.used("Read", &json!({}), &json!(""))
}

fn unread(sandbox: &Sandbox) -> usize {
    let list = sandbox.run(&["messages", "--unread", "--for", "session-one", "--json"]);
    let list = list.ok().json()["data"].clone();
    list["messages"].as_array().unwrap().len()
        + usize::try_from(list["more_unread"].as_u64().unwrap()).unwrap()
}

/// Counts how often each message occurs in these texts, and checks that no text is too long.
#[track_caller]
fn times(texts: &[String], messages: usize) -> Vec<usize> {
    for text in texts {
        let size = text.encode_utf16().count();
        assert!(size <= MOST, "{size}");
    }
    let of_one = |number: usize| {
        let named = format!("number {number}:");
        texts.iter().map(|text| text.matches(&named).count()).sum()
    };
    (1..=messages).map(of_one).collect()
}

#[test]
fn messages_that_do_not_fit_are_delivered_once_each_by_the_next_hook() {
    let sandbox = used();
    let client = Client::claude(&sandbox);
    for number in 1..=13 {
        say(
            &sandbox,
            &format!("@session-one number {number}: {}", "word ".repeat(160)),
        );
    }
    let told: Vec<String> = (0..6).map(|_| after_a_tool(client)).collect();
    assert_eq!(times(&told, 13), [1; 13]);
    assert!(told[0].contains("number 9:"), "the room is used: {}", told[0]);
    assert!(
        told[0].contains(" more are not shown: `"),
        "the rest is counted: {}",
        told[0]
    );
    assert_eq!((told[2].as_str(), unread(&sandbox)), ("", 0), "{}", told[2]);
}

#[test]
fn many_short_messages_are_delivered_once_each_at_prompts_and_stops() {
    for name in ["claude", "codex"] {
        let sandbox = used();
        let client = Client::named(&sandbox, name);
        for number in 1..=60 {
            say(&sandbox, &format!("@session-one number {number}: look"));
        }
        let mut told = vec![client.prompt()];
        let stops: Vec<String> = (0..12).map(|_| client.stop(true)).collect();
        assert!(
            stops.iter().filter(|stop| !stop.is_empty()).count() <= 3,
            "{stops:?}"
        );
        told.extend(stops);
        assert_eq!(times(&told, 60), [1; 60]);
    }
}

#[test]
fn a_message_that_is_too_long_is_delivered_once_shortened_to_fit() {
    let sandbox = used();
    let client = Client::claude(&sandbox);
    let long = format!("@session-one number 1: {}the end", "word ".repeat(2_400));
    let id = say(&sandbox, &long);
    say(&sandbox, "@session-one number 2: and now?");
    let told = [client.prompt(), client.prompt(), client.prompt()];
    assert_eq!(times(&told, 2), [1, 1]);
    let shown = told[0].matches("word ").count() * 5;
    assert!(shown > 8_000, "the room is used: {shown}");
    assert!(!told[0].contains("the end"), "{}", told[0]);
    // The printed command shows the rest, from any folder and any number of times.
    let command = format!("message list {id}`");
    assert!(
        told[0].contains(" characters are left out: `") && told[0].contains(&command),
        "{}",
        told[0]
    );
    for _ in 0..2 {
        let whole = sandbox.run_in(&sandbox.elsewhere(), &["messages", &id]).ok();
        assert!(whole.out.contains("the end"), "{}", whole.out);
    }
    assert!(told[1].contains("number 2:") && told[2].is_empty(), "{told:?}");
    assert_eq!(client.stop(false), "");
}

#[test]
fn a_message_is_shown_by_its_id_alone() {
    let sandbox = used();
    let id = say(&sandbox, "@session-one number 1: one");
    say(&sandbox, "@session-one number 2: two");
    let list = sandbox.run(&["messages", &id, "--json"]).ok().json();
    let messages = list["data"]["messages"].as_array().unwrap();
    assert_eq!(
        (messages.len(), &messages[0]["id"]),
        (1, &Value::from(id.as_str()))
    );
    assert_eq!(unread(&sandbox), 2, "viewing marks nothing as read");
    sandbox
        .run(&["messages", "m-zzzzzz"])
        .fails(4, "there is no message m-zzzzzz");
    sandbox
        .run(&["messages", "nonsense"])
        .fails(2, "is not a message id");
    let both = sandbox.run(&["messages", &id, "--unread"]);
    assert_eq!(both.code, Some(2), "{}", both.err);
}

#[test]
fn a_long_backlog_does_not_keep_an_agent_from_stopping_forever_and_is_not_lost() {
    let sandbox = used();
    let client = Client::claude(&sandbox);
    for number in 1..=6 {
        say(
            &sandbox,
            &format!("@session-one number {number}: {}", "word ".repeat(1_500)),
        );
    }
    let mut told: Vec<String> = (0..3).map(|again| client.stop(again > 0)).collect();
    assert!(told.iter().all(|text| !text.is_empty()), "{told:?}");
    let let_go = client.told("Stop", &json!({ "stop_hook_active": true }));
    assert!(let_go["decision"].is_null(), "{let_go}");
    let person = let_go["systemMessage"].as_str().unwrap();
    assert!(person.contains("the agent has 3 unread messages"), "{person}");
    for _ in 0..4 {
        assert_eq!(client.stop(true), "", "the agent may still stop");
    }
    // A new message wakes the agent again.
    say(&sandbox, "@session-one number 7: still there?");
    told.push(client.stop(true));
    told.extend((0..4).map(|_| client.prompt()));
    assert_eq!(times(&told, 7), [1; 7]);
}

#[test]
fn a_turn_that_cannot_continue_keeps_its_step_open_and_its_messages_unread() {
    let sandbox = used();
    let client = Client::named(&sandbox, "opencode");
    let step = client.start(&["guarded"]);
    say(&sandbox, "@session-one number 1: hello");
    for _ in 0..5 {
        assert_eq!(client.hook("session.idle", &json!({ "can_continue": false })), "");
    }
    assert_eq!(unread(&sandbox), 1);
    let refused = client.told("session.idle", &json!({ "can_continue": true }));
    let text = refused["reason"].as_str().unwrap();
    assert!(
        text.contains("number 1: hello") && text.contains(step.command()),
        "{text}"
    );
    assert_eq!(unread(&sandbox), 0);
}

#[test]
fn at_an_open_step_both_the_messages_and_the_step_are_delivered() {
    let sandbox = used();
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    let long = format!("@session-one number 1: {}", "word ".repeat(4_000));
    say(&sandbox, &long);
    let text = client.stop(false);
    assert!(
        text.contains("Your turn is not over: the step \"Look around\""),
        "{text}"
    );
    assert_eq!(times(std::slice::from_ref(&text), 1), [1]);
    assert!(text.contains(step.command()), "{text}");
    assert!(text.encode_utf16().count() > 8_500, "the room is used");
}

#[test]
fn after_a_compaction_the_step_comes_first_and_long_messages_follow() {
    let sandbox = used();
    let client = Client::claude(&sandbox);
    let step = client.start(&["guarded"]);
    for number in 1..=4 {
        say(
            &sandbox,
            &format!("@session-one number {number}: {}", "word ".repeat(1_000)),
        );
    }
    let mut told = vec![client.context("SessionStart", &json!({ "source": "compact" }))];
    assert!(
        told[0].contains("Read, and change nothing.") && told[0].contains(step.command()),
        "{}",
        told[0]
    );
    told.extend((0..5).map(|_| after_a_tool(client)));
    assert_eq!(times(&told, 4), [1; 4]);
    assert_eq!(unread(&sandbox), 0);
}
