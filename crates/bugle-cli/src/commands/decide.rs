//! `bugle decide`

use bugle_app::{App, AppError, Exit, RunSelector, runs};
use bugle_core::id::Actor;
use clap::Args;

use crate::input::text_or_stdin;
use crate::output::Output;

/// Answer the question that a run is waiting on
///
/// At a gate that has reached its review limit, answer continue, accept or abort.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle decide r-7f3a1c yes")]
pub(crate) struct DecideArgs {
    /// Run or visit that is waiting for the answer
    run: String,
    /// Answer, or - for stdin [default: read from the file named in the step]
    answer: Option<String>,
    /// Reason for the answer; required to accept findings [default: read from the file named in the step]
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(crate) fn run(app: &mut App, args: DecideArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = RunSelector::parse(Some(&args.run))?;
    let answer = args.answer.map(text_or_stdin).transpose()?;
    let answer = answer.map(|answer| answer.trim().to_owned());
    let decided = runs::decide(&mut app.store, &app.context, &selector, answer, args.why);
    let is_person = matches!(app.context.actor, Actor::Person(_));
    match decided {
        // Tell a person what happens next. The step itself is for the agent.
        Ok(decided) if is_person && output.chosen_format().is_none() => {
            output.line(&decided.sentence(&app.context))?;
            Ok(Exit::Done)
        }
        decided => Output::reply(decided.map(|decided| decided.reply), output.format()),
    }
}
