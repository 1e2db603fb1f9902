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
pub(crate) struct AnswerArguments {
    /// The question, or the beginning of its id, and the answer; or the answer alone if one question is open; - is standard input
    #[arg(required = true, num_args = 1..=2, value_names = ["QUESTION", "TEXT"])]
    pub words: Vec<String>,
    /// Who answers; without it, this session or person
    #[arg(long = "as", value_name = "NAME")]
    pub agent: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct InboxArguments {
    /// Whose; without it, that of this session or person. Looking into another's takes nothing out of it
    #[arg(long = "for", value_name = "NAME")]
    pub whose: Option<String>,
    /// What was read before, too
    #[arg(long)]
    pub all: bool,
    /// Only what this agent said; nothing counts as read then
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// How many at most: the last ones; nothing counts as read then
    #[arg(long, value_name = "NUMBER")]
    pub last: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct ChannelArguments {
    /// The branch; without it, your own
    pub branch: Option<String>,
    /// How many at most: the last ones
    #[arg(long, value_name = "NUMBER", default_value_t = 50)]
    pub last: u32,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// What to look for; every word has to be found; several words in one argument are looked for as they stand
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// How many are shown at most: the latest
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub limit: u32,
    /// Search old text too; by default the newest 5,000 entries of each kind are searched
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MessagesArguments {
    /// Only this one, by its id or the beginning of it
    #[arg(conflicts_with_all = ["to", "from", "unread", "last"])]
    pub message: Option<String>,
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
