//! `bugle spawn`, `up`, and what steers and shows agents that Bugle started.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::Child;

use bugle_app::{App, AppError, Exit, Place, Prompted, SpawnRequest, StartedBy};
use bugle_daemon::{Supervision, carry as carry_prompt, follow, up as supervise};
use bugle_render::spawn as text;
use bugle_wire::setup::shell_word;
use bugle_wire::{AgentResultView, SteeredView};

use super::run::read_text;
use super::wake::short_time;
use crate::arguments_spawn::{
    AgentArguments, KillArguments, LogsArguments, PromptArguments, RecoverArguments, SpawnArguments,
    UpArguments,
};
use crate::output::{Output, print};

/// Carries an agent's prompt to its client: what Bugle starts itself for, with the words behind `bugle carry`.
pub(crate) fn carry(words: &[OsString]) -> Result<(), AppError> {
    let [project, agent] = words else {
        return Err(AppError::Usage {
            what: "`bugle carry` is for Bugle itself".to_owned(),
            hints: Vec::new(),
        });
    };
    let here = std::env::current_dir().map_err(|source| AppError::File {
        what: "cannot find",
        path: ".".into(),
        source,
    })?;
    let place = Place::find(&|name| std::env::var_os(name), &here, false)?;
    carry_prompt(place, &project.to_string_lossy(), &agent.to_string_lossy())
}

fn words(argument: String) -> Result<String, AppError> {
    if argument == "-" {
        read_text(Path::new("-"))
    } else {
        Ok(argument)
    }
}

pub(crate) fn spawn(app: &mut App, arguments: SpawnArguments, output: &Output) -> Result<Exit, AppError> {
    let mut spawned = app.spawn(&SpawnRequest {
        client: arguments.client,
        task: words(arguments.task)?,
        name: arguments.name,
        role: arguments.role,
        model: arguments.model,
        access: arguments.sandbox,
        arguments: arguments.arguments,
        worktree: arguments.worktree,
    })?;
    if arguments.detach {
        spawned.view.notice = app.have_supervisor();
        output.answer(&spawned.view, || text::spawned(&spawned.view))?;
        return Ok(Exit::Done);
    }
    finish(app, spawned.carrier, &spawned.view.agent, output)
}

/// Waits until an agent has ended, and prints its answer. Whoever ends this ends the waiting; the agent goes on.
fn finish(app: &mut App, mut carrier: Child, agent: &str, output: &Output) -> Result<Exit, AppError> {
    carrier
        .wait()
        .map_err(|error| AppError::System(format!("{agent} cannot be waited for: {error}")))?;
    app.wait_for_agent(agent)?;
    let waits = app.saw_end(agent)?;
    let exit = show_result(app, agent, output)?;
    Output::warn(waits.as_slice());
    Ok(exit)
}

fn show_result(app: &mut App, agent: &str, output: &Output) -> Result<Exit, AppError> {
    let view = AgentResultView {
        agent: agent.to_owned(),
        result: app.agent_result(agent)?,
    };
    output.answer(&view, || format!("{}\n", view.result.trim_end()))?;
    Ok(Exit::Done)
}

pub(crate) fn result(app: &mut App, arguments: &AgentArguments, output: &Output) -> Result<Exit, AppError> {
    show_result(app, &arguments.agent, output)
}

pub(crate) fn prompt(app: &mut App, arguments: PromptArguments, output: &Output) -> Result<Exit, AppError> {
    let said = words(arguments.text)?;
    let prompted = app.prompt_agent(&arguments.agent, &said, &short_time)?;
    after_prompt(app, prompted, arguments.detach, output)
}

pub(crate) fn recover(
    app: &mut App,
    arguments: &RecoverArguments,
    output: &Output,
) -> Result<Exit, AppError> {
    let prompted = app.recover_agent(&arguments.agent, &short_time)?;
    after_prompt(app, prompted, arguments.detach, output)
}

fn after_prompt(app: &mut App, prompted: Prompted, detach: bool, output: &Output) -> Result<Exit, AppError> {
    let view = match prompted {
        Prompted::Sent(agent, carrier) if !detach => {
            return finish(app, carrier, &agent.to_string(), output);
        }
        Prompted::Sent(agent, _) => SteeredView {
            agent: agent.to_string(),
            done: "prompted".to_owned(),
            notice: app.have_supervisor(),
        },
        Prompted::Said(agent) => SteeredView {
            agent: agent.to_string(),
            done: "at work, and told at the end of its turn".to_owned(),
            notice: None,
        },
    };
    output.answer(&view, || text::steered(&view))?;
    Ok(Exit::Done)
}

pub(crate) fn interrupt(
    app: &mut App,
    arguments: &AgentArguments,
    output: &Output,
) -> Result<Exit, AppError> {
    let view = SteeredView {
        agent: app.interrupt_agent(&arguments.agent)?.to_string(),
        done: "interrupted".to_owned(),
        notice: None,
    };
    output.answer(&view, || text::steered(&view))?;
    Ok(Exit::Done)
}

pub(crate) fn kill(app: &mut App, arguments: &KillArguments, output: &Output) -> Result<Exit, AppError> {
    let view = SteeredView {
        agent: app.kill_agent(&arguments.agent, arguments.force)?.to_string(),
        done: "killed".to_owned(),
        notice: None,
    };
    output.answer(&view, || text::steered(&view))?;
    Ok(Exit::Done)
}

pub(crate) fn logs(place: Place, arguments: &LogsArguments, output: &Output) -> Result<Exit, AppError> {
    if arguments.follow {
        follow(place, &arguments.agent, arguments.tail, &mut |item| {
            output.item(item, || text::entry(item))
        })?;
        return Ok(Exit::Done);
    }
    let log = App::open(place)?.agent_log(&arguments.agent, arguments.tail)?;
    output.answer(&log, || text::log(&log))?;
    Ok(Exit::Done)
}

pub(crate) fn attach(app: &mut App, arguments: &AgentArguments) -> Result<Exit, AppError> {
    let (words, directory) = app.attach_words(&arguments.agent)?;
    let line: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    print(&format!(
        "cd {} && {}\n",
        shell_word(&directory.to_string_lossy()),
        line.join(" ")
    ))?;
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Ok(Exit::Done);
    }
    let Some((program, rest)) = words.split_first() else {
        return Ok(Exit::Done);
    };
    let status = std::process::Command::new(program)
        .args(rest)
        .current_dir(directory)
        .status()
        .map_err(|error| AppError::System(format!("{program} cannot be started: {error}")))?;
    Ok(if status.success() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

pub(crate) fn up(place: Place, arguments: &UpArguments) -> Result<Exit, AppError> {
    supervise(&Supervision {
        place,
        once: arguments.once || arguments.on_demand,
        by: if arguments.on_demand {
            StartedBy::Demand
        } else {
            StartedBy::Hand
        },
        clock: &short_time,
        tell: &|note| print(&format!("{note}\n")),
    })?;
    Ok(Exit::Done)
}
