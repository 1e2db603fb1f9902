//! Tools, and the policies that say which tools a step allows.

use serde::{Deserialize, Serialize};

/// The purpose of a tool. Every client has its own names for tools, and `bugle-client` maps them to this type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Runs shell commands.
    Shell,
    /// Starts a sub-agent.
    Agent,
    /// Asks the user a question.
    AskUser,
    /// Reads a file.
    Read,
    /// Writes a whole file.
    Write,
    /// Changes a part of a file.
    Edit,
    /// Changes a notebook.
    NotebookEdit,
    /// Applies a patch, so it can create and change files.
    Patch,
    /// Finds files by name.
    Glob,
    /// Searches in files.
    Grep,
    /// Lists a folder.
    List,
    /// Downloads a page.
    WebFetch,
    /// Searches the web.
    WebSearch,
    /// Rewrites the agent's to-do list.
    Todo,
    /// A tool of Bugle's own MCP server.
    Bugle,
    /// A tool of another MCP server.
    Mcp,
    /// Any other tool.
    Other,
}

/// The names that skills use for tools. A name without a [`Tool`] refers to the client's tool of exactly that name.
const SKILL_NAMES: [(&str, Option<Tool>); 22] = [
    ("Agent", Some(Tool::Agent)),
    ("AskUserQuestion", Some(Tool::AskUser)),
    ("Bash", Some(Tool::Shell)),
    ("BashOutput", None),
    ("Edit", Some(Tool::Edit)),
    ("EnterPlanMode", None),
    ("ExitPlanMode", None),
    ("Glob", Some(Tool::Glob)),
    ("Grep", Some(Tool::Grep)),
    ("KillShell", None),
    ("LS", Some(Tool::List)),
    ("MultiEdit", Some(Tool::Edit)),
    ("NotebookEdit", Some(Tool::NotebookEdit)),
    ("NotebookRead", None),
    ("Read", Some(Tool::Read)),
    ("SendMessage", None),
    ("Skill", None),
    ("Task", Some(Tool::Agent)),
    ("TodoWrite", Some(Tool::Todo)),
    ("WebFetch", Some(Tool::WebFetch)),
    ("WebSearch", Some(Tool::WebSearch)),
    ("Write", Some(Tool::Write)),
];

impl Tool {
    /// The tool with this name in skills; `None` if the name only refers to a client's tool of the same name.
    pub fn named(name: &str) -> Option<Self> {
        SKILL_NAMES.iter().find(|(known, _)| *known == name)?.1
    }

    /// Whether the tool writes the file that its input names.
    pub fn writes_file(self) -> bool {
        matches!(self, Self::Write | Self::Edit | Self::NotebookEdit)
    }
}

/// The tool names that skills can use, other than those of MCP tools.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    SKILL_NAMES.iter().map(|(name, _)| *name)
}

/// Whether a skill can use this tool name. MCP tools are not known in advance, so every `mcp__server__tool` counts.
pub fn is_known(name: &str) -> bool {
    known_names().any(|known| known == name)
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
    /// step allows it. A program that only the role allows is denied if the step denies tools.
    #[must_use]
    pub fn and(&self, role: &Self) -> Self {
        match (self, role) {
            (Self::Unrestricted, policy) | (policy, Self::Unrestricted) => policy.clone(),
            (Self::Allow(allowed), policy) | (policy, Self::Allow(allowed)) => Self::Allow(
                allowed
                    .iter()
                    .filter(|name| policy.permits_as(Tool::named(name).unwrap_or(Tool::Other), name))
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
    pub fn permits(&self, tool: Tool) -> bool {
        self.permits_any(|named| Tool::named(named) == Some(tool))
    }

    /// Whether the policy allows a tool that a client calls by a name of its own. The policy can use that name too.
    pub fn permits_as(&self, tool: Tool, name: &str) -> bool {
        self.permits_any(|named| named == name || Tool::named(named) == Some(tool))
    }

    fn permits_any(&self, is_tool: impl Fn(&str) -> bool) -> bool {
        let is_named = self.named().iter().any(|named| is_tool(named));
        match self {
            Self::Unrestricted => true,
            Self::Deny(_) | Self::DenyExcept { .. } => !is_named,
            Self::Allow(_) => is_named,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tools: &[&str]) -> Vec<String> {
        tools.iter().map(ToString::to_string).collect()
    }

    fn deny(tools: &[&str], programs: &[Program]) -> ToolPolicy {
        let tools = names(tools);
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

    #[test]
    fn a_policy_means_the_tool_and_not_its_spelling() {
        let step = ToolPolicy::Allow(names(&["Task", "Read", "Skill"]));
        let both = step.and(&deny(&["Agent", "Skill"], &[]));
        assert_eq!(both, ToolPolicy::Allow(names(&["Read"])));
        let policy = deny(&["MultiEdit", "take_photo"], &[]);
        assert!(!policy.permits(Tool::Edit));
        assert!(policy.permits(Tool::Write));
        assert!(!policy.permits_as(Tool::Other, "take_photo"));
        assert!(policy.permits_as(Tool::Other, "take_video"));
    }
}
