//! `bugle man`

use std::path::PathBuf;

use bugle_app::{AppError, Exit};
use clap::{Args, CommandFactory as _};

use crate::commands::cli::Cli;
use crate::output::Output;

/// Write man pages to a folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Folder to write to
    folder: PathBuf,
}

pub(crate) fn run(args: &ManArgs, output: &Output) -> Result<Exit, AppError> {
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(&args.folder)?;
        clap_mangen::generate_to(<Cli>::command(), &args.folder)
    };
    write().map_err(|source| AppError::File {
        what: "cannot write to",
        path: args.folder.clone(),
        source,
    })?;
    output.line(&format!("Wrote man pages to {}.", args.folder.display()))?;
    Ok(Exit::Done)
}
