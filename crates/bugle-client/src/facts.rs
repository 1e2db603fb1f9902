//! What Bugle knows about one client.

use std::path::Path;

use bugle_core::wake::Budget;
use bugle_wire::TranscriptItem;
use serde_json::{Map, Value};

use crate::agents::AgentFormat;
use crate::hook::{DenialShape, HookEvent, TodoList};
use crate::inactive_hooks::{HookTrust, OffSwitch};
use crate::launch::CommandLine;
use crate::plugin::PluginFormat;
use crate::setup::{ClientSetup, Folders, Json, Roots, SHARED_SKILLS, Scope, SettingsFiles, Target};
use crate::transcript::Transcript;

/// Everything that differs by client. A new client is a new file with one of these.
pub(crate) struct Facts {
    /// The name of its program, which is also the client's name on the command line and in answers.
    pub name: &'static str,
    /// Its product name.
    pub title: &'static str,
    pub recognition: Recognition,
    pub command_line: CommandLine,
    pub transcript_items: fn(&mut Transcript, &Value) -> Vec<TranscriptItem>,
    pub tools: ToolNames,
    pub hooks: HookFacts,
    pub settings: SettingsFiles,
    pub folders: fn(&Roots<'_>, Scope) -> Folders,
    pub targets: fn(&ClientSetup) -> Vec<Target>,
    /// The key of MCP servers in its JSON settings, and the form of one.
    pub server: (&'static str, fn(&str) -> Json),
    /// The session in the metadata of a call of an MCP tool, if it sends one.
    pub mcp_session: fn(&Map<String, Value>) -> Option<String>,
    pub skills: SkillFolders,
    pub setup_notes: fn(Scope) -> Vec<&'static str>,
    pub agents: Option<AgentFormat>,
    pub plugin: Option<PluginFormat>,
}

/// The client's names for tools that Bugle has rules about.
pub(crate) struct ToolNames {
    /// Asks the user something and returns the answer.
    pub ask_user: &'static [&'static str],
    /// Returns when a sub-agent is done.
    pub subagent: &'static [&'static str],
    /// Changes a file: the name of the tool, and its input for a file.
    pub edit: (&'static str, fn(&Path) -> Value),
    /// Rewrites the agent's whole to-do list.
    pub todo_lists: &'static [TodoList],
    /// Prefixes that the client can put before the name of a tool.
    pub namespaces: &'static [&'static str],
    /// What it puts before the names of the tools of Bugle's MCP server.
    pub bugle_prefix: &'static str,
}

/// Where a client reads skills, below the root of the project and the user's home.
pub(crate) struct SkillFolders {
    pub folder: &'static str,
    /// Where it keeps the plugins that the user installed, below the home: a folder per marketplace, plugin and version.
    pub plugins: Option<&'static str>,
}

impl SkillFolders {
    /// The folder that several clients share.
    pub(crate) const SHARED: Self = Self {
        folder: SHARED_SKILLS,
        plugins: None,
    };
}

/// How a client runs hooks.
pub(crate) struct HookFacts {
    /// How much of one hook's answer the client shows to the agent.
    pub budget: Budget,
    /// The events that Bugle handles, by the client's names.
    pub events: &'static [(&'static str, HookEvent)],
    /// The time limit of a hook, in the unit of the client's settings.
    pub timeout: fn(HookEvent) -> u32,
    /// The name of a hook, in clients that name them.
    pub handler_name: Option<&'static str>,
    /// How the client reads a denial.
    pub denial: DenialShape,
    /// The beginnings of prompts that the client generates.
    pub generated_prompts: &'static [&'static str],
    /// The start and end of blocks that the client puts before what the user typed.
    pub prompt_prefaces: &'static [(&'static str, &'static str)],
    /// Settings that turn all hooks off.
    pub off_switch: Option<OffSwitch>,
    /// Which hooks run, in clients that skip those that the user has not trusted.
    pub trust: Option<HookTrust>,
    /// Whether hooks run in a login shell of the user.
    pub in_login_shell: bool,
    /// Whether hooks distinguish a sub-agent from the agent that started it.
    pub tells_subagents_apart: bool,
    /// Whether the client reports the reason of a refused stop as a prompt of the user.
    pub prompts_with_refusals: bool,
}

/// How to recognise a client.
pub(crate) struct Recognition {
    /// The name of its program, if it has one of its own.
    pub program: Option<&'static str>,
    /// Names the session in commands of its agents.
    pub command_session: Option<&'static str>,
    /// Names the session in hooks, in clients that also run hooks of others.
    pub hook_session: Option<&'static str>,
    /// Set in commands of its agents.
    pub command_marks: &'static [&'static str],
    /// Set in hooks, in clients that also run hooks of others.
    pub hook_mark: Option<&'static str>,
    /// Describe the client to its own processes; wrong in those of another client.
    pub own_variables: &'static [&'static str],
    /// Set in a sandbox for its commands.
    pub sandbox: &'static [&'static str],
    /// Variables with paths that are the same in its shell as in its hooks.
    pub path_variables: &'static [&'static str],
    /// Names the folder of its project to the servers that it starts.
    pub project_folder: Option<&'static str>,
    /// Tells a tool's process from a hook's.
    pub tool_mark: ToolMark,
}

/// The variable that distinguishes a tool's process from a hook's.
pub(crate) enum ToolMark {
    /// Set for tools only.
    With(&'static str),
    /// Set for hooks only.
    Without(&'static str),
    /// There is none.
    None,
}

impl Recognition {
    /// A client with nothing to recognise it by.
    pub(crate) const NONE: Self = Self {
        program: None,
        command_session: None,
        hook_session: None,
        command_marks: &[],
        hook_mark: None,
        own_variables: &[],
        sandbox: &[],
        path_variables: &[],
        project_folder: None,
        tool_mark: ToolMark::None,
    };
}
