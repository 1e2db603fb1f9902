//! `bugle convention`

use bugle_app::{AppError, Context, Exit, conventions, show_convention};
use bugle_render::skill as text;
use clap::{Args, Subcommand};

use crate::output::Output;

/// List and show conventions
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle convention list")]
pub(crate) enum ConventionCommand {
    /// List conventions and their sections
    #[command(after_help = "Example:\n  bugle convention list")]
    List,
    /// Show a convention or one of its sections
    Show(ShowArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle convention show structural")]
pub(crate) struct ShowArgs {
    /// Convention name, or NAME#SECTION for one section
    name: String,
}

pub(crate) fn run(ctx: &Context, command: &ConventionCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        ConventionCommand::List => {
            let list = conventions(ctx);
            output.answer(&list, || text::conventions(&list))?;
        }
        ConventionCommand::Show(args) => {
            let detail = show_convention(ctx, &args.name)?;
            output.answer(&detail, || text::convention(&detail))?;
        }
    }
    Ok(Exit::Done)
}
