//! The stable refusal codes, each with an explanation and a remedy.

use super::refusal::Refusal;
use crate::code_help::refusal_codes;

refusal_codes! {
    Refusal;
    Self::UnknownVisit(_), "unknown-visit",
        "The run has no visit with this number.",
        "Run `bugle step` and use the token that it prints.";
    Self::StaleVisit { .. }, "stale-visit",
        "The visit has already ended, or the run was rewound to an earlier visit.",
        "Run `bugle step` and continue with the current step.";
    Self::WrongStatus(_), "wrong-status",
        "The run's status (active, waiting, paused, completed, failed or cancelled) does not allow the command.",
        "Run `bugle run show` to see the status; resume a paused run, or answer a waiting run's question.";
    Self::ResultMissing(_), "result-missing",
        "The step requires a result, but the command included none and there is no result file.",
        "Write the result as JSON to the file that the step names, and run the same command again.";
    Self::ResultMismatch { .. }, "result-mismatch",
        "The result does not have the shape that the step declares.",
        "Fix the listed fields, and run the same command again.";
    Self::ChecksFailed { .. }, "checks-failed",
        "The result has the right shape but fails the step's checks.",
        "Fix what the failed checks report, and run the same command again.";
    Self::ResultUnexpected, "result-unexpected",
        "The command included a result, but the step declares none.",
        "Run the command without a result; to record a remark, add `--note`.";
    Self::EvidenceUnmet(_), "evidence-unmet",
        "The step's evidence is incomplete: a required file or plan is missing or invalid, or a required command failed.",
        "Finish the step's work, then run the same command again.";
    Self::Untrusted { .. }, "untrusted",
        "The step runs commands, but the user has not trusted this version of the skill.",
        "Read the commands, then run `bugle trust` in your own terminal.";
    Self::CannotFail, "cannot-fail",
        "The step is a gate or has no transition for `fail`.",
        "Finish the step, or tell the user what blocks you; the run stays at this step.";
    Self::GuardFailed { .. }, "guard-failed",
        "Bugle could not evaluate one of the workflow's guards with this result.",
        "Check the values in the result; if they are right, fix the guard in the skill.";
    Self::ChildrenMissing { .. }, "children-missing",
        "Too few sub-agents have reported.",
        "Wait for the running sub-agents, and start the others.";
    Self::ChildrenAsking(_), "children-asking",
        "Sub-agents of this step have open questions.",
        "Answer the questions you can, pass the others to the user, and restart the sub-agents with `bugle run retry`.";
    Self::NoQuestion, "nobody-asks",
        "The command has `--unanswered`, but the step has no sub-agents.",
        "Run the command without `--unanswered`.";
    Self::SelfReview { .. }, "self-review",
        "The agent did or led the work that it was asked to review.",
        "Start a sub-agent to do the review.";
    Self::ReportWithoutFindings(_), "report-without-findings",
        "A reviewer's result does not contain a list of findings; an empty list is allowed.",
        "Restart the listed reviewers.";
    Self::ChecksMissing(_), "checks-missing",
        "The review lacks checks that earlier reviews at this gate included.",
        "Run the missing checks, add them to `checks`, and run the same command again.";
    Self::ReviewIncomplete(_), "review-incomplete",
        "Some reviews lack checks that earlier reviews at this gate included.",
        "Restart the listed reviewers.";
    Self::UnknownDispute { .. }, "unknown-dispute",
        "`disputes` contains a number that no open finding has.",
        "Use the numbers of open findings, or leave `disputes` empty. Then run the same command again.";
    Self::ReviewStale(_), "review-stale",
        "The project's files changed after the review.",
        "Leave the files unchanged, and restart the listed reviewers.";
    Self::AnswersForChildren, "answers-for-children",
        "The command included a result, but only the step's sub-agents return results.",
        "Run the command without a result after the sub-agents have reported.";
    Self::HasReported(_), "has-reported",
        "The sub-agent has already reported, so it cannot be restarted.",
        "Run `bugle step` and continue with the current step.";
    Self::StillOpen(_), "still-open",
        "The sub-agent has not stopped, so it cannot be restarted.",
        "Run the sub-agent's start command again; the sub-agent continues from its current step.";
    Self::UnknownChild { .. }, "unknown-child",
        "The visit has no sub-agent with this number.",
        "Run `bugle step` and use one of the tokens that it prints.";
    Self::ParentGone(_), "parent-gone",
        "The orchestrator's run was cancelled.",
        "Stop, and report the cancellation in your final message.";
    Self::OnlyForWholeRuns(_), "only-for-whole-runs",
        "The run belongs to a sub-agent, and the command works only on the orchestrator's run.",
        "Run the command with the id of the orchestrator's run.";
    Self::UnknownFinding(_), "unknown-finding",
        "No blocking finding has this number.",
        "Run `bugle run findings` and use a number that it lists.";
    Self::TooManyChildren { .. }, "too-many-children",
        "The dispatch would start more sub-agents than its limit allows.",
        "Return a shorter list that groups related entries, and run the same command again.";
    Self::NotAChild, "not-a-child",
        "Only a sub-agent can escalate a question to its orchestrator.",
        "Ask the user; the run stays at this step.";
    Self::NotAsking, "not-asking",
        "The current step does not ask a question.",
        "Run `bugle step` and continue with the current step.";
    Self::BadChoice { .. }, "bad-choice",
        "The answer is not one of the choices.",
        "Answer with one of the listed choices.";
    Self::Empty(_), "empty",
        "A required string, such as a note or a reason, is empty.",
        "Run the command again with a non-empty note, reason or answer.";
    Self::NotInHistory(_), "not-in-history",
        "A rewind left the visit behind, so the visit is not part of the run's current history.",
        "Run `bugle run show` and choose a visit that is not marked as left behind.";
    Self::SameVersion, "same-version",
        "The run already uses this version of its skill.",
        "Continue the run; there is nothing to upgrade.";
    Self::StepGone(_), "step-gone",
        "The new version of the skill does not have the run's current step.",
        "Finish the run with its current skill version, or start a new run.";
    Self::DoesNotFit { .. }, "does-not-fit",
        "The run's params or results do not match the new version of the skill.",
        "Finish the run with its current skill version, or start a new run.";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rights::MissingAuthority;

    #[test]
    fn every_code_has_one_entry_with_two_sentences() {
        let help: Vec<_> = Refusal::CODES
            .iter()
            .copied()
            .chain(MissingAuthority::ALL.map(MissingAuthority::help))
            .collect();
        let codes: BTreeSet<&str> = help.iter().map(|help| help.code).collect();
        assert_eq!(codes.len(), help.len());
        for help in help {
            assert!(help.explanation.ends_with('.'), "{}", help.code);
            assert!(help.remedy.ends_with('.'), "{}", help.code);
        }
    }
}
