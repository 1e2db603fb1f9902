//! The request after a compaction contains the step, the position and the command, each once. An agent that knows
//! nothing else leaves the same trace as an agent that was never compacted.

use bugle_testkit::clients::{CROWDED, Client, Finished, ROOMY, Sandbox};
use bugle_testkit::model_server::{Reply, Request};
use serde_json::{Value, json};

use crate::agent::{Sight, asked_for, finish, sight};
use crate::work::{runs, set_up, trace};

const TIDY: &str = "version: 1
steps:
  look:
    title: Look around
    do: Say what lies about.
    result:
      found: { type: string }
    next: put_away
  put_away:
    title: Put it away
    do: Put away what lies about.
    result:
      places: { type: array, items: string, min: 1 }
    next: sweep
  sweep:
    title: Sweep the floor
    do: Sweep under the table, too.
    next: end
";

const PROMPT: &str = "Run `bugle start tidy` and do what it says.";

/// The model's summary of the conversation: nothing useful.
const SUMMARY: &str = "<summary>Some work was done.</summary>";

/// The token counts that the model reports before each compaction. The last count makes the client compact the
/// conversation.
const ROUNDS: [u64; 3] = [ROOMY / 2, ROOMY, CROWDED];

fn result(step: &str) -> Value {
    match step {
        "look" => json!({ "found": "three cups" }),
        "put_away" => json!({ "places": ["the shelf"] }),
        _ => Value::Null,
    }
}

/// An agent whose conversation is compacted this many times in the step `put_away`.
fn forgetful(mut compactions: usize) -> impl FnMut(&Request) -> Reply + Send + 'static {
    let mut rounds = ROUNDS.iter();
    move |request| {
        if request.asks_for_summary() {
            compactions -= 1;
            rounds = ROUNDS.iter();
            return Reply::text(SUMMARY);
        }
        match sight(request) {
            Sight::Nothing => Reply::shell(asked_for(request).unwrap()),
            Sight::Step(seen) if seen.step == "put_away" && compactions > 0 => {
                Reply::shell("echo at work").at(*rounds.next().unwrap())
            }
            Sight::Step(seen) => finish(&seen, &result(&seen.step)),
            Sight::Complete => Reply::text("The kitchen is tidy."),
        }
    }
}

/// Each request after a compaction shows the agent its position: inline, within the limit, exactly once.
fn woken_after_each(finished: &Finished, compactions: usize) {
    let requests = finished.requests();
    let asked = requests.iter().filter(|request| request.asks_for_summary());
    assert_eq!(asked.count(), compactions, "{finished}");
    let after = requests
        .iter()
        .zip(&requests[1..])
        .filter(|(request, _)| request.asks_for_summary())
        .map(|(_, next)| next);
    for request in after {
        let shown = request.shown();
        assert!(!shown.contains("<step_header"), "{finished}");
        assert_eq!(shown.matches("# Wake-up for").count(), 1, "{shown}");
        for fact in [
            "Some work was done.",
            "**Current position:**",
            " at step put_away,",
            "Put away what lies about.",
            "\n    bugle done 'r-",
        ] {
            assert!(shown.contains(fact), "{fact:?} is not in\n{shown}");
        }
        for spilled in ["<persisted-output>", "hook_outputs", "truncated"] {
            assert!(!shown.contains(spilled), "{shown}");
        }
    }
}

fn tidied(sandbox: &Sandbox, compactions: usize) -> Vec<String> {
    let finished = sandbox
        .launch(PROMPT)
        .compacting_early()
        .run(forgetful(compactions))
        .ok();
    assert_eq!(finished.answer(), "The kitchen is tidy.");
    woken_after_each(&finished, compactions);
    let (_, run, status) = runs(sandbox).remove(0);
    assert_eq!(status, "completed", "{finished}");
    trace(sandbox, &run)
}

/// Compares three sessions: never compacted, compacted once, and compacted five times in a row.
fn compacted(client: Client) {
    let Some(sandbox) = set_up(client, &[("tidy", TIDY)]) else {
        return;
    };
    let remembered = tidied(&sandbox, 0);
    assert_eq!(remembered.len(), 8, "{remembered:#?}");
    assert_eq!(tidied(&sandbox, 1), remembered);
    assert_eq!(tidied(&sandbox, 5), remembered);
}

#[test]
fn claude_finishes_its_work_after_compactions() {
    compacted(Client::Claude);
}

#[test]
fn codex_finishes_its_work_after_compactions() {
    compacted(Client::Codex);
}

/// The first line of a wake-up.
const BEGINNING: &str = "# Wake-up for";

/// Distinct sentences with this many characters in all.
fn prose(letters: usize) -> String {
    let sentence =
        |at: usize| format!("Point {at} is looked at twice, and written down before the next one. ");
    let mut text = String::new();
    for at in 1.. {
        if text.len() >= letters {
            break;
        }
        text += &sentence(at);
    }
    text
}

/// A wake-up with too many facts fills its budget without exceeding it.
fn large(client: Client) {
    let workflow = TIDY.replace("Put away what lies about.", &prose(5_200));
    let Some(sandbox) = set_up(client, &[("tidy", &workflow)]) else {
        return;
    };
    let tasks: Vec<String> = (1..=30)
        .map(|number| format!("### Task {number}: Shelf {number}\n\n{}\n", prose(900)))
        .collect();
    let plan = format!("# Kitchen\n\n**Goal:** all has its place\n\n{}", tasks.join("\n"));
    sandbox.write(&sandbox.project().join("docs/plans/kitchen.md"), &plan);
    sandbox.bugle(&["plan", "import", "docs/plans/kitchen.md"]);
    let finished = sandbox.launch(PROMPT).compacting_early().run(forgetful(1)).ok();
    assert_eq!(finished.answer(), "The kitchen is tidy.");
    let requests = finished.requests();
    let asked = requests
        .iter()
        .position(|request| request.asks_for_summary())
        .unwrap();
    let shown = requests[asked + 1].shown();
    assert_eq!(shown.matches(BEGINNING).count(), 1, "{shown}");
    let from = &shown[shown.find(BEGINNING).unwrap()..];
    let end = from.rfind("\n    bugle done 'r-").unwrap();
    let length = from[..end].encode_utf16().count();
    assert!((8_000..=9_000).contains(&length), "{length}: {shown}");
    for spilled in ["<persisted-output>", "hook_outputs", "truncated output"] {
        assert!(!shown.contains(spilled), "{shown}");
    }
}

#[test]
fn claude_shows_a_large_wake_up_whole() {
    large(Client::Claude);
}

#[test]
fn codex_shows_a_large_wake_up_whole() {
    large(Client::Codex);
}
