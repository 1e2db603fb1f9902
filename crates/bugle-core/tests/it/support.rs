//! What the tests of the core share.

use bugle_core::validate::{Package, Problem, validate};
use bugle_core::workflow::{Workflow, WorkflowDef};
use bugle_testkit::spelling::skill_path;
use proptest::test_runner::Config;

/// So many cases, and no files left behind.
pub(crate) fn cases(count: u32) -> Config {
    Config {
        cases: count,
        failure_persistence: None,
        ..Config::default()
    }
}

/// What keeps a workflow from running.
pub(crate) fn errors(definition: WorkflowDef) -> Vec<Problem> {
    let verdict = validate(&skill_path("workflow.yaml"), definition, &Package::default(), &());
    verdict.problems.into_iter().filter(Problem::is_error).collect()
}

/// A workflow that must be sound.
pub(crate) fn sound(definition: WorkflowDef) -> Workflow {
    let verdict = validate(&skill_path("workflow.yaml"), definition, &Package::default(), &());
    let problems = verdict.problems;
    verdict.workflow.unwrap_or_else(|| panic!("{problems:#?}"))
}
