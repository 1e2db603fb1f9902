//! Questions and answers between agents in separate processes.

use serde_json::json;

use super::{agent, used};
use crate::support::agents::{in_session, status, unread};
use crate::support::sandbox::{all_at_once, answer};

#[test]
fn the_answer_command_runs_as_printed() {
    let sandbox = used();
    agent(&sandbox, "asker");
    let expert = agent(&sandbox, "expert");
    in_session(&sandbox, "asker", &["ask", "@expert which port?"]).ok();
    let told = expert.context("UserPromptSubmit", &json!({ "prompt": "go on" }));
    let (_, behind) = told.split_once(". Answer with `").unwrap();
    let (command, _) = behind.split_once('`').unwrap();
    // The printed command has no placeholder for the answer; without an answer, nothing is posted.
    let printed = |line: &str| {
        let mut shell = sandbox.command("sh", &sandbox.project());
        answer(shell.env("CLAUDE_CODE_SESSION_ID", "expert").args(["-c", line]))
    };
    printed(command).fails(2, "stdin is empty");
    in_session(&sandbox, "expert", &["answer", "..."]).fails(2, "the answer is missing");
    assert_eq!(status(&sandbox, "asker"), "blocked");
    let inbox = in_session(&sandbox, "expert", &["inbox"]).ok().out;
    assert!(inbox.contains(&format!("To answer: {command}")), "{inbox}");
    printed(&format!("echo 8080 | {command}")).ok();
    assert_eq!(unread(&sandbox, "asker"), ["8080\n"]);
}

#[test]
fn sixty_four_agents_ask_and_are_answered_at_once() {
    let sandbox = used();
    let names: Vec<String> = (0..32).map(|number| format!("agent-{number}")).collect();
    let asked = names
        .iter()
        .map(|name| sandbox.bugle(&["ask", "@expert may I?", "--as", name, "--json"]));
    sandbox.run(&["agent", "register", "expert"]).ok();
    let talk = names
        .iter()
        .map(|name| sandbox.bugle(&["say", &format!("@{name} hello"), "--as", "lead", "--json"]));
    let questions: Vec<String> = all_at_once(asked.chain(talk).collect())
        .into_iter()
        .map(|answer| {
            answer.ok().json()["data"]["message"]["id"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .take(names.len())
        .collect();
    let answers = questions
        .iter()
        .map(|question| sandbox.bugle(&["answer", question, "yes", "--as", "expert"]));
    let again = questions
        .iter()
        .map(|question| sandbox.bugle(&["answer", question, "yes", "--as", "expert"]));
    let done = all_at_once(answers.chain(again).collect());
    let answered = done.iter().filter(|answer| answer.code == Some(0)).count();
    assert_eq!(answered, names.len(), "each question is answered once");
    for name in &names {
        let mut got = unread(&sandbox, name);
        got.sort();
        assert_eq!(got, [format!("@{name} hello"), "yes".to_owned()]);
        assert_eq!(status(&sandbox, name), "idle");
    }
    sandbox.verify();
}
