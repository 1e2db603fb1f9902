//! What can be said about messages. The comments are the help.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct SayArguments {
    /// What to say; - is standard input
    pub text: String,
    /// Who says it; without it, this session or person
    #[arg(long = "as", value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct MessagesArguments {
    /// Only those for this agent
    #[arg(long = "for", value_name = "NAME")]
    pub to: Option<String>,
    /// Only those from this agent
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// Only what the agent, or else this session or person, has not read, the oldest first
    #[arg(long, conflicts_with_all = ["from", "last"])]
    pub unread: bool,
    /// They are read with this, and not shown as unread again
    #[arg(long, requires = "unread")]
    pub take: bool,
    /// How many at most: the last ones
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub last: u32,
}
