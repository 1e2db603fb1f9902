//! Real clients in tests: Claude Code and Codex, in a network of their own, with a home of their own, against a model
//! that the test writes.
//!
//! `scripts/clients` installs them, in the versions that `scripts/clients.txt` names, outside of the repository. A test
//! asks for a [`Sandbox`], which there is only where a client can be run safely; elsewhere the test is skipped, and
//! says so. In it, a client is started with a model, does its work in the sandbox's project, and leaves behind what it
//! printed and what it asked the model:
//!
//! ```no_run
//! use bugle_testkit::clients::{Client, Sandbox, Tests, run_inside};
//! use bugle_testkit::model_server::{Reply, turns};
//!
//! // Once in a program of tests, as a `#[test]`: that program is what is started inside of a client's namespace, to run
//! // this test alone. Anywhere else it does nothing.
//! fn inside_the_namespace() {
//!     run_inside();
//! }
//!
//! # macro_rules! env { ($name:literal) => { "" } }
//! const TESTS: Tests = Tests { inside: "inside_the_namespace", bugle: env!("CARGO_BIN_EXE_bugle") };
//!
//! # fn example() {
//! let Some(sandbox) = Sandbox::for_client(Client::Claude, TESTS) else { return };
//! let model = turns("In short.", [Reply::shell("bugle skill list"), Reply::text("Done.")]);
//! let finished = sandbox.launch("Which skills are there?").run(model).ok();
//! assert!(finished.requests()[1].news().contains("decision-critic"));
//! assert_eq!(finished.answer(), "Done.");
//!
//! // The same session goes on in a new process.
//! let session = finished.session();
//! let again = sandbox.launch("And now?").resume(&session).run(turns("", [])).ok();
//! assert_eq!(again.session(), session);
//! # }
//! ```
//!
//! Two things to know. What a model can act on is in the request: [`Request::shown`], [`Request::news`] and
//! [`Request::last_line`] read it the same way for both clients, and [`Reply::shell`] is `Bash` here and `exec_command`
//! there, so one model serves both. And where a client puts an injected text differs by model and version, so assert on
//! these texts and not on places in the body.
//!
//! [`Request::shown`]: crate::model_server::Request::shown
//! [`Request::news`]: crate::model_server::Request::news
//! [`Request::last_line`]: crate::model_server::Request::last_line
//! [`Reply::shell`]: crate::model_server::Reply::shell
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test whose harness cannot go on fails at that place"
)]

pub(crate) mod available;
mod inside;
mod launch;
mod running;
mod sandbox;

pub use inside::run_inside;
pub use launch::Launch;
pub use running::{Finished, Running};
pub use sandbox::{Sandbox, Tests};

/// A client that can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

impl Client {
    /// The name of its program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }
}

/// A conversation with a reported size of so many tokens is compacted by a client that was started with
/// [`Launch::compacting_early`], if the model spoke some times before at less than [`ROOMY`].
pub const CROWDED: u64 = 75_000;

/// A conversation with a reported size of so many tokens is left alone, also by such a client.
pub const ROOMY: u64 = 40_000;
