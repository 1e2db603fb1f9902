//! `bugle run`

mod accept;
mod cancel;
mod findings;
mod fork;
mod found;
mod list;
mod note;
mod pause;
mod resume;
mod retry;
mod rewind;
mod show;
mod upgrade;

use bugle_app::{App, AppError, Exit};
use clap::Subcommand;

use crate::output::Output;

/// List, show and control runs
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle run list")]
pub(crate) enum RunCommand {
    List(list::RunsArgs),
    Show(show::ShowArgs),
    Findings(findings::FindingsArgs),
    Found(found::FoundArgs),
    Accept(accept::AcceptArgs),
    Retry(retry::RetryArgs),
    Note(note::NoteArgs),
    Pause(pause::PauseArgs),
    Resume(resume::ResumeArgs),
    Cancel(cancel::CancelArgs),
    Rewind(rewind::RewindArgs),
    Fork(fork::ForkArgs),
    Upgrade(upgrade::UpgradeArgs),
}

pub(crate) fn run(app: &mut App, command: RunCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        RunCommand::List(args) => list::run(app, &args, output),
        RunCommand::Show(args) => show::run(app, &args, output),
        RunCommand::Findings(args) => findings::run(app, &args, output),
        RunCommand::Found(args) => found::run(app, &args, output),
        RunCommand::Accept(args) => accept::run(app, &args, output),
        RunCommand::Retry(args) => retry::run(app, args, output),
        RunCommand::Note(args) => note::run(app, &args, output),
        RunCommand::Pause(args) => pause::run(app, &args, output),
        RunCommand::Resume(args) => resume::run(app, &args, output),
        RunCommand::Cancel(args) => cancel::run(app, &args, output),
        RunCommand::Rewind(args) => rewind::run(app, &args, output),
        RunCommand::Fork(args) => fork::run(app, &args, output),
        RunCommand::Upgrade(args) => upgrade::run(app, &args, output),
    }
}
