//! After each of two compactions, the agent sees its step and finishes its run, although its conversation contains
//! nothing about it.

use bugle_testkit::clients::{CROWDED, Client, ROOMY};
use bugle_testkit::model_server::{Reply, Request};
use serde_json::json;

use super::Seen;
use crate::agent::{Sight, finish, sight};
use crate::work::{set_up, status};

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
    next: end
";

/// The token counts that the model reports before a compaction. A client that compacts in the background sends one more
/// request meanwhile.
const ROUNDS: [u64; 4] = [ROOMY / 2, ROOMY, CROWDED, ROOMY];

/// A sentence of a summary that tells nothing. A client may reject a short summary.
const FACT: &str =
    "The assistant has run some commands and has told the user what the commands have printed. ";

pub(super) fn seen(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("tidy", TIDY)])?;
    let mut compactions = 2;
    let mut rounds = ROUNDS.iter();
    let model = move |request: &Request| {
        if request.asks_for_summary() {
            compactions -= 1;
            rounds = ROUNDS.iter();
            // In the formats that clients expect.
            let facts = FACT.repeat(15);
            return Reply::text(format!(
                "<summary><state_snapshot>{facts}</state_snapshot></summary>"
            ));
        }
        match sight(request) {
            // After a compaction without a wake-up, the agent knows nothing and stops.
            Sight::Nothing if compactions < 2 => Reply::text("I don't know what to do."),
            Sight::Nothing => Reply::shell("bugle start tidy"),
            Sight::Step(seen) if seen.step == "look" => finish(&seen, &json!({ "found": "cups" })),
            Sight::Step(seen) => match rounds.next().filter(|_| compactions > 0) {
                Some(tokens) => Reply::shell("echo at work").at(*tokens),
                None => finish(&seen, &json!({ "places": ["the shelf"] })),
            },
            Sight::Complete => Reply::text("The kitchen is tidy."),
        }
    };
    let finished = sandbox.launch("Tidy up.").compacting_early().run(model).ok();
    let requests = finished.requests();
    let asked = requests
        .iter()
        .filter(|request| request.asks_for_summary())
        .count();
    if asked == 0 {
        return after_prompts(client);
    }
    let is_complete = status(&sandbox, "tidy") == "completed";
    if is_complete {
        assert_eq!(asked, 2, "{finished}");
    }
    Some(Seen::of(is_complete))
}

const SORT: &str = "version: 1
steps:
  look:
    title: Look around
    do: Look what lies about.
    next: put_away
  put_away:
    title: Put it away
    do: Put away what lies about.
    next: end
";

/// The number of times that the agent stops in a step: three stops are refused.
const STOPS: usize = 4;

/// The same in a client that compacts only before it sends a prompt: the session is resumed for each prompt.
fn after_prompts(client: Client) -> Option<Seen> {
    let sandbox = set_up(client, &[("sort", SORT)])?;
    let mut session: Option<String> = None;
    let mut compactions = 0;
    for prompt in ["Sort the toys.", "Go on.", "Finish it."] {
        let mut launch = sandbox.launch(prompt).compacting_early();
        if let Some(session) = &session {
            launch = launch.resume(session);
        }
        let is_first = session.is_none();
        let finished = launch.run(sorter(is_first)).ok();
        let asks = |request: &&Request| request.asks_for_summary();
        compactions += usize::from(finished.requests().into_iter().any(|request| asks(&request)));
        session = Some(finished.session());
    }
    if compactions == 0 {
        return Some(Seen::NotTried);
    }
    assert_eq!(compactions, 2);
    Some(Seen::of(status(&sandbox, "sort") == "completed"))
}

/// A model that ends the step that it sees first, unless it starts the run, and stops in the next one with a
/// conversation that must be compacted.
fn sorter(is_first: bool) -> impl FnMut(&Request) -> Reply + Send + 'static {
    let mut acted = false;
    let mut stops = 0;
    move |request| {
        if request.asks_for_summary() {
            return Reply::text("<state_snapshot>Some work was done.</state_snapshot>");
        }
        match sight(request) {
            Sight::Nothing if is_first => {
                acted = true;
                Reply::shell("bugle start sort")
            }
            Sight::Nothing => Reply::text("I don't know what to do."),
            Sight::Step(seen) if !acted => {
                acted = true;
                Reply::shell(seen.command)
            }
            Sight::Complete => Reply::text("The toys are sorted."),
            Sight::Step(_) => {
                stops += 1;
                if stops < STOPS {
                    return Reply::text("I think that is all.");
                }
                let numbers: Vec<String> = (0..50_000).map(|number| number.to_string()).collect();
                Reply::text(numbers.join(" ")).at(CROWDED)
            }
        }
    }
}
