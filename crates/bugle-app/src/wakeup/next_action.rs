//! A woken agent's next action, with the commands to run.

use bugle_core::reply::{CommandView, NextAction, Purpose, StepView, TaskPosition};

use crate::Context;

/// The next action: end the open step, else work on the current task. `owner_notice` is a sentence about the owner of
/// the step's run; `step_problem` says why an open step is not shown.
pub(super) fn next_action(
    ctx: &Context,
    step: Option<&StepView>,
    owner_notice: Option<&str>,
    position: Option<&TaskPosition>,
    step_problem: Option<String>,
) -> NextAction {
    if let Some(step) = step {
        let command = |purpose: Purpose, command: &String| CommandView {
            purpose,
            command: command.clone(),
        };
        let mut commands: Vec<CommandView> = Vec::new();
        let says = if let (Some(ask), None) = (&step.ask, &step.command) {
            commands.extend(
                ask.choices
                    .iter()
                    .map(|choice| command(Purpose::Answer(choice.answer.clone()), &choice.command)),
            );
            format!("The step \"{}\" is waiting for the user's answer.", step.title)
        } else if let Some(asking) = step
            .dispatch
            .as_ref()
            .map(|view| view.asking)
            .filter(|asking| *asking > 0)
        {
            commands.push(CommandView {
                purpose: Purpose::ShowQuestions,
                command: ctx.command(&["step", step.position.run.as_str()]),
            });
            let asks = match asking {
                1 => "1 of the step's sub-agents has an open question".to_owned(),
                asking => format!("{asking} of the step's sub-agents have open questions"),
            };
            format!("The step \"{}\" cannot end yet: {asks}.", step.title)
        } else {
            let owner = owner_notice.map_or(String::new(), |notice| format!(" {notice}"));
            format!(
                "The step \"{}\" is open.{owner} When the work is done, end the step with the command below.",
                step.title
            )
        };
        commands.extend(
            step.command
                .as_ref()
                .map(|line| command(Purpose::FinishStep, line)),
        );
        return NextAction { says, commands };
    }
    match position {
        Some(at) => NextAction {
            says: step_problem.unwrap_or_default(),
            commands: at.commands.clone(),
        },
        None => NextAction {
            says: step_problem.unwrap_or_else(|| "Nothing is open here.".to_owned()),
            commands: Vec::new(),
        },
    }
}
