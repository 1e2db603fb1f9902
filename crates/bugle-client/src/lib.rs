//! Everything that differs between clients: event and tool names, settings files, command lines, output. Each client
//! has its own file or folder. Nothing here reads or writes a file.

mod agents;
mod claude;
mod client;
mod codex;
mod copilot;
mod facts;
mod gemini;
mod grok;
pub mod hook;
mod inactive_hooks;
pub mod launch;
mod opencode;
mod others;
pub mod plugin;
mod qwen;
pub mod recognition;
mod session_names;
pub mod setup;
mod shell;
mod tool_names;
pub mod transcript;

pub use agents::{AgentFormat, agent_name, is_definition};
pub use client::{mcp_session, plugin_folders, settings_files, skill_folders};
pub use inactive_hooks::{HookTrust, KeyedHook, OffSwitch, ProjectTrust};
pub use opencode::plugin_call;
pub use shell::shell_word;
pub use tool_names::{awaits_subagent, bugle_tool};

use facts::Facts;

/// A program that runs coding agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Client {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode.
    Opencode,
    /// Qwen Code.
    Qwen,
    /// Copilot CLI.
    Copilot,
    /// Grok Build.
    Grok,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Qwen,
        Self::Copilot,
        Self::Grok,
    ];

    pub(crate) fn facts(self) -> &'static Facts {
        match self {
            Self::Claude => &claude::FACTS,
            Self::Codex => &codex::FACTS,
            Self::Gemini => &gemini::FACTS,
            Self::Opencode => &opencode::FACTS,
            Self::Qwen => &qwen::FACTS,
            Self::Copilot => &copilot::FACTS,
            Self::Grok => &grok::FACTS,
        }
    }
}
