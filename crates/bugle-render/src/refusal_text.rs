//! The text of a refusal: what happened, why, and what to do.

use bugle_core::engine::{FailedCheck, Refusal, RunStatus};
use bugle_core::rights::{Action, MissingAuthority};
use bugle_core::shape::{Mismatch, Shape};

use crate::text::excerpt;
use crate::{child_text, evidence_text, outline};

/// A refusal in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalText {
    /// What happened, in a sentence.
    pub message: String,
    /// The details, one line each.
    pub details: Vec<String>,
    /// What the result must look like, if it did not.
    pub outline: Option<String>,
    /// What to do about it, in a sentence.
    pub remedy: String,
}

/// Why an actor may not do something, and what to do instead.
pub(crate) fn not_allowed(action: Action, lack: MissingAuthority) -> (String, String) {
    let place = if action.is_on_page() {
        "in their own terminal or on the page of `bugle ui`"
    } else {
        "in their own terminal"
    };
    match lack {
        MissingAuthority::UserInput => {
            let since = if action.is_about_run() {
                " since the run came to this point"
            } else if action.is_about_task() {
                " since the task last changed"
            } else {
                ""
            };
            (
                format!(
                    "Only the user can {action}, and no input of theirs reached Bugle in this session{since}."
                ),
                format!(
                    "Ask the user and end your turn. Run the command again after they reply. If it is refused again, \
                     hooks do not run here (`bugle doctor` says why): then they do it themselves, {place}."
                ),
            )
        }
        MissingAuthority::Person => (
            format!("Only a person can {action}, {place}."),
            "Ask the user to do it there. Input in this session is not enough.".to_owned(),
        ),
    }
}

/// Says why the rules do not allow something.
#[expect(clippy::too_many_lines, reason = "one arm per refusal, read as a table")]
pub fn refusal(refusal: &Refusal) -> RefusalText {
    let mut details = Vec::new();
    let mut shape: Option<&Shape> = None;
    let (message, remedy) = match refusal {
        Refusal::UnknownVisit(visit) => (
            format!("This run never had a visit {visit}."),
            "Go on from where the run stands.".to_owned(),
        ),
        Refusal::StaleVisit { visit, ended } => {
            let how = ended.map_or_else(
                || "was left behind by a rewind".to_owned(),
                |outcome| format!("ended with `{outcome}` earlier"),
            );
            (
                format!("Visit {visit} {how}; nothing was changed."),
                "Go on from where the run stands.".to_owned(),
            )
        }
        Refusal::WrongStatus(status) => wrong_status(*status),
        Refusal::ResultMissing(expected) => {
            shape = Some(expected);
            (
                "This step owes a result, and none was handed in.".to_owned(),
                "Write the result as JSON to the file named in the step, and run the same command again."
                    .to_owned(),
            )
        }
        Refusal::ResultMismatch { mismatches, expected } => {
            shape = Some(expected);
            details.extend(mismatches.iter().map(Mismatch::to_string));
            (
                "The result does not fit what this step owes.".to_owned(),
                "Mend the result, and run the same command again.".to_owned(),
            )
        }
        Refusal::ChecksFailed { failed, expected } => {
            shape = Some(expected);
            details.extend(failed.iter().map(failed_check));
            (
                format!(
                    "The result has the right form, but {} not hold.",
                    if failed.len() == 1 { "one check does" } else { "these checks do" }
                ),
                "Fix the result, and run the same command again.".to_owned(),
            )
        }
        Refusal::ResultUnexpected => (
            "This step owes no result, but one was handed in.".to_owned(),
            "Run the command without a result; what is worth keeping can be noted with `--note`.".to_owned(),
        ),
        Refusal::EvidenceUnmet(reports) => {
            details.extend(reports.iter().map(evidence_text::report));
            (
                "The evidence that this step asks for is not there.".to_owned(),
                "Finish the work, and run the same command again.".to_owned(),
            )
        }
        Refusal::Untrusted { commands } => {
            details.extend(commands.iter().map(|command| format!("it would run: {command}")));
            (
                "This step wants commands to be run, and nobody has said that the skill may do that."
                    .to_owned(),
                "Ask the user to read the commands and to trust the skill, in a terminal of their own."
                    .to_owned(),
            )
        }
        Refusal::CannotFail => (
            "This step has no way on after a failure.".to_owned(),
            "Do the step, or tell the user what stands in the way; the run keeps its place.".to_owned(),
        ),
        Refusal::GuardFailed { guard, message } => {
            details.push(format!("guard: {guard}"));
            details.push(message.clone());
            (
                "The workflow could not decide how to go on from this result.".to_owned(),
                "Check the values in the result; if they are right, the skill's guard is at fault."
                    .to_owned(),
            )
        }
        Refusal::ChildrenMissing {
            missing,
            reported,
            needed,
        } => {
            details.extend(
                missing
                    .iter()
                    .map(|(slot, state)| format!("sub-agent {slot}: {}", child_text::child_state(state))),
            );
            (
                format!(
                    "This step goes on when {needed} {} reported; {reported} {}.",
                    if *needed == 1 { "sub-agent has" } else { "sub-agents have" },
                    if *reported == 1 { "has" } else { "have" }
                ),
                "Wait for those at work. Start, all in one message, those that are not started and those whose agent \
                 has ended."
                    .to_owned(),
            )
        }
        Refusal::ChildrenAsking(asking) => {
            details.extend(
                asking
                    .iter()
                    .map(|(slot, state)| format!("sub-agent {slot} {}", child_text::child_state(state))),
            );
            (
                "This step cannot end while its sub-agents have open questions.".to_owned(),
                "Answer what you know, and ask the user what only they can decide."
                    .to_owned(),
            )
        }
        Refusal::NoQuestion => (
            "This step has no sub-agents, so it has no open questions.".to_owned(),
            "Run the command without `--unanswered`.".to_owned(),
        ),
        Refusal::SelfReview { gate, .. } => (
            format!("You did or led the work that the gate \"{}\" reviews, so another agent must review it.", excerpt(gate)),
            "Start a sub-agent for the review. If you are that sub-agent, run the command exactly as printed, in a tool \
             call of its own: Bugle's hooks have not seen it."
                .to_owned(),
        ),
        Refusal::ReportWithoutFindings(slots) => {
            details.extend(slots.iter().map(|slot| format!("sub-agent {slot} brought no review")));
            (
                "A gate decides from findings, and a review is missing.".to_owned(),
                "Have the named reviewers started again; an empty list of findings is a review, no report is none."
                    .to_owned(),
            )
        }
        Refusal::ChecksMissing(missing) => {
            details.extend(missing.iter().map(|check| format!("missing: {check}")));
            (
                "The report leaves out checks that earlier reviews of this gate made.".to_owned(),
                "Make the missing checks, add them to `checks`, and run the same command again.".to_owned(),
            )
        }
        Refusal::ReviewIncomplete(reports) => {
            details.extend(
                reports
                    .iter()
                    .map(|(slot, missing)| format!("sub-agent {slot} left out: {}", missing.join(", "))),
            );
            (
                "A review leaves out checks that earlier reviews of this gate made.".to_owned(),
                "Start the named reviewers again.".to_owned(),
            )
        }
        Refusal::UnknownDispute { finding, open } => {
            let numbers: Vec<String> = open.iter().map(u32::to_string).collect();
            details.push(if numbers.is_empty() {
                "nothing was sent back to this step, so there is nothing to dispute".to_owned()
            } else {
                format!("findings that can be disputed: {}", numbers.join(", "))
            });
            (
                format!("`disputes` names finding {finding}, which did not send the work back."),
                "Use the numbers of the open findings, or leave `disputes` empty, and run the same command again."
                    .to_owned(),
            )
        }
        Refusal::ReviewStale(slots) => {
            details.extend(slots.iter().map(|slot| format!("sub-agent {slot} reviewed other files")));
            (
                "The project's files have changed since they were reviewed, so the review says nothing about them."
                    .to_owned(),
                "Leave the files as they are, and have the named reviewers started again.".to_owned(),
            )
        }
        Refusal::AnswersForChildren => (
            "This step's result is what its sub-agents report; nobody can hand it in for them.".to_owned(),
            "Run the command without a result when the sub-agents have returned.".to_owned(),
        ),
        Refusal::HasReported(slot) => (
            format!("Sub-agent {slot} has reported; its work is not done twice."),
            "Go on from where the run stands.".to_owned(),
        ),
        Refusal::StillOpen(slot) => (
            format!("Sub-agent {slot} has not stopped, so there is nothing to have again; nothing was recorded."),
            "The command that starts it goes on where it stands.".to_owned(),
        ),
        Refusal::UnknownChild { slot, children } => (
            format!("There is no sub-agent {slot} at this visit; it called for {children}."),
            "Go on from where the run stands.".to_owned(),
        ),
        Refusal::TooManyChildren { step, found, limit } => (
            format!("Step `{step}` would start {found} sub-agents, and it may start {limit}."),
            "Bring a shorter list, with what belongs together in one entry, and run the same command again."
                .to_owned(),
        ),
        Refusal::NotAChild => (
            "Only a sub-agent can pass its work back like this.".to_owned(),
            "Ask the user; the run keeps its place.".to_owned(),
        ),
        Refusal::ParentGone(parent) => (
            format!("Run {parent}, which called for this work, was given up; nothing was recorded."),
            "Stop here, and say so in your last words.".to_owned(),
        ),
        Refusal::OnlyForWholeRuns => (
            "This run is the work of a sub-agent: it keeps the version of the run that called for it, and ends with it."
                .to_owned(),
            "Do this with the run that called for it.".to_owned(),
        ),
        Refusal::UnknownFinding(number) => (
            format!("Nothing with the number {number} blocks there."),
            "Choose the numbers from the list of findings.".to_owned(),
        ),
        Refusal::NotAsking => (
            "This step asks no question.".to_owned(),
            "Go on from where the run stands.".to_owned(),
        ),
        Refusal::NotAllowed(action, lack) => not_allowed(*action, *lack),
        Refusal::BadChoice { answer, choices } => {
            details.extend(choices.iter().map(|choice| format!("possible: {choice}")));
            (
                format!("`{answer}` is none of the answers to choose from."),
                "Choose one of them.".to_owned(),
            )
        }
        Refusal::Empty(what) => (
            format!("{} is empty.", capitalised(what)),
            "Say what is meant.".to_owned(),
        ),
        Refusal::NotInHistory(visit) => (
            format!("Visit {visit} is not part of the run's present history."),
            "Choose a visit that the timeline does not mark as left behind.".to_owned(),
        ),
        Refusal::SameVersion => (
            "The run is at this version of its skill already.".to_owned(),
            "Go on from where it stands.".to_owned(),
        ),
        Refusal::StepGone(step) => (
            format!(
                "The other version of the skill has no step `{step}`, so there is no place to go on from."
            ),
            "Finish the run with the version it has, or start anew.".to_owned(),
        ),
        Refusal::DoesNotFit { what, mismatches } => {
            details.extend(mismatches.iter().map(Mismatch::to_string));
            (
                format!("What the run holds does not fit the other version of the skill: {what}."),
                "Finish the run with the version it has, or start anew.".to_owned(),
            )
        }
    };
    RefusalText {
        message,
        details,
        outline: shape.map(outline),
        remedy,
    }
}

fn wrong_status(status: RunStatus) -> (String, String) {
    let (message, remedy) = match status {
        RunStatus::Active => ("This run is active.", "Go on from where it stands."),
        RunStatus::Waiting => (
            "This run waits for a person's answer.",
            "Ask the user. `bugle step` shows the question and the commands that answer it.",
        ),
        RunStatus::Paused => (
            "This run is paused.",
            "Resume it first, if the user wants it to go on.",
        ),
        RunStatus::Completed => ("This run is complete.", "Nothing is left to do in it."),
        RunStatus::Cancelled => (
            "This run was given up.",
            "Start a new one, or fork this one at an earlier visit.",
        ),
    };
    (message.to_owned(), remedy.to_owned())
}

/// A check that does not hold, in a line.
fn failed_check(check: &FailedCheck) -> String {
    let FailedCheck { say, that, error } = check;
    match error {
        None => format!("{say} Check: {that}"),
        Some(error) => format!("{say} The check has no answer, because {error}. Check: {that}"),
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
