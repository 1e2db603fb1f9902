//! `bugle demo`

use std::path::PathBuf;

use bugle_app::{AppError, Exit};
use clap::Args;

/// Play a scripted demo in a scratch project
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle demo --page")]
pub(crate) struct DemoArgs {
    /// Create the scratch project in this folder, which must not exist yet, and keep it
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Open the scratch project's dashboard afterwards
    #[arg(long)]
    page: bool,
    /// Wait for Enter after each scene
    #[arg(long)]
    pause: bool,
}

pub(crate) fn run(args: &DemoArgs) -> Result<Exit, AppError> {
    crate::demo::play(args.keep.as_deref(), args.page, args.pause)
}
