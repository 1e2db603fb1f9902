//! Runs.

mod concurrency;
mod evidence_commands;
pub(crate) mod evidence_files;
mod exactly_once;
mod invalid_input;
mod kill;
mod lifecycle;
mod long_runs;
mod ownership;
mod plan_tasks;
mod random_kills;
mod selection;
mod skill_upgrade;
mod step_overhead;

use serde_json::{Value, json};

use crate::support::reply::Step;
use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

/// A run of [`THREE`] at its first step.
fn three() -> (Sandbox, Step) {
    let sandbox = Sandbox::with_skill("three", THREE);
    let step = sandbox.start(&["three"]);
    (sandbox, step)
}

/// The result of a step of [`THREE`].
fn word(word: &str) -> Value {
    json!({ "word": word })
}
