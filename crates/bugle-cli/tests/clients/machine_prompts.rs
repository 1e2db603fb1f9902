//! Prompts that a client writes itself do not count as its user's input.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request, turns};

use crate::agent::between;
use crate::subagents::start_subagent;
use crate::work::{ASKING, set_up, status};

const LAUNDRY: &str = "version: 1
steps:
  sort:
    title: Sort the laundry
    do: Sort it by colour.
    next: end
";

/// After the question, the client's hooks report the refusal of a stop and a sub-agent's prompt. The agent relays an answer
/// after each of them, and after its user's input.
fn only_the_user_counts(client: Client) {
    let Some(sandbox) = set_up(client, &[("asking", ASKING), ("laundry", LAUNDRY)]) else {
        return;
    };
    let mut question = None;
    let mut turn = 0;
    let model = move |request: &Request| {
        let shown = request.shown();
        if request.subagent().is_some() {
            return Reply::text("Left.");
        }
        let asked = between(&shown, "bugle decide '", "'").map(str::to_owned);
        question = question.take().or(asked);
        let decide = || {
            Reply::shell(format!(
                "bugle decide '{}' left",
                question.as_deref().unwrap_or("r-none")
            ))
        };
        turn += 1;
        match turn {
            1 => Reply::shell("bugle start asking"),
            2 => Reply::shell("bugle start laundry"),
            4 | 6 => decide(),
            5 => start_subagent(client, "Say left.", false),
            _ => Reply::text("Left or right?"),
        }
    };
    let asked = sandbox.launch("Ask me which way.").run(model).ok();
    let requests = asked.requests();
    let refused = requests.iter().filter(|request| {
        let result = request.last_tool_result();
        result.is_some_and(|result| result.contains("user-not-heard"))
    });
    let told = |text: &str| requests.iter().any(|request| request.news().contains(text));
    assert!(told("Your turn is not over"), "{asked}");
    assert!(told("Say left."), "{asked}");
    assert!(refused.count() >= 2, "{asked}");
    assert_eq!(status(&sandbox, "asking"), "waiting", "{asked}");
    let run = crate::work::runs(&sandbox)
        .into_iter()
        .find(|(skill, _, _)| skill == "asking")
        .unwrap()
        .1;
    let answer = turns("", [Reply::shell(format!("bugle decide {run} left"))]);
    let relayed = sandbox
        .launch("Left, please.")
        .resume(&asked.session())
        .run(answer)
        .ok();
    assert_eq!(status(&sandbox, "asking"), "completed", "{relayed}");
}

#[test]
fn claude_tells_its_own_prompts_from_its_users() {
    only_the_user_counts(Client::Claude);
}

#[test]
fn codex_tells_its_own_prompts_from_its_users() {
    only_the_user_counts(Client::Codex);
}
