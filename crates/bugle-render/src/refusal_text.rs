//! The text of a refusal: message, details and remedy.

use bugle_core::count::{count_phrase, counted};
use bugle_core::engine::{FailedCheck, Refusal};
use bugle_core::expression::FailingItem;
use bugle_core::interface::Interface;
use bugle_core::shape::{Mismatch, Shape};

use crate::rights_text::{CONTINUE, not_allowed, wrong_status};
use crate::text::excerpt;
use crate::{child_text, evidence_text, outline};

/// A refusal as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusalText {
    /// The refusal, as one sentence.
    pub message: String,
    /// The details, one line each.
    pub details: Vec<String>,
    /// The required shape, if the result does not match it.
    pub outline: Option<String>,
    /// The next action, as one sentence.
    pub remedy: String,
}

const KEEP_VERSION: &str = "Finish the run with its current skill version, or start a new run.";

/// The text of a refusal by the engine.
#[expect(clippy::too_many_lines, reason = "a table with one match arm per refusal")]
pub fn refusal(refusal: &Refusal, interface: Interface) -> RefusalText {
    let again = interface.repeat();
    let mut details = Vec::new();
    let mut shape: Option<&Shape> = None;
    let (message, remedy) = match refusal {
        Refusal::UnknownVisit(visit) => (format!("This run has no visit {visit}."), CONTINUE.to_owned()),
        Refusal::StaleVisit { visit, ended } => {
            let how = ended.map_or_else(
                || "was left behind by a rewind".to_owned(),
                |outcome| format!("already ended with `{outcome}`"),
            );
            (
                format!("Visit {visit} {how}. Nothing was changed."),
                CONTINUE.to_owned(),
            )
        }
        Refusal::WrongStatus(status) => wrong_status(*status, interface),
        Refusal::ResultMissing(expected) => {
            shape = Some(expected);
            if interface.is_mcp() {
                (
                    "This step requires a result, but the call has none.".to_owned(),
                    "Call the tool again, with the result as `result`.".to_owned(),
                )
            } else {
                (
                    "This step requires a result, but there is no result file yet.".to_owned(),
                    "Write the result as JSON to the file named in the step, then run the same command again."
                        .to_owned(),
                )
            }
        }
        Refusal::ResultMismatch { mismatches, expected } => {
            shape = Some(expected);
            details.extend(mismatches.iter().map(Mismatch::to_string));
            (
                "The result does not have the required shape.".to_owned(),
                format!("Fix the result, then {again}."),
            )
        }
        Refusal::ChecksFailed { failed, expected } => {
            shape = Some(expected);
            details.extend(failed.iter().map(failed_check));
            (
                format!(
                    "The result has the right shape, but {}.",
                    if failed.len() == 1 {
                        "one check fails".to_owned()
                    } else {
                        format!("{} checks fail", failed.len())
                    }
                ),
                format!("Fix the result, then {again}."),
            )
        }
        Refusal::ResultUnexpected if interface.is_mcp() => (
            "This step does not take a result, but the call includes one.".to_owned(),
            "Call the tool without `result`. To record a remark, pass it as `note`.".to_owned(),
        ),
        Refusal::ResultUnexpected => (
            "This step does not take a result, but the command includes one.".to_owned(),
            "Run the command without a result. To record a remark, add `--note`.".to_owned(),
        ),
        Refusal::EvidenceUnmet(reports) => {
            details.extend(reports.iter().map(evidence_text::report));
            (
                "The evidence that this step requires is missing.".to_owned(),
                format!("Finish the work, then {again}."),
            )
        }
        Refusal::Untrusted { commands } => {
            details.extend(commands.iter().map(|command| format!("command: {command}")));
            (
                "This step runs commands, and the skill is not trusted.".to_owned(),
                "Ask the user to review the commands and trust the skill in their own terminal.".to_owned(),
            )
        }
        Refusal::CannotFail => (
            "You cannot report this step as failed: the step is a gate or has no transition for `fail`.".to_owned(),
            "Do the step, or tell the user what blocks you. The run stays at this step.".to_owned(),
        ),
        Refusal::GuardFailed { guard, message } => {
            details.push(format!("guard: {guard}"));
            details.push(message.clone());
            (
                "The workflow could not choose the next step from this result.".to_owned(),
                "Check the values in the result. If they are right, the skill's guard is wrong: tell the user."
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
                    "This step needs reports from {}; {} reported.",
                    counted(*needed, "sub-agent"),
                    count_phrase(*reported, "has", "have")
                ),
                "Wait for the sub-agents that are still working. In one message, start those that have not started and \
                 restart those that have stopped."
                    .to_owned(),
            )
        }
        Refusal::ChildrenAsking(asking) => {
            details.extend(
                asking
                    .iter()
                    .map(|(slot, state)| format!("sub-agent {slot}: {}", child_text::child_state(state))),
            );
            (
                "This step cannot end while its sub-agents have open questions.".to_owned(),
                "Answer the questions you can answer yourself, and ask the user the rest.".to_owned(),
            )
        }
        Refusal::NoQuestion if interface.is_mcp() => (
            "The outcome `unanswered` is only for steps with sub-agents, and this step has none.".to_owned(),
            "Call the tool without `outcome`.".to_owned(),
        ),
        Refusal::NoQuestion => (
            "`--unanswered` is only for steps with sub-agents, and this step has none.".to_owned(),
            "Run the command without `--unanswered`.".to_owned(),
        ),
        Refusal::SelfReview { gate, .. } => (
            format!(
                "You did or led the work that the gate \"{}\" reviews. Another agent must review it.",
                excerpt(gate)
            ),
            if interface.is_mcp() {
                "Start a sub-agent for the review. If you are that sub-agent, make the start call yourself."
            } else {
                "Start a sub-agent for the review. If you are that sub-agent, run the start command exactly as printed, in a \
                 separate tool call, so that Bugle's hooks see it."
            }
            .to_owned(),
        ),
        Refusal::ReportWithoutFindings(slots) => {
            details.extend(slots.iter().map(|slot| format!("sub-agent {slot} did not return a review")));
            (
                "The gate needs a review from every reviewer, but not all have returned one.".to_owned(),
                "Restart these reviewers. A reviewer that finds nothing returns an empty list of findings.".to_owned(),
            )
        }
        Refusal::ChecksMissing(missing) => {
            details.extend(missing.iter().map(|check| format!("missing: {check}")));
            (
                "The report leaves out checks that earlier reviews at this gate ran.".to_owned(),
                format!("Run the missing checks, add them to `checks`, then {again}."),
            )
        }
        Refusal::ReviewIncomplete(reports) => {
            details.extend(
                reports
                    .iter()
                    .map(|(slot, missing)| format!("sub-agent {slot} left out: {}", missing.join(", "))),
            );
            (
                "A review leaves out checks that earlier reviews at this gate ran.".to_owned(),
                "Restart these reviewers.".to_owned(),
            )
        }
        Refusal::UnknownDispute { finding, open } => {
            let numbers: Vec<String> = open.iter().map(u32::to_string).collect();
            details.push(if numbers.is_empty() {
                "no finding sent work back to this step, so there is nothing to dispute".to_owned()
            } else {
                format!("findings you can dispute: {}", numbers.join(", "))
            });
            (
                format!("`disputes` lists finding {finding}, which is not one of the open findings."),
                format!("Dispute only open findings, or leave `disputes` empty. Then {again}."),
            )
        }
        Refusal::ReviewStale(slots) => {
            details.extend(
                slots
                    .iter()
                    .map(|slot| format!("sub-agent {slot} reviewed an older version of the files")),
            );
            (
                "The project's files changed after the review, so the review no longer applies.".to_owned(),
                "Leave the files unchanged and restart these reviewers.".to_owned(),
            )
        }
        Refusal::AnswersForChildren => (
            "This step's result comes from its sub-agents. You cannot supply the result yourself.".to_owned(),
            format!(
                "Wait until the sub-agents have reported, then {} without a result.",
                if interface.is_mcp() { "call the tool" } else { "run the command" }
            ),
        ),
        Refusal::HasReported(slot) => (
            format!("Sub-agent {slot} has already reported."),
            CONTINUE.to_owned(),
        ),
        Refusal::StillOpen(slot) => (
            format!("Sub-agent {slot} has not stopped, so you cannot restart it. Nothing was recorded."),
            format!(
                "To resume the sub-agent at its current step, {}.",
                if interface.is_mcp() { "let it make its start call again" } else { "run its start command" }
            ),
        ),
        Refusal::UnknownChild { slot, children } => (
            format!("Sub-agent {slot} does not exist; this visit has {children}."),
            CONTINUE.to_owned(),
        ),
        Refusal::TooManyChildren { step, found, limit } => (
            format!("Step `{step}` would start {found} sub-agents; the step's limit is {limit}."),
            format!("Return a shorter list: combine related items into one entry. Then {again}."),
        ),
        Refusal::NotAChild => (
            "Only a sub-agent can escalate.".to_owned(),
            "Ask the user. The run stays at this step.".to_owned(),
        ),
        Refusal::ParentGone(parent) => (
            format!("Run {parent}, which dispatched this work, was cancelled. Nothing was recorded."),
            "Stop, and say in your final message that the run was cancelled.".to_owned(),
        ),
        Refusal::OnlyForWholeRuns(_) => (
            "This run belongs to a sub-agent, and the command works only on its parent run."
                .to_owned(),
            "Run the command on the parent run instead.".to_owned(),
        ),
        Refusal::UnknownFinding(number) => (
            format!("There is no blocking finding with the number {number}."),
            "Use the numbers that `bugle run findings` prints.".to_owned(),
        ),
        Refusal::NotAsking => ("This step has no question to answer.".to_owned(), CONTINUE.to_owned()),
        Refusal::NotAllowed(action, lack) => not_allowed(*action, *lack, interface),
        Refusal::BadChoice { answer, choices } => {
            details.extend(choices.iter().map(|choice| format!("choice: {choice}")));
            let message = if answer.is_empty() {
                "The answer is empty, and this question has fixed choices.".to_owned()
            } else {
                format!("`{answer}` is not one of the choices.")
            };
            (
                message,
                if interface.is_mcp() {
                    "Pass one of these answers as `answer`."
                } else {
                    "Run the command for one of these answers."
                }
                .to_owned(),
            )
        }
        Refusal::Empty(what) => (
            format!("{} is empty.", capitalised(what)),
            "Write some text, then try again.".to_owned(),
        ),
        Refusal::NotInHistory(visit) => (
            format!("Visit {visit} is not part of the run's current history."),
            "Choose a visit that the timeline does not mark \"left behind\".".to_owned(),
        ),
        Refusal::SameVersion => (
            "The run already uses this version of its skill.".to_owned(),
            CONTINUE.to_owned(),
        ),
        Refusal::StepGone(step) => (
            format!("The other skill version has no step `{step}`, so the run cannot switch to that version."),
            KEEP_VERSION.to_owned(),
        ),
        Refusal::DoesNotFit { what, mismatches } => {
            details.extend(mismatches.iter().map(Mismatch::to_string));
            (
                format!("The run's data does not match the other skill version: {what}."),
                KEEP_VERSION.to_owned(),
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

/// Maximum number of failing list items that a refusal names.
const MAX_ITEMS: usize = 5;

/// A failed check, on one line.
fn failed_check(check: &FailedCheck) -> String {
    let FailedCheck {
        say,
        that,
        items,
        error,
    } = check;
    match error {
        None => format!("{say}{} Check: {that}", failing_items(items)),
        Some(error) => format!("{say} Bugle could not evaluate the check: {error}. Check: {that}"),
    }
}

fn failing_items(items: &[FailingItem]) -> String {
    let name = |item: &FailingItem| match &item.id {
        Some(id) => format!("{} (id \"{}\")", item.path, excerpt(id)),
        None => item.path.clone(),
    };
    let named: Vec<String> = items.iter().take(MAX_ITEMS).map(name).collect();
    let heading = match items.len() {
        0 => return String::new(),
        1 => " Failing item:",
        _ => " Failing items:",
    };
    let more = match items.len().saturating_sub(MAX_ITEMS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{heading} {}{more}.", named.join(", "))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}
