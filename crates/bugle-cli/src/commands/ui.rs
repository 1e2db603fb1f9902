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

/// Serves the page for who is in this folder.
pub(crate) fn ui(arguments: &UiArguments, directory: PathBuf) -> Result<Exit, AppError> {
    let around = Surroundings {
        directory,
        clock: local_time,
        short_clock: short_time,
    };
    // Whoever reads the address from a pipe opens it as they like.
    let opens = !arguments.no_open && std::io::stdout().is_terminal();
    serve_page(&around, arguments.port, |address| {
        print(&format!(
            "The page is at {address}\nThe address lets in who has it: keep it to yourself. Ctrl-C ends the page.\n"
        ))?;
        if opens && !browser::open(address) {
            print("No browser could be opened here; open the address yourself.\n")?;
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}
