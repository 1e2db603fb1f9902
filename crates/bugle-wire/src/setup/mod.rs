//! What Bugle writes into the files of clients, and how: the entries in each client's own form, and edits of texts that
//! leave everything else as it is. Nothing here reads or writes a file.

mod block;
mod calls;
mod client;
mod config;
mod edit;
mod json;
mod jsonc;
mod settings;
mod splice;
mod view;

pub use block::{Block, has_block};
pub use calls::{Call, CodexHook, plugin_call, turns_hooks_off};
pub use client::{Client, shell_word};
pub use config::CodexConfig;
pub use settings::{Entry, Part, Presence, Settings, status_line_is_own};
pub use splice::{EditError, Edited, Splice, undo};
pub use view::{FileState, PluginView, SetupAction, SetupFile, SetupView};

/// What belongs in a file that is not Bugle's alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Entries in JSON settings.
    Settings(Settings),
    /// A server in Codex's `config.toml`.
    Config(CodexConfig),
    /// A marked block of text.
    Block(Block),
}

impl Content {
    /// Puts in what is missing and brings up to date what is old.
    pub fn install(&self, text: &str) -> Result<Edited, EditError> {
        match self {
            Self::Settings(settings) => settings.install(text),
            Self::Config(config) => config.install(text),
            Self::Block(block) => block.install(text),
        }
    }

    /// Takes out what is Bugle's.
    pub fn uninstall(&self, text: &str) -> Result<Edited, EditError> {
        match self {
            Self::Settings(settings) => settings.uninstall(text),
            Self::Config(config) => config.uninstall(text),
            Self::Block(block) => block.uninstall(text),
        }
    }

    /// Looks for what is Bugle's.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        match self {
            Self::Settings(settings) => settings.inspect(text),
            Self::Config(config) => config.inspect(text),
            Self::Block(block) => block.inspect(text),
        }
    }

    /// Whether a file with this text holds nothing.
    pub fn is_empty(&self, text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}').trim();
        match self {
            Self::Settings(_) => text.is_empty() || text == "{}",
            Self::Config(_) | Self::Block(_) => text.is_empty(),
        }
    }
}
