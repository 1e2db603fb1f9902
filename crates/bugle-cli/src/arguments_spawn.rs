//! What can be said about agents that Bugle starts. The comments are the help.

use bugle_core::role::AgentRole;
use bugle_wire::setup::Client;
use bugle_wire::transcript::Access;
use clap::Args;

use crate::arguments_agent::role;

fn client(name: &str) -> Result<Client, String> {
    Client::named(name).ok_or_else(|| "claude, codex, gemini or opencode".to_owned())
}

fn access(name: &str) -> Result<Access, String> {
    Access::named(name).ok_or_else(|| Access::ALL.map(Access::as_str).join(", "))
}

#[derive(Debug, Args)]
pub(crate) struct SpawnArguments {
    /// In which client: claude, codex, gemini or opencode
    #[arg(value_parser = client)]
    pub client: Client,
    /// What it is to do; - is standard input
    pub task: String,
    /// How it is called; without it, a name is made up
    #[arg(long)]
    pub name: Option<String>,
    /// Its role
    #[arg(long, value_parser = role)]
    pub role: Option<AgentRole>,
    /// The model that the client is to use
    #[arg(long)]
    pub model: Option<String>,
    /// What its tools may do without somebody being asked: read, write (in its folder) or full
    #[arg(long, value_parser = access, value_name = "ACCESS")]
    pub sandbox: Option<Access>,
    /// In a work tree and on a branch of its own
    #[arg(long)]
    pub worktree: bool,
    /// Do not wait for it
    #[arg(long)]
    pub detach: bool,
    /// More words for the client, as they are: what it may do without being asked, for example
    #[arg(last = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PromptArguments {
    /// The agent
    pub agent: String,
    /// What it is to do now; - is standard input
    pub text: String,
    /// Do not wait for it
    #[arg(long)]
    pub detach: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AgentArguments {
    /// The agent
    pub agent: String,
}

#[derive(Debug, Args)]
pub(crate) struct LogsArguments {
    /// The agent
    pub agent: String,
    /// Go on with what it does, until it ends
    #[arg(long)]
    pub follow: bool,
    /// How much at most: the last of it
    #[arg(long, value_name = "NUMBER")]
    pub tail: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct KillArguments {
    /// The agent
    pub agent: String,
    /// At once, without letting it put its things in order
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UpArguments {
    /// End when all is quiet: nobody is to be woken and nobody is at work
    #[arg(long)]
    pub once: bool,
    /// Bugle started it: it ends when all is quiet, and makes room for one that a person starts
    #[arg(long, hide = true)]
    pub on_demand: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RecoverArguments {
    /// The agent
    pub agent: String,
    /// Do not wait for it
    #[arg(long)]
    pub detach: bool,
}
