//! `bugle status`, and `bugle` alone

use bugle_app::{App, AppError, Context, Exit, agents, settings_problems, status};
use bugle_render::status as text;
use clap::Args;

use crate::commands::current_project::follow_move;
use crate::local_time::local_time;
use crate::output::Output;

/// Show open runs, tasks and messages, and what to do next
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle status")]
pub(crate) struct StatusArgs {}

pub(crate) fn run(ctx: Context, output: &Output) -> Result<Exit, AppError> {
    Output::warn(&settings_problems(&ctx));
    // Showing the status does not create a store.
    let view = if ctx.store.may_exist() {
        let mut app = App::open_reporting(ctx, &mut Output::progress)?;
        follow_move(&mut app)?;
        agents::act_as_known(&mut app.store, &mut app.context)?;
        status::status(&mut app.store, &app.context)?
    } else {
        status::status_without_store(&ctx)
    };
    output.answer(&view, || text::status(&view, output.width(), &local_time))?;
    Ok(Exit::Done)
}
