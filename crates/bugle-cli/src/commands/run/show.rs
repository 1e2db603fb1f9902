//! `bugle run show`

use bugle_app::{App, AppError, Exit, runs};
use bugle_core::id::VisitNumber;
use bugle_render::run as text;
use clap::Args;

use crate::commands::args::RunArgument;
use crate::local_time::local_time;
use crate::output::{Output, print};

/// Show a run with its timeline, or one visit
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle run show r-7f3a1c --visit 12 --result")]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    run: RunArgument,
    /// Show one visit: the step's text and what the agent returned
    #[arg(long, value_name = "N")]
    visit: Option<u32>,
    /// Print only what the agent returned, as JSON
    #[arg(long, requires = "visit")]
    result: bool,
}

pub(super) fn run(app: &mut App, args: &ShowArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.run.selector()?;
    let Some(visit) = args.visit.map(VisitNumber) else {
        let detail = runs::show(&mut app.store, &app.context, &selector)?;
        output.answer(&detail, || text::detail(&detail, &local_time))?;
        return Ok(Exit::Done);
    };
    let detail = runs::show_visit(&mut app.store, &app.context, &selector, visit)?;
    if args.result {
        print(&text::returned(&detail))?;
    } else {
        output.answer(&detail, || text::visit(&detail))?;
    }
    Ok(Exit::Done)
}
