//! A home folder with a store, and a project.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The variable that names the session of an agent's command.
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// A home folder with a store, and a project to run commands in.
#[derive(Debug)]
pub struct Place {
    program: &'static str,
    home: PathBuf,
    /// The project's folder.
    pub project: PathBuf,
}

impl Place {
    /// Creates both folders inside `folder`. `program` is the path of the `bugle` binary.
    pub fn new(program: &'static str, folder: &Path, name: &str) -> Self {
        let place = Self {
            program,
            home: folder.join(format!("home-{name}")),
            project: folder.join(format!("project-{name}")),
        };
        for folder in [&place.home, &place.project] {
            std::fs::create_dir_all(folder).expect("the folder can be created");
        }
        place
    }

    /// The store's file.
    pub fn database(&self) -> PathBuf {
        self.home.join("bugle.db")
    }

    /// The project's path in the store.
    pub fn known_as(&self) -> String {
        let path = self.project.canonicalize().expect("the path exists");
        path.to_string_lossy().into_owned()
    }

    /// A `bugle` command, with or without an agent's session.
    pub fn bugle(&self, session: Option<&str>, words: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(words)
            .env("BUGLE_HOME", &self.home)
            .env("HOME", &self.home)
            .current_dir(&self.project)
            .stdin(Stdio::null());
        if let Some(session) = session {
            command.env(SESSION, session);
        }
        command
    }

    /// Runs a command in an agent's session and returns its stdout.
    pub fn run(&self, session: &str, words: &[&str]) -> String {
        let output = self
            .bugle(Some(session), words)
            .output()
            .expect("the command runs");
        printed(&words.join(" "), &output)
    }
}

/// The command's stdout. Panics if the command failed.
pub(super) fn printed(command: &str, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{command}: {text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text.into_owned()
}
