//! The evidence that a step asks for, and what was found.

use serde::{Deserialize, Serialize};

use crate::id::TaskId;
use crate::workflow::Evidence;

/// One piece of evidence, and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvidenceReport {
    /// What was asked for, as the skill says it.
    pub evidence: Evidence,
    /// The pattern, command or file that was looked for, with all values filled in; nothing in reports from before it
    /// was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filled: Option<String>,
    /// What was found.
    pub finding: EvidenceFinding,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceFinding {
    /// Files match; some of them by name.
    Files(Vec<String>),
    /// No file matches.
    NoFile,
    /// Files match, but none was made or changed since the visit began.
    OnlyOlderFiles(Vec<String>),
    /// Files match and would count, but there is nothing in them.
    OnlyEmptyFiles(Vec<String>),
    /// Only links match, and what a link leads to was not made here.
    OnlyLinks(Vec<String>),
    /// Files match, but there were too many when the visit began to know whether they changed.
    TooManyFiles(Vec<String>),
    /// The command ended.
    Exit {
        /// Its exit code; none if a signal ended it.
        code: Option<i32>,
        /// The last lines it printed.
        tail: String,
    },
    /// The command was stopped because it took too long.
    TimedOut {
        /// The last lines it printed.
        tail: String,
    },
    /// The plan was read, and its tasks are in the tree.
    Plan {
        /// Its file.
        file: String,
        /// The task that stands for the plan as a whole.
        root: TaskId,
        /// How many tasks with work in them it has.
        tasks: u32,
    },
    /// There is no plan that can be worked from.
    NoPlan {
        /// What is wrong with it, as a clause.
        why: String,
    },
    /// The command could not be started, or the pattern not be read.
    NotChecked(String),
}

impl EvidenceReport {
    /// A report as if everything were there.
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

    /// What was looked for, with all values filled in.
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

    /// The task that stands for the plan that was found, if one was looked for.
    pub fn plan_root(&self) -> Option<&TaskId> {
        match &self.finding {
            EvidenceFinding::Plan { root, .. } => Some(root),
            _ => None,
        }
    }

    /// Whether it is what was asked for.
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
