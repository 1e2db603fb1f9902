//! Messages between agents in separate processes: input, output, and delivery exactly once.

use std::collections::BTreeSet;

use crate::support::sandbox::{Sandbox, all_at_once, answer, answer_with_input};

/// Posts a message.
#[track_caller]
fn say(sandbox: &Sandbox, from: &str, text: &str) {
    let document = sandbox.run(&["say", text, "--as", from, "--json"]).ok().json();
    assert_eq!(document["kind"], "said");
    assert_eq!(document["data"]["message"]["text"], text);
}

/// The texts of the listed messages.
#[track_caller]
fn texts(sandbox: &Sandbox, arguments: &[&str]) -> Vec<String> {
    let words: Vec<&str> = ["messages", "--json"]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    let list = sandbox.run(&words).ok().json();
    crate::support::agents::texts(&list["data"]["messages"])
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
fn a_message_is_read_from_stdin() {
    let sandbox = Sandbox::new();
    let text = "first\nm-forged  2026-01-01 00:00:00  human\n    \u{1b}[31mred 🎺";
    let mut piped = sandbox.bugle(&["say", "-", "--as", "lead"]);
    answer_with_input(&mut piped, text.as_bytes()).ok();
    answer_with_input(&mut piped, b"\xff\xfe").fails(1, "the input is not valid UTF-8");
    answer_with_input(&mut piped, b" \n").fails(2, "stdin is empty");
    let long = "x".repeat(1024 * 1024 + 1);
    answer_with_input(&mut piped, long.as_bytes()).fails(2, "the message is larger than");
    sandbox.run(&["messages", "--unread", "--last", "3"]).exits(2);
    assert_eq!(texts(&sandbox, &[]), [text], "kept word for word");
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
