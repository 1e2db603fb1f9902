//! The validator: a [`WorkflowDef`] goes in, and either a [`Workflow`] that cannot go wrong comes out, or
//! everything that is wrong with it at once.

mod apart;
mod checks;
mod commands;
mod dispatches;
mod flow;
mod graph;
mod guards;
mod manifest;
mod names;
mod parts;
mod rule;
mod tasks;
mod texts;
mod values;

use std::collections::{BTreeMap, BTreeSet};

pub use flow::{Edge, Flow};
pub use guards::{KnownValues, guard_scope};
pub use manifest::{MAX_DESCRIPTION, Manifest, check_body, check_manifest};
pub use rule::{Problem, ProblemLevel, ProblemLocation, Rule};
pub(crate) use tasks::KnownTasks;
pub use texts::check_length;

use crate::path::SkillPath;
use crate::workflow::{Workflow, WorkflowDef};

/// What stands around a workflow in its folder.
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// The text files of the skill.
    pub texts: BTreeMap<SkillPath, String>,
    /// The shared conventions there are.
    pub conventions: BTreeSet<String>,
    /// The workflows of sub-agents, as far as they could be read.
    pub children: BTreeMap<SkillPath, WorkflowDef>,
}

/// What the validator must know about templates; the engine that renders them lives elsewhere.
pub trait Templates {
    /// The dotted names that a template uses, such as `state.extract.items`.
    fn references(&self, source: &str) -> Result<Vec<String>, BadTemplate>;
}

/// Why a template does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadTemplate {
    /// What is wrong.
    pub message: String,
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// For workflows built in code whose texts are plain: nothing in them is a template.
impl Templates for () {
    fn references(&self, _source: &str) -> Result<Vec<String>, BadTemplate> {
        Ok(Vec::new())
    }
}

/// What the validator says.
#[derive(Debug)]
pub struct Validation {
    /// The workflow, if no rule that matters is broken.
    pub workflow: Option<Workflow>,
    /// Everything that is wrong, in the order of the file.
    pub problems: Vec<Problem>,
}

/// Checks one workflow of a package against every rule.
pub fn validate(
    file: &SkillPath,
    definition: WorkflowDef,
    package: &Package,
    templates: &dyn Templates,
) -> Validation {
    let subject = Subject {
        file,
        definition: &definition,
        package,
        templates,
    };
    let flow = Flow::of(&definition);
    let mut problems = Vec::new();
    graph::check(&subject, &flow, &mut problems);
    parts::check(&subject, &mut problems);
    values::check(&subject, &mut problems);
    checks::check(&subject, &mut problems);
    tasks::check(&subject, &flow, &mut problems);
    guards::check(&subject, &flow, &mut problems);
    texts::check(&subject, &flow, &mut problems);
    apart::check(&subject, &mut problems);
    dispatches::check(&subject, &flow, &mut problems);
    values::check_use(&subject, &mut problems);
    let sound = !problems.iter().any(Problem::is_error);
    Validation {
        workflow: sound.then(|| Workflow::proven(definition)),
        problems,
    }
}

/// One workflow under examination.
struct Subject<'a> {
    file: &'a SkillPath,
    definition: &'a WorkflowDef,
    package: &'a Package,
    templates: &'a dyn Templates,
}

impl Subject<'_> {
    /// Whether it is the workflow that a run of the skill begins with, and not a sub-agent's.
    fn is_main(&self) -> bool {
        self.file.as_str() == "workflow.yaml"
    }

    fn problem(
        &self,
        rule: Rule,
        path: impl Into<String>,
        message: String,
        fix: impl Into<String>,
    ) -> Problem {
        Problem {
            rule,
            place: ProblemLocation::Key {
                file: self.file.clone(),
                path: path.into(),
            },
            message,
            fix: fix.into(),
        }
    }
}
