//! Evidence in words: what a step is checked for, and what was found.

use bugle_core::engine::{EvidenceFinding, EvidenceReport};
use bugle_core::workflow::Evidence;

/// What was looked for and what was found, in a line.
pub fn report(report: &EvidenceReport) -> String {
    let wanted = expectation(&report.looked_for());
    let found = match &report.finding {
        EvidenceFinding::Files(files) => format!("found {}", files.join(", ")),
        EvidenceFinding::NoFile => "there is no such file".to_owned(),
        EvidenceFinding::OnlyOlderFiles(files) => {
            format!(
                "there before and unchanged since the step began: {}",
                files.join(", ")
            )
        }
        EvidenceFinding::OnlyEmptyFiles(files) => format!("there is nothing in {}", files.join(", ")),
        EvidenceFinding::OnlyLinks(files) => {
            format!(
                "a link does not count, put the file itself there: {}",
                files.join(", ")
            )
        }
        EvidenceFinding::TooManyFiles(files) => format!(
            "too many files matched when the step began to tell whether this one changed: {}; the skill must name a \
             smaller folder",
            files.join(", ")
        ),
        EvidenceFinding::Exit {
            code: Some(code),
            tail,
        } => with_tail(&format!("it exited with {code}"), tail),
        EvidenceFinding::Exit { code: None, tail } => with_tail("a signal ended it", tail),
        EvidenceFinding::TimedOut { tail } => with_tail("it took too long and was stopped", tail),
        EvidenceFinding::Plan { tasks: 1, .. } => "it has 1 task".to_owned(),
        EvidenceFinding::Plan { tasks, .. } => format!("it has {tasks} tasks"),
        EvidenceFinding::NoPlan { why } => why.clone(),
        EvidenceFinding::NotChecked(why) => format!("it could not be checked: {why}"),
    };
    format!("{wanted}: {found}")
}

fn with_tail(message: &str, tail: &str) -> String {
    if tail.trim().is_empty() {
        message.to_owned()
    } else {
        format!("{message}; its last lines:\n{}", tail.trim_end())
    }
}

/// What a step will be checked for, in a line.
pub fn expectation(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Artifact {
            pattern,
            existing: true,
        } => format!("a file that matches {pattern}"),
        Evidence::Artifact {
            pattern,
            existing: false,
        } => {
            format!("a file that matches {pattern}, made or changed in this step")
        }
        Evidence::Command { line, .. } => format!("`{line}` exits with 0"),
        Evidence::Plan { file } => format!("{file}, a Markdown plan with tasks that Bugle can read"),
    }
}
