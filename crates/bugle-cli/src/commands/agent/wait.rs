//! Waits for an agent's answer and prints it.

use std::process::Child;

use bugle_app::{App, AppError, Exit, PromptOutcome, supervisor, supervisor_process};
use bugle_core::reply::{AgentResultView, SteeredView, Steering};
use bugle_render::spawn as text;

use crate::output::Output;

/// Waits for an agent to end and prints the agent's answer. Interrupting the wait leaves the agent running.
pub(super) fn wait_and_print(
    app: &mut App,
    mut runner: Child,
    agent: &str,
    output: &Output,
) -> Result<Exit, AppError> {
    runner
        .wait()
        .map_err(|error| AppError::System(format!("cannot wait for {agent}: {error}")))?;
    supervisor::wait_for_agent(&mut app.store, &app.context, agent)?;
    let waits = supervisor::acknowledge_end(&mut app.store, &app.context, agent)?;
    let exit = print_result(app, agent, output)?;
    Output::warn(waits.as_slice());
    Ok(exit)
}

pub(super) fn print_result(app: &mut App, agent: &str, output: &Output) -> Result<Exit, AppError> {
    let view = AgentResultView {
        agent: agent.to_owned(),
        result: supervisor::agent_result(&mut app.store, &app.context, agent)?,
    };
    output.answer(&view, || format!("{}\n", view.result.trim_end()))?;
    Ok(Exit::Done)
}

/// Waits for a prompted agent's answer, unless `detach` is set or the agent is busy.
pub(super) fn after_prompt(
    app: &mut App,
    prompted: PromptOutcome,
    detach: bool,
    output: &Output,
) -> Result<Exit, AppError> {
    let view = match prompted {
        PromptOutcome::Started(agent, runner) if !detach => {
            return wait_and_print(app, runner, &agent.to_string(), output);
        }
        PromptOutcome::Started(agent, _) => SteeredView {
            agent: agent.to_string(),
            done: Steering::Prompted,
            notice: supervisor_process::ensure_supervisor(&app.context),
        },
        PromptOutcome::Queued(agent) => SteeredView {
            agent: agent.to_string(),
            done: Steering::Queued,
            notice: None,
        },
    };
    output.answer(&view, || text::steered(&view))?;
    Ok(Exit::Done)
}
