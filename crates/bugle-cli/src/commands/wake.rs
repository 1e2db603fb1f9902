//! `bugle wake`

use std::path::PathBuf;

use bugle_app::{App, AppError, Exit, Replaced, WakeRequest, wakeup};
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::wake as text;
use bugle_wire::{Answer as _, WakeView};
use clap::{Args, ValueEnum};

use crate::client_argument::{DEFAULT_CLIENT, client_budget};
use crate::local_time::short_time;
use crate::output::Output;

/// Print what an agent needs to go on: where it stands, its step, tasks, skill and messages, within a budget
#[derive(Debug, Args)]
pub(crate) struct WakeArgs {
    /// The agent; without it, the one whose session this is
    agent: Option<String>,
    /// Why it wakes up
    #[arg(long, value_enum, default_value_t = ReasonChoice::Compact, conflicts_with = "replaces")]
    reason: ReasonChoice,
    /// The agent or session that died and whose work it takes over: it is told what that one left
    #[arg(long, value_name = "AGENT|SESSION")]
    replaces: Option<String>,
    /// Where the client of that one wrote what it did; the last lines are told
    #[arg(long, value_name = "FILE", requires = "replaces")]
    log: Option<PathBuf>,
    /// Whose limits hold
    #[arg(long, value_parser = client_budget(), default_value = DEFAULT_CLIENT)]
    client: Budget,
    /// How large it may be, in the client's own unit
    #[arg(long, value_name = "NUMBER")]
    budget: Option<usize>,
    /// Something to tell the agent with it
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Show each part, its size and what became of it; nothing is recorded, and no message counts as read
    #[arg(long)]
    explain: bool,
    /// The form of the answer
    #[arg(long, value_enum, default_value_t = WakeFormat::Md)]
    format: WakeFormat,
}

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

impl From<ReasonChoice> for WakeReason {
    fn from(choice: ReasonChoice) -> Self {
        match choice {
            ReasonChoice::Startup => Self::Startup,
            ReasonChoice::Resume => Self::Resume,
            ReasonChoice::Clear => Self::Clear,
            ReasonChoice::Compact => Self::Compact,
            ReasonChoice::Mention => Self::Mention,
            ReasonChoice::Event => Self::Event,
            ReasonChoice::Subagent => Self::Subagent,
        }
    }
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

pub(crate) fn run(app: &mut App, args: WakeArgs, output: &Output) -> Result<Exit, AppError> {
    let budget = args.client;
    let request = WakeRequest {
        agent: args.agent,
        reason: match &args.replaces {
            Some(_) => WakeReason::Event,
            None => args.reason.into(),
        },
        replaces: args.replaces.map(|agent| Replaced { agent, log: args.log }),
        budget: Budget {
            limit: args.budget.unwrap_or(budget.limit),
            ..budget
        },
        message: args.message,
        dry_run: args.explain,
    };
    let mut is_printed = false;
    let view = wakeup::wake_and_write(&mut app.store, &app.context, &request, &short_time, &mut |view| {
        is_printed = true;
        print_wake(view, args.format, output)
    })?;
    if args.explain {
        output.answer(&view, || text::explain(&view))?;
        return Ok(Exit::Done);
    }
    if !is_printed {
        print_wake(&view, args.format, output)?;
    }
    Output::warn(&view.notices);
    Ok(Exit::Done)
}

/// Writes a wake-up to the last byte: what is in it counts as read.
fn print_wake(view: &WakeView, format: WakeFormat, output: &Output) -> Result<(), AppError> {
    match format {
        WakeFormat::Json => Output::deliver_text(&view.to_json()),
        _ if view.text.is_empty() => output.deliver(view, String::new),
        WakeFormat::Xml => output.deliver(view, || text::xml(view)),
        WakeFormat::Md => output.deliver(view, || format!("{}\n", view.text)),
    }
}
