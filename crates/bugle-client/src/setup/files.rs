//! A client's files, and the content that setup writes to each file.

use std::path::{Path, PathBuf};

use super::{Content, Part, Settings};
use crate::Client;

/// The skill folder shared by several clients, relative to a project and to the user's home.
pub(crate) const SHARED_SKILLS: &str = ".agents/skills";

/// The scope of a client's setup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One project.
    Project,
    /// All of the user's projects.
    User,
}

impl Scope {
    /// The scope's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// The other scope.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Project => Self::User,
            Self::User => Self::Project,
        }
    }
}

/// The folders that contain clients' files.
pub struct Roots<'a> {
    /// The project's root.
    pub root: &'a Path,
    /// The user's home.
    pub home: &'a Path,
    /// The folder that an environment variable names.
    pub variable: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// Whether a file exists.
    pub exists: &'a dyn Fn(&Path) -> bool,
}

impl Roots<'_> {
    /// The base folder of a scope.
    pub(crate) fn base(&self, scope: Scope) -> &Path {
        match scope {
            Scope::Project => self.root,
            Scope::User => self.home,
        }
    }

    /// The second file if only the second exists, otherwise the first.
    pub(crate) fn either(&self, folder: &Path, first: &str, second: &str) -> PathBuf {
        let exists = |name: &str| (self.exists)(&folder.join(name));
        folder.join(if !exists(first) && exists(second) {
            second
        } else {
            first
        })
    }

    /// The skill folder shared by several clients, in this scope.
    pub(crate) fn shared_skills(&self, scope: Scope) -> PathBuf {
        self.base(scope).join(SHARED_SKILLS)
    }
}

/// A client's folders and files that setup writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folders {
    /// The client's own folder, which contains its settings.
    pub own: PathBuf,
    /// The file for MCP servers.
    pub servers: PathBuf,
    /// The skill folder.
    pub skills: PathBuf,
    /// The instruction file for the agent.
    pub instructions: PathBuf,
}

/// Files that contain a client's hooks or can turn hooks off.
#[derive(Debug)]
pub struct SettingsFiles {
    /// Relative to the project and the user's home.
    pub files: &'static [&'static str],
    /// The administrator's files, which take precedence over the user's.
    pub managed: &'static [&'static str],
    /// The environment variable that names another settings folder, and the files in that folder.
    pub moved: Option<(&'static str, &'static [&'static str])>,
}

/// The kinds of entries that setup writes to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Hooks.
    Hooks,
    /// Hooks and the status line.
    HooksAndStatusLine,
    /// Hooks and the MCP server.
    HooksAndServer,
    /// The MCP server.
    Server,
    /// The MCP server, in a file that other clients read, too.
    SharedServer,
    /// A plugin, which replaces hooks.
    Plugin,
    /// A skill.
    Skill,
    /// An agent.
    Agent,
    /// A block of instructions.
    Instructions,
    /// Rules for commands outside the client's sandbox.
    Rules,
    /// Patterns that hide setup's files from git.
    GitExclude,
}

impl Holds {
    /// The kind of a file that contains only the MCP server.
    pub(crate) fn of_server(file: &Path) -> Self {
        if file.ends_with(".mcp.json") {
            Self::SharedServer
        } else {
            Self::Server
        }
    }

    /// The name of this kind.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hooks => "hooks",
            Self::HooksAndStatusLine => "hooks, status line",
            Self::HooksAndServer => "hooks, MCP server",
            Self::Server | Self::SharedServer => "MCP server",
            Self::Plugin => "plugin",
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Instructions => "instructions",
            Self::Rules => "sandbox rules",
            Self::GitExclude => "git exclude",
        }
    }
}

/// A file, and the content that setup writes to the file.
#[derive(Debug)]
pub struct Target {
    /// The file's path.
    pub path: PathBuf,
    /// The kind of entries in the file.
    pub holds: Holds,
    /// The content.
    pub content: TargetContent,
}

/// The content of a file.
#[derive(Debug)]
pub enum TargetContent {
    /// Bugle's part of a shared file.
    Part(Content),
    /// The whole file.
    Whole {
        /// The file's text.
        text: String,
        /// Whether Bugle wrote an existing file that contains this text.
        is_own: fn(&str) -> bool,
    },
    /// A file from an earlier setup that is no longer needed.
    Obsolete,
}

/// The setup of a client.
#[derive(Debug, Clone)]
pub struct ClientSetup {
    /// The folders to write to.
    pub folders: Folders,
    /// The program that hooks and the MCP server call.
    pub program: String,
    /// Whether to install the status line.
    pub status_line: bool,
    /// The store's folder.
    pub store: String,
    /// For a project: the text of the user's file for MCP servers, whose lists the project's file replaces.
    pub user_servers: Option<String>,
}

impl ClientSetup {
    /// A JSON settings file with some of Bugle's entries.
    pub(crate) fn settings(
        &self,
        client: Client,
        path: PathBuf,
        holds: Holds,
        parts: &'static [Part],
    ) -> Target {
        let settings = Settings {
            client,
            parts,
            program: self.program.clone(),
        };
        Target {
            path,
            holds,
            content: TargetContent::Part(Content::Settings(settings)),
        }
    }
}
