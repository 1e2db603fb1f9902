//! `bugle skill trust`, the same as `bugle trust`

use bugle_app::{App, AppError, Exit};
use clap::Args;

use crate::commands::trust::trust;
use crate::output::Output;

/// Trust the commands of a project's skill, as it is now (user only)
#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// The skill's name, or a path to it
    name: String,
}

pub(super) fn run(app: &mut App, args: &TrustArgs, output: &Output) -> Result<Exit, AppError> {
    trust(app, &args.name, output)
}
