//! The validator: turns a [`WorkflowDef`] into a [`Workflow`] that the engine can trust, or reports all problems at
//! once.

mod apart;
mod checks;
mod commands;
mod dispatches;
mod flow;
mod graph;
mod guards;
mod manifest;
mod merges;
mod names;
mod origin;
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

/// The other files in a skill's folder.
#[derive(Debug, Clone, Default)]
pub struct Package {
    /// The skill's text files.
    pub texts: BTreeMap<SkillPath, String>,
    /// The names of the available conventions.
    pub conventions: BTreeSet<String>,
    /// The readable workflows of sub-agents.
    pub children: BTreeMap<SkillPath, WorkflowDef>,
}

/// The validator's interface to the template engine, which is in another crate.
pub trait Templates {
    /// The dotted names that a template uses, such as `state.extract.items`.
    fn references(&self, source: &str) -> Result<Vec<String>, BadTemplate>;
}

/// Why a template does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadTemplate {
    /// The parser's message.
    pub message: String,
    /// The first byte of the error.
    pub start: usize,
    /// One past the last byte of the error.
    pub end: usize,
}

/// For workflows built in code, whose texts have no templates.
impl Templates for () {
    fn references(&self, _source: &str) -> Result<Vec<String>, BadTemplate> {
        Ok(Vec::new())
    }
}

/// The validation result.
#[derive(Debug)]
pub struct Validation {
    /// The workflow, unless it breaks a rule of level `Error`.
    pub workflow: Option<Workflow>,
    /// All problems, in file order.
    pub problems: Vec<Problem>,
}

/// Checks one of a package's workflows against all rules.
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
    merges::check(&subject, &mut problems);
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

/// The checked workflow and its package.
struct Subject<'a> {
    file: &'a SkillPath,
    definition: &'a WorkflowDef,
    package: &'a Package,
    templates: &'a dyn Templates,
}

impl Subject<'_> {
    /// Whether this is the skill's main workflow rather than a sub-agent's.
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
