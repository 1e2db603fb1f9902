//! The origin of a template, for locating problems.

use super::ProblemLocation;
use crate::path::SkillPath;

/// A template's origin.
pub(super) enum Origin {
    File(SkillPath),
    Key(String),
    /// A template that Bugle fills in after the step, so it can use the step's result.
    Evidence(String),
}

impl Origin {
    pub(super) fn bytes(&self, workflow: &SkillPath, start: usize, end: usize) -> ProblemLocation {
        match self {
            Self::File(file) => ProblemLocation::Bytes {
                file: file.clone(),
                start,
                end,
            },
            Self::Key(path) | Self::Evidence(path) => ProblemLocation::Inside {
                file: workflow.clone(),
                path: path.clone(),
                offset: start,
            },
        }
    }
}
