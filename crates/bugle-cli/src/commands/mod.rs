//! One file per command: its arguments and the code that runs it. The doc comments of the arguments are the help text.

mod agent;
mod answer;
pub(crate) mod args;
mod ask;
pub(crate) mod carry;
pub(crate) mod cli;
mod completions;
mod convention;
pub(crate) mod current_project;
mod decide;
mod demo;
mod doctor;
pub(crate) mod done;
mod fail_open;
pub(crate) mod help;
pub(crate) mod hook;
mod inbox;
mod man;
mod mcp;
mod message;
pub(crate) mod old_spellings;
mod plan;
mod plugin;
mod project;
mod role;
mod run;
mod say;
mod search;
mod setup;
mod skill;
mod start;
mod status;
pub(crate) mod statusline;
pub(crate) mod step;
mod store;
mod task;
mod team;
mod top;
mod trust;
mod ui;
mod up;
pub(crate) mod wake;
mod wakeup;

use std::io::IsTerminal as _;

use bugle_app::{App, AppError, Context, Exit, Purpose, agents, open_for};
use clap::Subcommand;

use crate::commands::cli::Cli;
use crate::commands::current_project::follow_move;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Start(start::StartArgs),
    Done(done::DoneArgs),
    Step(step::StepArgs),
    Decide(decide::DecideArgs),
    #[command(subcommand)]
    Run(run::RunCommand),
    #[command(subcommand)]
    Task(task::TaskCommand),
    #[command(subcommand)]
    Plan(plan::PlanCommand),
    Say(say::SayArgs),
    Ask(ask::AskArgs),
    Answer(answer::AnswerArgs),
    Inbox(inbox::InboxArgs),
    #[command(subcommand)]
    Message(message::MessageCommand),
    Search(search::SearchArgs),
    Status(status::StatusArgs),
    Top(top::TopArgs),
    #[command(subcommand)]
    Agent(agent::AgentCommand),
    Wake(wake::WakeArgs),
    #[command(subcommand)]
    Wakeup(wakeup::WakeupCommand),
    Up(up::UpArgs),
    Ui(ui::UiArgs),
    Mcp(mcp::McpArgs),
    #[command(subcommand)]
    Skill(skill::SkillCommand),
    #[command(subcommand)]
    Convention(convention::ConventionCommand),
    #[command(subcommand)]
    Role(role::RoleCommand),
    Setup(setup::SetupArgs),
    Hook(hook::HookArgs),
    Statusline(statusline::StatuslineArgs),
    Doctor(doctor::DoctorArgs),
    Demo(demo::DemoArgs),
    #[command(subcommand)]
    Plugin(plugin::PluginCommand),
    Trust(trust::TrustArgs),
    #[command(subcommand)]
    Project(project::ProjectCommand),
    #[command(subcommand)]
    Store(store::StoreCommand),
    #[command(subcommand)]
    Team(team::TeamCommand),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
    Help(help::HelpArgs),
}

/// Opens the store for a read-only command, and prefetches the rows that the command needs first.
fn reader_for(ctx: Context, purpose: Purpose<'_>) -> Result<App, AppError> {
    let mut app = open_for(ctx, purpose, &mut Output::progress)?;
    follow_move(&mut app)?;
    agents::act_as_known(&mut app.store, &mut app.context)?;
    Ok(app)
}

/// Opens the store for a command, and prefetches the rows that the command needs first.
fn app_for(ctx: Context, purpose: Purpose<'_>) -> Result<App, AppError> {
    let mut app = open_for(ctx, purpose, &mut Output::progress)?;
    follow_move(&mut app)?;
    agents::act_as(&mut app.store, &mut app.context)?;
    Ok(app)
}

/// Runs one command.
pub(crate) fn run(cli: Cli, output: &Output) -> Result<Exit, AppError> {
    let here = std::env::current_dir().map_err(|source| AppError::File {
        what: "cannot find",
        path: ".".into(),
        source,
    })?;
    let chosen = cli.options.directory.map(|directory| here.join(directory));
    let directory = chosen.clone().unwrap_or_else(|| here.clone());
    if !directory.is_dir() {
        return Err(AppError::NotFound {
            what: format!("there is no folder {}", directory.display()),
            hints: Vec::new(),
        });
    }
    let ctx = || {
        // A person may pipe text into a command, so check stdout too. In a client's commands, stdout is never a
        // terminal.
        let interactive = std::io::stdin().is_terminal() || std::io::stdout().is_terminal();
        let mut ctx = Context::find(&|name| std::env::var_os(name), &directory, interactive)?;
        ctx.acting_as.clone_from(&cli.options.acting_as);
        Ok::<_, AppError>(ctx)
    };
    let open = || App::open_reporting(ctx()?, &mut Output::progress);
    let moved = || {
        let mut app = open()?;
        follow_move(&mut app)?;
        Ok::<_, AppError>(app)
    };
    let reader = || {
        let mut app = moved()?;
        agents::act_as_known(&mut app.store, &mut app.context)?;
        Ok::<_, AppError>(app)
    };
    let app = || {
        let mut app = moved()?;
        agents::act_as(&mut app.store, &mut app.context)?;
        Ok::<_, AppError>(app)
    };
    let Some(command) = cli.command else {
        return status::run(ctx()?, output);
    };
    match command {
        Command::Status(_) => status::run(ctx()?, output),
        Command::Help(args) => help::run(args),
        Command::Start(args) => start::run(&mut app()?, args, output),
        Command::Done(args) => done::run(&mut app_for(ctx()?, Purpose::Done(&args.visit()?))?, args, output),
        Command::Step(args) => step::run(
            &mut app_for(ctx()?, Purpose::Step(&args.selector()?))?,
            &args,
            output,
        ),
        Command::Decide(args) => decide::run(&mut app()?, args, output),
        Command::Run(command) => run::run(&mut app()?, command, output),
        Command::Task(command) => task::run(&mut app()?, command, output),
        Command::Plan(command) => plan::run(&mut app()?, command, output),
        Command::Say(args) => say::run(&mut app()?, args, output),
        Command::Ask(args) => ask::run(&mut app()?, args, output),
        Command::Answer(args) => answer::run(&mut app()?, args, output),
        Command::Inbox(args) => inbox::run(&mut app()?, args, output),
        Command::Message(command) => message::run(&mut app()?, command, output),
        Command::Search(args) => search::run(&mut reader()?, &args, output),
        Command::Top(args) => top::run(&ctx()?, &args, output),
        Command::Agent(command) => agent::run(app()?, command, output),
        Command::Wake(args) => wake::run(&mut reader_for(ctx()?, Purpose::Wake)?, args, output),
        Command::Wakeup(command) => wakeup::run(&mut reader()?, &command, output),
        Command::Up(args) => up::run(ctx()?, &args),
        Command::Ui(args) => ui::run(&args, directory),
        Command::Mcp(args) => mcp::run(&args, chosen, here),
        Command::Skill(command) => skill::run(ctx()?, command, output),
        Command::Convention(command) => convention::run(&ctx()?, &command, output),
        Command::Role(command) => role::run(&ctx()?, &command, output),
        Command::Setup(args) => setup::run(&ctx()?, &args, output),
        // `fast_path` handles these two commands, unless a global option precedes the command.
        Command::Hook(args) => {
            hook::run(&[args.event, "--client".into(), args.client]);
            Ok(Exit::Done)
        }
        Command::Statusline(_) => {
            statusline::run();
            Ok(Exit::Done)
        }
        Command::Doctor(args) => doctor::run(&ctx()?, &args, output),
        Command::Demo(args) => demo::run(&args),
        Command::Plugin(command) => plugin::run(&ctx()?, &command, output),
        Command::Trust(args) => trust::run(&mut app()?, args, output),
        Command::Project(command) => project::run(&mut open()?, &command, output),
        Command::Team(command) => team::run(&mut open()?, &command, output),
        Command::Store(command) => store::run(&mut open()?, &command, output),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, output),
    }
}
