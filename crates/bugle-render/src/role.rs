//! Roles for people, and as definitions that clients take for agents of their own.
//!
//! Claude Code reads `.claude/agents/NAME.md`: YAML front matter, then the agent's text. Lists of tools are one line
//! with commas, the form that every version takes; `model` is one of its names for small, usual and able models.
//!
//! Codex reads `.codex/agents/NAME.toml`: `name`, `description`, `developer_instructions` and the settings that a role
//! may have. No setting withholds single tools from an agent, and a read-only sandbox, where it is honoured at all,
//! would keep Bugle from recording what the agent reports. So what Codex cannot enforce is said in the text. It has no
//! lasting names for models of a size either; how hard a model thinks is what it lets a role choose.

use std::fmt::Write as _;

use bugle_core::role::{AgentRole, ModelSize, Role};
use bugle_core::tool::ToolPolicy;
use bugle_wire::{ExportState, RoleDetail, RoleEntry, RoleExport, RoleList};

use crate::text::printable;

/// The beginning of the line by which a definition is known as one of Bugle's. Both formats take it as a comment.
const MARK: &str = "# Written by `bugle role export`";

/// What every agent is told besides its role.
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

/// A client that can have agents of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
}

impl Client {
    /// The word for it on the command line and in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// The folder in a project where it looks for agents.
    pub fn agents_folder(self) -> &'static str {
        match self {
            Self::Claude => ".claude/agents",
            Self::Codex => ".codex/agents",
        }
    }

    /// The file of a role in that folder.
    pub fn file_name(self, role: AgentRole) -> String {
        let ending = match self {
            Self::Claude => "md",
            Self::Codex => "toml",
        };
        format!("{}.{ending}", agent_name(role))
    }

    fn title(self) -> &'static str {
        match self {
            Self::Claude => "Claude Code",
            Self::Codex => "Codex",
        }
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

/// The definition of a role as a client reads it.
pub fn definition(client: Client, name: AgentRole, role: &Role) -> String {
    let mark = format!(
        "{MARK} from the role {name}, and replaced by the next export. Change the role instead: .bugle/roles/{name}.md"
    );
    match client {
        Client::Claude => claude(&mark, name, role),
        Client::Codex => codex(&mark, name, role),
    }
}

fn claude(mark: &str, name: AgentRole, role: &Role) -> String {
    let (by_setting, by_text) = match &role.tools {
        ToolPolicy::Unrestricted => (None, ToolPolicy::Unrestricted),
        ToolPolicy::Deny(tools) | ToolPolicy::DenyExcept { tools, .. } => {
            let (listed, others): (Vec<_>, Vec<_>) =
                tools.iter().cloned().partition(|tool| fits_a_list(tool));
            (Some(("disallowedTools", listed)), ToolPolicy::Deny(others))
        }
        // What is not in the list is withheld, so nothing is left to be said.
        ToolPolicy::Allow(tools) => {
            let listed = tools.iter().filter(|tool| fits_a_list(tool)).cloned().collect();
            (Some(("tools", listed)), ToolPolicy::Unrestricted)
        }
    };
    let mut out = format!("---\n{mark}\nname: {}\n", agent_name(name));
    let _ = writeln!(out, "description: {}", quoted(role.description.trim()));
    if let Some((key, tools)) = by_setting.filter(|(_, tools)| !tools.is_empty()) {
        let _ = writeln!(out, "{key}: {}", quoted(&tools.join(", ")));
    }
    if let Some(size) = role.model {
        let model = match size {
            ModelSize::Small => "haiku",
            ModelSize::Medium => "sonnet",
            ModelSize::Large => "opus",
        };
        let _ = writeln!(out, "model: {model}");
    }
    let _ = write!(out, "---\n\n{}", told(Client::Claude, role, &by_text));
    out
}

/// Whether a tool can stand in a list with commas. Tools of MCP servers can have any name.
fn fits_a_list(tool: &str) -> bool {
    tool.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn codex(mark: &str, name: AgentRole, role: &Role) -> String {
    let mut out = format!("{mark}\nname = {}\n", quoted(&agent_name(name)));
    let _ = writeln!(out, "description = {}", quoted(role.description.trim()));
    if let Some(size) = role.model {
        let effort = match size {
            ModelSize::Small => "low",
            ModelSize::Medium => "medium",
            ModelSize::Large => "high",
        };
        let _ = writeln!(out, "model_reasoning_effort = {}", quoted(effort));
    }
    let text = told(Client::Codex, role, &role.tools);
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    let _ = writeln!(out, "developer_instructions = \"\"\"\n{}\"\"\"", lines.join("\n"));
    out
}

/// What the agent is told: the role, Bugle's first act, and which tools it has to leave alone by itself.
fn told(client: Client, role: &Role, by_text: &ToolPolicy) -> String {
    let mut out = format!("{}\n\n{FIRST_ACT}\n", role.text.trim());
    let title = client.title();
    match by_text {
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

fn in_code(tools: &[String]) -> String {
    let names: Vec<String> = tools.iter().map(|tool| format!("`{tool}`")).collect();
    names.join(", ")
}

/// A text in double quotes, with escapes that mean the same in YAML, TOML and JSON. Three hyphens in a row never stand
/// in it: Claude Code takes them for the end of the front matter, wherever they are.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    format!("\"{}\"", lines.join("\\n").replace("---", "--\\u002d"))
}

/// A line for the inside of double quotes. Escaped is also what YAML takes for the end of a line or does not take at
/// all, though the other formats would have it as it is.
fn escaped(line: &str) -> String {
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

/// Roles, a few lines each.
pub fn list(view: &RoleList) -> String {
    let mut out = String::new();
    for role in &view.roles {
        let _ = writeln!(
            out,
            "{}\n    {}\n    {}",
            heading(role),
            role.description,
            tools(role)
        );
    }
    printable(&out)
}

/// A role with all that it is told.
pub fn detail(view: &RoleDetail) -> String {
    let entry = &view.entry;
    let mut out = format!("{}\n{}\n", heading(entry), entry.description);
    if let Some(path) = &entry.path {
        let _ = writeln!(out, "in {path}");
    }
    let _ = writeln!(out, "{}\n\n{}", tools(entry), view.text);
    printable(&out)
}

fn heading(role: &RoleEntry) -> String {
    let model = role.model.as_deref();
    let model = model.map(|size| format!(", {size} model")).unwrap_or_default();
    format!("{}  ({}{model})", role.name, role.source)
}

fn tools(role: &RoleEntry) -> String {
    match &role.allowed_tools {
        Some(allowed) if allowed.is_empty() => "may use no tools".to_owned(),
        Some(allowed) => format!("may use only {}", allowed.join(", ")),
        None if role.denied_tools.is_empty() => "may use every tool".to_owned(),
        None => format!("may not use {}", role.denied_tools.join(", ")),
    }
}

/// What an export did.
pub fn export(view: &RoleExport, client: Client) -> String {
    let mut out = String::new();
    for file in &view.files {
        let state = match file.state {
            ExportState::Written => "written",
            ExportState::Unchanged => "unchanged",
        };
        let _ = writeln!(out, "{state:<10} {}", file.path);
    }
    out.push_str(match client {
        Client::Claude => "Claude Code knows them from its next session on.\n",
        Client::Codex => "Codex knows them from its next session on, in a project that it trusts.\n",
    });
    printable(&out)
}
