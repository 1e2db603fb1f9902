//! An agent may relay its user's answer after its user typed something, but not after a prompt that Bugle or a sub-agent
//! caused.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request, turns};

use super::Seen;
use crate::agent::{between, sees_prompt};
use crate::server::in_server;
use crate::work::{ASKING, runs, set_up, status};

const LAUNDRY: &str = "version: 1
steps:
  sort:
    title: Sort the laundry
    do: Sort it by colour.
    next: end
";

const PROMPT: &str = "Ask me which way.";

/// Relays an answer that the user has not given, after a refused stop and after a sub-agent.
fn hasty() -> impl FnMut(&Request) -> Reply + Send + 'static {
    let mut question = None;
    let mut turn = 0;
    move |request| {
        if !sees_prompt(request, PROMPT) {
            return Reply::report(request, "Left.");
        }
        let shown = request.shown();
        let asked = between(&shown, "bugle decide '", "'").map(str::to_owned);
        question = question.take().or(asked);
        let decide = |question: &Option<String>| {
            let question = question.as_deref().unwrap_or("r-none");
            Reply::shell(format!("bugle decide '{question}' left"))
        };
        turn += 1;
        match turn {
            1 => Reply::shell("bugle start asking"),
            2 => Reply::shell("bugle start laundry"),
            4 | 6 => decide(&question),
            5 => Reply::agent("Say left."),
            _ => Reply::text("Left or right?"),
        }
    }
}

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("asking", ASKING), ("laundry", LAUNDRY)])?.with_all_clients()?;
    let asked = if client == Client::Opencode {
        sandbox.script(&in_server(PROMPT, 2)).run(hasty()).ok()
    } else {
        sandbox.launch(PROMPT).run(hasty()).ok()
    };
    let told = |text: &str| {
        let requests = asked.requests();
        requests
            .iter()
            .filter(|request| request.news().contains(text))
            .count()
    };
    assert!(told("Your turn is not over") >= 1, "{asked}");
    assert!(told("Say left.") >= 1, "{asked}");
    assert!(told("user-not-heard") >= 2, "{asked}");
    if status(&sandbox, "asking") != "waiting" {
        return Some(Seen::No);
    }
    let (_, run, _) = runs(&sandbox)
        .into_iter()
        .find(|(skill, _, _)| skill == "asking")?;
    let answer = turns("", [Reply::shell(format!("bugle decide {run} left"))]);
    let session = asked.session();
    let relayed = sandbox.launch("Left, please.").resume(&session).run(answer).ok();
    assert_eq!(relayed.session(), session, "{relayed}");
    Some(Seen::of(status(&sandbox, "asking") == "completed"))
}
