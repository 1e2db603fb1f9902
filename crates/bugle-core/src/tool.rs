//! The tools an agent has, and which of them a step permits.

use serde::{Deserialize, Serialize};

/// Tools that the clients offer, under the names that skills use for them.
pub const KNOWN_TOOLS: [&str; 22] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "SendMessage",
    "Skill",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
];

/// Whether a client has a tool of this name. Tools of MCP servers cannot be
/// listed beforehand, so any `mcp__server__tool` counts.
pub fn is_known(name: &str) -> bool {
    KNOWN_TOOLS.contains(&name)
        || name
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// Which tools a step permits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolPolicy {
    /// Whatever the client allows.
    #[default]
    Unrestricted,
    /// Everything but these.
    Deny(Vec<String>),
    /// Nothing but these.
    Allow(Vec<String>),
}

impl ToolPolicy {
    /// The tools it names.
    pub fn named(&self) -> &[String] {
        match self {
            Self::Unrestricted => &[],
            Self::Deny(tools) | Self::Allow(tools) => tools,
        }
    }

    /// Both policies at once: what either forbids is forbidden.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Unrestricted, policy) | (policy, Self::Unrestricted) => policy.clone(),
            (Self::Deny(first), Self::Deny(second)) => {
                let new = second.iter().filter(|tool| !first.contains(tool));
                Self::Deny(first.iter().chain(new).cloned().collect())
            }
            (Self::Allow(allowed), policy) | (policy, Self::Allow(allowed)) => Self::Allow(
                allowed
                    .iter()
                    .filter(|tool| policy.permits(tool))
                    .cloned()
                    .collect(),
            ),
        }
    }

    /// Whether it lets this tool be used.
    pub fn permits(&self, tool: &str) -> bool {
        match self {
            Self::Unrestricted => true,
            Self::Deny(tools) => !tools.iter().any(|denied| denied == tool),
            Self::Allow(tools) => tools.iter().any(|allowed| allowed == tool),
        }
    }
}
