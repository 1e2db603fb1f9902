//! A woken agent's next action, with the commands to run.

use bugle_core::reply::{CommandView, NextAction, OpenWork, Purpose, RunOwner, StepView, TaskPosition};

use crate::Context;

/// The next action: end the open step, else work on the current task. `owner` is the owner of the step's run.
/// `step_problem` is the reason why an open step is not shown. `has_other_work` is true if the wake-up shows other open
/// work.
pub(super) fn next_action(
    ctx: &Context,
    step: Option<&StepView>,
    owner: Option<RunOwner>,
    position: Option<&TaskPosition>,
    step_problem: Option<String>,
    has_other_work: bool,
) -> NextAction {
    if let Some(step) = step {
        return end_step(ctx, step, owner);
    }
    let nothing = position.is_none() && !has_other_work;
    NextAction {
        open: step_problem
            .map(OpenWork::Unreadable)
            .or(nothing.then_some(OpenWork::Nothing)),
        commands: position.map_or_else(Vec::new, |at| at.commands.clone()),
    }
}

fn end_step(ctx: &Context, step: &StepView, owner: Option<RunOwner>) -> NextAction {
    let title = step.title.clone();
    let asking = step.dispatch.as_ref().map_or(0, |view| view.asking);
    let mut commands: Vec<CommandView> = Vec::new();
    let open = match (&step.ask, &step.command) {
        (Some(_), Some(_)) if step.interface.is_mcp() => {
            commands.push(CommandView {
                purpose: Purpose::ShowQuestions,
                command: ctx.command(&["step", step.position.run.as_str()]),
            });
            return NextAction {
                open: Some(OpenWork::Asks(title)),
                commands,
            };
        }
        (Some(ask), None) => {
            commands.extend(ask.choices.iter().map(|choice| CommandView {
                purpose: Purpose::Answer(choice.answer.clone()),
                command: choice.command.clone(),
            }));
            OpenWork::Asks(title)
        }
        _ if asking > 0 => {
            commands.push(CommandView {
                purpose: Purpose::ShowQuestions,
                command: ctx.command(&["step", step.position.run.as_str()]),
            });
            OpenWork::SubagentsAsk { step: title, asking }
        }
        _ => OpenWork::Step { step: title, owner },
    };
    commands.extend(step.command.as_ref().map(|command| CommandView {
        purpose: Purpose::FinishStep,
        command: command.clone(),
    }));
    NextAction {
        open: Some(open),
        commands,
    }
}
