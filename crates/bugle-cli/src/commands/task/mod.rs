//! `bugle task`

mod add;
mod assign;
mod block;
mod brief;
mod claim;
mod depend;
mod done;
mod edit;
mod fail;
mod list;
mod r#move;
mod next;
mod note;
mod print;
mod ready;
mod reopen;
mod rm;
mod show;
mod skill;
mod skip;
mod start;

use bugle_app::{App, AppError, Exit, TaskScope};
use clap::{Args, Subcommand};

use crate::output::Output;

/// Show, claim, finish and change tasks
#[derive(Debug, Subcommand)]
#[command(after_help = "Example:\n  bugle task next")]
pub(crate) enum TaskCommand {
    Add(add::AddArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Start(start::StartArgs),
    Done(done::DoneArgs),
    Skip(skip::SkipArgs),
    Fail(fail::FailArgs),
    Block(block::BlockArgs),
    Reopen(reopen::ReopenArgs),
    Note(note::NoteArgs),
    Edit(edit::EditArgs),
    Move(r#move::MoveArgs),
    Depend(depend::DependArgs),
    Assign(assign::AssignArgs),
    Rm(rm::RmArgs),
    Next(next::NextArgs),
    Ready(ready::ReadyArgs),
    Claim(claim::ClaimArgs),
    Skill(skill::SkillArgs),
    Brief(brief::BriefArgs),
}

pub(crate) fn run(app: &mut App, command: TaskCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        TaskCommand::Add(args) => add::run(app, args, output),
        TaskCommand::List(args) => list::run(app, &args, output),
        TaskCommand::Show(args) => show::run(app, &args, output),
        TaskCommand::Start(args) => start::run(app, &args, output),
        TaskCommand::Done(args) => done::run(app, args, output),
        TaskCommand::Skip(args) => skip::run(app, args, output),
        TaskCommand::Fail(args) => fail::run(app, args, output),
        TaskCommand::Block(args) => block::run(app, args, output),
        TaskCommand::Reopen(args) => reopen::run(app, &args, output),
        TaskCommand::Note(args) => note::run(app, args, output),
        TaskCommand::Edit(args) => edit::run(app, args, output),
        TaskCommand::Move(args) => r#move::run(app, args, output),
        TaskCommand::Depend(args) => depend::run(app, &args, output),
        TaskCommand::Assign(args) => assign::run(app, args, output),
        TaskCommand::Rm(args) => rm::run(app, &args, output),
        TaskCommand::Next(args) => next::run(app, &args, output),
        TaskCommand::Ready(args) => ready::run(app, &args, output),
        TaskCommand::Claim(args) => claim::run(app, &args, output),
        TaskCommand::Skill(args) => skill::run(app, &args, output),
        TaskCommand::Brief(args) => brief::run(app, args, output),
    }
}

#[derive(Debug, Args)]
pub(crate) struct ScopeArgument {
    /// Id or prefix of a task or plan [default: the most recently active task tree]
    #[arg(value_name = "TASK|PLAN")]
    within: Option<String>,
}

impl ScopeArgument {
    pub(crate) fn scope(&self) -> Result<TaskScope, AppError> {
        TaskScope::parse(self.within.as_deref())
    }
}
