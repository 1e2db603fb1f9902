//! `bugle store`

use bugle_app::{App, AppError, Exit, verify};
use bugle_render::run as text;
use clap::Subcommand;

use crate::output::Output;

/// Check and upgrade the store
#[derive(Debug, Subcommand)]
pub(crate) enum StoreCommand {
    /// Check hash chains and replay every event, without changing the store
    #[command(after_help = "Example:\n  bugle store verify")]
    Verify,
    /// Back up a store from an older version and upgrade it
    #[command(after_help = "Example:\n  bugle store migrate")]
    Migrate,
}

pub(crate) fn run(app: &mut App, command: &StoreCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        StoreCommand::Verify => {
            let check = verify::verify(&mut app.store)?;
            output.answer(&check, || text::store_check(&check))?;
            Ok(if check.faults.is_empty() {
                Exit::Done
            } else {
                Exit::Failed
            })
        }
        // Opening the store has upgraded it.
        StoreCommand::Migrate => {
            let schema = app.store.schema()?;
            output.line(&format!("The store is up to date (schema {schema})."))?;
            Ok(Exit::Done)
        }
    }
}
