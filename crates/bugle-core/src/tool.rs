//! Tool names, and the policies that say which tools a step allows.

use serde::{Deserialize, Serialize};

/// All clients' tools, by the names that skills use.
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

/// Whether any client has a tool with this name. MCP tools are not known in advance, so every `mcp__server__tool`
/// counts.
pub fn is_known(name: &str) -> bool {
    KNOWN_TOOLS.contains(&name)
        || name
            .strip_prefix("mcp__")
            .and_then(|rest| rest.split_once("__"))
            .is_some_and(|(server, tool)| !server.is_empty() && !tool.is_empty())
}

/// The tools that a step allows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolPolicy {
    /// No restrictions beyond the client's own.
    #[default]
    Unrestricted,
    /// All tools except these.
    Deny(Vec<String>),
    /// Only these tools.
    Allow(Vec<String>),
    /// All tools except these, but some programs may still change files from the shell.
    DenyExcept {
        /// The denied tools.
        tools: Vec<String>,
        /// The allowed programs.
        programs: Vec<Program>,
    },
}

/// A program that may change files from the shell even if the step denies other changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// Git.
    Git,
}

enum_text!(Program {
    Git = "git",
});

impl Program {
    /// Finds a program by name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.as_str() == name)
    }
}

impl ToolPolicy {
    /// The tools that the policy names.
    pub fn named(&self) -> &[String] {
        match self {
            Self::Unrestricted => &[],
            Self::Deny(tools) | Self::Allow(tools) | Self::DenyExcept { tools, .. } => tools,
        }
    }

    /// The denied tools.
    pub fn denied(&self) -> &[String] {
        match self {
            Self::Unrestricted | Self::Allow(_) => &[],
            Self::Deny(tools) | Self::DenyExcept { tools, .. } => tools,
        }
    }

    /// The programs that may change files from the shell despite the policy.
    pub fn programs(&self) -> &[Program] {
        match self {
            Self::DenyExcept { programs, .. } => programs,
            _ => &[],
        }
    }

    /// Whether a program may change files from the shell despite the policy.
    pub fn allows_program(&self, name: &str) -> bool {
        self.programs().iter().any(|program| program.as_str() == name)
    }

    /// Combines a step's policy with a role's. A tool is denied if either policy denies it. A program is allowed if the
    /// step allows it; if only the role allows it, it is denied when the step denies tools.
    #[must_use]
    pub fn and(&self, role: &Self) -> Self {
        match (self, role) {
            (Self::Unrestricted, policy) | (policy, Self::Unrestricted) => policy.clone(),
            (Self::Allow(allowed), policy) | (policy, Self::Allow(allowed)) => Self::Allow(
                allowed
                    .iter()
                    .filter(|tool| policy.permits(tool))
                    .cloned()
                    .collect(),
            ),
            (step, role) => {
                let new = role.denied().iter().filter(|tool| !step.denied().contains(tool));
                let tools: Vec<String> = step.denied().iter().chain(new).cloned().collect();
                match step.programs() {
                    [] => Self::Deny(tools),
                    programs => Self::DenyExcept {
                        tools,
                        programs: programs.to_vec(),
                    },
                }
            }
        }
    }

    /// Whether the policy allows a tool.
    pub fn permits(&self, tool: &str) -> bool {
        match self {
            Self::Unrestricted => true,
            Self::Deny(tools) | Self::DenyExcept { tools, .. } => !tools.iter().any(|denied| denied == tool),
            Self::Allow(tools) => tools.iter().any(|allowed| allowed == tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deny(tools: &[&str], programs: &[Program]) -> ToolPolicy {
        let tools = tools.iter().map(ToString::to_string).collect();
        match programs {
            [] => ToolPolicy::Deny(tools),
            programs => ToolPolicy::DenyExcept {
                tools,
                programs: programs.to_vec(),
            },
        }
    }

    #[test]
    fn a_role_does_not_revoke_a_program_that_the_step_allows() {
        let git = [Program::Git];
        let role = deny(&["Edit", "Write"], &[]);
        let both = deny(&["Edit"], &git).and(&role);
        assert_eq!(both, deny(&["Edit", "Write"], &git));
        let both = deny(&["Edit"], &[]).and(&deny(&["Write"], &git));
        assert_eq!(both, deny(&["Edit", "Write"], &[]), "the step denies git");
        assert_eq!(
            ToolPolicy::Unrestricted.and(&deny(&["Edit"], &git)),
            deny(&["Edit"], &git)
        );
    }
}
