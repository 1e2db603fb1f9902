//! What can be said about waking agents up. The comments are the help.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Why an agent wakes up
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReasonChoice {
    /// A session begins
    Startup,
    /// A session goes on with all it knew
    Resume,
    /// A session was emptied
    Clear,
    /// A session was compacted
    Compact,
    /// Somebody spoke to it
    Mention,
    /// Something happened that it waits for
    Event,
    /// It is a sub-agent, and begins
    Subagent,
}

/// Whose limits hold
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClientChoice {
    /// A hook of Claude Code: 9,000 UTF-16 units
    Claude,
    /// A hook of Codex: 9,000 bytes
    Codex,
    /// A prompt: 5,000 tokens, estimated
    Prompt,
}

/// The form of a wake-up
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WakeFormat {
    /// Markdown
    Md,
    /// Inside one XML element
    Xml,
    /// For programs
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct WakeArguments {
    /// The agent; without it, the one whose session this is
    pub agent: Option<String>,
    /// Why it wakes up
    #[arg(long, value_enum, default_value_t = ReasonChoice::Compact, conflicts_with = "replaces")]
    pub reason: ReasonChoice,
    /// The agent or session that died and whose work it takes over: it is told what that one left
    #[arg(long, value_name = "AGENT|SESSION")]
    pub replaces: Option<String>,
    /// Where the client of that one wrote what it did; the last lines are told
    #[arg(long, value_name = "FILE", requires = "replaces")]
    pub log: Option<PathBuf>,
    /// Whose limits hold
    #[arg(long, value_enum, default_value_t = ClientChoice::Claude)]
    pub client: ClientChoice,
    /// How large it may be, in the client's own unit
    #[arg(long, value_name = "NUMBER")]
    pub budget: Option<usize>,
    /// Something to tell the agent with it
    #[arg(long, value_name = "TEXT")]
    pub message: Option<String>,
    /// Show each part, its size and what became of it; nothing is recorded, and no message counts as read
    #[arg(long)]
    pub explain: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t = WakeFormat::Md)]
    pub format: WakeFormat,
}

#[derive(Debug, Args)]
pub(crate) struct BriefArguments {
    /// The task, or a visit of the run that has it, as run#visit
    #[arg(value_name = "TASK|VISIT")]
    pub target: String,
    /// The role that the sub-agent takes
    #[arg(long, default_value = "developer")]
    pub role: String,
    /// What you want to tell it besides
    #[arg(long, value_name = "TEXT")]
    pub context: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WakeupsArguments {
    /// Only those for this agent, as the list names it
    #[arg(long = "for", value_name = "AGENT")]
    pub agent: Option<String>,
    /// How many at most
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    pub limit: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WakeupCommand {
    /// Show what a wake-up said
    Show(WakeupArgument),
    /// Show what one wake-up says and another does not
    Diff(WakeupPair),
}

#[derive(Debug, Args)]
pub(crate) struct WakeupArgument {
    /// The wake-up, or the beginning of its id
    pub wakeup: String,
}

#[derive(Debug, Args)]
pub(crate) struct WakeupPair {
    /// The one
    pub from: String,
    /// The other
    pub to: String,
}
