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
fn messages_are_shown_in_order_and_last_limits_to_the_newest() {
    let sandbox = Sandbox::new();
    for number in 1..=7 {
        say(
            &sandbox,
            if number % 2 == 0 { "lead" } else { "backend" },
            &format!("number {number}"),
        );
    }
    assert_eq!(
        texts(&sandbox, &["--last", "3"]),
        ["number 5", "number 6", "number 7"]
    );
    assert_eq!(texts(&sandbox, &[]).len(), 7);
    assert_eq!(
        texts(&sandbox, &["--from", "lead", "--last", "2"]),
        ["number 4", "number 6"]
    );
    assert_eq!(texts(&sandbox, &["--for", "lead"]), [""; 0]);
    assert_eq!(listed(&sandbox, &["--last", "6"])["earlier"], true);
    assert_eq!(listed(&sandbox, &["--last", "7"])["earlier"], false);
    assert_eq!(texts(&sandbox, &["--last", "0"]), [""; 0]);
}

#[test]
fn only_mentioned_agents_receive_a_message() {
    let sandbox = Sandbox::new();
    assert_eq!(say(&sandbox, "lead", "nobody by name"), [""; 0]);
    assert_eq!(say(&sandbox, "lead", "@Backend, the spec is ready."), ["backend"]);
    assert_eq!(say(&sandbox, "lead", "@docs @backend: both"), ["backend", "docs"]);
    assert_eq!(say(&sandbox, "lead", "@lead to myself, @docs"), ["docs"]);
    let unclear = "bob@example.com likes @types/node and `@backend`, but @feature/login:impl-1.";
    assert_eq!(say(&sandbox, "lead", unclear), ["feature/login:impl-1"]);
    assert_eq!(say(&sandbox, "lead", "@human please look"), ["human"]);
    // A name that was only mentioned may be a typo, so `@all` does not include it.
    say(&sandbox, "backend", "I have read it.");
    assert_eq!(say(&sandbox, "docs", "@all good morning"), ["backend", "lead"]);
    assert_eq!(
        texts(&sandbox, &["--for", "backend"]),
        [
            "@Backend, the spec is ready.",
            "@docs @backend: both",
            "@all good morning"
        ]
    );
    assert_eq!(texts(&sandbox, &["--for", "human"]), ["@human please look"]);
    assert_eq!(texts(&sandbox, &["--for", "@feature/login:impl-1"]).len(), 1);
}

#[test]
fn code_after_an_at_sign_mentions_only_known_agents() {
    let sandbox = Sandbox::new();
    for text in [
        "@Override public void",
        "@media (max-width: 10px)",
        "@import url",
        "@param x the y",
        "@return",
        "@Test void a()",
        "@dataclass",
    ] {
        assert_eq!(say(&sandbox, "lead", text), [""; 0], "{text}");
    }
    let said = sandbox
        .run(&["say", "@Test or @backend", "--as", "lead"])
        .ok()
        .out;
    assert!(said.contains(" to backend."), "{said}");
    assert!(
        said.contains("Not treated as mentions, because no known agent has that name: @test."),
        "{said}"
    );
    sandbox
        .run(&["ask", "@param which?", "--as", "lead"])
        .fails(4, "there is no agent @param");
    // A known name and a name with a branch are recipients.
    assert_eq!(say(&sandbox, "lead", "@main:test look"), ["main:test"]);
    sandbox.run(&["agent", "register", "test"]).ok();
    assert_eq!(say(&sandbox, "lead", "@Test look"), ["test"]);
}

#[test]
fn a_message_is_unread_for_each_agent_until_that_agent_reads_it() {
    let sandbox = Sandbox::new();
    say(&sandbox, "lead", "@backend @docs one");
    say(&sandbox, "lead", "@backend two");
    let unread = |name: &str| texts(&sandbox, &["--unread", "--for", name]);
    assert_eq!(unread("backend"), ["@backend @docs one", "@backend two"]);
    assert_eq!(unread("backend").len(), 2, "listing marks nothing as read");
    let taken = texts(&sandbox, &["--unread", "--take", "--for", "backend"]);
    assert_eq!(taken, ["@backend @docs one", "@backend two"]);
    assert_eq!(unread("backend"), [""; 0]);
    assert_eq!(unread("docs"), ["@backend @docs one"]);
    assert_eq!(
        texts(&sandbox, &["--for", "backend"]).len(),
        2,
        "the message stays in the history"
    );
    say(&sandbox, "docs", "@backend three");
    assert_eq!(unread("backend"), ["@backend three"]);
    let plain = sandbox.run(&["messages", "--unread", "--for", "lead"]).ok();
    assert_eq!(plain.out, "No unread messages.\n");
}

#[test]
fn a_long_inbox_is_read_in_parts_and_the_rest_is_counted() {
    let sandbox = Sandbox::new();
    let commands = (0..60).map(|_| sandbox.bugle(&["say", "@backend look", "--as", "lead"]));
    for said in all_at_once(commands.collect()) {
        said.ok();
    }
    let take = ["--unread", "--take", "--for", "backend"];
    let first = listed(&sandbox, &take);
    assert_eq!(
        (first["messages"].as_array().unwrap().len(), &first["more_unread"]),
        (50, &Value::from(10))
    );
    assert_eq!(texts(&sandbox, &take).len(), 10);
    assert_eq!(texts(&sandbox, &take).len(), 0);
}

#[test]
fn a_session_has_a_name_and_other_callers_pass_one() {
    let sandbox = Sandbox::new();
    let session = |name: &str, arguments: &[&str]| {
        sandbox
            .run_in_session("CLAUDE_CODE_SESSION_ID", name, arguments)
            .ok()
            .json()["data"]
            .clone()
    };
    let said = session("5e55-One", &["say", "@5e55-two look", "--json"]);
    assert_eq!(said["message"]["from"], "project:-:5e55-one");
    assert_eq!(said["unheard_of"], serde_json::json!(["5e55-two"]));
    let unread = session("5e55-two", &["messages", "--unread", "--json"]);
    assert_eq!(unread["messages"][0]["from_here"], "5e55-one");
    sandbox
        .run(&["say", "who am I?"])
        .fails(2, "cannot identify the caller");
    sandbox
        .run(&["messages", "--unread"])
        .fails(2, "cannot identify the caller");
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
fn agents_of_two_projects_are_separate_unless_the_project_is_named() {
    let sandbox = Sandbox::new();
    let twin = sandbox.elsewhere().join("project");
    std::fs::create_dir(&twin).unwrap();
    let in_twin = |arguments: &[&str]| sandbox.run_in(&twin, arguments);
    say(&sandbox, "lead", "@backend here");
    in_twin(&["say", "@backend there", "--as", "lead"]).ok();
    assert_eq!(texts(&sandbox, &[]), ["@backend here"]);
    assert_eq!(
        texts(&sandbox, &["--unread", "--for", "backend"]),
        ["@backend here"]
    );
    assert!(in_twin(&["messages"]).ok().out.contains("@backend there"));

    let other = sandbox.elsewhere();
    let lost = sandbox.run(&["say", "@elsewhere:-:backend hello", "--as", "lead"]);
    lost.fails(4, "there is no project `elsewhere`; nothing was posted");
    sandbox
        .run_in(&other, &["say", "I am here", "--as", "backend"])
        .ok();
    assert_eq!(
        say(&sandbox, "lead", "@elsewhere:-:backend hello"),
        ["elsewhere:-:backend"]
    );
    let unread = sandbox
        .run_in(&other, &["messages", "--unread", "--for", "backend"])
        .ok();
    assert!(unread.out.contains("project:-:lead to backend"), "{}", unread.out);
    sandbox
        .run_in(&other, &["say", "@project:-:lead which?", "--as", "backend"])
        .fails(2, "several projects");
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

#[test]
fn an_answered_question_counts_as_read() {
    let sandbox = Sandbox::new();
    say(&sandbox, "backend", "here I am");
    say(&sandbox, "lead", "@backend first");
    let asked = sandbox
        .run(&["ask", "@backend which one?", "--as", "lead", "--json"])
        .ok();
    let id = asked.json()["data"]["message"]["id"].as_str().unwrap().to_owned();
    say(&sandbox, "lead", "@backend last");
    let unread = || texts(&sandbox, &["--for", "backend", "--unread"]);
    assert_eq!(
        unread(),
        ["@backend first", "@backend which one?", "@backend last"]
    );
    sandbox
        .run(&["answer", &id, "the left one", "--as", "backend"])
        .ok();
    assert_eq!(unread(), ["@backend first", "@backend last"]);
    sandbox.verify();
    assert_eq!(
        texts(&sandbox, &["--for", "backend", "--unread", "--take"]),
        ["@backend first", "@backend last"]
    );
    assert_eq!(unread(), [""; 0]);
    sandbox.verify();
}
