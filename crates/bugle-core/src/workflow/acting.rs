//! An agent's role in a step, and the tools it may use.

use super::{DispatchWork, StepDef};
use crate::role::{AgentRole, Role};
use crate::tool::ToolPolicy;

/// Where an agent's role comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoleSource {
    /// The step names the role, or the agent was started in this role.
    Explicit,
    /// The step has sub-agents, so the agent coordinates them and does none of their work.
    Dispatch,
    /// No role is assigned or enforced.
    Unassigned,
}

impl StepDef {
    /// The role in this step and its source. `child` is the role of the sub-agent that owns the run.
    pub fn acting(&self, child: Option<AgentRole>) -> (AgentRole, RoleSource) {
        match self.role.or(child) {
            Some(role) => (role, RoleSource::Explicit),
            None if self.dispatch.is_some() => (AgentRole::Orchestrator, RoleSource::Dispatch),
            None => (AgentRole::Orchestrator, RoleSource::Unassigned),
        }
    }

    /// The tools that an agent may use in this step. `held_to` is its enforced role, if any.
    pub fn permitted(&self, held_to: Option<&Role>) -> ToolPolicy {
        // A brief's tool policy applies to the sub-agents. The agent that starts them is restricted only by its own
        // role.
        let briefs = |work: &DispatchWork| *work == DispatchWork::Brief;
        let own = match &self.dispatch {
            Some(dispatch) if briefs(&dispatch.work) => ToolPolicy::Unrestricted,
            _ => self.tools.clone(),
        };
        held_to.map_or_else(|| own.clone(), |role| own.and(&role.tools))
    }
}
