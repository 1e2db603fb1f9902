//! What Bugle can do in each client, as seen in the real client. The table in `docs/clients.md` contains the outcomes; a
//! test fails if its outcome differs from the table. `BUGLE_WRITE_REFERENCE=1` writes the outcomes into the table.
//!
//! To add a capability, add a file with a function `seen` and a line in the list below. Write the function for all
//! clients: the test kit hides the differences in tools and output.

mod binds_subagents;
mod continues_session;
mod delivers_messages;
mod denies_tools;
mod finishes_by_mcp;
mod keeps_working;
mod removes_setup;
mod table;
mod tells_input_apart;
mod wakes_after_compaction;
mod wakes_at_start;
mod works_when_spawned;

use bugle_testkit::clients::Client;

/// What a test saw in a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The client does it.
    Yes,
    /// The client does not do it.
    No,
    /// The test cannot be run in this client.
    NotTried,
}

impl Seen {
    /// The outcome of a condition that the client may or may not meet.
    fn of(met: bool) -> Self {
        if met { Self::Yes } else { Self::No }
    }
}

/// Which test runs try a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    /// Every run.
    Always,
    /// Only runs with `BUGLE_CLIENT_MATRIX=full`.
    InFullMatrix,
}

/// Tries a capability in a client, and compares the outcome with the table.
fn check(client: Client, title: &str, tried: Tried, seen: fn(Client) -> Option<Seen>) {
    if tried == Tried::InFullMatrix && !crate::is_full_matrix() {
        return;
    }
    if let Some(seen) = seen(client) {
        table::compare(client, title, seen);
    }
}

/// A test for each client and each capability.
macro_rules! capabilities {
    ([$($clients:tt)*] $list:tt) => {
        capabilities!(@titles $list);
        capabilities!(@clients [$($clients)*] $list);
    };
    (@titles { $($name:ident: $title:literal, $tried:ident;)* }) => {
        /// The rows of the table.
        const TITLES: &[&str] = &[$($title),*];
    };
    (@clients [] $list:tt) => {};
    (@clients [$module:ident: $client:ident, $($rest:tt)*] $list:tt) => {
        capabilities!(@client $module $client $list);
        capabilities!(@clients [$($rest)*] $list);
    };
    (@client $module:ident $client:ident { $($name:ident: $title:literal, $tried:ident;)* }) => {
        mod $module {
            use super::{Client, Tried, check};
            $(
                #[test]
                fn $name() {
                    check(Client::$client, $title, Tried::$tried, super::$name::seen);
                }
            )*
        }
    };
}

capabilities!(
    [
        claude: Claude, codex: Codex, gemini: Gemini, opencode: Opencode, qwen: Qwen, copilot: Copilot, grok: Grok,
    ]
    {
        wakes_at_start: "wakes the agent when a session starts", Always;
        wakes_after_compaction: "wakes the agent after a compaction", Always;
        continues_session: "keeps a run with its session when the session is resumed", InFullMatrix;
        denies_tools: "denies tools that a step forbids", Always;
        keeps_working: "prevents an agent from stopping in an open step", Always;
        binds_subagents: "binds sub-agents to their own runs and rules", InFullMatrix;
        delivers_messages: "delivers messages on the next tool call", InFullMatrix;
        finishes_by_mcp: "takes results through the MCP server", InFullMatrix;
        tells_input_apart: "tells the user's input from other prompts", Always;
        works_when_spawned: "starts agents and resumes them with messages", InFullMatrix;
        removes_setup: "runs next to other hooks and restores their file", InFullMatrix;
    }
);
