//! `bugle step`

use bugle_app::{App, AppError, Exit, Reply, RunSelector, runs};
use bugle_core::id::Actor;
use bugle_render::step::question_for_person;
use clap::Args;

use super::args::RunArgument;
use crate::output::Output;

/// Print the current step of a run
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle step r-7f3a1c")]
pub(crate) struct StepArgs {
    #[command(flatten)]
    run: RunArgument,
}

impl StepArgs {
    pub(crate) fn selector(&self) -> Result<RunSelector, AppError> {
        self.run.selector()
    }
}

pub(crate) fn run(app: &mut App, args: &StepArgs, output: &Output) -> Result<Exit, AppError> {
    let selector = args.selector()?;
    let step = runs::step(&mut app.store, &app.context, &selector);
    let is_person = matches!(app.context.actor, Actor::Person(_));
    if let Ok(Reply::Step(view)) = &step
        && is_person
        && output.is_for_people()
        && let Some(question) = question_for_person(view)
    {
        Output::text(&question)?;
        return Ok(Exit::Done);
    }
    Output::reply(step, output.format())
}
