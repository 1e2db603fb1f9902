//! The public methods of [`Client`].

use std::path::Path;

use bugle_core::wake::Budget;
use serde_json::{Map, Value, json};

use crate::Client;
use crate::agents::AgentFormat;
use crate::facts::{StartReply, ToolMark};
use crate::hook::HookEvent;
use crate::inactive_hooks::{HookTrust, OffSwitch, ProjectTrust};
use crate::plugin::PluginFormat;
use crate::setup::{ClientSetup, Folders, Roots, Scope, SettingsFiles, Target};

impl Client {
    /// The client's name on the command line and in answers.
    pub fn as_str(self) -> &'static str {
        self.facts().name
    }

    /// The client with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.as_str() == name)
    }

    /// The client's product name.
    pub fn title(self) -> &'static str {
        self.facts().title
    }

    /// Maximum size of a hook's answer that the client shows to the agent.
    pub fn hook_budget(self) -> Budget {
        self.facts().hooks.budget
    }

    /// Whether the client reports the reason for a refused stop as a user prompt.
    pub fn prompts_with_refusals(self) -> bool {
        self.facts().hooks.prompts_with_refusals
    }

    /// Whether the agent gets the reply to the start of a session only with its first prompt.
    pub fn loses_start_reply(self) -> bool {
        self.facts().hooks.gaps.start_reply == StartReply::Lost
    }

    /// Whether the client can compact a conversation without telling its hooks.
    pub fn hides_compactions(self) -> bool {
        self.facts().hooks.gaps.reported_compactions.is_some()
    }

    /// For a client whose hooks do not mention sub-agents: the tool with which a sub-agent returns its result.
    pub fn subagent_end(self) -> Option<&'static str> {
        self.facts().hooks.gaps.subagent_end
    }

    /// Whether a resumed session no longer contains the wake-up from its start.
    pub fn forgets_wakeup_on_resume(self) -> bool {
        self.facts().hooks.gaps.start_reply == StartReply::Replaced
    }

    /// Whether the client runs its agents' commands in the user's login shell.
    pub fn runs_commands_in_login_shell(self) -> bool {
        self.facts().hooks.in_login_shell
    }

    /// Whether one of the agent's tools, not the client, called a hook with these environment variables.
    pub fn is_called_by_tool(self, has: &dyn Fn(&str) -> bool) -> bool {
        match self.facts().recognition.tool_mark {
            ToolMark::With(name) => has(name),
            ToolMark::Without(name) => !has(name),
            ToolMark::None => false,
        }
    }

    /// The client's name for the event before a tool is used.
    pub fn before_tool_event(self) -> &'static str {
        self.event_name(HookEvent::PreToolUse)
    }

    /// The client's name for an event; empty if the client has no such event.
    fn event_name(self, event: HookEvent) -> &'static str {
        let mut events = self.facts().hooks.events.iter();
        events
            .find(|(_, known)| *known == event)
            .map_or("", |(name, _)| name)
    }

    /// The hook call that the client makes before its agent edits a file.
    pub fn edit_call(self, session: &str, directory: &Path, file: &Path) -> Value {
        let (tool, input) = self.facts().tools.edit;
        json!({
            "session_id": session, "cwd": directory, "hook_event_name": self.before_tool_event(),
            "tool_name": tool, "tool_input": input(file),
        })
    }

    /// The environment variable with the session of a command.
    pub fn session_variable(self) -> Option<&'static str> {
        self.facts().recognition.command_session
    }

    /// Whether the commands of the client's agents know their session: from the client, or from Bugle's hook.
    pub fn commands_know_their_session(self) -> bool {
        self.session_variable().is_some() || self.facts().hooks.gaps.lacks_session.is_some()
    }

    /// The settings that turn all of the client's hooks off, if there are any.
    pub fn off_switch(self) -> Option<&'static OffSwitch> {
        self.facts().hooks.off_switch.as_ref()
    }

    /// How the client records trusted folders; `None` if it reads the settings of every project.
    pub fn project_trust(self) -> Option<&'static ProjectTrust> {
        self.facts().hooks.project_trust.as_ref()
    }

    /// How the client records trusted hooks; `None` if it runs all hooks.
    pub fn hook_trust(self) -> Option<&'static HookTrust> {
        self.facts().hooks.trust.as_ref()
    }

    /// The client's settings files.
    pub fn settings_files(self) -> &'static SettingsFiles {
        &self.facts().settings
    }

    /// The folders and files that setup writes to.
    pub fn folders(self, roots: &Roots<'_>, scope: Scope) -> Folders {
        (self.facts().folders)(roots, scope)
    }

    /// The files for hooks and the MCP server, in the order in which setup writes them.
    pub fn targets(self, setup: &ClientSetup) -> Vec<Target> {
        (self.facts().targets)(setup)
    }

    /// Notes for the user after setup.
    pub fn setup_notes(self, scope: Scope) -> Vec<&'static str> {
        (self.facts().setup_notes)(scope)
    }

    /// Whether a program can provide the client's status line.
    pub fn has_status_line(self) -> bool {
        self == Self::Claude
    }

    /// The client's format for agent definitions, if Bugle can write that format.
    pub fn agent_format(self) -> Option<&'static AgentFormat> {
        self.facts().agents.as_ref()
    }

    /// The client's plugin format, if it has one.
    pub fn plugin_format(self) -> Option<&'static PluginFormat> {
        self.facts().plugin.as_ref()
    }
}

/// The settings files of every client.
pub fn settings_files() -> impl Iterator<Item = &'static SettingsFiles> {
    Client::ALL.into_iter().map(Client::settings_files)
}

/// The session in the metadata of an MCP tool call, if a client sends one.
pub fn mcp_session(metadata: &Map<String, Value>) -> Option<String> {
    let mut clients = Client::ALL.into_iter();
    clients.find_map(|client| (client.facts().mcp_session)(metadata))
}

/// The folders from which clients read skills, relative to a project's root and to the user's home.
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

/// The folders in which clients keep installed plugins, relative to the user's home: one folder per marketplace, plugin
/// and version.
pub fn plugin_folders() -> impl Iterator<Item = &'static str> {
    let clients = Client::ALL.into_iter();
    clients.filter_map(|client| client.facts().skills.plugins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_folder_that_clients_share_is_read_once() {
        assert_eq!(skill_folders(), [".claude/skills", ".agents/skills"]);
    }
}
