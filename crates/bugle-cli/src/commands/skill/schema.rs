//! `bugle skill schema`

use bugle_app::{AppError, Exit};
use clap::Args;

use crate::output::Output;

/// Print the JSON Schema of workflow.yaml
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle skill schema > workflow.schema.json")]
pub(crate) struct SchemaArgs {}

pub(super) fn run() -> Result<Exit, AppError> {
    Output::text(&bugle_skill::workflow_schema())?;
    Ok(Exit::Done)
}
