//! A temporary store and project, to test whether a hook denies a tool without touching the user's files.

use std::fs;
use std::path::{Path, PathBuf};

use bugle_client::Client;
use bugle_client::recognition::in_session;
use serde_json::Value;

use crate::context::VariableSource;
use crate::{App, AppError, Context, StartRequest, fs_util, runs};

/// The session that works on the test run's step.
const SESSION: &str = "bugle-doctor";
const SKILL: &str = "bugle-probe";
const SKILL_FILE: &str =
    "---\nname: bugle-probe\ndescription: Use when bugle doctor tests that a hook denies a tool.\n---\n";
const WORKFLOW: &str = "version: 1
steps:
  look:
    title: Read without changing files
    do: Don't change any files.
    tools: { deny: [Edit, Write] }
    next: end
";

/// Temporary folders, removed on drop.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Creates the folders, and starts a run whose step forbids every edit.
    pub(super) fn new(ctx: &Context, variables: VariableSource<'_>) -> Result<Self, AppError> {
        let folder = std::env::temp_dir().join(format!("bugle-doctor-{:016x}", ctx.random()?));
        fs_util::create_private_dir(&folder)?;
        let scratch = Self { folder };
        scratch.write(&format!("home/skills/{SKILL}/SKILL.md"), SKILL_FILE)?;
        scratch.write(&format!("home/skills/{SKILL}/workflow.yaml"), WORKFLOW)?;
        fs_util::create_private_dir(&scratch.project())?;
        let home = scratch.home();
        let own = |name: &str| match name {
            "BUGLE_HOME" => Some(home.clone().into_os_string()),
            _ => variables(name),
        };
        let place = Context::find(&in_session(Some(SESSION), &own), &scratch.project(), false)?;
        let mut app = App::open(place)?;
        let request = StartRequest {
            skill: SKILL.to_owned(),
            params: Vec::new(),
            task: None,
        };
        runs::start(&mut app.store, &app.context, request)?;
        Ok(scratch)
    }

    /// The store's folder, for `BUGLE_HOME`.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The project.
    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// The input that a client sends before the run's agent edits a file in this project.
    pub(super) fn forbidden(&self, client: Client) -> Value {
        tool_call(client, SESSION, &self.project())
    }

    fn write(&self, name: &str, text: &str) -> Result<(), AppError> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            fs_util::create_private_dir(parent)?;
        }
        fs::write(&path, text).map_err(|source| AppError::File {
            what: "cannot write",
            path,
            source,
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the folder stays in the system's temporary folder.
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// The input that a client sends before its agent edits a file.
pub(super) fn tool_call(client: Client, session: &str, directory: &Path) -> Value {
    client.edit_call(session, directory, &directory.join("probe.txt"))
}
