//! `bugle ui`

use std::io::IsTerminal as _;
use std::path::PathBuf;

use bugle_app::{AppError, Exit};
use bugle_daemon::{Surroundings, serve_page};

use super::run::local_time;
use super::wake::short_time;
use crate::arguments_ui::UiArguments;
use crate::browser;
use crate::output::print;

/// Serves the page.
pub(crate) fn ui(arguments: &UiArguments, directory: PathBuf) -> Result<Exit, AppError> {
    let around = Surroundings {
        directory,
        clock: local_time,
        short_clock: short_time,
    };
    let opens = !arguments.no_open && std::io::stdout().is_terminal();
    serve_page(&around, arguments.port, opens, |page| {
        print(&format!(
            "The page is at {}\nThis link works once, in one browser. Keep it private. Ctrl-C ends the page.\n",
            page.link
        ))?;
        if page.file.is_some_and(|file| !browser::open(file)) {
            print("No browser could be opened here; open the link yourself.\n")?;
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}
