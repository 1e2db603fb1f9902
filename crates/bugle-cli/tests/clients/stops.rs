//! An agent that tries to stop in the middle of its work is refused a few times; an agent whose work is done may stop.

use bugle_testkit::clients::Client;
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use crate::agent::{Sight, asked_for, finish, sight};
use crate::work::{set_up, status};
use crate::workflows::LAUNDRY;

const PROMPT: &str = "Run `bugle start laundry` and do what it says.";

/// A model that starts the skill, and stops early.
fn lazy(request: &Request) -> Reply {
    match sight(request) {
        Sight::Nothing => Reply::shell(asked_for(request).unwrap()),
        _ => Reply::text("I think that is all."),
    }
}

fn diligent(request: &Request) -> Reply {
    match sight(request) {
        Sight::Nothing => Reply::shell(asked_for(request).unwrap()),
        Sight::Step(seen) => finish(&seen, &json!({ "heaps": 2 })),
        Sight::Complete => Reply::text("All is sorted."),
    }
}

/// Three stops are refused, the first with the step. Then the agent may stop, and the run waits until the user
/// continues it.
fn cap(client: Client) {
    let Some(sandbox) = set_up(client, &[("laundry", LAUNDRY)]) else {
        return;
    };
    let finished = sandbox.launch(PROMPT).run(lazy).ok();
    assert_eq!(finished.answer(), "I think that is all.");
    let requests = finished.requests();
    assert_eq!(requests.len(), 5, "{finished}");
    let refusals = [
        "Your turn is not over: the step \"Sort the laundry\" of laundry",
        "The step \"Sort the laundry\" is still open.",
        "The step \"Sort the laundry\" is still open.",
    ];
    for (kept, refusal) in requests[2..].iter().zip(refusals) {
        let news = kept.news();
        assert!(news.contains(refusal), "{finished}");
        assert!(news.contains("bugle done 'r-"), "{news}");
    }
    assert_eq!(status(&sandbox, "laundry"), "waiting", "{finished}");
    let again = sandbox
        .launch("Go on.")
        .resume(&finished.session())
        .run(diligent)
        .ok();
    assert_eq!(again.answer(), "All is sorted.");
    assert_eq!(status(&sandbox, "laundry"), "completed", "{again}");
}

#[test]
fn claude_is_sent_back_three_times() {
    cap(Client::Claude);
}

#[test]
fn codex_is_sent_back_three_times() {
    cap(Client::Codex);
}

const LETTER: &str = "version: 1
steps:
  draft:
    title: Draft the letter
    do: Write draft.md.
    expect:
      - artifact: draft.md
    next: copy
  copy:
    title: Copy it out fair
    do: Write letter.md.
    expect:
      - artifact: letter.md
    next: end
";

/// A model that writes the file of the latest step, and never calls Bugle.
fn writer(request: &Request) -> Reply {
    let shown = request.shown();
    let name = |text: &str| Some(text.split_once(".md.")?.0.to_owned()).filter(|name| name.len() < 10);
    let Some(file) = shown.rsplit("Write ").find_map(name) else {
        return Reply::shell("bugle start letter");
    };
    if request.news().contains(&format!("wrote {file}")) {
        return Reply::text(format!("The {file} is there."));
    }
    Reply::shell(format!("echo Dear > {file}.md; echo wrote {file}"))
}

/// A step that only needs a file ends when the agent stops, and the next step begins. A run that ends like this does
/// not block the stop.
fn by_itself(client: Client) {
    let Some(sandbox) = set_up(client, &[("letter", LETTER)]) else {
        return;
    };
    let finished = sandbox.launch("A letter, please.").run(writer).ok();
    assert_eq!(finished.answer(), "The letter is there.", "{finished}");
    let requests = finished.requests();
    assert_eq!(requests.len(), 5, "{finished}");
    let news = requests[3].news();
    assert!(
        news.contains("Copy it out fair") && news.contains("Write letter.md."),
        "{news}"
    );
    assert_eq!(status(&sandbox, "letter"), "completed", "{finished}");
}

#[test]
fn claude_ends_a_step_by_writing_its_file() {
    by_itself(Client::Claude);
}

#[test]
fn codex_ends_a_step_by_writing_its_file() {
    by_itself(Client::Codex);
}
