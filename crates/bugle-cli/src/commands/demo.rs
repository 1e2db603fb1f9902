//! `bugle demo`

use std::path::PathBuf;

use bugle_app::{AppError, Exit};
use clap::Args;

/// Play a whole story in a scratch project: a workflow, a gate that fails, a compaction, two agents that talk
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Keep what it made in this folder, which must not be there yet
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Then open the page on it, until Ctrl-C
    #[arg(long)]
    page: bool,
}

pub(crate) fn run(args: &DemoArgs) -> Result<Exit, AppError> {
    crate::demo::play(args.keep.as_deref(), args.page)
}
