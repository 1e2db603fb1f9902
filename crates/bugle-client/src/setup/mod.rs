//! Edits clients' files for setup. All bytes that are not Bugle's stay unchanged.

mod block;
mod calls;
mod config;
mod edit;
mod entries;
mod files;
mod json;
mod jsonc;
mod settings;
mod splice;
mod toml;
mod writable_roots;

pub use block::{Block, BlockKind};
pub use calls::Call;
pub(crate) use calls::node_at;
pub use config::CodexConfig;
pub(crate) use config::SERVER_VARIABLES;
pub(crate) use entries::command_server;
pub(crate) use files::SHARED_SKILLS;
pub use files::{ClientSetup, Folders, Holds, Roots, Scope, SettingsFiles, Target, TargetContent};
pub(crate) use json::Json;
pub(crate) use jsonc::{Node, parse};
pub use settings::{Entry, EntryName, Part, Presence, Settings, status_line_is_own};
pub use splice::{EditError, Edited, Splice, undo};
pub(crate) use writable_roots::writable_roots;

/// Bugle's part of a shared file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Entries in JSON settings.
    Settings(Settings),
    /// Entries in Codex's `config.toml`.
    Config(CodexConfig),
    /// A marked block of text.
    Block(Block),
}

impl Content {
    /// Adds missing entries and updates old ones.
    pub fn install(&self, text: &str) -> Result<Edited, EditError> {
        match self {
            Self::Settings(settings) => settings.install(text),
            Self::Config(config) => config.install(text),
            Self::Block(block) => block.install(text),
        }
    }

    /// Removes Bugle's entries.
    pub fn uninstall(&self, text: &str) -> Result<Edited, EditError> {
        match self {
            Self::Settings(settings) => settings.uninstall(text),
            Self::Config(config) => config.uninstall(text),
            Self::Block(block) => block.uninstall(text),
        }
    }

    /// Finds Bugle's entries.
    pub fn inspect(&self, text: &str) -> Result<Vec<Entry>, EditError> {
        match self {
            Self::Settings(settings) => settings.inspect(text),
            Self::Config(config) => config.inspect(text),
            Self::Block(block) => block.inspect(text),
        }
    }

    /// The command with which the client starts the MCP server, if this text contains it.
    pub fn server_call(&self, text: &str) -> Option<Call> {
        match self {
            Self::Settings(settings) => settings.server_call(text),
            Self::Config(_) => CodexConfig::server_call(text),
            Self::Block(_) => None,
        }
    }

    /// Whether each client has its own entries in the file, so that clients install and remove them independently.
    pub fn is_per_client(&self) -> bool {
        matches!(self, Self::Block(block) if matches!(block.kind, BlockKind::GitExclude(_)))
    }

    /// Whether a file with this text counts as empty.
    pub fn is_empty(&self, text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}').trim();
        match self {
            Self::Settings(_) => text.is_empty() || text == "{}",
            Self::Config(_) | Self::Block(_) => text.is_empty(),
        }
    }
}
