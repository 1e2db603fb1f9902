//! One file per group of commands; each turns arguments into one use case and its answer into output.

mod agent;
mod convention;
mod delegation;
mod help;
pub(crate) mod hook;
mod mcp;
mod message;
mod plan;
mod project;
mod role;
mod run;
mod setup;
mod skill;
pub(crate) mod spawn;
mod start;
mod store;
mod task;
mod ui;
mod wake;

use std::io::IsTerminal as _;

use bugle_app::{App, AppError, Exit, Place};

use crate::arguments::{Arguments, Command};
use crate::output::Output;

/// Carries out what was asked.
pub(crate) fn run(arguments: Arguments, output: &Output) -> Result<Exit, AppError> {
    let here = std::env::current_dir().map_err(|source| AppError::File {
        what: "cannot find",
        path: ".".into(),
        source,
    })?;
    let chosen = arguments.directory.map(|directory| here.join(directory));
    let directory = chosen.clone().unwrap_or_else(|| here.clone());
    if !directory.is_dir() {
        return Err(AppError::NotFound {
            what: format!("there is no folder {}", directory.display()),
            hints: Vec::new(),
        });
    }
    let place = || {
        Place::find(
            &|name| std::env::var_os(name),
            &directory,
            std::io::stdin().is_terminal(),
        )
    };
    let app = || App::open_reporting(place()?, &mut Output::progress);
    match arguments.command {
        Command::Start(arguments) => start::start(&mut app()?, arguments, output),
        Command::Done(arguments) => run::done(&mut app()?, arguments, output),
        Command::Step(arguments) => run::step(&mut app()?, &arguments, output),
        Command::Decide(arguments) => run::decide(&mut app()?, arguments, output),
        Command::Retry(arguments) => delegation::retry(&mut app()?, arguments, output),
        Command::Findings(arguments) => delegation::findings(&mut app()?, &arguments, output),
        Command::Accept(arguments) => delegation::accept(&mut app()?, &arguments, output),
        Command::Note(arguments) => run::note(&mut app()?, &arguments, output),
        Command::Runs(arguments) => run::runs(&mut app()?, &arguments, output),
        Command::Show(arguments) => run::show(&mut app()?, &arguments, output),
        Command::Pause(arguments) => run::pause(&mut app()?, &arguments, output),
        Command::Resume(arguments) => run::resume(&mut app()?, &arguments, output),
        Command::Cancel(arguments) => run::cancel(&mut app()?, &arguments, output),
        Command::Rewind(arguments) => run::rewind(&mut app()?, &arguments, output),
        Command::Fork(arguments) => run::fork(&mut app()?, &arguments, output),
        Command::Upgrade(arguments) => run::upgrade(&mut app()?, &arguments, output),
        Command::Task(command) => task::task(&mut app()?, command, output),
        Command::Plan(command) => plan::plan(&mut app()?, command, output),
        Command::Say(arguments) => message::say(&mut app()?, arguments, output),
        Command::Ask(arguments) => message::ask(&mut app()?, arguments, output),
        Command::Answer(arguments) => message::answer(&mut app()?, arguments, output),
        Command::Inbox(arguments) => message::inbox(&mut app()?, arguments, output),
        Command::Channel(arguments) => message::channel(&mut app()?, &arguments, output),
        Command::Search(arguments) => message::search(&mut app()?, &arguments, output),
        Command::Agents(arguments) => agent::agents(&mut app()?, &arguments, output),
        Command::Top(arguments) => crate::top::top(&place()?, arguments.mouse, output.colour()),
        Command::Agent(command) => agent::agent(&mut app()?, command, output),
        Command::Messages(arguments) => message::messages(&mut app()?, arguments, output),
        Command::Wake(arguments) => wake::wake(&mut app()?, arguments, output),
        Command::Brief(arguments) => wake::brief(&mut app()?, arguments, output),
        Command::Wakeups(arguments) => wake::wakeups(&mut app()?, &arguments, output),
        Command::Wakeup(command) => wake::wakeup(&mut app()?, &command, output),
        Command::Up(arguments) => spawn::up(place()?, &arguments),
        Command::Spawn(arguments) => spawn::spawn(&mut app()?, arguments, output),
        Command::Prompt(arguments) => spawn::prompt(&mut app()?, arguments, output),
        Command::Recover(arguments) => spawn::recover(&mut app()?, &arguments, output),
        Command::Interrupt(arguments) => spawn::interrupt(&mut app()?, &arguments, output),
        Command::Kill(arguments) => spawn::kill(&mut app()?, &arguments, output),
        Command::Logs(arguments) => spawn::logs(place()?, &arguments, output),
        Command::Result(arguments) => spawn::result(&mut app()?, &arguments, output),
        Command::Attach(arguments) => spawn::attach(&mut app()?, &arguments),
        Command::Ui(arguments) => ui::ui(&arguments, directory),
        Command::Mcp(arguments) => mcp::mcp(&arguments, chosen, here),
        Command::Skill(command) => skill::skill(place()?, command, output),
        Command::Convention(command) => convention::convention(&place()?, &command, output),
        Command::Role(command) => role::role(&place()?, &command, output),
        Command::Setup(arguments) => setup::setup(&place()?, &arguments, output),
        // These are answered before arguments are parsed, unless something stands in front of them.
        Command::Hook(arguments) => {
            hook::hook(&[arguments.event, "--client".into(), arguments.client]);
            Ok(Exit::Done)
        }
        Command::Statusline => {
            hook::status_line();
            Ok(Exit::Done)
        }
        Command::Demo(arguments) => crate::demo::demo(&arguments),
        Command::Doctor(arguments) => setup::doctor(&place()?, &arguments, output),
        Command::Plugin(command) => setup::plugin(&place()?, &command, output),
        Command::Trust(arguments) => skill::trust_command(&mut app()?, arguments, output),
        Command::Project(command) => project::project(&mut app()?, &command, output),
        Command::Store(command) => store::store(&mut app()?, &command, output),
        Command::Completions(arguments) => help::completions(&arguments),
        Command::Man(arguments) => help::man(&arguments, output),
    }
}
