//! What can be said about agents. The comments are the help.

use bugle_core::role::AgentRole;
use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct AgentsArguments {
    /// Those of all projects, and those that were put aside
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Show an agent and everything about it
    Show(AgentNameArgument),
    /// Put an agent aside; it comes back when somebody speaks to it
    Archive(AgentNameArgument),
    /// Give the agent of this session a name, or make one known that has no session
    Register(RegisterArguments),
}

#[derive(Debug, Args)]
pub(crate) struct AgentNameArgument {
    /// The agent: its name, the beginning of it, branch:name or project:branch:name
    pub name: String,
}

#[derive(Debug, Args)]
pub(crate) struct RegisterArguments {
    /// How it is called; without it, it keeps its name or gets one
    pub name: Option<String>,
    /// Its role
    #[arg(long, value_parser = role)]
    pub role: Option<AgentRole>,
    /// Its client
    #[arg(long, value_name = "NAME")]
    pub client: Option<String>,
}

pub(crate) fn role(text: &str) -> Result<AgentRole, String> {
    text.parse().map_err(|()| {
        let roles = AgentRole::ALL.map(AgentRole::as_str);
        format!("the roles are {}", roles.join(", "))
    })
}

#[derive(Debug, Args)]
pub(crate) struct TopArguments {
    /// Take the mouse: click to choose, turn the wheel to scroll; the terminal itself marks no text then
    #[arg(long)]
    pub mouse: bool,
}
