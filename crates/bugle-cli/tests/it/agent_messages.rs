//! Questions and answers, inboxes and channels, and two agents that would talk for ever.

use serde_json::{Value, json};

use crate::harness::{Answer, Sandbox, all_at_once, answer, answer_with_input};
use crate::hooked::Client;

fn in_session(sandbox: &Sandbox, session: &str, arguments: &[&str]) -> Answer {
    sandbox.run_in_session("CLAUDE_CODE_SESSION_ID", session, arguments)
}

fn status(sandbox: &Sandbox, name: &str) -> String {
    let detail = sandbox.run(&["agent", "show", name, "--json"]).ok().json();
    detail["data"]["agent"]["status"].as_str().unwrap().to_owned()
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap();
    list.iter()
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

fn unread(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let list = sandbox.run(&["messages", "--unread", "--for", name, "--json"]);
    texts(&list.ok().json()["data"]["messages"])
}

/// An agent whose client has just begun a turn.
fn agent<'a>(sandbox: &'a Sandbox, session: &'a str) -> Client<'a> {
    let client = Client::claude(sandbox).session(session);
    client.hook("SessionStart", &json!({ "source": "startup" }));
    client
}

fn used() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.run(&["say", "hello", "--as", "lead"]).ok();
    sandbox
}

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
        "an answered question is gone"
    );
    let inbox = in_session(&sandbox, "expert", &["inbox"]).ok().out;
    assert!(!inbox.contains("which port"), "{inbox}");
}

#[test]
fn whoever_asks_is_blocked_until_the_answer_and_no_longer() {
    let sandbox = used();
    let asker = agent(&sandbox, "asker");
    agent(&sandbox, "expert");
    let said = in_session(&sandbox, "asker", &["ask", "@expert which port?", "--json"])
        .ok()
        .json();
    let question = said["data"]["message"]["id"].as_str().unwrap();
    assert_eq!(status(&sandbox, "asker"), "blocked");
    // It ends its turn and its process, and stays blocked.
    assert_eq!(asker.hook("Stop", &json!({})), "");
    asker.hook("SessionEnd", &json!({ "reason": "exit" }));
    assert_eq!(status(&sandbox, "asker"), "blocked");
    in_session(&sandbox, "asker", &["answer", "nothing"]).fails(4, "nothing that @asker was asked is open");
    let answered = in_session(&sandbox, "expert", &["answer", "8080", "--json"])
        .ok()
        .json();
    assert_eq!(answered["data"]["message"]["answers"], question);
    assert_eq!(answered["data"]["message"]["to_here"], json!(["asker"]));
    assert_eq!(status(&sandbox, "asker"), "idle");
    assert_eq!(unread(&sandbox, "asker"), ["8080"]);
    in_session(&sandbox, "expert", &["answer", question, "again"])
        .fails(2, &format!("{question} is answered already"));
    in_session(&sandbox, "asker", &["answer", question, "myself"])
        .fails(2, &format!("{question} was not asked of you"));
}

#[test]
fn an_answer_in_the_same_turn_leaves_the_asker_at_work() {
    let sandbox = used();
    let asker = agent(&sandbox, "asker");
    in_session(&sandbox, "asker", &["ask", "@human may I?"]).ok();
    let mut person = sandbox.bugle(&["answer", "-", "--as", "human"]);
    answer_with_input(&mut person, b"You may.").ok();
    assert_eq!(status(&sandbox, "asker"), "busy");
    let kept = asker.hook("Stop", &json!({}));
    assert!(
        kept.contains("You may."),
        "the answer keeps it from stopping: {kept}"
    );
    assert_eq!(asker.hook("Stop", &json!({ "stop_hook_active": true })), "");
    assert_eq!(status(&sandbox, "asker"), "idle");
}

#[test]
fn of_several_questions_one_has_to_be_named() {
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
        (vec!["ask", "who?"], "nobody is asked"),
        (vec!["answer", "m-zzzz", "x"], "there is no message m-zzzz"),
        (vec!["answer", "nonsense", "x"], "is not a message"),
    ] {
        let failed = in_session(&sandbox, "expert", &words);
        assert!(failed.err.contains(what), "{words:?}: {}", failed.err);
    }
}

#[test]
fn the_command_that_answers_runs_as_it_is_printed() {
    let sandbox = used();
    agent(&sandbox, "asker");
    let expert = agent(&sandbox, "expert");
    in_session(&sandbox, "asker", &["ask", "@expert which port?"]).ok();
    let told = expert.context("UserPromptSubmit", &json!({ "prompt": "go on" }));
    let (_, behind) = told.split_once("and waits for `").unwrap();
    let (command, _) = behind.split_once('`').unwrap();
    // Nothing that is printed stands for words: without any, nothing is said.
    let printed = |line: &str| {
        let mut shell = sandbox.command("sh", &sandbox.project());
        answer(shell.env("CLAUDE_CODE_SESSION_ID", "expert").args(["-c", line]))
    };
    printed(command).fails(2, "nothing came in on it");
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
fn an_inbox_shows_what_is_unread_first_and_the_last_are_the_last() {
    let sandbox = used();
    for number in 1..=4 {
        let from = if number % 2 == 0 { "lead" } else { "docs" };
        sandbox
            .run(&["say", &format!("@impl {number}"), "--as", from])
            .ok();
    }
    let inbox = |words: &[&str]| {
        let all: Vec<&str> = ["inbox", "--json"]
            .into_iter()
            .chain(words.iter().copied())
            .collect();
        in_session(&sandbox, "impl", &all).ok().json()["data"].clone()
    };
    let last = inbox(&["--last", "2"]);
    assert_eq!(
        (texts(&last["unread"]), &last["taken"]),
        (vec!["@impl 3".into(), "@impl 4".into()], &json!(false))
    );
    assert_eq!(
        texts(&inbox(&["--from", "docs"])["unread"]),
        ["@impl 1", "@impl 3"]
    );
    let whole = inbox(&[]);
    assert_eq!(
        (texts(&whole["unread"]).len(), &whole["taken"]),
        (4, &json!(true))
    );
    assert_eq!(texts(&inbox(&[])["unread"]), [""; 0]);
    sandbox.run(&["say", "@impl 5", "--as", "lead"]).ok();
    let all = inbox(&["--all"]);
    assert_eq!(
        (texts(&all["unread"]), texts(&all["read"]).len()),
        (vec!["@impl 5".to_owned()], 4)
    );
    let some = inbox(&["--all", "--from", "lead", "--last", "1"]);
    assert_eq!(
        (texts(&some["read"]), &some["earlier"]),
        (vec!["@impl 5".to_owned()], &json!(true))
    );
    // Another's inbox is only looked into.
    sandbox.run(&["say", "@impl 6", "--as", "lead"]).ok();
    for _ in 0..2 {
        let looked = sandbox.run(&["inbox", "--for", "impl"]).ok().out;
        assert!(looked.contains("@impl 6"), "{looked}");
    }
}

#[test]
fn a_channel_is_what_was_said_on_a_branch() {
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
fn words_are_found_in_messages_notes_and_results() {
    let sandbox = Sandbox::with_skill("three", crate::samples::THREE);
    sandbox
        .run(&["say", "@docs the Lighthouse port is 8080", "--as", "lead"])
        .ok();
    sandbox
        .run(&["say", "a report of lighthouses", "--as", "lead"])
        .ok();
    let task = crate::tree::add_one(&sandbox, &["Look"]);
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
        "every word, at the beginning of one"
    );
    assert_eq!(found(&["lighthouse is dark"]), "note");
    assert_eq!(found(&["word"]), "result");
    assert_eq!(found(&["house"]), "", "not in the middle of a word");
    sandbox
        .run(&["search", "?!"])
        .fails(2, "there is no word to look for");
    let shown = sandbox.run(&["search", "lighthouse", "--limit", "1"]).ok().out;
    assert!(
        shown.ends_with("4 more; `--limit NUMBER` shows them.\n"),
        "{shown}"
    );
    let elsewhere = sandbox
        .run_in(&sandbox.elsewhere(), &["search", "lighthouse"])
        .ok()
        .out;
    assert_eq!(elsewhere, "Nothing here contains all of these words.\n");
}

#[test]
fn a_ping_pong_stops_and_the_person_is_told_once() {
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
    // Nothing is lost: it waits until they wake for another reason.
    let prompted = second.hook("UserPromptSubmit", &json!({ "prompt": "go on" }));
    assert!(prompted.contains("and you? 12"), "{prompted}");
    // A person who speaks to one of them begins the count anew.
    sandbox.run(&["say", "@ping go on", "--as", "human"]).ok();
    first.hook("Stop", &json!({}));
    in_session(&sandbox, "ping", &["say", "@pong well?"]).ok();
    assert_ne!(second.hook("Stop", &json!({})), "");
    assert_eq!(unread(&sandbox, "human").len(), 1);
}

#[test]
fn work_that_gets_on_is_no_ping_pong() {
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
fn nobody_wakes_itself() {
    let sandbox = used();
    let alone = agent(&sandbox, "alone");
    let said = in_session(
        &sandbox,
        "alone",
        &["say", "@alone note to self, @all too", "--json"],
    );
    assert_eq!(said.ok().json()["data"]["message"]["to_here"], json!(["lead"]));
    assert_eq!(alone.hook("Stop", &json!({})), "");
    in_session(&sandbox, "alone", &["ask", "@alone what now?"]).fails(4, "nobody but yourself is asked");
    assert_eq!(status(&sandbox, "alone"), "idle");
}

#[test]
fn a_busy_agent_gets_everything_together_at_the_end_of_its_turn() {
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
fn messages_that_are_no_text_are_refused_and_large_ones_arrive() {
    let sandbox = used();
    let mut binary = sandbox.bugle(&["ask", "-", "--as", "lead"]);
    answer_with_input(&mut binary, b"@human \0\x01").fails(2, "a message is text");
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
