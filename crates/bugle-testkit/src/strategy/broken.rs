//! Workflows that break one rule: a valid workflow with one inserted fault.

use std::collections::BTreeSet;

use bugle_core::validate::{Package, Rule};
use bugle_core::workflow::WorkflowDef;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::faults::FAULTS;
use super::site::Site;
use super::valid::valid_workflow;

/// A workflow that breaks a rule.
#[derive(Debug, Clone)]
pub struct Broken {
    /// The workflow.
    pub definition: WorkflowDef,
    /// The workflow's files.
    pub package: Package,
    /// The rule that the workflow breaks.
    pub rule: Rule,
    /// Other rules that may break too.
    pub along: BTreeSet<Rule>,
}

/// Workflows that each break one rule.
pub fn broken_workflow() -> BoxedStrategy<Broken> {
    (valid_workflow(), select(FAULTS), any::<Index>(), any::<Index>())
        .prop_map(|(definition, fault, at, variant)| {
            let at = at.index(definition.steps.len());
            let mut site = Site {
                definition,
                package: Package::default(),
                at,
                variant,
            };
            (fault.commit)(&mut site);
            Broken {
                definition: site.definition,
                package: site.package,
                rule: fault.rule,
                along: fault.along.iter().copied().collect(),
            }
        })
        .boxed()
}
