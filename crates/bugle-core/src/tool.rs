//! Tools of an agent, and which of them a step permits.

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
    /// Everything but these tools. These programs may change files from the shell all the same.
    DenyExcept {
        /// The tools.
        tools: Vec<String>,
        /// The programs.
        programs: Vec<Program>,
    },
}

/// A program that may change files from the shell in a step that denies it otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// git.
    Git,
}

enum_text!(Program {
    Git = "git",
});

impl Program {
    /// The program of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|program| program.as_str() == name)
    }
}

impl ToolPolicy {
    /// The tools it names.
    pub fn named(&self) -> &[String] {
        match self {
            Self::Unrestricted => &[],
            Self::Deny(tools) | Self::Allow(tools) | Self::DenyExcept { tools, .. } => tools,
        }
    }

    /// The tools that it denies by name.
    pub fn denied(&self) -> &[String] {
        match self {
            Self::Unrestricted | Self::Allow(_) => &[],
            Self::Deny(tools) | Self::DenyExcept { tools, .. } => tools,
        }
    }

    /// The programs that may change files from the shell although it denies that.
    pub fn programs(&self) -> &[Program] {
        match self {
            Self::DenyExcept { programs, .. } => programs,
            _ => &[],
        }
    }

    /// Whether a program may change files from the shell although it denies that.
    pub fn allows_program(&self, name: &str) -> bool {
        self.programs().iter().any(|program| program.as_str() == name)
    }

    /// A step's policy together with that of a role: what either forbids is forbidden. A program that the step allows is
    /// allowed: the step says so for its own work. One that only the role allows is not, where the step denies tools.
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

    /// Whether it lets this tool be used.
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
    fn a_program_that_the_step_allows_stays_allowed_under_its_role() {
        let git = [Program::Git];
        let role = deny(&["Edit", "Write"], &[]);
        let both = deny(&["Edit"], &git).and(&role);
        assert_eq!(both, deny(&["Edit", "Write"], &git));
        let both = deny(&["Edit"], &[]).and(&deny(&["Write"], &git));
        assert_eq!(both, deny(&["Edit", "Write"], &[]), "the step denies it");
        assert_eq!(
            ToolPolicy::Unrestricted.and(&deny(&["Edit"], &git)),
            deny(&["Edit"], &git)
        );
    }
}
