//! Before and after a tool: what the step forbids is denied; what the agent has not read is told.

use std::path::{Component, Path, PathBuf};

use bugle_core::hook::{Shell, Territory, ToolUse, judge};
use bugle_core::id::SessionId;
use bugle_core::tool::ToolPolicy;
use bugle_core::workflow::Given;
use bugle_render::hook::{self as words, WayOn};
use bugle_store::{RunRow, SessionStore as _};
use bugle_wire::hook::{HookAnswer, HookCall, mirrored};
use bugle_wire::setup::Client;

use super::Voice;
use crate::run::OpenRun;
use crate::{App, AppError, Place, delegation};

/// Tools by which agents ask their user something and are answered, by the names that clients have for them.
const ASKS_THE_USER: [&str; 4] = ["AskUserQuestion", "request_user_input", "ask_user", "question"];

impl App {
    /// A tool is about to be used.
    pub(super) fn before_tool(
        &mut self,
        call: &HookCall,
        session: &SessionId,
    ) -> Result<HookAnswer, AppError> {
        let mut answer = HookAnswer::default();
        self.note_call(call, session)?;
        let mut rows = self.runs_of_call(call, session)?;
        // A sub-agent without open work of its own does that of the main thread.
        let is_helper = call.agent.is_some() && rows.is_empty();
        if is_helper {
            rows = self.store.main_runs(session)?;
        }
        let Some(latest) = rows.first() else {
            return Ok(answer);
        };
        // Every open run holds, or a second one would free its agent of the first. One that cannot be read does not free
        // it of the others.
        let mut unreadable = None;
        let mut held = Vec::new();
        let mut policies = Vec::new();
        for row in &rows {
            match self.policy(row, call.client) {
                Ok((run, policy)) => {
                    held.push((row, run));
                    policies.push(policy);
                }
                Err(error) => unreadable = Some(error),
            }
        }
        let command = call.tool.command();
        let used = ToolUse {
            tool: &call.tool.name,
            command: command.as_deref(),
            file: call.tool.file(),
            patch: call.tool.patch(),
        };
        let place = &self.place;
        let shell = Shell {
            program: &|word| calls_bugle(place, word),
            variable: &|name| reliable_variable(place, name),
        };
        let judged = judge(&policies, &used, &territory(place, &rows), &shell);
        if let Err((number, denied)) = judged
            && let Some((row, run)) = held.get(number)
        {
            let step = run
                .state
                .current()
                .and_then(|visit| run.workflow.step(&visit.step));
            let title = step.map_or("", |step| step.title.as_str());
            let token = run.state.current_token().map(|token| token.to_string());
            let ends_with = token.map(|token| place.command(&["done", &token]));
            let show = place.command(&["step", row.id.as_str()]);
            let way_on = if is_helper {
                WayOn::Helper
            } else {
                WayOn::Step {
                    ends_with: ends_with.as_deref(),
                    show: &show,
                }
            };
            answer.denied = Some(words::denied(&denied, (&row.skill, title), way_on));
            return Ok(answer);
        }
        self.note_hook(call, latest, session);
        unreadable.map_or(Ok(answer), Err)
    }

    /// Notes once for each change of a run that its session's hooks are called, so that it is noticed when they are not. A
    /// session that began where Bugle was not used yet is known from here on. A store that is busy is no reason to fail.
    fn note_hook(&mut self, call: &HookCall, row: &RunRow, session: &SessionId) {
        match self.store.session(session) {
            Ok(Some(known)) if known.seen_at < row.changed_at => {
                let _ = self.store.note_hook(session, crate::now());
            }
            Ok(None) => {
                if let Ok(begun) = self.session_row(call, session) {
                    let _ = self.store.keep_session(&begun);
                }
            }
            Ok(Some(_)) | Err(_) => {}
        }
    }

    /// What a run's current step forbids.
    fn policy(&mut self, row: &RunRow, client: Client) -> Result<(OpenRun, ToolPolicy), AppError> {
        let run = self.read(&row.id)?;
        let Some(step) = run
            .state
            .current()
            .and_then(|visit| run.workflow.step(&visit.step))
        else {
            return Ok((run, ToolPolicy::Unrestricted));
        };
        let (role, given) = delegation::acting(Some(&run.state), step);
        let is_held = match given {
            Given::Explicitly => true,
            // Else the sub-agents at work could not be told from whoever started them, and would be kept from it.
            Given::ByDispatch => client.tells_subagents_apart(),
            Given::Nowise => false,
        };
        let policy = step.permitted(run.compiled.roles.get(&role).filter(|_| is_held));
        Ok((run, policy))
    }

    /// A tool was used: the client's own list of things to do becomes tasks, a sub-agent is known by the run it began, and
    /// the agent hears what it has not read.
    pub(super) fn after_tool(
        &mut self,
        call: &HookCall,
        session: &SessionId,
        voice: &mut Voice<'_>,
    ) -> Result<HookAnswer, AppError> {
        if let Some(agent) = &call.agent {
            let began = self.bind(call, session, agent)?;
            let missed = self.subagent_missed(call, session)?;
            return Ok(HookAnswer {
                // Whoever began its run by this tool was shown the step by it.
                context: missed.filter(|_| !began),
                ..HookAnswer::default()
            });
        }
        if ASKS_THE_USER.contains(&call.tool.name.as_str()) && !call.tool.said().trim().is_empty() {
            self.user_spoke_to(call, session)?;
        }
        if let Some(change) = mirrored(&call.tool) {
            self.mirror(call, session, &change)?;
        }
        let is_return = matches!(
            call.tool.name.as_str(),
            "Agent" | "Task" | "wait" | "wait_agent" | "task"
        );
        let returned = if is_return {
            self.after_subagent(session)?
        } else {
            None
        };
        Ok(HookAnswer {
            context: self.missed(call, session, returned, voice)?,
            ..HookAnswer::default()
        })
    }
}

/// Whether a word of a command calls Bugle.
pub(super) fn calls_bugle(place: &Place, word: &str) -> bool {
    let name = if cfg!(windows) { "bugle.exe" } else { "bugle" };
    word == name
        || word == place.program
        || word.contains('/') && Path::new(word).canonicalize().is_ok_and(|path| is_running(&path))
}

fn is_running(path: &Path) -> bool {
    std::env::current_exe().is_ok_and(|running| running == path)
}

/// The files of clients that hold Bugle's hooks, or can turn hooks off, below the project and the user's home.
const SETTINGS: [&str; 12] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".qwen/settings.json",
    ".opencode/plugin/bugle.js",
    ".config/opencode/plugin/bugle.js",
    "opencode.json",
    "opencode.jsonc",
    ".config/opencode/opencode.json",
    ".config/opencode/opencode.jsonc",
];
/// The settings with which an administrator rules over those of users.
const MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/etc/codex/managed_config.toml",
];
/// Variables by which users move the settings of a client elsewhere, and the files that are there then.
const MOVED: [(&str, &[&str]); 3] = [
    ("CLAUDE_CONFIG_DIR", &["settings.json"]),
    ("CODEX_HOME", &["config.toml", "hooks.json"]),
    (
        "XDG_CONFIG_HOME",
        &["opencode/plugin/bugle.js", "opencode/opencode.json"],
    ),
];

/// Which files an agent may always write, and which it must not touch.
fn territory(place: &Place, runs: &[RunRow]) -> Territory {
    let text = |path: &Path| without_dots(path).to_string_lossy().into_owned();
    let below = [&place.root, &place.directory, &place.home]
        .into_iter()
        .flat_map(|folder| SETTINGS.iter().map(move |file| folder.join(file)));
    let moved = MOVED.iter().filter_map(|(variable, files)| {
        let folder = std::env::var_os(variable).filter(|value| !value.is_empty())?;
        let folder = place.directory.join(folder);
        Some(files.iter().map(move |file| folder.join(file)))
    });
    let managed = MANAGED.iter().map(PathBuf::from);
    let settings = below.chain(moved.flatten()).chain(managed);
    // As the client's settings name it, and as it is called where that name leads.
    let called = std::env::args_os().next().map(PathBuf::from);
    let program = called.into_iter().chain(std::env::current_exe().ok());
    let program = program.filter(|path| path.is_absolute());
    Territory {
        directory: text(&place.directory),
        root: text(&place.root),
        store: text(&place.bugle_home),
        results: runs.iter().map(|run| text(&place.work_folder(&run.id))).collect(),
        scratch: text(&std::env::temp_dir()),
        settings: settings.map(|path| text(&path)).collect(),
        program: program.map(|path| text(&path)).collect(),
    }
}

/// The value of a variable that is the same in the client's shell as here.
fn reliable_variable(place: &Place, name: &str) -> Option<String> {
    let path = match name {
        "HOME" => place.home.clone(),
        "TMPDIR" | "BUGLE_HOME" | "CODEX_HOME" | "CLAUDE_CONFIG_DIR" | "XDG_CONFIG_HOME"
        | "CLAUDE_PROJECT_DIR" => std::env::var_os(name).filter(|value| !value.is_empty())?.into(),
        "PWD" => PathBuf::from("."),
        _ => return None,
    };
    Some(path.to_string_lossy().into_owned())
}

/// A path without `.` and `..`, so that nothing climbs out of a folder by its name. Links are not followed: the file need
/// not be there.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_climbs_out_of_a_folder() {
        assert_eq!(without_dots(Path::new("/a/b/../../c/./d")), Path::new("/c/d"));
        assert_eq!(without_dots(Path::new("/../x")), Path::new("/x"));
    }
}
