//! `bugle message`

mod channel;
mod list;

use bugle_app::{App, AppError, Exit};
use clap::Subcommand;

use crate::output::Output;

/// List messages
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle message list")]
pub(crate) enum MessageCommand {
    List(list::MessagesArgs),
    Channel(channel::ChannelArgs),
}

pub(crate) fn run(app: &mut App, command: MessageCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        MessageCommand::List(args) => list::run(app, args, output),
        MessageCommand::Channel(args) => channel::run(app, &args, output),
    }
}
