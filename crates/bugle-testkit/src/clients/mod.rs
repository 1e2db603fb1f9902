//! Real clients in tests, each with its own network and home folder and a scripted model. `recipe/` says how each
//! client is started; to add a client, add a recipe.
//!
//! `scripts/clients` installs them outside the repository, in the versions that `scripts/clients.txt` lists. A test
//! creates a [`Sandbox`]. If no client can run safely here, the test is skipped with a message. The client works in
//! the sandbox's project, and the test reads the client's output and requests:
//!
//! ```no_run
//! use bugle_testkit::clients::{Client, Sandbox, Tests, run_inside};
//! use bugle_testkit::model_server::{Reply, turns};
//!
//! // Once per test program, as a `#[test]`: the harness starts the program inside a client's namespace and runs only this
//! // test. Outside a namespace it does nothing.
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
//! // A new process resumes the session.
//! let session = finished.session();
//! let again = sandbox.launch("And now?").resume(&session).run(turns("", [])).ok();
//! assert_eq!(again.session(), session);
//! # }
//! ```
//!
//! A model sees only the request. [`Request::shown`], [`Request::news`] and [`Request::last_line`] work the same for
//! all clients, and [`Reply::shell`] calls the client's own shell tool, so one model can serve all. The position of
//! injected text depends on the model and version, so assert on the text, not on its position in the body.
//!
//! [`Request::shown`]: crate::model_server::Request::shown
//! [`Request::news`]: crate::model_server::Request::news
//! [`Request::last_line`]: crate::model_server::Request::last_line
//! [`Reply::shell`]: crate::model_server::Reply::shell
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test must fail if its harness cannot continue"
)]

pub(crate) mod available;
mod inside;
mod launch;
mod recipe;
mod running;
mod sandbox;

pub use bugle_client::Client;
pub use inside::run_inside;
pub use launch::Launch;
pub use running::{Finished, Running};
pub use sandbox::{Sandbox, Tests};

/// A client started with [`Launch::compacting_early`] compacts the conversation when the model reports this many
/// tokens, after a few replies with at most [`ROOMY`].
pub const CROWDED: u64 = 75_000;

/// A client started with [`Launch::compacting_early`] does not compact the conversation at this many tokens.
pub const ROOMY: u64 = 40_000;
