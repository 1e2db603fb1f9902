//! A command's context: folders, project, session, actor, clock, and how to call Bugle.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use bugle_client::recognition::{SESSION, session_variables};
use bugle_client::shell_word;
use bugle_core::id::{Actor, RunId, SessionId, TaskId, Timestamp};
use bugle_core::interface::Interface;
use bugle_core::message::AgentAddress;

use crate::AppError;
use crate::ancestors::{AGENT_VARIABLE, agent_marks, is_inherited};
use crate::ids::{Clock, RandomSource};
use crate::store_location::StoreLocation;
use crate::worktree::FingerprintCache;

/// Looks up an environment variable; tests pass their own.
pub type VariableSource<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The session of the agent that runs this command. A client that was started in another client's shell inherits that
/// shell's `BUGLE_SESSION`, which is not the session of its own agents.
fn command_session(variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let mut sessions = session_variables().filter_map(|name| Some((name, variable(name)?)));
    let (name, first) = sessions.next()?;
    let other = sessions.map(|(_, session)| session).find(|other| *other != first);
    match other {
        Some(other) if name == SESSION && is_inherited(name, &first) => Some(other),
        _ => Some(first),
    }
}

/// A command's context.
#[derive(Debug, Clone)]
pub struct Context {
    /// The folder with Bugle's files.
    pub bugle_home: PathBuf,
    /// Where the store is.
    pub store: StoreLocation,
    /// The user's home folder.
    pub home: PathBuf,
    /// The folder in which the command runs.
    pub directory: PathBuf,
    /// The root of the worktree; outside git, the current folder.
    pub root: PathBuf,
    /// The path that identifies the project: git's common folder, which all worktrees share.
    pub project: String,
    /// The project's name in addresses, if it differs from the folder's name. Set when the store is queried.
    pub project_name: OnceLock<Option<String>>,
    /// The cached fingerprint of the worktree.
    pub(crate) fingerprint: FingerprintCache,
    /// The session of the client that runs the command.
    pub session: Option<SessionId>,
    /// The agent for which Bugle started this client.
    pub agent: Option<AgentAddress>,
    /// The agent that `--as` names.
    pub acting_as: Option<String>,
    /// The actor recorded for changes.
    pub actor: Actor,
    /// The user's name.
    pub user: String,
    /// Whether the environment shows a client among the ancestor processes.
    pub lineage: Lineage,
    /// The interface through which the caller calls Bugle.
    pub interface: Interface,
    /// The program's name or path in printed commands.
    pub program: String,
    /// The clock.
    pub clock: Clock,
    /// The source of new ids.
    pub random: RandomSource,
}

/// Whether the environment shows a client among the ancestor processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lineage {
    /// An environment variable shows that a client is among the ancestors.
    Client,
    /// No such variable is set, but a client may still be among the ancestors.
    Unknown,
    /// A person acts, regardless of the ancestors. Only the dashboard sets this, which no agent can open,
    /// and an MCP client's form, which only the user sees.
    Person,
}

impl Context {
    /// Builds the context from the environment and the current folder.
    pub fn find(
        variables: VariableSource<'_>,
        directory: &Path,
        interactive: bool,
    ) -> Result<Self, AppError> {
        let home = variables("HOME")
            .or_else(|| variables("USERPROFILE"))
            .map(PathBuf::from);
        let bugle_home = match (variables("BUGLE_HOME").filter(|path| !path.is_empty()), &home) {
            (Some(path), _) => directory.join(path),
            (None, Some(home)) => home.join(".bugle"),
            (None, None) => {
                return Err(AppError::Usage {
                    what: "neither HOME nor BUGLE_HOME is set".to_owned(),
                    hints: vec!["Set BUGLE_HOME to a folder for Bugle's files.".to_owned()],
                });
            }
        };
        let store = StoreLocation::find(variables, &bugle_home)?;
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let (root, project) = root_and_project(&directory);
        let text = |name: &str| {
            variables(name)
                .and_then(|value| value.into_string().ok())
                .filter(|value| !value.is_empty())
        };
        let session = command_session(&text).map(SessionId);
        let is_marked = agent_marks().any(|name| text(name).is_some());
        let user = text("USER").or_else(|| text("LOGNAME"));
        let actor = match &session {
            Some(session) => Actor::Agent(session.clone()),
            None if interactive && !is_marked => {
                Actor::Person(user.clone().unwrap_or_else(|| Actor::UNNAMED_PERSON.to_owned()))
            }
            None => Actor::Program,
        };
        Ok(Self {
            home: home.unwrap_or_else(|| bugle_home.clone()),
            bugle_home,
            store,
            directory,
            root,
            project,
            project_name: OnceLock::new(),
            fingerprint: FingerprintCache::default(),
            session,
            agent: text(AGENT_VARIABLE).and_then(|agent| agent.parse().ok()),
            acting_as: None,
            actor,
            user: user.unwrap_or_else(|| "the user".to_owned()),
            lineage: if is_marked {
                Lineage::Client
            } else {
                Lineage::Unknown
            },
            interface: Interface::Shell,
            program: program(variables),
            clock: Clock::System,
            random: RandomSource::System,
        })
    }

    /// This context with another root, such as the folder in which a run was started.
    #[must_use]
    pub(crate) fn rooted(&self, root: &str) -> Self {
        Self {
            root: root.into(),
            ..self.clone()
        }
    }

    /// This context in another folder, which may belong to another project.
    #[must_use]
    pub(crate) fn moved_to(&self, directory: &Path) -> Self {
        let (root, project) = root_and_project(directory);
        Self {
            directory: directory.to_owned(),
            root,
            project,
            project_name: OnceLock::new(),
            ..self.clone()
        }
    }

    /// This context in the project with this path. The path may no longer exist.
    #[must_use]
    pub(crate) fn in_project(&self, project: &str) -> Self {
        let folder = project_folder(project);
        Self {
            directory: folder.to_owned(),
            root: folder.to_owned(),
            project: project.to_owned(),
            project_name: OnceLock::new(),
            ..self.clone()
        }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A random number.
    pub(crate) fn random(&self) -> Result<u64, AppError> {
        self.random.next()
    }

    pub(crate) fn new_run_id(&self) -> Result<RunId, AppError> {
        Ok(RunId::from_random(self.random()?))
    }

    pub(crate) fn new_task_id(&self) -> Result<TaskId, AppError> {
        Ok(TaskId::from_random(self.random()?))
    }

    /// Whether the project is a git repository.
    pub(crate) fn is_repository(&self) -> bool {
        Path::new(&self.project) != self.root
    }

    /// The checked-out branch; `None` outside git or with a detached `HEAD`.
    pub fn branch(&self) -> Option<String> {
        let git = self.root.join(".git");
        let own = match std::fs::read_to_string(&git) {
            Ok(text) => self.root.join(text.strip_prefix("gitdir:")?.trim()),
            Err(_) => git,
        };
        let head = std::fs::read_to_string(own.join("HEAD")).ok()?;
        let branch = head.trim().strip_prefix("ref: refs/heads/")?;
        Some(branch.to_owned())
    }

    /// The folder for the results of a run's agents.
    pub fn work_folder(&self, run: &RunId) -> PathBuf {
        self.bugle_home.join("work").join(run.as_str())
    }

    /// A command for the caller: a tool call if the caller uses MCP and a tool does the same, else a shell command.
    pub fn command(&self, arguments: &[&str]) -> String {
        match self.interface.tool_call(arguments) {
            Some(call) => call.to_string(),
            None => self.shell_command(arguments),
        }
    }

    /// A command that runs as printed in a POSIX shell.
    pub fn shell_command(&self, arguments: &[&str]) -> String {
        let mut line = shell_word(&self.program);
        let acting_as = self.acting_as.iter().flat_map(|name| ["--as", name]);
        for word in arguments.iter().copied().chain(acting_as) {
            line.push(' ');
            line.push_str(&shell_word(word));
        }
        line
    }

    /// A command for this project that runs as printed in any folder.
    pub fn command_here(&self, arguments: &[&str]) -> String {
        let root = self.root.to_string_lossy();
        let here: Vec<&str> = ["-C", &root]
            .into_iter()
            .chain(arguments.iter().copied())
            .collect();
        self.shell_command(&here)
    }
}

/// The running program's name or path for printed commands: `bugle` if the shell finds the program by that name, else
/// the path by which it was called, else the program's path.
fn program(variables: VariableSource<'_>) -> String {
    let Ok(running) = std::env::current_exe() else {
        return "bugle".to_owned();
    };
    if on_path(variables, &running).is_some() {
        return "bugle".to_owned();
    }
    called_program().unwrap_or(running).to_string_lossy().into_owned()
}

/// The absolute path by which the running program was called, else its own path. Clients call the path that setup wrote, and
/// an update of the program keeps that path.
pub(crate) fn called_program() -> Option<PathBuf> {
    let running = std::env::current_exe().ok()?;
    let called = std::env::args_os().next().map(PathBuf::from);
    let is_running =
        |path: &PathBuf| path.is_absolute() && path.canonicalize().is_ok_and(|file| file == running);
    Some(called.filter(is_running).unwrap_or(running))
}

/// The absolute path of the running program, for callers without a shell or with another `PATH`. Prefers the path where
/// the shell finds the program, because an update keeps that path.
pub(crate) fn absolute_program(variables: VariableSource<'_>) -> Result<String, AppError> {
    let running = std::env::current_exe()
        .map_err(|error| AppError::System(format!("cannot locate the bugle executable: {error}")))?;
    let found = on_path(variables, &running).filter(|file| file.is_absolute());
    let path = found.unwrap_or(running);
    path.into_os_string()
        .into_string()
        .map_err(|path| AppError::Usage {
            what: format!(
                "the path to the bugle executable is not valid UTF-8: {}",
                path.display()
            ),
            hints: vec!["Move the executable to a folder whose path is valid UTF-8.".to_owned()],
        })
}

/// The first program with this name on the `PATH`.
pub(crate) fn program_on_path(variables: VariableSource<'_>, name: &str) -> Option<PathBuf> {
    let path = variables("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The path where the shell finds the running program; `None` if the shell finds another program or none.
fn on_path(variables: VariableSource<'_>, running: &Path) -> Option<PathBuf> {
    let name = if cfg!(windows) { "bugle.exe" } else { "bugle" };
    let first = program_on_path(variables, name)?;
    let same = first == running || first.canonicalize().is_ok_and(|file| file == running);
    same.then_some(first)
}

/// A project's folder, derived from the path that identifies the project: the parent of git's folder. The folder may
/// no longer exist.
pub(crate) fn project_folder(project: &str) -> &Path {
    let place = Path::new(project);
    match place.parent() {
        Some(parent) if place.file_name().is_some_and(|name| name == ".git") => parent,
        _ => place,
    }
}

/// The root of the worktree around a folder, and the path that identifies the project. Outside git, both are the
/// folder.
fn root_and_project(directory: &Path) -> (PathBuf, String) {
    let (root, common) =
        git_folders(directory).unwrap_or_else(|| (directory.to_owned(), directory.to_owned()));
    (root, common.to_string_lossy().into_owned())
}

/// The root of the worktree around a folder, and git's common folder.
pub(crate) fn git_folders(directory: &Path) -> Option<(PathBuf, PathBuf)> {
    for root in directory.ancestors() {
        let git = root.join(".git");
        if git.is_dir() {
            return Some((root.to_owned(), git));
        }
        if git.is_file() {
            let text = std::fs::read_to_string(&git).ok()?;
            let own = root.join(text.strip_prefix("gitdir:")?.trim());
            let common = match std::fs::read_to_string(own.join("commondir")) {
                Ok(text) => own.join(text.trim()),
                Err(_) => own,
            };
            return Some((root.to_owned(), common.canonicalize().unwrap_or(common)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_worktrees_are_one_project() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let main = base.join("main");
        let tree = base.join("tree");
        std::fs::create_dir_all(main.join(".git/worktrees/tree")).unwrap();
        std::fs::create_dir_all(tree.join("src")).unwrap();
        std::fs::write(
            tree.join(".git"),
            format!("gitdir: {}\n", main.join(".git/worktrees/tree").display()),
        )
        .unwrap();
        std::fs::write(main.join(".git/worktrees/tree/commondir"), "../..\n").unwrap();
        let home = |name: &str| (name == "HOME").then(|| OsString::from("/nowhere"));
        let at = |folder: &Path| Context::find(&home, folder, false).unwrap();
        assert_eq!(at(&main).project, at(&tree.join("src")).project);
        assert_eq!(at(&tree.join("src")).root, tree);
        assert_ne!(at(&base).project, at(&main).project);
    }
}
