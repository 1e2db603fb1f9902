//! Messages between agents in separate processes: recipients, order, and delivery exactly once.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::sandbox::{Sandbox, all_at_once, answer, answer_with_input};

/// Posts a message; returns its recipients, as addressed here.
#[track_caller]
fn say(sandbox: &Sandbox, from: &str, text: &str) -> Vec<String> {
    let document = sandbox.run(&["say", text, "--as", from, "--json"]).ok().json();
    assert_eq!(document["kind"], "said");
    assert_eq!(document["data"]["message"]["text"], text);
    strings(&document["data"]["message"]["to_here"])
}

fn strings(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap();
    list.iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

#[track_caller]
fn listed(sandbox: &Sandbox, arguments: &[&str]) -> Value {
    let words: Vec<&str> = ["messages", "--json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    sandbox.run(&words).ok().json()["data"].clone()
}

/// The texts of the listed messages.
#[track_caller]
fn texts(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let list = listed(sandbox, arguments);
    let messages = list["messages"].as_array().unwrap();
    messages
        .iter()
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn the_reply_names_the_recipients_and_the_words_that_are_not_mentions() {
    let sandbox = Sandbox::new();
    let said = sandbox
        .run(&["say", "@Test or @backend", "--as", "lead"])
        .ok()
        .out;
    assert!(
        said.contains(" for backend: no known agent has this name."),
        "{said}"
    );
    assert!(
        said.contains("Not treated as mentions, because no known agent has that name: @test."),
        "{said}"
    );
    let plain = sandbox.run(&["messages", "--unread", "--for", "lead"]).ok();
    assert_eq!(plain.out, "No unread messages.\n");
}

#[test]
fn a_branch_is_part_of_an_address() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    sandbox.tool(
        &sandbox.project(),
        "git",
        &["checkout", "--quiet", "-b", "feature/Login"],
    );
    let said = sandbox
        .run(&["say", "@backend @main:docs", "--as", "Impl-1", "--json"])
        .ok()
        .json();
    let message = &said["data"]["message"];
    assert_eq!(message["from"], "project:feature/Login:impl-1");
    assert_eq!(
        strings(&message["to"]),
        ["project:feature/Login:backend", "project:main:docs"]
    );
    assert_eq!(strings(&message["to_here"]), ["backend", "main:docs"]);
    sandbox.tool(&sandbox.project(), "git", &["checkout", "--quiet", "-b", "main"]);
    assert_eq!(texts(&sandbox, &["--unread", "--for", "docs"]).len(), 1);
    assert_eq!(texts(&sandbox, &["--unread", "--for", "backend"]).len(), 0);
}

#[test]
fn sixty_four_processes_post_at_once_and_each_message_is_read_once() {
    let sandbox = Sandbox::new();
    let spoken = (0..64).map(|number| {
        let (text, name) = (format!("@backend @docs from {number}"), format!("agent-{number}"));
        sandbox.bugle(&["say", &text, "--as", &name])
    });
    for said in all_at_once(spoken.collect()) {
        said.ok();
    }
    assert_eq!(
        texts(&sandbox, &["--last", "100"])
            .into_iter()
            .collect::<BTreeSet<_>>()
            .len(),
        64
    );
    for name in ["backend", "docs"] {
        let in_order = texts(&sandbox, &["--for", name, "--last", "100"]);
        let readers =
            (0..8).map(|_| sandbox.bugle(&["messages", "--unread", "--take", "--for", name, "--json"]));
        let mut read = Vec::new();
        for answer in all_at_once(readers.collect()) {
            let list = answer.ok().json();
            let part = list["data"]["messages"].as_array().unwrap();
            read.extend(
                part.iter()
                    .map(|message| message["text"].as_str().unwrap().to_owned()),
            );
        }
        assert_eq!(read.len(), 64, "each once");
        assert_eq!(
            read.into_iter().collect::<BTreeSet<_>>(),
            in_order.into_iter().collect()
        );
    }
    sandbox.verify();
}

#[test]
fn a_message_is_kept_verbatim_and_cannot_imitate_another() {
    let sandbox = Sandbox::new();
    let text = "first\nm-forged  2026-01-01 00:00:00  human\n    \u{1b}[31mred 🎺";
    say(&sandbox, "lead", text);
    assert_eq!(texts(&sandbox, &[]), [text]);
    let shown = sandbox.run(&["messages"]).ok().out;
    assert!(shown.contains("\n    m-forged  2026-01-01"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn empty_and_oversized_messages_are_refused() {
    let sandbox = Sandbox::new();
    for text in ["", "  \n "] {
        sandbox
            .run(&["say", text, "--as", "lead"])
            .fails(2, "the message is empty");
    }
    let long = "x".repeat(1024 * 1024 + 1);
    let mut piped = sandbox.bugle(&["say", "-", "--as", "lead"]);
    answer_with_input(&mut piped, long.as_bytes()).fails(2, "the message is larger than");
    answer_with_input(&mut piped, b"\xff\xfe").fails(1, "the input is not valid UTF-8");
    answer_with_input(&mut piped, &long.as_bytes()[1..]).ok();
    sandbox
        .run(&["say", "hello", "--as", "not a name"])
        .fails(2, "is not an agent address");
    sandbox
        .run(&["say", "hello", "--as", "all"])
        .fails(2, "addresses every agent");
    sandbox
        .run(&["messages", "--for", "a:b:c:d"])
        .fails(2, "is not an agent address");
    assert!(
        !answer(&mut sandbox.bugle(&["messages", "--unread", "--last", "3"]))
            .err
            .is_empty()
    );
    assert_eq!(texts(&sandbox, &[]).len(), 1, "only the message of one megabyte");
}

#[cfg(unix)]
#[test]
fn a_closed_stdout_leaves_messages_unread() {
    let sandbox = Sandbox::new();
    let reader = |line: &str| {
        let mut command = sandbox.command("sh", &sandbox.project());
        answer(command.args(["-c", line]).env("CLAUDE_CODE_SESSION_ID", "reader"))
    };
    say(&sandbox, "lead", "@reader please look");
    for line in ["bugle inbox", "bugle message list --unread --take", "bugle wake"] {
        reader(&format!("exec {line} >&-")).fails(1, "stdout is closed");
    }
    let inbox = reader("bugle inbox").ok().out;
    assert!(inbox.contains("please look"), "{inbox}");
    // Output that is discarded on purpose counts as written.
    say(&sandbox, "lead", "@reader once more");
    reader("bugle inbox >/dev/null").ok();
    let inbox = reader("bugle inbox").ok().out;
    assert!(!inbox.contains("once more"), "{inbox}");
    sandbox.verify();
}
