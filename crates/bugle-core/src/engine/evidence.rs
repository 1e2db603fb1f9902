//! The evidence that a step expects, and the results of checking it.

use serde::{Deserialize, Serialize};

use crate::id::TaskId;
use crate::workflow::Evidence;

/// A piece of evidence and the result of checking it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceReport {
    /// The evidence as the skill declares it.
    pub evidence: Evidence,
    /// The pattern, command or file after template expansion; `None` in old reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled: Option<String>,
    /// The result of the check.
    pub finding: EvidenceFinding,
}

/// The result of checking a piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceFinding {
    /// Matching files; not necessarily all.
    Files(Vec<String>),
    /// No file matches.
    NoFile,
    /// Files match, but none is new or changed since the start of the visit.
    OnlyOlderFiles(Vec<String>),
    /// New or changed files match, but they are empty.
    OnlyEmptyFiles(Vec<String>),
    /// Only symlinks match, and they do not count as new files.
    OnlyLinks(Vec<String>),
    /// Files match, but when the visit started, there were too many to detect changes.
    TooManyFiles(Vec<String>),
    /// The command exited.
    Exit {
        /// The command's exit code; `None` if a signal ended the command.
        code: Option<i32>,
        /// The last lines of the command's output.
        tail: String,
    },
    /// The command timed out.
    TimedOut {
        /// The last lines of the command's output.
        tail: String,
    },
    /// The plan was imported.
    Plan {
        /// The plan's file.
        file: String,
        /// The root task of the plan.
        root: TaskId,
        /// The number of tasks, not counting groups.
        tasks: u32,
    },
    /// No usable plan was found.
    NoPlan {
        /// The reason, as a clause.
        why: String,
    },
    /// The command did not start, or the pattern is invalid.
    NotChecked(String),
}

impl EvidenceReport {
    /// A report as if the evidence were present.
    pub fn met(evidence: &Evidence) -> Self {
        let finding = match evidence {
            Evidence::Artifact { pattern, .. } => EvidenceFinding::Files(vec![pattern.clone()]),
            Evidence::Command { .. } => EvidenceFinding::Exit {
                code: Some(0),
                tail: String::new(),
            },
            Evidence::Plan { file } => EvidenceFinding::Plan {
                file: file.clone(),
                root: TaskId::from_random(0),
                tasks: 3,
            },
        };
        Self {
            evidence: evidence.clone(),
            filled: None,
            finding,
        }
    }

    /// The evidence after template expansion.
    pub fn looked_for(&self) -> Evidence {
        let Some(filled) = self.filled.clone() else {
            return self.evidence.clone();
        };
        match &self.evidence {
            Evidence::Artifact { existing, .. } => Evidence::Artifact {
                pattern: filled,
                existing: *existing,
            },
            Evidence::Command { timeout_seconds, .. } => Evidence::Command {
                line: filled,
                timeout_seconds: *timeout_seconds,
            },
            Evidence::Plan { .. } => Evidence::Plan { file: filled },
        }
    }

    /// The root task of the imported plan, if one was expected.
    pub fn plan_root(&self) -> Option<&TaskId> {
        match &self.finding {
            EvidenceFinding::Plan { root, .. } => Some(root),
            _ => None,
        }
    }

    /// Whether the expectation is met.
    pub fn is_met(&self) -> bool {
        match &self.finding {
            EvidenceFinding::Files(files) => !files.is_empty(),
            EvidenceFinding::Exit { code, .. } => *code == Some(0),
            EvidenceFinding::Plan { .. } => true,
            EvidenceFinding::NoFile
            | EvidenceFinding::OnlyOlderFiles(_)
            | EvidenceFinding::OnlyEmptyFiles(_)
            | EvidenceFinding::OnlyLinks(_)
            | EvidenceFinding::TooManyFiles(_)
            | EvidenceFinding::TimedOut { .. }
            | EvidenceFinding::NoPlan { .. }
            | EvidenceFinding::NotChecked(_) => false,
        }
    }
}
