//! Where a command is run and by whom: folders, project, session, actor, and how to call Bugle from there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bugle_core::id::{Actor, SessionId};
use bugle_core::message::AgentAddress;
use bugle_wire::setup::shell_word;

use crate::AppError;

/// Where variables of the environment come from; tests bring their own.
pub type VariableSource<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The variables in which clients name the session of a command.
pub const SESSION_VARIABLES: [&str; 2] = ["CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"];
/// The variables that clients set for the commands of their agents, beside the session or instead of it.
pub(crate) const CLIENT_MARKS: [&str; 9] = [
    "CLAUDECODE",
    "CODEX_SESSION_ID",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
    "QWEN_CODE_SESSION_ID",
    "COPILOT_CLI",
    "GROK_SESSION_ID",
    "BUGLE_AGENT",
];

/// Where a command is run and by whom.
#[derive(Debug, Clone)]
pub struct Place {
    /// The folder of Bugle's own files.
    pub bugle_home: PathBuf,
    /// The user's home.
    pub home: PathBuf,
    /// The folder the command is run in.
    pub directory: PathBuf,
    /// The root of the work tree, or the folder itself outside git.
    pub root: PathBuf,
    /// What identifies the project: git's common folder, so that all work trees are one project.
    pub project: String,
    /// The name of the project in its agents' addresses, where that is known and not the name of its folder.
    pub called: Option<String>,
    /// The session of the client that runs the command.
    pub session: Option<SessionId>,
    /// The agent that Bugle started this for, as it told the client.
    pub agent: Option<AgentAddress>,
    /// Who acts.
    pub actor: Actor,
    /// The name of the person whose machine this is.
    pub user: String,
    /// What is known about the processes above this one.
    pub lineage: Lineage,
    /// How to call Bugle so that the command runs as printed.
    pub program: String,
}

/// What is known about the processes above this one, as far as it matters for who acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lineage {
    /// The environment carries the mark of a client.
    Client,
    /// Nothing in the environment shows a client. Its ancestors may.
    Unknown,
    /// A person acts, whatever the ancestors show: the page, which no agent can open.
    Person,
}

impl Place {
    /// Looks around.
    pub fn find(
        variables: VariableSource<'_>,
        directory: &Path,
        interactive: bool,
    ) -> Result<Self, AppError> {
        if variables("BUGLE_DATABASE_URL").is_some_and(|url| !url.is_empty()) {
            // Whoever shares a database would not notice that everybody writes to a file of their own.
            return Err(AppError::Usage {
                what: "BUGLE_DATABASE_URL is set, and this version keeps its store in a file only".to_owned(),
                hints: vec!["Unset it; BUGLE_HOME says in which folder the file is.".to_owned()],
            });
        }
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
        let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let (root, project) = root_and_project(&directory);
        let text = |name: &str| {
            variables(name)
                .and_then(|value| value.into_string().ok())
                .filter(|value| !value.is_empty())
        };
        let session = SESSION_VARIABLES.into_iter().find_map(text).map(SessionId);
        let is_marked = CLIENT_MARKS.into_iter().any(|name| text(name).is_some());
        let user = text("USER").or_else(|| text("LOGNAME"));
        let actor = match &session {
            Some(session) => Actor::Agent(session.clone()),
            None if interactive && !is_marked => {
                Actor::Person(user.clone().unwrap_or_else(|| "a person".to_owned()))
            }
            None => Actor::Program,
        };
        Ok(Self {
            home: home.unwrap_or_else(|| bugle_home.clone()),
            bugle_home,
            directory,
            root,
            project,
            called: None,
            session,
            agent: text("BUGLE_AGENT").and_then(|agent| agent.parse().ok()),
            actor,
            user: user.unwrap_or_else(|| "the user".to_owned()),
            lineage: if is_marked {
                Lineage::Client
            } else {
                Lineage::Unknown
            },
            program: program(variables),
        })
    }

    /// The same place with another root: skills are found as from the folder that a run was started in.
    #[must_use]
    pub(crate) fn rooted(&self, root: &str) -> Self {
        Self {
            root: root.into(),
            ..self.clone()
        }
    }

    /// The same person or agent in another folder, and so perhaps in another project.
    #[must_use]
    pub(crate) fn moved_to(&self, directory: &Path) -> Self {
        let (root, project) = root_and_project(directory);
        Self {
            directory: directory.to_owned(),
            root,
            project,
            called: None,
            ..self.clone()
        }
    }

    /// The same person in another project, which is known by the place that identifies it. It need not be there any more.
    #[must_use]
    pub(crate) fn in_project(&self, project: &str) -> Self {
        let folder = project_folder(project);
        Self {
            directory: folder.to_owned(),
            root: folder.to_owned(),
            project: project.to_owned(),
            called: None,
            ..self.clone()
        }
    }

    /// Whether this is in a repository: then it is known by git's folder, and not by its own.
    pub(crate) fn is_repository(&self) -> bool {
        Path::new(&self.project) != self.root
    }

    /// The branch that is checked out here; none outside git or on a commit without a branch.
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

    /// The file of the store.
    pub fn database(&self) -> PathBuf {
        self.bugle_home.join("bugle.db")
    }

    /// The folder in which agents hand in results.
    pub fn work_folder(&self, run: &bugle_core::id::RunId) -> PathBuf {
        self.bugle_home.join("work").join(run.as_str())
    }

    /// The same for one that is about this project, whichever folder it is run in.
    pub fn command_here(&self, words: &[&str]) -> String {
        let root = self.root.to_string_lossy();
        let here: Vec<&str> = ["-C", &root].into_iter().chain(words.iter().copied()).collect();
        self.command(&here)
    }

    /// A command that runs as printed in a POSIX shell.
    pub fn command(&self, words: &[&str]) -> String {
        let mut line = shell_word(&self.program);
        for word in words {
            line.push(' ');
            line.push_str(&shell_word(word));
        }
        line
    }
}

/// The name under which the running program can be called from anywhere: short if it is the one that the shell finds.
fn program(variables: VariableSource<'_>) -> String {
    let Ok(running) = std::env::current_exe() else {
        return "bugle".to_owned();
    };
    if on_path(variables, &running).is_some() {
        "bugle".to_owned()
    } else {
        running.to_string_lossy().into_owned()
    }
}

/// The path of the running program, for those that call it without a shell or with another `PATH`. As the shell finds
/// it, if it does: that path stays when a newer version is put behind it.
pub(crate) fn absolute_program(variables: VariableSource<'_>) -> Result<String, AppError> {
    let running = std::env::current_exe()
        .map_err(|error| AppError::System(format!("the path of this program is not known: {error}")))?;
    let found = on_path(variables, &running).filter(|file| file.is_absolute());
    let path = found.unwrap_or(running);
    path.into_os_string()
        .into_string()
        .map_err(|path| AppError::Usage {
            what: format!("the path of this program is not text: {}", path.display()),
            hints: vec!["Put it into a folder whose name is UTF-8.".to_owned()],
        })
}

/// Where the shell finds the running program, if it finds that one.
fn on_path(variables: VariableSource<'_>, running: &Path) -> Option<PathBuf> {
    let name = if cfg!(windows) { "bugle.exe" } else { "bugle" };
    let path = variables("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())?;
    let same = first == running || first.canonicalize().is_ok_and(|file| file == running);
    same.then_some(first)
}

/// The folder of a project that is known by its place: the one around git's folder, also if it is not there any more.
pub(crate) fn project_folder(project: &str) -> &Path {
    let place = Path::new(project);
    match place.parent() {
        Some(parent) if place.file_name().is_some_and(|name| name == ".git") => parent,
        _ => place,
    }
}

/// The root of the work tree around a folder, and what identifies the project; outside git, both are the folder.
fn root_and_project(directory: &Path) -> (PathBuf, String) {
    let (root, common) =
        git_folders(directory).unwrap_or_else(|| (directory.to_owned(), directory.to_owned()));
    (root, common.to_string_lossy().into_owned())
}

/// The root of the work tree around a folder, and git's common folder.
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
    fn all_work_trees_are_one_project() {
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
        let at = |folder: &Path| Place::find(&home, folder, false).unwrap();
        assert_eq!(at(&main).project, at(&tree.join("src")).project);
        assert_eq!(at(&tree.join("src")).root, tree);
        assert_ne!(at(&base).project, at(&main).project);
    }
}
