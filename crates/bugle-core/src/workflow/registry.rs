//! Workflows by name, for programs that build workflows in code.

use std::collections::BTreeMap;

use crate::name::SkillName;
use crate::workflow::Workflow;

/// Workflows by name.
#[derive(Debug, Clone, Default)]
pub struct Registry(BTreeMap<SkillName, Workflow>);

/// A workflow with this name is already registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a workflow named `{0}` is already registered")]
pub struct DuplicateWorkflow(pub SkillName);

impl Registry {
    /// Adds a workflow under an unused name.
    pub fn register(&mut self, name: SkillName, workflow: Workflow) -> Result<(), DuplicateWorkflow> {
        match self.0.entry(name) {
            std::collections::btree_map::Entry::Occupied(taken) => {
                Err(DuplicateWorkflow(taken.key().clone()))
            }
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(workflow);
                Ok(())
            }
        }
    }

    /// The workflow with this name.
    pub fn get(&self, name: &SkillName) -> Option<&Workflow> {
        self.0.get(name)
    }

    /// All workflows with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&SkillName, &Workflow)> {
        self.0.iter()
    }
}
