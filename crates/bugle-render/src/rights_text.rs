//! The text of refusals by the caller's rights and by the run's status.

use bugle_core::engine::RunStatus;
use bugle_core::interface::Interface;
use bugle_core::rights::{Action, MissingAuthority};

/// The remedy if the current step simply continues.
pub(crate) const CONTINUE: &str = "Continue with the current step.";

/// The message and the remedy for an actor that lacks the authority for an action.
pub(crate) fn not_allowed(action: Action, lack: MissingAuthority, interface: Interface) -> (String, String) {
    let place = if action.is_on_page() {
        "in their own terminal or on the dashboard (`bugle ui`)"
    } else {
        "in their own terminal"
    };
    match lack {
        MissingAuthority::UserInput => {
            let since = if action.is_about_run() {
                " since the run reached this point"
            } else if action.is_about_task() {
                " since the task last changed"
            } else {
                ""
            };
            (
                format!(
                    "Only the user can {action}, and Bugle has not seen any input from them in this session{since}."
                ),
                if interface.is_mcp() {
                    return_to_user(action, place)
                } else {
                format!(
                    "Ask the user and end your turn. Run the command again after they reply. If Bugle refuses the \
                     command again, Bugle's hooks are not running in this session (`bugle doctor` reports why), and \
                     the user must {action} {place}."
                )
                },
            )
        }
        MissingAuthority::Person if interface.is_mcp() => (
            format!("Only a person can {action}, and only {place}."),
            return_to_user(action, place),
        ),
        MissingAuthority::Person => (
            format!("Only a person can {action}, and only {place}."),
            "If you are an agent, ask the user to run the command in a terminal: input in this session is not accepted. \
             If you are a person, run the command in a terminal: Bugle takes a command whose stdin and stdout are both \
             redirected for a script."
                .to_owned(),
        ),
    }
}

/// What an MCP client's agent does about an action that only the user can take.
fn return_to_user(action: Action, place: &str) -> String {
    format!(
        "Tell the user, and end your turn. The user can {action} {place}. Call get_context when the user has done it."
    )
}

/// The message and the remedy for a command that a run's status does not allow.
pub(crate) fn wrong_status(status: RunStatus, interface: Interface) -> (String, String) {
    if status == RunStatus::Waiting {
        let step = interface.command(&["step"]);
        let how = if interface.is_mcp() {
            "how the user answers"
        } else {
            "the commands to answer it"
        };
        return (
            "This run is waiting for the user's answer.".to_owned(),
            format!("Ask the user. `{step}` shows the question and {how}."),
        );
    }
    let (message, remedy) = match status {
        RunStatus::Active => ("This run is active.", CONTINUE),
        RunStatus::Waiting => ("This run is waiting for the user's answer.", CONTINUE),
        RunStatus::Paused => (
            "This run is paused.",
            "If the user wants to continue, resume the run first.",
        ),
        RunStatus::Completed => ("This run is complete.", "There is nothing left to do."),
        RunStatus::Failed => (
            "This run failed.",
            "Start a new run, or fork this run from an earlier visit.",
        ),
        RunStatus::Cancelled => (
            "This run was cancelled.",
            "Start a new run, or fork this run from an earlier visit.",
        ),
    };
    (message.to_owned(), remedy.to_owned())
}
