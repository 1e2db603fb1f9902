//! `bugle store`

use bugle_app::{App, AppError, Exit};
use bugle_render::run as text;

use crate::arguments::StoreCommand;
use crate::output::Output;

pub(crate) fn store(app: &mut App, command: &StoreCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        StoreCommand::Verify => {
            let check = app.verify()?;
            output.answer(&check, || text::store_check(&check))?;
            Ok(if check.faults.is_empty() {
                Exit::Done
            } else {
                Exit::Failed
            })
        }
        // Opening the store has upgraded it.
        StoreCommand::Migrate => {
            let schema = app.schema()?;
            output.line(&format!("The store has schema {schema}."))?;
            Ok(Exit::Done)
        }
    }
}
