//! Questions and answers between agents.

use serde_json::json;

use super::{agent, used};
use crate::support::agents::{in_session, status, unread};
use crate::support::sandbox::{all_at_once, answer, answer_with_input};

#[test]
fn a_question_stays_in_every_wake_up_and_in_the_inbox_until_it_is_answered() {
    let sandbox = used();
    agent(&sandbox, "asker");
    let expert = agent(&sandbox, "expert");
    in_session(&sandbox, "asker", &["ask", "@expert which port & host?"]).ok();
    let compacted = || expert.context("SessionStart", &json!({ "source": "compact" }));
    let first = compacted();
    assert!(
        first.contains("## New messages") && first.contains("which port & host?"),
        "{first}"
    );
    for _ in 0..2 {
        let again = compacted();
        assert!(again.contains("## Unanswered questions"), "{again}");
        assert!(
            again.contains("which port & host?") && again.contains("bugle answer m-"),
            "{again}"
        );
        assert!(!again.contains("## New messages"), "{again}");
    }
    let resumed = expert.context("SessionStart", &json!({ "source": "resume" }));
    assert!(resumed.contains("which port & host?"), "{resumed}");
    for command in [vec!["inbox"], vec!["messages", "--unread", "--take"]] {
        let told = in_session(&sandbox, "expert", &command).ok().out;
        assert!(
            told.contains("Waiting for an answer:") && told.contains("which port & host?"),
            "{told}"
        );
        assert!(told.contains("To answer: bugle answer m-"), "{told}");
    }
    in_session(&sandbox, "expert", &["answer", "8080"]).ok();
    assert!(
        !compacted().contains("which port"),
        "an answered question is no longer shown"
    );
    let inbox = in_session(&sandbox, "expert", &["inbox"]).ok().out;
    assert!(!inbox.contains("which port"), "{inbox}");
}

#[test]
fn a_wake_up_says_that_its_agent_waits_for_an_answer() {
    let sandbox = used();
    let asker = agent(&sandbox, "asker");
    agent(&sandbox, "expert");
    in_session(&sandbox, "asker", &["ask", "@expert which port?"]).ok();
    let woken = |reason: &str| asker.context("SessionStart", &json!({ "source": reason }));
    let waits = "**Waiting for an answer:** you asked @expert";
    for reason in ["startup", "resume", "compact"] {
        let woken = woken(reason);
        assert!(woken.contains(waits) && woken.contains("which port?"), "{woken}");
        assert!(!woken.contains("Nothing is open here."), "{woken}");
    }
    in_session(&sandbox, "expert", &["answer", "8080"]).ok();
    let answered = woken("compact");
    assert!(!answered.contains("Waiting for an answer"), "{answered}");
}

#[test]
fn an_asking_agent_is_blocked_until_the_answer() {
    let sandbox = used();
    let asker = agent(&sandbox, "asker");
    agent(&sandbox, "expert");
    let said = in_session(&sandbox, "asker", &["ask", "@expert which port?", "--json"])
        .ok()
        .json();
    let question = said["data"]["message"]["id"].as_str().unwrap();
    assert_eq!(status(&sandbox, "asker"), "blocked");
    // The agent ends its turn and its process, and stays blocked.
    assert_eq!(asker.hook("Stop", &json!({})), "");
    asker.hook("SessionEnd", &json!({ "reason": "exit" }));
    assert_eq!(status(&sandbox, "asker"), "blocked");
    in_session(&sandbox, "asker", &["answer", "nothing"]).fails(4, "there is no open question to @asker");
    let answered = in_session(&sandbox, "expert", &["answer", "8080", "--json"])
        .ok()
        .json();
    assert_eq!(answered["data"]["message"]["answers"], question);
    assert_eq!(answered["data"]["message"]["to_here"], json!(["asker"]));
    assert_eq!(status(&sandbox, "asker"), "idle");
    assert_eq!(unread(&sandbox, "asker"), ["8080"]);
    in_session(&sandbox, "expert", &["answer", question, "again"])
        .fails(2, &format!("{question} has already been answered"));
    in_session(&sandbox, "asker", &["answer", question, "myself"])
        .fails(2, &format!("{question} is not addressed to you"));
}

#[test]
fn an_answer_in_the_same_turn_keeps_the_asker_working() {
    let sandbox = used();
    let asker = agent(&sandbox, "asker");
    in_session(&sandbox, "asker", &["ask", "@human may I?"]).ok();
    let mut person = sandbox.bugle(&["answer", "-", "--as", "human"]);
    answer_with_input(&mut person, b"You may.").ok();
    assert_eq!(status(&sandbox, "asker"), "busy");
    let kept = asker.hook("Stop", &json!({}));
    assert!(
        kept.contains("You may."),
        "the answer keeps the agent from stopping: {kept}"
    );
    assert_eq!(asker.hook("Stop", &json!({ "stop_hook_active": true })), "");
    assert_eq!(status(&sandbox, "asker"), "idle");
}

#[test]
fn with_several_questions_the_answer_must_name_one() {
    let sandbox = used();
    for asker in ["one", "two"] {
        agent(&sandbox, asker);
    }
    agent(&sandbox, "expert");
    let ask = |asker: &str, text: &str| {
        let asked = in_session(&sandbox, asker, &["ask", text, "--json"]).ok().json();
        asked["data"]["message"]["id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (ask("one", "@expert first?"), ask("two", "@expert second?"));
    let unclear = in_session(&sandbox, "expert", &["answer", "yes"]).fails(2, "several questions are open");
    assert!(unclear.err.contains(&first) && unclear.err.contains(&second));
    in_session(&sandbox, "expert", &["answer", &first, "yes"]).ok();
    assert_eq!(
        (status(&sandbox, "one"), status(&sandbox, "two")),
        ("busy".into(), "blocked".into())
    );
    in_session(&sandbox, "expert", &["answer", "no"]).ok();
    assert_eq!(unread(&sandbox, "two"), ["no"]);
    for (words, what) in [
        (
            vec!["ask", "who?"],
            "the question does not mention an agent or the user",
        ),
        (vec!["answer", "m-zzzz", "x"], "there is no message m-zzzz"),
        (vec!["answer", "nonsense", "x"], "is not a message id"),
    ] {
        let failed = in_session(&sandbox, "expert", &words);
        assert!(failed.err.contains(what), "{words:?}: {}", failed.err);
    }
}

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
    for dots in ["...", " .. ", "\u{2026}"] {
        in_session(&sandbox, "expert", &["answer", dots]).fails(2, "the answer is missing");
    }
    let id = command.split(' ').nth(2).unwrap();
    in_session(&sandbox, "expert", &["answer", id]).fails(2, "the answer is missing");
    assert_eq!(status(&sandbox, "asker"), "blocked");
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
