//! `bugle store`

use std::path::PathBuf;

use bugle_app::{App, AppError, Exit, stores, team, verify};
use bugle_render::pooler::{pooler_check, pooler_config};
use bugle_render::{run as text, store as store_text, team as team_text};
use clap::{Args, Subcommand};

use crate::output::Output;

/// Check, back up, export, move and upgrade the store
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle store verify")]
pub(crate) enum StoreCommand {
    /// Check hash chains and replay every event, without changing the store
    #[command(after_help = "Example:\n  bugle store verify")]
    Verify,
    /// Write a verified backup to a new file; agents can keep working
    ///
    /// The backup is a single `SQLite` file, even if the store is on Postgres. To use it, name it `bugle.db` in an
    /// empty folder and set `BUGLE_HOME` to that folder.
    Backup(BackupArgs),
    /// Print all rows as JSON, one per line
    ///
    /// Rows are ordered by table and key, so two exports can be compared with diff.
    #[command(after_help = "Example:\n  bugle store export > store.jsonl")]
    Export,
    /// Move the store to Postgres or back, with all history
    ///
    /// Copies all rows, compares both stores, verifies the copy, and then sets `store` in config.yaml in Bugle's home.
    /// If a move is interrupted, run it again to continue. The old store is not changed. Requires the
    /// user's decision, which an agent can relay.
    Move(MoveArgs),
    /// Print a pooler configuration for this machine, or check the running pooler
    ///
    /// The pooler is `PgBouncer`. It keeps connections to the server open, so that hooks and commands start faster.
    Pooler(PoolerArgs),
    /// Create a team's database groups and grant rights
    ///
    /// Run once as the database owner, who needs the CREATEROLE attribute; running it again is safe. Requires the user's decision, which an agent can relay.
    #[command(after_help = "Example:\n  bugle store init")]
    Init,
    /// Back up a store from an older version and upgrade it
    #[command(after_help = "Example:\n  bugle store migrate")]
    Migrate,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle store backup ~/bugle-backup.db")]
pub(crate) struct BackupArgs {
    /// New file for the backup
    file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle store move postgres://ada@db.example/bugle")]
pub(crate) struct MoveArgs {
    /// Database URL without a password, or `sqlite` for the database file in Bugle's home
    target: String,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  bugle store pooler --check")]
pub(crate) struct PoolerArgs {
    /// Check that the pooler answers and shares connections, and that notifications arrive
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(app: &mut App, command: &StoreCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        StoreCommand::Verify => {
            let check = verify::verify(&mut app.store)?;
            output.answer(&check, || text::store_check(&check))?;
            return Ok(if check.faults.is_empty() {
                Exit::Done
            } else {
                Exit::Failed
            });
        }
        StoreCommand::Backup(args) => {
            let backup = stores::back_up(app, &args.file, &mut Output::progress)?;
            output.line(&store_text::backup(&backup))?;
        }
        StoreCommand::Export => export(app)?,
        StoreCommand::Pooler(PoolerArgs { check: true }) => {
            output.line(&pooler_check(&stores::check_pooler(&app.context)?))?;
        }
        StoreCommand::Pooler(PoolerArgs { check: false }) => {
            Output::text(&pooler_config(&stores::pooler_config(&app.context)?))?;
        }
        StoreCommand::Move(args) => {
            let variables = |name: &str| std::env::var_os(name);
            let moved = stores::move_store(app, &variables, &args.target, &mut Output::progress)?;
            output.line(&store_text::moved(&moved))?;
        }
        StoreCommand::Init => {
            let change = team::init(&mut app.store, &app.context)?;
            output.line(&team_text::changed(&change))?;
        }
        // Opening the store has upgraded it.
        StoreCommand::Migrate => {
            let schema = app.store.schema()?;
            output.line(&format!("The store is up to date (schema {schema})."))?;
        }
    }
    Ok(Exit::Done)
}

/// Prints the export in large chunks: one write per row would be slow.
fn export(app: &mut App) -> Result<(), AppError> {
    const PIECE: usize = 64 * 1024;
    let mut piece = String::with_capacity(2 * PIECE);
    stores::export(app, |line| {
        piece.push_str(line);
        if piece.len() >= PIECE {
            Output::text(&piece)?;
            piece.clear();
        }
        Ok(())
    })?;
    Output::text(&piece)
}
