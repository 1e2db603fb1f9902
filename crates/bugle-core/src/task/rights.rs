//! Permissions for starting, closing, skipping and removing tasks by hand. Every entry point checks here: the command
//! line, MCP and clients' to-do lists.
//!
//! A person may do everything. An agent must not touch a task that belongs to an open run or another agent. It may skip
//! or remove a task that is not its own only on the user's behalf. Changes that a run makes to its own tasks are not
//! checked here.

use super::decide::TaskRefusal;
use super::event::TaskEvent;
use crate::id::RunId;
use crate::name::AgentName;
use crate::rights::{Action, Caller, Right, right};

/// An action on a task that needs permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskAction {
    /// Start the task.
    Start,
    /// Finish, fail, block or reopen the task.
    Settle,
    /// Skip the task.
    Skip,
    /// Remove the task.
    Remove,
}

impl TaskAction {
    /// The action behind an event; `None` if anyone may perform it.
    pub fn of(event: &TaskEvent) -> Option<Self> {
        match event {
            TaskEvent::Started { .. } => Some(Self::Start),
            TaskEvent::Finished
            | TaskEvent::Failed { .. }
            | TaskEvent::Blocked { .. }
            | TaskEvent::Reopened { .. } => Some(Self::Settle),
            TaskEvent::Skipped { .. } => Some(Self::Skip),
            TaskEvent::Removed { .. } => Some(Self::Remove),
            _ => None,
        }
    }

    /// The permission that an agent needs if the task is not its own.
    fn for_user(self) -> Option<Action> {
        match self {
            Self::Start | Self::Settle => None,
            Self::Skip => Some(Action::SkipTask),
            Self::Remove => Some(Action::RemoveTask),
        }
    }

    /// Whether an agent needs the user's decision for a task that is not its own.
    pub fn needs_user(self) -> bool {
        self.for_user().is_some()
    }
}

/// How a task relates to runs, other agents and the caller.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallerRelation {
    /// The open run that is working on the task, or that dispatches the tasks of its plan to the caller.
    pub run: Option<RunId>,
    /// Another agent that may be working on the task.
    pub held_by: Option<AgentName>,
    /// Whether the caller added the task or is working on it.
    pub is_own: bool,
}

/// Checks whether a caller may perform an action on a task.
pub fn task_right(deed: TaskAction, caller: Caller, ties: &CallerRelation) -> Result<Right, TaskRefusal> {
    let is_bound = match caller {
        Caller::Person => false,
        Caller::Agent { .. } => true,
        Caller::Program { on_agents_run } => on_agents_run,
    };
    if let Some(run) = ties.run.as_ref().filter(|_| is_bound) {
        return Err(TaskRefusal::InRun(run.clone()));
    }
    if !matches!(caller, Caller::Agent { .. }) {
        return Ok(Right::Own);
    }
    // The start command itself checks whether another agent has the task, because the command can take the task over.
    if let Some(holder) = ties.held_by.as_ref().filter(|_| deed != TaskAction::Start) {
        return Err(TaskRefusal::Held(holder.clone()));
    }
    match deed.for_user().filter(|_| !ties.is_own) {
        None => Ok(Right::Own),
        Some(action) => match right(action, caller) {
            Right::Refused(lack) => Err(TaskRefusal::NotAllowed(action, lack)),
            right => Ok(right),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rights::MissingAuthority;

    const DEEDS: [TaskAction; 4] = [
        TaskAction::Start,
        TaskAction::Settle,
        TaskAction::Skip,
        TaskAction::Remove,
    ];
    const AGENT: Caller = Caller::Agent { heard: false };
    const RELAY: Caller = Caller::Agent { heard: true };
    const SCRIPT: Caller = Caller::Program { on_agents_run: false };
    const STRANGER: Caller = Caller::Program { on_agents_run: true };

    fn in_run() -> CallerRelation {
        CallerRelation {
            run: RunId::parse("r-7f3a1c2d").ok(),
            is_own: true,
            ..CallerRelation::default()
        }
    }

    fn held() -> CallerRelation {
        CallerRelation {
            held_by: AgentName::new("backend").ok(),
            ..CallerRelation::default()
        }
    }

    fn own() -> CallerRelation {
        CallerRelation {
            is_own: true,
            ..CallerRelation::default()
        }
    }

    #[test]
    fn a_person_and_a_script_may_do_anything() {
        for deed in DEEDS {
            for ties in [in_run(), held(), own(), CallerRelation::default()] {
                assert_eq!(task_right(deed, Caller::Person, &ties), Ok(Right::Own));
                assert_eq!(task_right(deed, SCRIPT, &ties), Ok(Right::Own));
            }
        }
    }

    #[test]
    fn only_the_run_may_change_its_task() {
        let refused = Err(TaskRefusal::InRun(in_run().run.unwrap()));
        for deed in DEEDS {
            for caller in [AGENT, RELAY, STRANGER] {
                assert_eq!(
                    task_right(deed, caller, &in_run()),
                    refused,
                    "{deed:?} {caller:?}"
                );
            }
        }
    }

    #[test]
    fn only_a_start_may_touch_another_agents_task() {
        let refused = Err(TaskRefusal::Held(held().held_by.unwrap()));
        for caller in [AGENT, RELAY] {
            for deed in [TaskAction::Settle, TaskAction::Skip, TaskAction::Remove] {
                assert_eq!(task_right(deed, caller, &held()), refused, "{deed:?} {caller:?}");
            }
            assert_eq!(task_right(TaskAction::Start, caller, &held()), Ok(Right::Own));
        }
    }

    #[test]
    fn an_agent_skips_or_removes_other_tasks_only_for_the_user() {
        for (deed, action) in [
            (TaskAction::Skip, Action::SkipTask),
            (TaskAction::Remove, Action::RemoveTask),
        ] {
            let lack = TaskRefusal::NotAllowed(action, MissingAuthority::UserInput);
            assert_eq!(task_right(deed, AGENT, &CallerRelation::default()), Err(lack));
            assert_eq!(
                task_right(deed, RELAY, &CallerRelation::default()),
                Ok(Right::Relayed)
            );
            assert_eq!(task_right(deed, AGENT, &own()), Ok(Right::Own));
            assert!(deed.needs_user());
        }
        for deed in [TaskAction::Start, TaskAction::Settle] {
            assert_eq!(
                task_right(deed, AGENT, &CallerRelation::default()),
                Ok(Right::Own)
            );
            assert!(!deed.needs_user());
        }
    }
}
