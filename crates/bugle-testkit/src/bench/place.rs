//! A home with a store, and a project.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::printed;

/// Names the session of an agent's command.
const SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// A home with a store, and a project, in which commands are run as processes.
#[derive(Debug)]
pub struct Place {
    program: &'static str,
    home: PathBuf,
    /// The folder of the project.
    pub project: PathBuf,
}

impl Place {
    /// Makes both folders inside of `folder`. `program` is the path of Bugle.
    pub fn new(program: &'static str, folder: &Path, name: &str) -> Self {
        let place = Self {
            program,
            home: folder.join(format!("home-{name}")),
            project: folder.join(format!("project-{name}")),
        };
        for folder in [&place.home, &place.project] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        place
    }

    /// The file of the store.
    pub fn database(&self) -> PathBuf {
        self.home.join("bugle.db")
    }

    /// The path by which the store knows the project.
    pub fn known_as(&self) -> String {
        let path = self.project.canonicalize().expect("a path");
        path.to_string_lossy().into_owned()
    }

    /// A command of Bugle, in the session of an agent or in none.
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

    /// Runs a command in the session of an agent; what it prints.
    pub fn run(&self, session: &str, words: &[&str]) -> String {
        let output = self.bugle(Some(session), words).output().expect("it runs");
        printed(&words.join(" "), &output)
    }
}
