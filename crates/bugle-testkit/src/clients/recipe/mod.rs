//! How to run each client against the scripted model, one file per client.

mod claude;
mod codex;
mod common;
mod copilot;
mod gemini;
mod grok;
mod opencode;
mod qwen;

use super::Client;

pub(super) use common::{Folders, Prompt, Recipe};

/// The recipe for a client.
pub(super) fn recipe(client: Client) -> &'static Recipe {
    match client {
        Client::Claude => &claude::RECIPE,
        Client::Codex => &codex::RECIPE,
        Client::Gemini => &gemini::RECIPE,
        Client::Opencode => &opencode::RECIPE,
        Client::Qwen => &qwen::RECIPE,
        Client::Copilot => &copilot::RECIPE,
        Client::Grok => &grok::RECIPE,
    }
}
