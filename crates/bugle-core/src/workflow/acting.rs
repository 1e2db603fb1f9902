//! The role that acts in a step, and the tools it may use.

use super::{DispatchWork, StepDef};
use crate::role::{AgentRole, Role};
use crate::tool::ToolPolicy;

/// Where the role of an agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleSource {
    /// The step names it, or they were started in it.
    Explicit,
    /// The step has sub-agents, so its agent leads them and does none of their work.
    Dispatch,
    /// No role is assigned, and none is enforced.
    Unassigned,
}

impl StepDef {
    /// Who acts in it, and how they came to that; `child` is the role of the sub-agent whose run this is.
    pub fn acting(&self, child: Option<AgentRole>) -> (AgentRole, RoleSource) {
        match self.role.or(child) {
            Some(role) => (role, RoleSource::Explicit),
            None if self.dispatch.is_some() => (AgentRole::Orchestrator, RoleSource::Dispatch),
            None => (AgentRole::Orchestrator, RoleSource::Unassigned),
        }
    }

    /// The tools that an agent in this role, or in none, may use in it.
    pub fn permitted(&self, held_to: Option<&Role>) -> ToolPolicy {
        // The tools of a brief are those of the sub-agents who get it: the agent that starts them is held to the role alone.
        let briefs = |work: &DispatchWork| *work == DispatchWork::Brief;
        let own = match &self.dispatch {
            Some(dispatch) if briefs(&dispatch.work) => ToolPolicy::Unrestricted,
            _ => self.tools.clone(),
        };
        held_to.map_or_else(|| own.clone(), |role| own.and(&role.tools))
    }
}
