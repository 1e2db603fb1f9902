//! `bugle skill`

mod check;
mod eject;
mod folder;
mod graph;
mod list;
mod new;
mod preview;
mod schema;
mod show;
mod test;

use bugle_app::{App, AppError, Context, Exit};
use clap::Subcommand;

use crate::output::Output;

/// List, write, check and test skills
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle skill list")]
pub(crate) enum SkillCommand {
    List(list::ListArgs),
    Show(show::ShowArgs),
    Check(check::CheckArgs),
    Graph(graph::GraphArgs),
    New(new::NewArgs),
    Eject(eject::EjectArgs),
    Preview(preview::PreviewArgs),
    Schema(schema::SchemaArgs),
    Test(test::TestArgs),
}

pub(crate) fn run(ctx: Context, command: SkillCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        SkillCommand::List(_) => list::run(&mut App::open(ctx)?, output),
        SkillCommand::Show(args) => show::run(&mut App::open(ctx)?, &args, output),
        SkillCommand::Check(args) => check::run(&ctx, &args, output),
        SkillCommand::Graph(args) => graph::run(&ctx, &args, output),
        SkillCommand::New(args) => new::run(&ctx, &args, output),
        SkillCommand::Eject(args) => eject::run(&ctx, &args, output),
        SkillCommand::Preview(args) => preview::run(&ctx, &args, output),
        SkillCommand::Schema(_) => schema::run(),
        SkillCommand::Test(args) => test::run(&ctx, &args, output),
    }
}
