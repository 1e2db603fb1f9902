//! The role of the agent in a step, and the tools it may use.

use super::{DispatchWork, StepDef};
use crate::role::{AgentRole, Role};
use crate::tool::ToolPolicy;

/// The source of an agent's role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleSource {
    /// The step names it, or the agent was started in it.
    Explicit,
    /// The step has sub-agents, so its agent coordinates them and does none of their work.
    Dispatch,
    /// No role is assigned, and none is enforced.
    Unassigned,
}

impl StepDef {
    /// The role in this step and its source; `child` is the role of the sub-agent that the run belongs to.
    pub fn acting(&self, child: Option<AgentRole>) -> (AgentRole, RoleSource) {
        match self.role.or(child) {
            Some(role) => (role, RoleSource::Explicit),
            None if self.dispatch.is_some() => (AgentRole::Orchestrator, RoleSource::Dispatch),
            None => (AgentRole::Orchestrator, RoleSource::Unassigned),
        }
    }

    /// The tools that an agent in this role, or in none, may use in this step.
    pub fn permitted(&self, held_to: Option<&Role>) -> ToolPolicy {
        // The tools of a brief are for its sub-agents; the agent that starts them is bound only by its role.
        let briefs = |work: &DispatchWork| *work == DispatchWork::Brief;
        let own = match &self.dispatch {
            Some(dispatch) if briefs(&dispatch.work) => ToolPolicy::Unrestricted,
            _ => self.tools.clone(),
        };
        held_to.map_or_else(|| own.clone(), |role| own.and(&role.tools))
    }
}
