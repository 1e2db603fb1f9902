//! `bugle search`

use bugle_app::{App, AppError, Exit, search};
use bugle_render::search as text;
use clap::Args;

use crate::local_time::local_time;
use crate::output::Output;

/// Look for words in messages, notes and results of this project
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for; every word has to be found; several words in one argument are looked for as they stand
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// How many are shown at most: the latest
    #[arg(long, value_name = "NUMBER", default_value_t = 20)]
    limit: u32,
    /// Search old text too; by default the newest 5,000 entries of each kind are searched
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(app: &mut App, args: &SearchArgs, output: &Output) -> Result<Exit, AppError> {
    // A quoted phrase is searched for as one string.
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
