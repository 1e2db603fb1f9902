//! Before and after a tool: what the step forbids is denied; what the agent has not read is told.

use std::path::{Component, Path, PathBuf};

use bugle_core::hook::{ToolUse, judge};
use bugle_core::id::{RunId, SessionId};
use bugle_core::tool::ToolPolicy;
use bugle_core::workflow::Given;
use bugle_render::hook::{self as words, WayOn};
use bugle_store::RunRow;
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
        let own_run = self.run_of_call(call, session)?;
        // A sub-agent without open work of its own does that of the main thread.
        let is_helper = call.agent.is_some() && own_run.is_none();
        let held_to = match own_run {
            None if is_helper => self.main_run(session)?,
            own => own,
        };
        let Some(row) = held_to else {
            return Ok(answer);
        };
        let Some((run, policy)) = self.policy(&row, call.client)? else {
            return Ok(answer);
        };
        let used = ToolUse {
            tool: &call.tool.name,
            command: call.tool.command(),
            file: call.tool.file(),
        };
        let place = &self.place;
        let own = |file: &str| is_own(place, &row.id, file);
        let program = |word: &str| calls_bugle(place, word);
        if let Err(denied) = judge(&policy, &used, &own, &program) {
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
        }
        Ok(answer)
    }

    /// What a run's current step forbids; nothing if it forbids nothing.
    fn policy(&mut self, row: &RunRow, client: Client) -> Result<Option<(OpenRun, ToolPolicy)>, AppError> {
        let run = self.read(&row.id)?;
        let Some(step) = run
            .state
            .current()
            .and_then(|visit| run.workflow.step(&visit.step))
        else {
            return Ok(None);
        };
        let (role, given) = delegation::acting(Some(&run.state), step);
        let is_held = match given {
            Given::Explicitly => true,
            // Else the sub-agents at work could not be told from whoever started them, and would be kept from it.
            Given::ByDispatch => client.tells_subagents_apart(),
            Given::Nowise => false,
        };
        let policy = step.permitted(run.compiled.roles.get(&role).filter(|_| is_held));
        Ok((policy != ToolPolicy::Unrestricted).then_some((run, policy)))
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
        || Path::new(word).canonicalize().is_ok_and(|path| is_running(&path))
}

fn is_running(path: &Path) -> bool {
    std::env::current_exe().is_ok_and(|running| running == path)
}

/// Whether a file is one in which a result is handed in, or a scratch file outside the project.
fn is_own(place: &Place, run: &RunId, file: &str) -> bool {
    let file = without_dots(&place.directory.join(file));
    let scratch = std::env::temp_dir();
    file.starts_with(place.work_folder(run))
        || (file.starts_with(&scratch)
            && !file.starts_with(&place.bugle_home)
            && !file.starts_with(&place.root)
            && !scratch.starts_with(&place.root))
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
