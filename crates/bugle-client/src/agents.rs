//! Renders roles as agent definitions for clients. Limits that a client cannot enforce go into the agent's text.

use std::fmt::Write as _;

use bugle_core::role::{AgentRole, Role};
use bugle_core::tool::ToolPolicy;

use crate::Client;

/// The first words of the line that marks a definition as Bugle's. The line is a comment in every format.
const MARK: &str = "# Written by `bugle role export`";

/// The section after the role in every definition.
const FIRST_ACT: &str = "## With Bugle

If your prompt contains a `bugle start --child` command (`bugle` may have a path in
front), run it first, exactly as printed, before you read or change anything. It
prints your first step. Each step ends with the command that leads to the next one.
Put your report into the results that the steps ask for. The result files that a step
names belong to Bugle, not to the project: write them even if you may not change
files. Use the shell if you have no other tool. When Bugle prints an
`<orchestrator_action>`, you are done. It is for the agent that started you: make it
your final message, unchanged, and run none of its commands.

Without such a command, do what the prompt asks and end with your report.";

/// How a client defines agents.
#[derive(Debug, Clone, Copy)]
pub struct AgentFormat {
    /// The client.
    pub client: Client,
    /// The folder in a project where the client looks for agents.
    pub folder: &'static str,
    /// A note to the user after an export.
    pub export_note: &'static str,
    pub(crate) extension: &'static str,
    pub(crate) render: fn(&AgentDefinition<'_>) -> String,
}

/// The input for rendering a definition.
pub(crate) struct AgentDefinition<'a> {
    /// The comment by which Bugle recognises the file.
    pub mark: String,
    /// The agent's name in the client.
    pub name: String,
    pub role: &'a Role,
}

impl AgentFormat {
    /// The file name of a role in the client's folder.
    pub fn file_name(&self, role: AgentRole) -> String {
        format!("{}.{}", agent_name(role), self.extension)
    }

    /// A role's definition.
    pub fn definition(&self, name: AgentRole, role: &Role) -> String {
        let mark = format!(
            "{MARK} from the role {name}; the next export overwrites this file. Change the role instead: \
             .bugle/roles/{name}.md"
        );
        (self.render)(&AgentDefinition {
            mark,
            name: agent_name(name),
            role,
        })
    }
}

impl AgentDefinition<'_> {
    pub(crate) fn description(&self) -> String {
        quoted(self.role.description.trim())
    }

    pub(crate) fn name_and_description(&self) -> [(&'static str, String); 2] {
        [("name", self.name.clone()), ("description", self.description())]
    }

    /// For a client that enforces a list of tools, separated by commas: the field with the list, and the limits that the
    /// list cannot express. `names` returns the client's names for tools.
    pub(crate) fn tool_list(
        &self,
        names: fn(&[String]) -> Vec<&str>,
    ) -> (Option<(&'static str, String)>, ToolPolicy) {
        let (field, tools, not_enforced) = match &self.role.tools {
            ToolPolicy::Unrestricted => return (None, ToolPolicy::Unrestricted),
            ToolPolicy::Deny(tools) | ToolPolicy::DenyExcept { tools, .. } => {
                let (listed, others): (Vec<_>, Vec<_>) =
                    tools.iter().cloned().partition(|tool| fits_a_list(tool));
                ("disallowedTools", listed, ToolPolicy::Deny(others))
            }
            // The client enforces the list, so the text does not repeat it.
            ToolPolicy::Allow(tools) => {
                let listed: Vec<_> = tools.iter().filter(|tool| fits_a_list(tool)).cloned().collect();
                ("tools", listed, ToolPolicy::Unrestricted)
            }
        };
        let list = quoted(&names(&tools).join(", "));
        ((!tools.is_empty()).then_some((field, list)), not_enforced)
    }

    /// A definition in Markdown: these fields in YAML, then the agent's text.
    pub(crate) fn markdown(
        &self,
        client: Client,
        fields: impl IntoIterator<Item = (&'static str, String)>,
        not_enforced: &ToolPolicy,
    ) -> String {
        let mut out = format!("---\n{}\n", self.mark);
        for (name, value) in fields {
            let _ = writeln!(out, "{name}: {value}");
        }
        let _ = write!(out, "---\n\n{}", self.instructions(client, not_enforced));
        out
    }

    /// The agent's text: its role, how to work with Bugle, and the tool limits that the client cannot enforce.
    pub(crate) fn instructions(&self, client: Client, not_enforced: &ToolPolicy) -> String {
        let mut out = format!("{}\n\n{FIRST_ACT}\n", self.role.text.trim());
        let title = client.title();
        match not_enforced {
            ToolPolicy::Deny(tools) | ToolPolicy::DenyExcept { tools, .. } if !tools.is_empty() => {
                let _ = write!(
                    out,
                    "
## Tools

{title} cannot disable these tools for an agent. Do not use them, or anything
else that does the same:
{}.
",
                    in_code(tools)
                );
            }
            ToolPolicy::Allow(tools) => {
                let _ = write!(
                    out,
                    "
## Tools

{title} cannot limit an agent to certain tools. Use only these, or tools that do
the same under another name: {}.
",
                    in_code(tools)
                );
            }
            ToolPolicy::Deny(_) | ToolPolicy::DenyExcept { .. } | ToolPolicy::Unrestricted => {}
        }
        out
    }
}

/// The agent name for a role. A prefix distinguishes the name from those of the user's own agents.
pub fn agent_name(role: AgentRole) -> String {
    format!("bugle-{role}")
}

/// Whether an earlier export wrote the file with this text. Another export may then replace the file.
pub fn is_definition(text: &str) -> bool {
    let first = text.strip_prefix("---").map_or(text, str::trim_start);
    first.starts_with(MARK)
}

/// Whether a comma-separated list can contain this tool name. MCP servers can give their tools any name.
fn fits_a_list(tool: &str) -> bool {
    tool.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn in_code(tools: &[String]) -> String {
    let names: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    names.join(", ")
}

/// Text in double quotes, with escapes that mean the same in YAML, TOML and JSON. The text never contains `---`,
/// because Claude Code treats that as the end of the front matter, even inside a string.
pub(crate) fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    format!("\"{}\"", lines.join("\\n").replace("---", "--\\u002d"))
}

/// Escapes a line for double quotes, including characters that YAML rejects or treats as a line break.
pub(crate) fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for character in line.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{0}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out
}
