//! The setup of one client does not disturb another client that works in the same project.

use bugle_testkit::clients::{Client, Finished};
use bugle_testkit::model_server::{Reply, Request, turns};

/// The lines that report a failed or refusing hook.
fn complaints(finished: &Finished) -> Vec<String> {
    let events = finished.events.iter().map(ToString::to_string);
    let lines = events.chain(finished.errors.lines().map(str::to_owned));
    let complains = |line: &String| {
        let line = line.to_lowercase();
        let words = ["error", "fail", "denied", "block", "invalid"];
        // Codex warns that the test kit's option skips the review of hooks.
        let line = line
            .replace("--dangerously-bypass-hook-trust", "")
            .replace("enabled hooks may run", "");
        line.contains("hook") && words.iter().any(|word| line.contains(word))
    };
    lines.filter(complains).collect()
}

/// Runs one prompt with one command in a client without setup, in a project that is set up for other clients.
fn works_beside(client: Client, others: &[Client]) {
    let Some(sandbox) = crate::sandbox(client) else {
        return;
    };
    for other in others {
        sandbox.bugle(&["setup", other.as_str()]);
    }
    let mut replies = turns("", [Reply::shell("expr 9000 + 9"), Reply::text("Hello.")]);
    // A client may ask for a title, without tools.
    let model = move |request: &Request| match request.tools().as_slice() {
        [] => Reply::text("Cups"),
        _ => replies(request),
    };
    let finished = sandbox.launch("Count the cups.").run(model).ok();
    assert_eq!(finished.answer(), "Hello.", "beside {others:?}: {finished}");
    let requests = finished.requests();
    let mut results = requests.iter().filter_map(|request| request.last_tool_result());
    assert!(
        results.next_back().is_some_and(|result| result.contains("9009")),
        "beside {others:?}: {finished}"
    );
    let none: Vec<String> = Vec::new();
    assert_eq!(complaints(&finished), none, "beside {others:?}: {finished}");
}

fn others(client: Client) -> Vec<Client> {
    Client::ALL.into_iter().filter(|other| *other != client).collect()
}

macro_rules! beside {
    ($($module:ident: $client:ident),*) => {
        $(
            mod $module {
                use super::{Client, others, works_beside};

                #[test]
                fn works_beside_the_setups_of_all_other_clients() {
                    works_beside(Client::$client, &others(Client::$client));
                }

                #[test]
                fn works_beside_the_setup_of_each_other_client() {
                    if crate::is_full_matrix() {
                        for other in others(Client::$client) {
                            works_beside(Client::$client, &[other]);
                        }
                    }
                }
            }
        )*
    };
}

beside!(
    claude: Claude,
    codex: Codex,
    gemini: Gemini,
    opencode: Opencode,
    qwen: Qwen,
    copilot: Copilot,
    grok: Grok
);
