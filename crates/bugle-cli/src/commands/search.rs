//! `bugle search`

use bugle_app::{App, AppError, Exit, search};
use bugle_render::search as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// Search messages, notes and results
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle search \"connection pool\" timeout")]
pub(crate) struct SearchArgs {
    /// Words that must all appear; quote a phrase to match it exactly
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// Show at most NUMBER results, newest first
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: u32,
    /// Search all entries, not just the newest 5,000 of each kind
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(app: &mut App, args: &SearchArgs, output: &Output) -> Result<Exit, AppError> {
    // Search for a quoted phrase as one string.
    let words = args.words.iter().map(|word| {
        if word.contains(char::is_whitespace) && !word.contains('"') {
            format!("\"{word}\"")
        } else {
            word.clone()
        }
    });
    let words = words.collect::<Vec<_>>().join(" ");
    let found = search::search(&mut app.store, &app.context, &words, args.limit, args.all)?;
    output.answer(&found, || text::list(&found, &local_time))?;
    Ok(Exit::Done)
}
