//! One file per command: its arguments, whose doc comments are the help, and the code that runs it.

mod accept;
mod agent;
mod agent_result;
mod agents;
mod answer;
pub(crate) mod args;
mod ask;
mod attach;
mod brief;
mod cancel;
pub(crate) mod carry;
mod channel;
pub(crate) mod cli;
mod completions;
mod convention;
mod decide;
mod demo;
mod doctor;
pub(crate) mod done;
mod fail_open;
mod findings;
mod fork;
pub(crate) mod hook;
mod inbox;
mod interrupt;
mod kill;
mod logs;
mod man;
mod mcp;
mod messages;
mod note;
mod pause;
mod plan;
mod plugin;
mod project;
mod prompt;
mod recover;
mod result;
mod resume;
mod retry;
mod rewind;
mod role;
mod runs;
mod say;
mod search;
mod setup;
mod show;
mod skill;
mod spawn;
mod start;
pub(crate) mod statusline;
pub(crate) mod step;
mod store;
mod task;
mod top;
mod trust;
mod ui;
mod up;
mod upgrade;
pub(crate) mod wake;
mod wakeup;
mod wakeups;

use std::io::IsTerminal as _;

use bugle_app::{App, AppError, Context, Exit, projects};
use clap::Subcommand;

use crate::commands::cli::Cli;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Start(start::StartArgs),
    Done(done::DoneArgs),
    Step(step::StepArgs),
    Decide(decide::DecideArgs),
    Retry(retry::RetryArgs),
    Findings(findings::FindingsArgs),
    Accept(accept::AcceptArgs),
    Note(note::NoteArgs),
    Runs(runs::RunsArgs),
    Show(show::ShowArgs),
    Pause(pause::PauseArgs),
    Resume(resume::ResumeArgs),
    Cancel(cancel::CancelArgs),
    Rewind(rewind::RewindArgs),
    Fork(fork::ForkArgs),
    Upgrade(upgrade::UpgradeArgs),
    #[command(subcommand)]
    Task(task::TaskCommand),
    #[command(subcommand)]
    Plan(plan::PlanCommand),
    Say(say::SayArgs),
    Ask(ask::AskArgs),
    Answer(answer::AnswerArgs),
    Inbox(inbox::InboxArgs),
    Channel(channel::ChannelArgs),
    Messages(messages::MessagesArgs),
    Search(search::SearchArgs),
    Agents(agents::AgentsArgs),
    Top(top::TopArgs),
    #[command(subcommand)]
    Agent(agent::AgentCommand),
    Wake(wake::WakeArgs),
    Brief(brief::BriefArgs),
    Wakeups(wakeups::WakeupsArgs),
    #[command(subcommand)]
    Wakeup(wakeup::WakeupCommand),
    Up(up::UpArgs),
    Spawn(spawn::SpawnArgs),
    Prompt(prompt::PromptArgs),
    Recover(recover::RecoverArgs),
    Interrupt(interrupt::InterruptArgs),
    Kill(kill::KillArgs),
    Logs(logs::LogsArgs),
    Result(result::ResultArgs),
    Attach(attach::AttachArgs),
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
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Runs one command.
pub(crate) fn run(cli: Cli, output: &Output) -> Result<Exit, AppError> {
    let here = std::env::current_dir().map_err(|source| AppError::File {
        what: "cannot find",
        path: ".".into(),
        source,
    })?;
    let chosen = cli.directory.map(|directory| here.join(directory));
    let directory = chosen.clone().unwrap_or_else(|| here.clone());
    if !directory.is_dir() {
        return Err(AppError::NotFound {
            what: format!("there is no folder {}", directory.display()),
            hints: Vec::new(),
        });
    }
    let ctx = || {
        Context::find(
            &|name| std::env::var_os(name),
            &directory,
            std::io::stdin().is_terminal(),
        )
    };
    let open = || App::open_reporting(ctx()?, &mut Output::progress);
    let app = || {
        let mut app = open()?;
        projects::follow_move(&mut app.store, &app.context)?;
        Ok::<_, AppError>(app)
    };
    match cli.command {
        Command::Start(args) => start::run(&mut app()?, args, output),
        Command::Done(args) => done::run(&mut app()?, args, output),
        Command::Step(args) => step::run(&mut app()?, &args, output),
        Command::Decide(args) => decide::run(&mut app()?, args, output),
        Command::Retry(args) => retry::run(&mut app()?, args, output),
        Command::Findings(args) => findings::run(&mut app()?, &args, output),
        Command::Accept(args) => accept::run(&mut app()?, &args, output),
        Command::Note(args) => note::run(&mut app()?, &args, output),
        Command::Runs(args) => runs::run(&mut app()?, &args, output),
        Command::Show(args) => show::run(&mut app()?, &args, output),
        Command::Pause(args) => pause::run(&mut app()?, &args, output),
        Command::Resume(args) => resume::run(&mut app()?, &args, output),
        Command::Cancel(args) => cancel::run(&mut app()?, &args, output),
        Command::Rewind(args) => rewind::run(&mut app()?, &args, output),
        Command::Fork(args) => fork::run(&mut app()?, &args, output),
        Command::Upgrade(args) => upgrade::run(&mut app()?, &args, output),
        Command::Task(command) => task::run(&mut app()?, command, output),
        Command::Plan(command) => plan::run(&mut app()?, command, output),
        Command::Say(args) => say::run(&mut app()?, args, output),
        Command::Ask(args) => ask::run(&mut app()?, args, output),
        Command::Answer(args) => answer::run(&mut app()?, args, output),
        Command::Inbox(args) => inbox::run(&mut app()?, args, output),
        Command::Channel(args) => channel::run(&mut app()?, &args, output),
        Command::Messages(args) => messages::run(&mut app()?, args, output),
        Command::Search(args) => search::run(&mut app()?, &args, output),
        Command::Agents(args) => agents::run(&mut app()?, &args, output),
        Command::Top(args) => top::run(&ctx()?, &args, output),
        Command::Agent(command) => agent::run(&mut app()?, command, output),
        Command::Wake(args) => wake::run(&mut app()?, args, output),
        Command::Brief(args) => brief::run(&mut app()?, args, output),
        Command::Wakeups(args) => wakeups::run(&mut app()?, &args, output),
        Command::Wakeup(command) => wakeup::run(&mut app()?, &command, output),
        Command::Up(args) => up::run(ctx()?, &args),
        Command::Spawn(args) => spawn::run(&mut app()?, args, output),
        Command::Prompt(args) => prompt::run(&mut app()?, args, output),
        Command::Recover(args) => recover::run(&mut app()?, &args, output),
        Command::Interrupt(args) => interrupt::run(&mut app()?, &args, output),
        Command::Kill(args) => kill::run(&mut app()?, &args, output),
        Command::Logs(args) => logs::run(ctx()?, &args, output),
        Command::Result(args) => result::run(&mut app()?, &args, output),
        Command::Attach(args) => attach::run(&mut app()?, &args),
        Command::Ui(args) => ui::run(&args, directory),
        Command::Mcp(args) => mcp::run(&args, chosen, here),
        Command::Skill(command) => skill::run(ctx()?, command, output),
        Command::Convention(command) => convention::run(&ctx()?, &command, output),
        Command::Role(command) => role::run(&ctx()?, &command, output),
        Command::Setup(args) => setup::run(&ctx()?, &args, output),
        // Answered before arguments are parsed, unless a global option comes first.
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
        Command::Store(command) => store::run(&mut open()?, &command, output),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args, output),
    }
}
