//! Arguments that several commands share.

use bugle_app::{AppError, Context, RunSelector};
use bugle_core::name::{AgentName, BadName, SkillAddress};
use bugle_core::role::AgentRole;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct RunArgument {
    /// Run id or prefix [default: the open run of this session or project]
    pub run: Option<String>,
}

impl RunArgument {
    pub(crate) fn selector(&self) -> Result<RunSelector, AppError> {
        RunSelector::parse(self.run.as_deref())
    }
}

pub(crate) fn parse_role(text: &str) -> Result<AgentRole, String> {
    text.parse().map_err(|()| {
        let roles = AgentRole::ALL.map(AgentRole::as_str);
        format!("use one of {}", roles.join(", "))
    })
}

/// The role with this name.
pub(crate) fn role_named(name: &str) -> Result<AgentRole, AppError> {
    name.parse().map_err(|()| AppError::Usage {
        what: format!("there is no role `{name}`"),
        hints: vec!["`bugle role list` lists the roles.".to_owned()],
    })
}

/// The agent that `--as` names.
pub(crate) fn acting_agent(ctx: &Context) -> Result<Option<AgentName>, AppError> {
    ctx.acting_as.clone().map(agent_name).transpose()
}

pub(crate) fn agent_name(name: String) -> Result<AgentName, AppError> {
    AgentName::new(name).map_err(|bad| bad_name(&bad))
}

pub(crate) fn skill_address(name: String) -> Result<SkillAddress, AppError> {
    SkillAddress::new(name).map_err(|bad| bad_name(&bad))
}

fn bad_name(bad: &BadName) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    }
}
