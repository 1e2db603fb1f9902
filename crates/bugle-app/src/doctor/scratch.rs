//! A store and a project of a moment, in which a denial is tried without touching what is the user's.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use bugle_wire::setup::Client;
use serde_json::{Value, json};

use crate::place::VariableSource;
use crate::{App, AppError, Place, StartRequest, folder};

/// The session that is held to the probe's step.
const SESSION: &str = "bugle-doctor";
const SKILL: &str = "bugle-probe";
const SKILL_FILE: &str =
    "---\nname: bugle-probe\ndescription: Use when bugle doctor tries whether a denial holds.\n---\n";
const WORKFLOW: &str = "version: 1
steps:
  look:
    title: Look, and change nothing
    do: Change nothing.
    tools: { deny: [Edit, Write] }
    next: end
";

/// Folders that are gone when this is.
#[derive(Debug)]
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// Makes the folders, and starts a run whose step lets nothing be changed.
    pub(super) fn new(variables: VariableSource<'_>) -> Result<Self, AppError> {
        let folder = std::env::temp_dir().join(format!("bugle-doctor-{:016x}", crate::random()?));
        folder::make_private(&folder)?;
        let scratch = Self { folder };
        scratch.write(&format!("home/skills/{SKILL}/SKILL.md"), SKILL_FILE)?;
        scratch.write(&format!("home/skills/{SKILL}/workflow.yaml"), WORKFLOW)?;
        folder::make_private(&scratch.project())?;
        let home = scratch.home();
        let own = |name: &str| match name {
            "BUGLE_HOME" => Some(home.clone().into_os_string()),
            "CLAUDE_CODE_SESSION_ID" => Some(OsString::from(SESSION)),
            _ => variables(name),
        };
        let place = Place::find(&own, &scratch.project(), false)?;
        App::open(place)?.start(StartRequest {
            skill: SKILL.to_owned(),
            params: Vec::new(),
        })?;
        Ok(scratch)
    }

    /// Where a program finds the store, as `BUGLE_HOME`.
    pub(super) fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// The project.
    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// What a client tells before its agent changes a file here, as the agent of the run.
    pub(super) fn forbidden(&self, client: Client) -> Value {
        tool_call(client, SESSION, &self.project())
    }

    fn write(&self, name: &str, text: &str) -> Result<(), AppError> {
        let path = self.folder.join(name);
        if let Some(parent) = path.parent() {
            folder::make_private(parent)?;
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
        // What cannot be removed lies in the folder for temporary files.
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// The event that a client tells of before a tool is used.
pub(super) fn before_tool(client: Client) -> &'static str {
    match client {
        Client::Claude | Client::Codex => "PreToolUse",
        Client::Gemini => "BeforeTool",
        Client::Opencode => "tool.execute.before",
    }
}

/// What a client tells before its agent changes a file.
pub(super) fn tool_call(client: Client, session: &str, directory: &Path) -> Value {
    let file = directory.join("probe.txt");
    let (tool, input) = match client {
        Client::Claude => ("Edit", json!({ "file_path": file })),
        Client::Codex => ("apply_patch", json!({ "input": "" })),
        Client::Gemini => ("write_file", json!({ "file_path": file })),
        Client::Opencode => ("edit", json!({ "filePath": file })),
    };
    json!({
        "session_id": session, "cwd": directory, "hook_event_name": before_tool(client),
        "tool_name": tool, "tool_input": input,
    })
}
