//! `bugle skill check`

use bugle_app::{App, AppError, Context, Exit, check_skills};
use bugle_render::skill as text;
use clap::Args;

use crate::output::Output;

/// Check skills for errors
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill check release-notes")]
pub(crate) struct CheckArgs {
    /// Skill name or path [default: every skill with a workflow]
    name: Option<String>,
}

pub(super) fn run(ctx: &Context, args: &CheckArgs, output: &Output) -> Result<Exit, AppError> {
    // A check does not create a store, and works even if the store cannot be opened.
    let mut app = if ctx.store.may_exist() {
        App::open(ctx.clone()).ok()
    } else {
        None
    };
    let store = app.as_mut().map(|app| &mut app.store);
    let report = check_skills(store, ctx, args.name.as_deref(), output.colour())?;
    output.answer(&report, || text::check(&report))?;
    Ok(if report.errors > 0 {
        Exit::Refused
    } else {
        Exit::Done
    })
}
