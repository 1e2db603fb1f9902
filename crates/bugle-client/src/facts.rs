//! Bugle's facts about a client.

use std::path::Path;

use bugle_core::reply::TranscriptItem;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;
use serde_json::{Map, Value};

use crate::agents::AgentFormat;
use crate::hook::{ContextPlace, DenialShape, HookEvent, LackingCalls, TodoChange, TodoList};
use crate::inactive_hooks::{HookTrust, OffSwitch, ProjectTrust};
use crate::launch::CommandLine;
use crate::plugin::PluginFormat;
use crate::setup::{ClientSetup, Folders, Json, Roots, SHARED_SKILLS, Scope, SettingsFiles, Target};
use crate::transcript::Transcript;

/// Everything that differs by client. To add a client, add a file with one `Facts` value.
pub(crate) struct Facts {
    /// The name of the client's program, which is also the client's name on the command line and in answers.
    pub name: &'static str,
    /// The client's product name.
    pub title: &'static str,
    pub recognition: Recognition,
    pub command_line: CommandLine,
    pub transcript_items: fn(&mut Transcript, &Value) -> Vec<TranscriptItem>,
    pub tools: ToolNames,
    pub hooks: HookFacts,
    pub settings: SettingsFiles,
    pub folders: fn(&Roots<'_>, Scope) -> Folders,
    pub targets: fn(&ClientSetup) -> Vec<Target>,
    /// The key for MCP servers in the client's JSON settings, and the format of an entry.
    pub server: (&'static str, fn(&str) -> Json),
    /// The session in the metadata of an MCP tool call, if the client sends one.
    pub mcp_session: fn(&Map<String, Value>) -> Option<String>,
    pub skills: SkillFolders,
    pub setup_notes: fn(Scope) -> Vec<&'static str>,
    pub agents: Option<AgentFormat>,
    pub plugin: Option<PluginFormat>,
}

/// The client's names for tools that Bugle has rules about.
pub(crate) struct ToolNames {
    /// The client's tools by name, each with its purpose. Bugle has no rules about other tools.
    pub meanings: &'static [(&'static str, Tool)],
    /// Tools that return when a sub-agent has finished.
    pub subagent: &'static [&'static str],
    /// The tool that changes a file: its name, and its input for a file.
    pub edit: (&'static str, fn(&Path) -> Value),
    /// Tools that rewrite the agent's whole to-do list.
    pub todo_lists: &'static [TodoList],
    /// Tools that add or change one item of the to-do list.
    pub todo_items: &'static [(&'static str, TodoChange)],
    /// Prefixes that the client can add to a tool's name.
    pub namespaces: &'static [&'static str],
    /// The prefix that the client adds to the tool names of Bugle's MCP server.
    pub bugle_prefix: &'static str,
    /// The prefix of all MCP tools, if the client has one.
    pub mcp_prefix: Option<&'static str>,
}

/// The folder from which a client reads skills, relative to the project's root and to the user's home.
pub(crate) struct SkillFolders {
    pub folder: &'static str,
    /// The folder for installed plugins, relative to the user's home. It contains one folder per marketplace, plugin
    /// and version.
    pub plugins: Option<&'static str>,
}

impl SkillFolders {
    /// The skill folder shared by several clients.
    pub(crate) const SHARED: Self = Self {
        folder: SHARED_SKILLS,
        plugins: None,
    };
}

/// How a client runs hooks.
pub(crate) struct HookFacts {
    /// Maximum size of a hook's answer that the client shows to the agent.
    pub budget: Budget,
    /// The events that Bugle handles, with the client's names for them.
    pub events: &'static [(&'static str, HookEvent)],
    /// The time limit of a hook, in the unit that the client's settings use.
    pub timeout: fn(HookEvent) -> u32,
    /// The name of a hook, for clients that name hooks.
    pub handler_name: Option<&'static str>,
    /// How the client reads a denial.
    pub denial: DenialShape,
    /// Prefixes of prompts that the client generates.
    pub generated_prompts: &'static [&'static str],
    /// The start and end of blocks that the client inserts before the user's text.
    pub prompt_prefaces: &'static [(&'static str, &'static str)],
    /// Settings that turn all hooks off.
    pub off_switch: Option<OffSwitch>,
    /// How the client records trusted folders, for clients that ignore the settings of other projects.
    pub project_trust: Option<ProjectTrust>,
    /// How the client records trusted hooks, for clients that run only trusted hooks.
    pub trust: Option<HookTrust>,
    /// Whether agents' commands run in the user's login shell. Its profile can set another `PATH` than hooks have.
    pub in_login_shell: bool,
    /// Whether the client reports the reason for a refused stop as a user prompt.
    pub prompts_with_refusals: bool,
    pub gaps: HookGaps,
}

/// What a client's hooks lack. Bugle closes each gap in another way.
pub(crate) struct HookGaps {
    /// For a client that passes no session to some commands or MCP calls of its agents. Bugle adds the session to the
    /// input.
    pub lacks_session: Option<LackingSession>,
    pub start_reply: StartReply,
    /// The client writes a closing tag right after the context in a reply, so the context must end with a line break.
    pub tags_context: bool,
    /// For a client that reports only some compactions: the matcher of those. Bugle repeats the agent's position with
    /// every prompt.
    pub reported_compactions: Option<&'static str>,
    /// For a client whose hooks do not mention sub-agents: the tool with which a sub-agent returns its result.
    pub subagent_end: Option<&'static str>,
    /// Events at which the client shows the agent no text.
    pub silent_events: &'static [HookEvent],
    /// Where the client reads the text for the agent in a reply.
    pub context: ContextPlace,
}

impl HookGaps {
    pub(crate) const NONE: Self = Self {
        lacks_session: None,
        start_reply: StartReply::Kept,
        tags_context: false,
        reported_compactions: None,
        subagent_end: None,
        silent_events: &[],
        context: ContextPlace::Specific,
    };
}

/// The calls of a client's agents that have no session.
pub(crate) struct LackingSession {
    /// The field of a reply that changes a tool's input.
    pub field: &'static str,
    pub calls: LackingCalls,
}

/// What becomes of a hook's reply to the start of a session.
#[derive(PartialEq, Eq)]
pub(crate) enum StartReply {
    /// It stays in the conversation.
    Kept,
    /// The client replaces it when the session is resumed.
    Replaced,
    /// The client loses it. The agent gets it with its first prompt.
    Lost,
}

/// How to recognise a client.
pub(crate) struct Recognition {
    /// The name of the client's program, if it has one.
    pub program: Option<&'static str>,
    /// The folder of the client's script, if the script is not named after the program.
    pub package: Option<&'static str>,
    /// The environment variable with the session in the commands of the client's agents.
    pub command_session: Option<&'static str>,
    /// The environment variable with the session in hooks, for clients that also run other clients' hooks.
    pub hook_session: Option<&'static str>,
    /// Environment variables that the client sets in its agents' commands.
    pub command_marks: &'static [&'static str],
    /// The environment variable that the client sets in hooks, for clients that also run other clients' hooks.
    pub hook_mark: Option<&'static str>,
    /// Environment variables that describe the client to its own processes. Their values are wrong in another client's
    /// processes.
    pub own_variables: &'static [&'static str],
    /// Environment variables that the client sets in the sandbox for its commands.
    pub sandbox: &'static [&'static str],
    /// What to do if a command in the sandbox cannot use the store, one sentence or two per hint.
    pub sandbox_hints: &'static [&'static str],
    /// Environment variables with paths that are the same in the client's shell as in its hooks.
    pub path_variables: &'static [&'static str],
    /// The environment variable with the project's folder, for servers that the client starts.
    pub project_folder: Option<&'static str>,
    /// How to distinguish a tool's process from a hook's process.
    pub tool_mark: ToolMark,
    /// The files with the client's own hooks, for clients that also run other clients' hooks.
    pub own_hooks: Option<OwnHooks>,
}

/// The files with a client's own hooks. If one of them exists, hooks in other files would answer a second time.
pub(crate) struct OwnHooks {
    /// The environment variable with the folder of the file that contains the called hook.
    pub called_from: Option<&'static str>,
    /// The environment variable with the user's folder, the default folder in the home, and the file in that folder.
    pub user: (&'static str, &'static str, &'static str),
    /// The environment variable with the project's folder, and the file in that folder.
    pub project: (&'static str, &'static str),
}

/// The environment variable that distinguishes a tool's process from a hook's process.
pub(crate) enum ToolMark {
    /// Set for tools only.
    With(&'static str),
    /// Set for hooks only.
    Without(&'static str),
    /// The client sets no such environment variable.
    None,
}

impl Recognition {
    /// A client that cannot be recognised.
    pub(crate) const NONE: Self = Self {
        program: None,
        package: None,
        command_session: None,
        hook_session: None,
        command_marks: &[],
        hook_mark: None,
        own_variables: &[],
        sandbox: &[],
        sandbox_hints: &[],
        path_variables: &[],
        project_folder: None,
        tool_mark: ToolMark::None,
        own_hooks: None,
    };
}
