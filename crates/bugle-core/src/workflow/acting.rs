//! Who acts in a step, and what they may use there.

use super::{DispatchWork, StepDef};
use crate::role::{AgentRole, Role};
use crate::tool::ToolPolicy;

/// How somebody came to the role in which they act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// The step names it, or they were started in it.
    Explicitly,
    /// The step has sub-agents, so whoever is at it leads them and does none of their work.
    ByDispatch,
    /// Nobody gave it out, and nobody is held to it.
    Nowise,
}

impl StepDef {
    /// Who acts in it, and how they came to that; `child` is the role of the sub-agent whose run this is.
    pub fn acting(&self, child: Option<AgentRole>) -> (AgentRole, Given) {
        match self.role.or(child) {
            Some(role) => (role, Given::Explicitly),
            None if self.dispatch.is_some() => (AgentRole::Orchestrator, Given::ByDispatch),
            None => (AgentRole::Orchestrator, Given::Nowise),
        }
    }

    /// What may be used in it by somebody who is held to a role, or to none.
    pub fn permitted(&self, held_to: Option<&Role>) -> ToolPolicy {
        // The tools of a brief are those of the sub-agents who get it: whoever starts them is held to the role alone.
        let briefs = |work: &DispatchWork| *work == DispatchWork::Brief;
        let own = match &self.dispatch {
            Some(dispatch) if briefs(&dispatch.work) => ToolPolicy::Unrestricted,
            _ => self.tools.clone(),
        };
        held_to.map_or_else(|| own.clone(), |role| own.and(&role.tools))
    }
}
