//! Roles as definitions that clients take for agents of their own. What a client cannot enforce, the agent's text says.

use std::fmt::Write as _;

use bugle_core::role::{AgentRole, Role};
use bugle_core::tool::ToolPolicy;

use crate::Client;

/// The beginning of the line by which a definition is known as one of Bugle's. Every format takes it as a comment.
const MARK: &str = "# Written by `bugle role export`";

/// What every agent reads after its role.
const FIRST_ACT: &str = "## With Bugle

If your prompt carries a `bugle start --child` command (perhaps with a path before
`bugle`), running it is your first act: exactly as it stands there, before you look at
or change anything. What it prints is your first step, and each step ends with the
command that leads to the next; your report goes into the answers that they ask for.
The files that a step names for your answers belong to Bugle and not to the project:
write them whatever else you may not change, with the shell if you have no other tool
for it. When an `<orchestrator_action>` is printed, your part is over. It is meant for
whoever started you: make it your last words, word for word, and run none of the
commands in it.

Without such a command, do what the prompt asks and end with your report.";

/// How a client defines agents.
#[derive(Debug, Clone, Copy)]
pub struct AgentFormat {
    /// The client.
    pub client: Client,
    /// The folder in a project where the client looks for agents.
    pub folder: &'static str,
    /// What the user has to know after an export.
    pub export_note: &'static str,
    pub(crate) extension: &'static str,
    pub(crate) render: fn(&AgentDefinition<'_>) -> String,
}

/// What a definition is rendered from.
pub(crate) struct AgentDefinition<'a> {
    /// The comment by which Bugle knows the file again.
    pub mark: String,
    /// What the client calls the agent.
    pub name: String,
    pub role: &'a Role,
}

impl AgentFormat {
    /// The file of a role in the client's folder.
    pub fn file_name(&self, role: AgentRole) -> String {
        format!("{}.{}", agent_name(role), self.extension)
    }

    /// The definition of a role.
    pub fn definition(&self, name: AgentRole, role: &Role) -> String {
        let mark = format!(
            "{MARK} from the role {name}, and replaced by the next export. Change the role instead: .bugle/roles/{name}.md"
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

    /// The agent's text: its role, Bugle's first act, and the tools that the client cannot withhold.
    pub(crate) fn instructions(&self, client: Client, not_enforced: &ToolPolicy) -> String {
        let mut out = format!("{}\n\n{FIRST_ACT}\n", self.role.text.trim());
        let title = client.title();
        match not_enforced {
            ToolPolicy::Deny(tools) | ToolPolicy::DenyExcept { tools, .. } if !tools.is_empty() => {
                let _ = write!(
                    out,
                    "
## Tools

{title} has no setting that takes these tools from an agent, so it is for you
to leave them alone, and whatever does the same under another name or by another way:
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

{title} has no setting that limits an agent to some tools, so it is for you to
use only these, or what does the same under another name: {}.
",
                    in_code(tools)
                );
            }
            ToolPolicy::Deny(_) | ToolPolicy::DenyExcept { .. } | ToolPolicy::Unrestricted => {}
        }
        out
    }
}

/// What a client calls the agent of a role. The prefix keeps it apart from the user's own agents.
pub fn agent_name(role: AgentRole) -> String {
    format!("bugle-{role}")
}

/// Whether a file was written by an export and may be replaced by one.
pub fn is_definition(text: &str) -> bool {
    let first = text.strip_prefix("---").map_or(text, str::trim_start);
    first.starts_with(MARK)
}

fn in_code(tools: &[String]) -> String {
    let names: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    names.join(", ")
}

/// A text in double quotes, with escapes that mean the same in YAML, TOML and JSON. It never holds three hyphens in a
/// row: Claude Code takes them for the end of the front matter, wherever they are.
pub(crate) fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    format!("\"{}\"", lines.join("\\n").replace("---", "--\\u002d"))
}

/// A line for the inside of double quotes. Also escaped is what YAML takes for a line break or rejects.
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
