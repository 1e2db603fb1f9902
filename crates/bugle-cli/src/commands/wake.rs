//! `bugle wake` and the wake-ups that were given.

use bugle_app::{App, AppError, Exit, Replaced, WakeRequest};
use bugle_core::wake::{Budget, WakeReason};
use bugle_render::wake as text;
use bugle_wire::{Answer as _, WakeView};

use super::run::local_time;
use crate::arguments_wake::{
    BriefArguments, ClientChoice, ReasonChoice, WakeArguments, WakeFormat, WakeupCommand, WakeupsArguments,
};
use crate::output::Output;

pub(crate) fn wake(app: &mut App, arguments: WakeArguments, output: &Output) -> Result<Exit, AppError> {
    let budget = match arguments.client {
        ClientChoice::Claude => Budget::CLAUDE,
        ClientChoice::Codex => Budget::CODEX,
        ClientChoice::Prompt => Budget::PROMPT,
    };
    let request = WakeRequest {
        agent: arguments.agent,
        reason: match &arguments.replaces {
            Some(_) => WakeReason::Event,
            None => reason(arguments.reason),
        },
        replaces: arguments.replaces.map(|agent| Replaced {
            agent,
            log: arguments.log,
        }),
        budget: Budget {
            limit: arguments.budget.unwrap_or(budget.limit),
            ..budget
        },
        message: arguments.message,
        only_look: arguments.explain,
    };
    let mut is_said = false;
    let view = app.wake_saying(&request, &short_time, &mut |view| {
        is_said = true;
        print_wake(view, arguments.format, output)
    })?;
    if arguments.explain {
        output.answer(&view, || text::explain(&view))?;
        return Ok(Exit::Done);
    }
    if !is_said {
        print_wake(&view, arguments.format, output)?;
    }
    Output::warn(&view.notices);
    Ok(Exit::Done)
}

/// Writes a wake-up to the last byte: what is in it counts as read.
fn print_wake(view: &WakeView, format: WakeFormat, output: &Output) -> Result<(), AppError> {
    match format {
        WakeFormat::Json => Output::deliver_text(&view.to_json()),
        _ if view.text.is_empty() => output.deliver(view, String::new),
        WakeFormat::Xml => output.deliver(view, || text::xml(view)),
        WakeFormat::Md => output.deliver(view, || format!("{}\n", view.text)),
    }
}

pub(crate) fn brief(app: &mut App, arguments: BriefArguments, output: &Output) -> Result<Exit, AppError> {
    let role = super::task::role(&arguments.role)?;
    let view = app.brief(&arguments.target, role, arguments.context)?;
    output.answer(&view, || text::brief(&view))?;
    Ok(Exit::Done)
}

pub(crate) fn wakeups(
    app: &mut App,
    arguments: &WakeupsArguments,
    output: &Output,
) -> Result<Exit, AppError> {
    let list = app.wakeups(arguments.agent.as_deref(), arguments.limit)?;
    output.answer(&list, || text::list(&list, &local_time))?;
    Ok(Exit::Done)
}

pub(crate) fn wakeup(app: &mut App, command: &WakeupCommand, output: &Output) -> Result<Exit, AppError> {
    match command {
        WakeupCommand::Show(arguments) => {
            let detail = app.show_wakeup(&arguments.wakeup)?;
            output.answer(&detail, || text::detail(&detail, &local_time))?;
        }
        WakeupCommand::Diff(arguments) => {
            let diff = app.compare_wakeups(&arguments.from, &arguments.to)?;
            output.answer(&diff, || text::difference(&diff))?;
        }
    }
    Ok(Exit::Done)
}

fn reason(choice: ReasonChoice) -> WakeReason {
    match choice {
        ReasonChoice::Startup => WakeReason::Startup,
        ReasonChoice::Resume => WakeReason::Resume,
        ReasonChoice::Clear => WakeReason::Clear,
        ReasonChoice::Compact => WakeReason::Compact,
        ReasonChoice::Mention => WakeReason::Mention,
        ReasonChoice::Event => WakeReason::Event,
        ReasonChoice::Subagent => WakeReason::Subagent,
    }
}

/// A moment of the day as people here write it.
pub(super) fn short_time(milliseconds: i64) -> String {
    local_time(milliseconds)
        .get(11..16)
        .unwrap_or_default()
        .to_owned()
}
