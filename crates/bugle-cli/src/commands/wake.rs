//! `bugle wake`

use std::path::PathBuf;

use bugle_app::{App, AppError, Exit, Replaced, WakeRequest, wakeup};
use bugle_core::reply::WakeView;
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::{Format, wake as text};
use bugle_wire::Answer as _;
use clap::{Args, ValueEnum};

use crate::client_argument::{DEFAULT_CLIENT, client_budget};
use crate::local_time::short_time;
use crate::output::{AnswerFormat, Output};

/// Print an agent's wake-up context
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle wake --reason compact --explain")]
pub(crate) struct WakeArgs {
    /// Agent name or address [default: this session's agent]
    agent: Option<String>,
    /// Reason for the wake-up
    #[arg(long, value_enum, default_value_t = ReasonChoice::Compact, conflicts_with = "replaces")]
    reason: ReasonChoice,
    /// Take over from this crashed agent or session: include its unfinished work
    #[arg(long, value_name = "AGENT|SESSION")]
    replaces: Option<String>,
    /// Include the last lines of the crashed agent's log, from this file
    #[arg(long, value_name = "FILE", requires = "replaces")]
    log: Option<PathBuf>,
    /// Use this client's size limit and unit
    #[arg(long, value_parser = client_budget(), default_value = DEFAULT_CLIENT)]
    client: Budget,
    /// Size limit in the client's unit
    #[arg(long, value_name = "NUMBER")]
    budget: Option<usize>,
    /// Message to include
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
    /// Show the size of each part and why it was kept or cut, without recording the wake-up
    #[arg(long)]
    explain: bool,
    /// Print the wake-up without recording it or marking messages as read
    #[arg(long)]
    dry_run: bool,
}

/// Reason for the wake-up
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReasonChoice {
    /// A session started
    Startup,
    /// A session was resumed
    Resume,
    /// A session was cleared
    Clear,
    /// The context was compacted
    Compact,
    /// A message mentioned the agent
    Mention,
    /// An event that the agent was waiting for happened
    Event,
    /// A sub-agent started
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
        dry_run: args.explain || args.dry_run,
    };
    let mut is_printed = false;
    let view = wakeup::wake_and_write(&mut app.store, &app.context, &request, &short_time, &mut |view| {
        is_printed = true;
        print_wake(view, output)
    })?;
    if args.explain {
        output.answer(&view, || text::explain(&view))?;
        return Ok(Exit::Done);
    }
    if !is_printed {
        print_wake(&view, output)?;
    }
    // An agent uses a dry run of its own wake-up to read omitted parts. `--explain` shows the notices.
    if !args.dry_run || request.agent.is_some() {
        let notices: Vec<String> = view.notices.iter().map(text::notice).collect();
        Output::warn(&notices);
    }
    Ok(Exit::Done)
}

/// Prints a wake-up in full, because Bugle marks all messages in the wake-up as read.
fn print_wake(view: &WakeView, output: &Output) -> Result<(), AppError> {
    let text = match output.chosen_format() {
        Some(AnswerFormat::Json) => view.to_json(),
        _ if view.text.is_empty() => String::new(),
        Some(AnswerFormat::Rendered(Format::Xml)) => text::xml(view),
        Some(AnswerFormat::Rendered(Format::Markdown | Format::Text)) | None => format!("{}\n", view.text),
    };
    Output::deliver_text(&text)
}
