//! Refused commands in words.

use bugle_core::engine::Refusal;
use bugle_core::interface::Interface;
use bugle_core::reply::{
    AnswerCommand, ChangedFiles, ChildCommand, RefusalReason, RefusalView, Refused, ResultPlace, RunHelp,
    TextFile, TrustCommands,
};

use crate::refusal_text::{RefusalText, refusal};
use crate::rights_text::not_allowed;
use crate::task_text::id_and_label;
use crate::{evidence_text, plan_refusal_text, task_text};

/// A refused command in words, for a caller of the shell.
pub fn view(refused: &Refused) -> RefusalView {
    view_for(refused, Interface::Shell)
}

/// A refused command in words, for a caller of this interface.
pub fn view_for(refused: &Refused, interface: Interface) -> RefusalView {
    let RefusalText {
        message,
        details,
        outline,
        remedy,
    } = text(&refused.reason, interface);
    RefusalView {
        code: refused.reason.code().to_owned(),
        message,
        details,
        outline: refused.outline.clone().or(outline),
        remedy,
        position: refused.position.clone(),
        command: refused.command.clone(),
    }
}

fn text(reason: &RefusalReason, interface: Interface) -> RefusalText {
    match reason {
        RefusalReason::Run(refused, help) => run(refused, help, interface),
        RefusalReason::ResultUnreadable { file, error } => RefusalText {
            message: format!("Cannot read the result: {error}."),
            details: vec![format!("read from {}", file.as_deref().unwrap_or("the command"))],
            outline: None,
            remedy: match file {
                _ if interface.is_mcp() => "Pass the result as a JSON object, as `result`.",
                None => FIX_GIVEN_RESULT,
                Some(_) => "Write the result as JSON in UTF-8, and run the same command again.",
            }
            .to_owned(),
        },
        RefusalReason::NotAllowed { action, lack, command } => {
            let (message, remedy) = not_allowed(*action, *lack, interface);
            RefusalText {
                message,
                details: vec![format!("the user can run: {command}")],
                outline: None,
                remedy,
            }
        }
        RefusalReason::Task {
            refusal,
            task,
            named,
            more,
        } => {
            let mut labels: Vec<String> = named.iter().map(id_and_label).collect();
            if *more > 0 {
                labels.push(format!("and {more} more"));
            }
            task_text::refusal(refusal, interface, task.id.as_str(), &task.label(), &labels)
        }
        RefusalReason::TaskCycle(waits) => RefusalText {
            message: "These dependencies would form a cycle, so none of the tasks could start.".to_owned(),
            details: waits
                .iter()
                .map(|(task, on)| format!("{} waits for {}", id_and_label(task), id_and_label(on)))
                .collect(),
            outline: None,
            remedy: "Nothing was changed. A task also waits for its ancestors' dependencies, and closes only after its \
                     children."
                .to_owned(),
        },
        RefusalReason::Plan(refused) => plan_refusal_text::refusal(refused),
    }
}

const FIX_GIVEN_RESULT: &str = "Fix the result in the command, and run the command again.";

/// A run's refusal, with the facts that help to continue.
fn run(refused: &Refusal, help: &RunHelp, interface: Interface) -> RefusalText {
    let RefusalText {
        details,
        remedy: usual,
        message,
        outline,
    } = refusal(refused, interface);
    let mut details = match refused {
        _ if !help.answers.is_empty() => help.answers.iter().map(answer).collect(),
        Refusal::EvidenceUnmet(reports) => reports
            .iter()
            .map(|report| evidence_text::report_in(&help.directory, report))
            .collect(),
        Refusal::ChildrenMissing { .. }
        | Refusal::ChildrenAsking(_)
        | Refusal::ReportWithoutFindings(_)
        | Refusal::ReviewStale(_)
        | Refusal::ReviewIncomplete(_) => {
            let children = details.iter().zip(&help.children);
            children
                .map(|(detail, command)| format!("{detail}; {}", child(command, interface)))
                .collect()
        }
        Refusal::SelfReview { .. } => {
            let children = help.children.iter();
            children.map(|command| child(command, interface)).collect()
        }
        _ => details,
    };
    details.extend(
        help.end_unanswered
            .iter()
            .map(|end_step| format!("to record these sub-agents as not done and end the step: {end_step}")),
    );
    details.extend(help.changed_files.as_ref().map(changed));
    match &help.text_file {
        Some(file) if interface.is_mcp() => {
            details.push(format!("pass the missing text as `{}`", argument(refused, file)));
        }
        Some(TextFile::Visit(file)) => details.push(format!(
            "add the missing text to the command, or write the text to {file}"
        )),
        Some(TextFile::Reason(file)) => details.push(format!(
            "add the reason to the command with `--why`, or write the reason to {file}"
        )),
        Some(TextFile::Answer(file)) => details = vec![format!("you can write the answer to {file}")],
        None => {}
    }
    if let Some(TrustCommands { upgrade, trust }) = &help.trust {
        details.extend(upgrade.iter().map(|upgrade| {
            format!(
                "the skill has changed since the run started; if the user trusts the new version, upgrade the run: {upgrade}"
            )
        }));
        details.push(format!("the user can trust the skill with: {trust}"));
    }
    RefusalText {
        message,
        details,
        outline,
        remedy: remedy(refused, help, interface, usual),
    }
}

/// The remedy for a run's refusal; it may name the place of the result.
fn remedy(refused: &Refusal, help: &RunHelp, interface: Interface, usual: String) -> String {
    let place = help.result.as_ref().filter(|_| !interface.is_mcp());
    match (refused, place) {
        (Refusal::StaleVisit { .. }, _) if help.has_ended => {
            "The run has ended, so there is nothing left to do.".to_owned()
        }
        (Refusal::ResultMissing(_), Some(ResultPlace::File(file))) => {
            // A client's sandbox may make the file read-only.
            format!(
                "Write the result as JSON to {file}, and run the same command again. If you cannot write this file, add \
                 --result 'JSON' to the command."
            )
        }
        (Refusal::ResultMismatch { .. } | Refusal::ChecksFailed { .. }, Some(ResultPlace::File(file))) => {
            format!("Fix the result in {file}, and run the same command again.")
        }
        (Refusal::ResultMismatch { .. } | Refusal::ChecksFailed { .. }, Some(ResultPlace::Command)) => {
            FIX_GIVEN_RESULT.to_owned()
        }
        (Refusal::ChecksMissing(_), Some(ResultPlace::File(file))) => {
            format!("Run the missing checks, add them to `checks` in {file}, and run the same command again.")
        }
        (Refusal::ChecksMissing(_), Some(ResultPlace::Command)) => {
            "Run the missing checks, add them to `checks` in the result, and run the command with the new result."
                .to_owned()
        }
        _ => usual,
    }
}

/// The argument of a tool call that takes a missing text.
fn argument(refused: &Refusal, file: &TextFile) -> &'static str {
    match file {
        TextFile::Answer(_) => "answer",
        TextFile::Visit(_) if *refused == Refusal::NO_ANSWER => "answer",
        TextFile::Visit(_) | TextFile::Reason(_) => "why",
    }
}

fn answer(command: &AnswerCommand) -> String {
    match command {
        AnswerCommand::Fixed {
            answer,
            has_placeholder,
            command,
        } => {
            let replace = if *has_placeholder {
                " (replace TEXT with the reason)"
            } else {
                ""
            };
            format!("to answer \"{answer}\"{replace}: {command}")
        }
        AnswerCommand::Text(command) => format!("to answer (replace TEXT): {command}"),
    }
}

fn child(command: &ChildCommand, interface: Interface) -> String {
    match command {
        ChildCommand::Answer { retry, .. } if interface.is_mcp() => {
            format!("to answer and restart the sub-agent, pass the answer as `answer` and call: {retry}")
        }
        ChildCommand::Start(command) => format!("start command: {command}"),
        ChildCommand::StartReview(command) => {
            format!("to start or resume the reviewing sub-agent: {command}")
        }
        ChildCommand::Restart(command) => format!("to restart the reviewer: {command}"),
        ChildCommand::Answer { file, retry } => {
            format!("to answer and restart the sub-agent, write the answer to {file} and run: {retry}")
        }
        ChildCommand::ShowQuestion(command) => {
            format!("to see the question and the commands that answer it: {command}")
        }
    }
}

fn changed(changed: &ChangedFiles) -> String {
    let files = changed.files.join(", ");
    match changed.more {
        0 => format!("changed since the review: {files}"),
        more => format!("changed since the review: {files} and {more} more"),
    }
}
