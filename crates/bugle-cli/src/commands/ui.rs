//! `bugle ui`

use std::io::IsTerminal as _;
use std::path::PathBuf;

use bugle_app::{AppError, Exit};
use bugle_daemon::{ServerOptions, serve_page};
use clap::Args;

use crate::browser;
use crate::local_time::{local_time, short_time};
use crate::output::print;

/// Open the dashboard in a browser
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle ui")]
pub(crate) struct UiArgs {
    /// Port to listen on (0 for any free port)
    #[arg(long, value_name = "NUMBER", default_value_t = bugle_daemon::PAGE_PORT)]
    port: u16,
    /// Print the link without opening a browser
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(args: &UiArgs, directory: PathBuf) -> Result<Exit, AppError> {
    let options = ServerOptions {
        directory,
        clock: local_time,
        short_clock: short_time,
    };
    let opens = !args.no_open && std::io::stdout().is_terminal();
    serve_page(&options, args.port, opens, |page| {
        print(&format!(
            "The dashboard is at {}\nThis link works once, in one browser. Keep it private. Press Ctrl-C to stop.\n",
            page.link
        ))?;
        if page.file.is_some_and(|file| !browser::open(file)) {
            print("Could not open a browser. Open the link yourself.\n")?;
        }
        Ok(())
    })?;
    Ok(Exit::Done)
}
