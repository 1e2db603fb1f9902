//! The validator accepts every valid workflow and reports the broken rules of every other workflow.

use std::collections::BTreeSet;

use bugle_core::validate::{Rule, validate};
use bugle_core::workflow::{Workflow, WorkflowDef};
use bugle_testkit::spelling::skill_path;
use bugle_testkit::strategy::{broken_workflow, steerable_workflow, valid_workflow};
use proptest::prelude::*;

use crate::support::{cases, errors};

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn valid_workflows_are_accepted(definition in prop_oneof![valid_workflow(), steerable_workflow()]) {
        let errors = errors(definition);
        prop_assert!(errors.is_empty(), "{errors:#?}");
    }

    #[test]
    fn a_broken_workflow_breaks_the_expected_rule(broken in broken_workflow()) {
        let verdict = validate(&skill_path("workflow.yaml"), broken.definition, &broken.package, &());
        prop_assert!(verdict.workflow.is_none());
        let errors = verdict.problems.iter().filter(|problem| problem.is_error());
        let rules: BTreeSet<Rule> = errors.map(|problem| problem.rule).collect();
        prop_assert!(rules.contains(&broken.rule), "{} not in {:#?}", broken.rule, verdict.problems);
        let others: Vec<&Rule> = rules
            .iter()
            .filter(|rule| **rule != broken.rule && !broken.along.contains(rule))
            .collect();
        prop_assert!(others.is_empty(), "{others:?} in {:#?}", verdict.problems);
    }

    #[test]
    fn a_stored_workflow_reads_back(definition in valid_workflow()) {
        let text = serde_json::to_string(&definition).unwrap();
        let read: WorkflowDef = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&read, &definition);
        let proven: Workflow = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(proven.definition(), &definition);
    }
}
