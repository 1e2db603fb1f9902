//! The actor to record for a run's event.

use bugle_core::engine::{Refusal, input_since};
use bugle_core::id::Actor;
use bugle_core::rights::Action;
use bugle_store::Store;

use crate::open_run::OpenRun;
use crate::{AppError, Context, permissions, runs};

/// The actor to record for an action on a run; an error if the caller may not perform it.
pub(crate) fn recorded_actor(
    store: &mut Store,
    ctx: &Context,
    run: &OpenRun,
    action: Action,
) -> Result<Actor, AppError> {
    if action.is_free() {
        return Ok(ctx.actor.clone());
    }
    let since = input_since(&run.state, action);
    permissions::permitted(store, ctx, action, since, Some(&run.state.id))?
        .map_err(|lack| runs::refused(ctx, run, &Refusal::NotAllowed(action, lack)))
}
