//! Text about evidence: the expectation, and the result of the check.

use bugle_core::count::counted;
use bugle_core::engine::{EvidenceFinding, EvidenceReport};
use bugle_core::workflow::Evidence;

/// Like [`report`], with the folder in which a missing file was expected.
pub fn report_in(folder: &str, evidence: &EvidenceReport) -> String {
    let text = report(evidence);
    match evidence.finding {
        EvidenceFinding::NoFile => format!("{text} in {folder}"),
        _ => text,
    }
}

/// The expectation and the result of the check, on one line.
pub fn report(report: &EvidenceReport) -> String {
    let wanted = expectation(&report.looked_for());
    let found = match &report.finding {
        EvidenceFinding::Files(files) => format!("found {}", files.join(", ")),
        EvidenceFinding::NoFile => "there is no such file".to_owned(),
        EvidenceFinding::OnlyOlderFiles(files) => {
            format!("unchanged since the step began: {}", files.join(", "))
        }
        EvidenceFinding::OnlyEmptyFiles(files) => format!("empty: {}", files.join(", ")),
        EvidenceFinding::OnlyLinks(files) => {
            format!(
                "symbolic links do not count; replace them with regular files: {}",
                files.join(", ")
            )
        }
        EvidenceFinding::TooManyFiles(files) => format!(
            "too many files matched when the step began, so Bugle cannot tell whether these files changed: {}; the \
             skill needs a narrower pattern",
            files.join(", ")
        ),
        EvidenceFinding::Exit {
            code: Some(code),
            tail,
        } => with_tail(&format!("the command exited with code {code}"), tail),
        EvidenceFinding::Exit { code: None, tail } => with_tail("a signal killed the command", tail),
        EvidenceFinding::TimedOut { tail } => with_tail("the command timed out", tail),
        EvidenceFinding::Plan { tasks, .. } => format!("the plan has {}", counted(*tasks, "task")),
        EvidenceFinding::NoPlan { why } => why.clone(),
        EvidenceFinding::NotChecked(why) => format!("Bugle could not check this evidence: {why}"),
    };
    format!("{wanted}: {found}")
}

fn with_tail(message: &str, tail: &str) -> String {
    if tail.trim().is_empty() {
        message.to_owned()
    } else {
        format!("{message}; last lines of output:\n{}", tail.trim_end())
    }
}

/// An expectation, on one line.
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
            format!("a file that matches {pattern}, created or changed in this step")
        }
        Evidence::Command { line, .. } => format!("`{line}` exits with code 0"),
        Evidence::Plan { file } => format!("{file}, a Markdown plan with tasks"),
    }
}
