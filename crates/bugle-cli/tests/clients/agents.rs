//! Agents of two real clients that speak to each other: spawned, woken, answered, quiet.

use bugle_testkit::clients::{Client, Finished, Sandbox};
use bugle_testkit::model_server::{Protocol, Reply, Request};

use crate::sandbox;

const QUESTION: &str = "Which bird is the word?";
const ANSWER: &str = "The word is nightingale.";

/// Starts both agents; what follows is the supervisor's.
const SCRIPT: &str = r#"
bugle spawn codex "Answer what you are asked." --name oracle -- \
  --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust
bugle spawn claude "Find out the word." --name asker -- --allowedTools Bash
bugle up --once
bugle up --once
bugle result oracle
bugle result asker
bugle agents
"#;

/// The requests in which a client's model is told a text for the first time.
fn told(finished: &Finished, protocol: Protocol, text: &str) -> usize {
    let of_client = finished
        .requests()
        .into_iter()
        .filter(|request| request.protocol == Some(protocol));
    of_client.filter(|request| request.news().contains(text)).count()
}

/// A model that asks in one client and answers in the other, and does nothing that it was not told to.
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
fn one_client_asks_the_other_and_each_hears_each_message_once() {
    let Some(sandbox) = sandbox(Client::Claude).and_then(Sandbox::with_all_clients) else {
        return;
    };
    sandbox.bugle(&["setup", "claude"]);
    sandbox.bugle(&["setup", "codex", "--user"]);
    let finished = sandbox.script(SCRIPT).run(model).ok();
    assert_eq!(told(&finished, Protocol::Responses, QUESTION), 1, "{finished}");
    assert_eq!(told(&finished, Protocol::Messages, ANSWER), 1, "{finished}");
    // Each was started for its task and woken once; every turn has its own requests, and then there are no more.
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
