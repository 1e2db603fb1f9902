//! A run's open step.

use bugle_core::reply::StepView;
use bugle_store::Store;

use crate::open_run::OpenRun;
use crate::runs::{Loaded, Reader, Reply};
use crate::{AppError, Context, runs};

/// A run's open step, or the reason why the step cannot be shown. This is not an error, because the wake-up still shows
/// tasks and messages.
pub(super) fn open_step(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
) -> Result<(Option<StepView>, Option<String>), AppError> {
    match step_of(store, ctx, run) {
        Err(AppError::Text { what, hints }) => {
            let why = format!(
                "A run is open, but Bugle cannot show its current step: {what}. {}",
                hints.join(" ")
            );
            Ok((None, Some(why)))
        }
        step => Ok((step?, None)),
    }
}

/// A run's current step; `None` if the run is paused or has ended.
pub(super) fn step_of(store: &mut Store, ctx: &Context, run: &OpenRun) -> Result<Option<StepView>, AppError> {
    match runs::step_reply(store, ctx, run, Loaded::default(), &Reader::New) {
        Ok(Reply::Step(step)) => Ok(Some(*step)),
        Ok(Reply::End(_)) | Err(AppError::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
