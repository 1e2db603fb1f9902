//! Bugle in real clients: the installed Claude Code and Codex, against a scripted model. See `bugle_testkit::clients`.

#[cfg(test)]
mod access;
#[cfg(test)]
mod agent;
#[cfg(test)]
mod agents;
#[cfg(test)]
mod background;
#[cfg(test)]
mod background_prompts;
#[cfg(test)]
mod beside;
#[cfg(test)]
mod broken;
#[cfg(test)]
mod capabilities;
#[cfg(test)]
mod cheats;
#[cfg(test)]
mod clearing;
#[cfg(test)]
mod compaction;
#[cfg(test)]
mod delegations;
#[cfg(test)]
mod disabled;
#[cfg(test)]
mod latency;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod mcp_alone;
#[cfg(test)]
mod neighbours;
#[cfg(test)]
mod offers;
#[cfg(test)]
mod reviews;
#[cfg(test)]
mod rights;
#[cfg(test)]
mod server;
#[cfg(test)]
mod sessions;
#[cfg(test)]
mod shut_in;
#[cfg(test)]
mod stops;
#[cfg(test)]
mod subagents;
#[cfg(test)]
mod tools;
#[cfg(test)]
mod work;
#[cfg(test)]
mod workflows;

#[cfg(test)]
use bugle_testkit::clients::{Client, Sandbox, Tests, run_inside};

#[cfg(test)]
const TESTS: Tests = Tests {
    inside: "inside_the_namespace",
    bugle: env!("CARGO_BIN_EXE_bugle"),
};

/// A sandbox for a client; `None` if the test must be skipped.
#[cfg(test)]
fn sandbox(client: Client) -> Option<Sandbox> {
    Sandbox::for_client(client, TESTS)
}

/// Whether to run every test of the matrix of clients, not only the core set.
#[cfg(test)]
fn is_full_matrix() -> bool {
    std::env::var_os("BUGLE_CLIENT_MATRIX").is_some_and(|value| value == "full")
}

/// The other tests start this test in a namespace. Anywhere else it does nothing.
#[test]
fn inside_the_namespace() {
    run_inside();
}
