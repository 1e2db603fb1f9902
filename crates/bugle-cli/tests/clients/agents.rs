//! Agents of two real clients send each other messages: they are spawned, woken and answered, and then stay idle.

use std::time::Duration;

use bugle_testkit::clients::{Client, Finished, Sandbox};
use bugle_testkit::model_server::{Protocol, Reply, Request};

use crate::sandbox;

const PATIENCE: Duration = Duration::from_mins(1);
const QUESTION: &str = "Which bird is the word?";
const ANSWER: &str = "The word is nightingale.";

/// Starts both agents and lets a supervisor deliver their messages. A second supervisor then finds nothing to do.
const SCRIPT: &str = r#"
bugle agent spawn codex "Answer what you are asked." --name oracle -- \
  --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust
bugle agent spawn claude "Find out the word." --name asker -- --allowedTools Bash
bugle up --once
timeout 3 bugle up || true
bugle agent result oracle
bugle agent result asker
bugle agent list
"#;

/// The number of requests in which a client's model sees a text for the first time.
fn told(finished: &Finished, protocol: Protocol, text: &str) -> usize {
    let of_client = finished
        .requests()
        .into_iter()
        .filter(|request| request.protocol == Some(protocol));
    of_client.filter(|request| request.news().contains(text)).count()
}

/// A model that asks in one client and answers in the other, and does nothing else.
fn model(request: &Request) -> Reply {
    let news = request.news();
    match request.protocol {
        Some(Protocol::Messages) if news.contains(ANSWER) => Reply::text("It is the nightingale."),
        Some(Protocol::Messages) if news.contains("Find out the word.") => {
            Reply::shell(format!("bugle say '@oracle {QUESTION}'"))
        }
        Some(Protocol::Messages) => Reply::text("I have asked."),
        _ if news.contains(QUESTION) => Reply::shell(format!("bugle say '@asker {ANSWER}'")),
        _ if news.contains("Answer what you are asked.") => Reply::text("I am waiting."),
        _ => Reply::text("I have answered."),
    }
}

#[test]
fn one_client_asks_the_other_and_each_receives_each_message_once() {
    let Some(sandbox) = sandbox(Client::Claude).and_then(Sandbox::with_all_clients) else {
        return;
    };
    sandbox.bugle(&["setup", "claude"]);
    sandbox.bugle(&["setup", "codex", "--user"]);
    let finished = sandbox.script(SCRIPT).run(model).ok();
    assert_eq!(told(&finished, Protocol::Responses, QUESTION), 1, "{finished}");
    assert_eq!(told(&finished, Protocol::Messages, ANSWER), 1, "{finished}");
    // Each agent was started for its task and woken once. Every turn has its own requests, and no more requests follow.
    let count = |protocol| {
        let all = finished.requests();
        all.iter()
            .filter(|request| request.protocol == Some(protocol))
            .count()
    };
    assert_eq!(
        (count(Protocol::Responses), count(Protocol::Messages)),
        (3, 3),
        "{finished}"
    );
    for (name, session) in [("oracle", Protocol::Responses), ("asker", Protocol::Messages)] {
        let shown = sandbox.bugle(&["agent", "show", name, "--json"]);
        let ours = finished
            .requests()
            .into_iter()
            .filter(|request| request.protocol == Some(session));
        for request in ours {
            assert!(shown.contains(request.session().unwrap()), "{shown}\n{finished}");
        }
    }
}

/// A model that dies at its first command, and finishes after its restart.
fn mortal() -> impl FnMut(&Request) -> Reply + Send + 'static {
    let mut requests = 0;
    move |request| {
        requests += 1;
        match requests {
            1 => Reply::shell("echo three so far"),
            2 => Reply::shell("kill -KILL $PPID"),
            _ if request.news().contains("Count the birds.") => Reply::text("There are seven birds."),
            _ => Reply::text("What birds?"),
        }
    }
}

fn dies_and_finishes(client: Client, words: &str) {
    let Some(sandbox) = sandbox(client).and_then(Sandbox::with_all_clients) else {
        return;
    };
    // Codex reads a project's settings only if the user trusts the project.
    let scope: &[&str] = if client == Client::Codex { &["--user"] } else { &[] };
    sandbox.bugle(&[&["setup", client.as_str()], scope].concat());
    let script = format!(
        "bugle agent spawn {} 'Count the birds.' --name counter --detach -- {words}\nbugle up --once\n",
        client.as_str()
    );
    let finished = sandbox.script(&script).run(mortal()).ok();
    assert_eq!(sandbox.bugle(&["result", "counter"]), "There are seven birds.\n");
    let requests = finished.requests();
    let (first, last) = (requests[0], requests[requests.len() - 1]);
    assert_ne!(first.session(), last.session(), "{finished}");
    assert!(
        last.news().contains("three so far"),
        "what the lost one did last: {finished}"
    );
    let shown = sandbox.bugle(&["agent", "show", "counter", "--json"]);
    assert!(shown.contains("\"recoveries\": 1"), "{shown}");
    assert!(shown.contains(last.session().unwrap()), "{shown}");
}

#[test]
fn claude_is_killed_at_work_and_its_successor_finishes() {
    dies_and_finishes(Client::Claude, "--allowedTools Bash");
}

#[test]
fn codex_is_killed_at_work_and_its_successor_finishes() {
    dies_and_finishes(
        Client::Codex,
        "--dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust",
    );
}

#[test]
fn an_open_session_receives_a_mention_at_its_next_hook() {
    let Some(sandbox) = crate::work::set_up(Client::Claude, &[]) else {
        return;
    };
    let mut running = sandbox
        .launch("Begin.")
        .resident()
        .start(|_: &Request| Reply::text("Yes."));
    let began = running
        .log()
        .wait_for(|exchange| exchange.request.number == 1, PATIENCE);
    let session = began.unwrap().request.session().unwrap().to_owned();
    sandbox.bugle(&["say", &format!("@{session} the spec is ready"), "--as", "lead"]);
    // No second process is started for an open session.
    sandbox.bugle(&["up", "--once"]);
    running.say("Go on.");
    let finished = running.finish().ok();
    let told = finished
        .requests()
        .into_iter()
        .filter(|request| request.news().contains("the spec is ready"));
    assert_eq!(told.count(), 1, "{finished}");
}
