//! The public methods of a client.

use std::path::Path;

use bugle_core::wake::Budget;
use serde_json::{Map, Value, json};

use crate::Client;
use crate::agents::AgentFormat;
use crate::facts::ToolMark;
use crate::hook::HookEvent;
use crate::inactive_hooks::{HookTrust, OffSwitch};
use crate::others::QWEN_SETTINGS;
use crate::plugin::PluginFormat;
use crate::setup::{ClientSetup, Folders, Roots, Scope, SettingsFiles, Target};

impl Client {
    /// Its name on the command line and in answers.
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// The client with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.as_str() == name)
    }

    /// Its product name.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// How much of one hook's answer the client shows to the agent.
    pub fn hook_budget(self) -> Budget {
        self.facts().hooks.budget
    }

    /// Whether its hooks distinguish a sub-agent from the agent that started it.
    pub fn tells_subagents_apart(self) -> bool {
        self.facts().hooks.tells_subagents_apart
    }

    /// Whether it reports the reason of a refused stop as a prompt of the user.
    pub fn prompts_with_refusals(self) -> bool {
        self.facts().hooks.prompts_with_refusals
    }

    /// Whether it runs hooks in a login shell of the user.
    pub fn runs_hooks_in_login_shell(self) -> bool {
        self.facts().hooks.in_login_shell
    }

    /// Whether a hook with these variables was called by a tool of the agent and not by the client.
    pub fn is_called_by_tool(self, has: &dyn Fn(&str) -> bool) -> bool {
        match self.facts().recognition.tool_mark {
            ToolMark::With(name) => has(name),
            ToolMark::Without(name) => !has(name),
            ToolMark::None => false,
        }
    }

    /// The event before a tool is used.
    pub fn before_tool_event(self) -> &'static str {
        self.event_name(HookEvent::PreToolUse)
    }

    /// The client's name of an event; empty if it has none.
    fn event_name(self, event: HookEvent) -> &'static str {
        let mut events = self.facts().hooks.events.iter();
        events
            .find(|(_, known)| *known == event)
            .map_or("", |(name, _)| name)
    }

    /// The hook call of the client before its agent edits a file.
    pub fn edit_call(self, session: &str, directory: &Path, file: &Path) -> Value {
        let (tool, input) = self.facts().tools.edit;
        json!({
            "session_id": session, "cwd": directory, "hook_event_name": self.before_tool_event(),
            "tool_name": tool, "tool_input": input(file),
        })
    }

    /// The variable in which it names the session of a command.
    pub fn session_variable(self) -> Option<&'static str> {
        self.facts().recognition.command_session
    }

    /// The settings that turn all its hooks off, if it has such.
    pub fn off_switch(self) -> Option<&'static OffSwitch> {
        self.facts().hooks.off_switch.as_ref()
    }

    /// How it keeps which hooks are trusted, if it runs only those.
    pub fn hook_trust(self) -> Option<&'static HookTrust> {
        self.facts().hooks.trust.as_ref()
    }

    /// Its settings files.
    pub fn settings_files(self) -> &'static SettingsFiles {
        &self.facts().settings
    }

    /// The folders and files that setup writes to.
    pub fn folders(self, roots: &Roots<'_>, scope: Scope) -> Folders {
        (self.facts().folders)(roots, scope)
    }

    /// The files with hooks and the MCP server, in the order in which setup writes them.
    pub fn targets(self, setup: &ClientSetup) -> Vec<Target> {
        (self.facts().targets)(setup)
    }

    /// Notes for the user after setup.
    pub fn setup_notes(self, scope: Scope) -> Vec<&'static str> {
        (self.facts().setup_notes)(scope)
    }

    /// Whether a program can print its status line.
    pub fn has_status_line(self) -> bool {
        self == Self::Claude
    }

    /// Its format for agents, if Bugle can write it.
    pub fn agent_format(self) -> Option<&'static AgentFormat> {
        self.facts().agents.as_ref()
    }

    /// Its format for plugins, if it has any.
    pub fn plugin_format(self) -> Option<&'static PluginFormat> {
        self.facts().plugin.as_ref()
    }
}

/// The settings files of every client, including those that Bugle only recognises.
pub fn settings_files() -> impl Iterator<Item = &'static SettingsFiles> {
    let known = Client::ALL.into_iter().map(Client::settings_files);
    known.chain(std::iter::once(&QWEN_SETTINGS))
}

/// Whether any client has a tool of this name that asks the user.
pub fn asks_user(tool: &str) -> bool {
    let mut clients = Client::ALL.into_iter();
    clients.any(|client| client.facts().tools.ask_user.contains(&tool))
}

/// Whether any client has a tool of this name that returns when a sub-agent is done.
pub fn awaits_subagent(tool: &str) -> bool {
    let mut clients = Client::ALL.into_iter();
    clients.any(|client| client.facts().tools.subagent.contains(&tool))
}

/// The name that Bugle's MCP server gives a tool, under the name of any client. `None` if it is not a tool of that server.
pub fn bugle_tool(tool: &str) -> Option<&str> {
    let mut clients = Client::ALL.into_iter();
    clients.find_map(|client| tool.strip_prefix(client.facts().tools.bugle_prefix))
}

/// The session in the metadata of a call of an MCP tool, if a client names it there.
pub fn mcp_session(metadata: &Map<String, Value>) -> Option<String> {
    let mut clients = Client::ALL.into_iter();
    clients.find_map(|client| (client.facts().mcp_session)(metadata))
}

/// The folders in which clients read skills, below the root of a project and the user's home.
pub fn skill_folders() -> Vec<&'static str> {
    let mut folders: Vec<&str> = Vec::new();
    for client in Client::ALL {
        let folder = client.facts().skills.folder;
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The folders in which clients keep installed plugins, below the user's home: a folder per marketplace, plugin and version.
pub fn plugin_folders() -> impl Iterator<Item = &'static str> {
    let clients = Client::ALL.into_iter();
    clients.filter_map(|client| client.facts().skills.plugins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tools_of_bugles_server_are_known_under_every_clients_names() {
        for tool in [
            "mcp__bugle__finish_step",
            "mcp_bugle_finish_step",
            "bugle_finish_step",
        ] {
            assert_eq!(bugle_tool(tool), Some("finish_step"), "{tool}");
        }
        for other in ["mcp__files__write", "mcp_files_write", "Bash", "finish_step"] {
            assert_eq!(bugle_tool(other), None, "{other}");
        }
    }

    #[test]
    fn a_skill_folder_that_clients_share_is_read_once() {
        assert_eq!(skill_folders(), [".claude/skills", ".agents/skills"]);
    }
}
