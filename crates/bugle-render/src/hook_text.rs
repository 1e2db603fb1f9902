//! The texts of hook replies: facts, and the next command.

use bugle_core::hook::{Denied, Protected, Write, WriteTarget};
use bugle_core::wake::Budget;
use bugle_wire::StepView;

use crate::Format;
use crate::text::printable;

fn line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn is_shell(tool: &str) -> bool {
    matches!(
        tool,
        "Bash" | "exec_command" | "shell" | "run_shell_command" | "bash"
    )
}

/// What an agent can do after a tool was denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alternative<'a> {
    /// It works on the step itself.
    Step {
        /// The command that ends the step, if it can be ended now.
        ends_with: Option<&'a str>,
        /// The command that shows the step.
        show: &'a str,
    },
    /// It is a sub-agent; the step belongs to the agent that started it.
    SubAgent,
}

/// Why a tool may not be used, and what to do instead.
pub fn denied(denied: &Denied, (skill, title): (&str, &str), alternative: Alternative<'_>) -> String {
    let step = format!("the step \"{}\" of {}", line(title), line(skill));
    let why = match denied {
        Denied::Tool(tool) if is_shell(tool) => format!(
            "does not allow the tool {}, except to run `bugle` alone on the command line as the step asks",
            line(tool)
        ),
        Denied::Tool(tool) => format!("does not allow the tool {}", line(tool)),
        Denied::Writes(write) => format!("allows no changes to files, and {}", writes(write)),
        Denied::Protected(..) | Denied::Setup(_) | Denied::HidesSession => {
            return format!("Bugle: {}", protected(denied, &step));
        }
    };
    let alternative = match alternative {
        Alternative::Step {
            ends_with: Some(command),
            show,
        } => format!(
            "Do the step without it. When the step is done: {command} (the files in which it asks for results may be \
             written). To read the step again: {show}"
        ),
        Alternative::Step {
            ends_with: None,
            show,
        } => format!("To read the step again: {show}"),
        Alternative::SubAgent => {
            "The same holds for you as for the agent that sent you. Do without it, and tell that agent what \
                          you would have changed. If your prompt names a `start --child` command, run that \
                          first: then your own step holds."
                .to_owned()
        }
    };
    format!("Bugle: {step} {why}. {alternative}")
}

/// What a command writes.
fn writes(write: &Write) -> String {
    match (&write.program, &write.target) {
        (None, WriteTarget::File { shown, .. }) => format!("this command writes {}", line(shown)),
        (Some(program), WriteTarget::File { shown, .. }) => {
            format!("`{}` changes {}", line(program), line(shown))
        }
        (Some(program), WriteTarget::Unknown(None)) => format!("`{}` can make them here", line(program)),
        (Some(program), WriteTarget::Unknown(Some(target))) => format!(
            "`{}` changes {}, which is only known when it runs",
            line(program),
            line(target)
        ),
        (None, WriteTarget::Unknown(Some(target))) => {
            format!("what {} does is only known when the command runs", line(target))
        }
        (None, WriteTarget::Unknown(None)) => {
            "this command is too long or too deeply nested to be checked".to_owned()
        }
    }
}

/// Why Bugle's own files and hooks are protected, and what to do instead.
fn protected(denied: &Denied, step: &str) -> String {
    match denied {
        Denied::Protected(Protected::Store, file) => format!(
            "{} belongs to Bugle's store, and {step} is open. Read and change runs with bugle commands.",
            line(file)
        ),
        Denied::Protected(Protected::Settings, file) => format!(
            "{} can hold Bugle's hooks, and {step} is open. Ask the user to make this change.",
            line(file)
        ),
        Denied::Protected(Protected::Program, file) => format!(
            "{} is the program that Bugle's hooks call, and {step} is open. Ask the user to make this change.",
            line(file)
        ),
        Denied::Setup(words) => format!(
            "`bugle {}` is for the user while {step} is open. Ask the user to run it.",
            line(words)
        ),
        _ => format!(
            "this command hides the session from Bugle while {step} is open. Run the bugle command as printed, without \
             changing its environment."
        ),
    }
}

/// Says that the hooks of a session are not called any more.
pub fn hooks_silent(doctor: &str) -> String {
    format!(
        "No hook of this session was called since the step began: what the step forbids was not checked. Tell the user, \
         who can run: {doctor}"
    )
}

/// Says that the step of a stopping agent is open. The way on follows.
pub fn step_is_open(step: &StepView) -> String {
    let position = &step.position;
    format!(
        "The turn is not over: the step \"{}\" of {} (run {}) is open. If a person has to act first, say so and stop: \
         after three stops without progress the run waits for them.",
        line(&step.title),
        line(&position.skill),
        position.run
    )
}

/// Sends an agent back that is about to stop in the middle of a step: with the whole step if it fits, else with the
/// command that ends the step.
pub fn continue_step(step: &StepView, budget: Budget) -> String {
    let open = step_is_open(step);
    let command = step.command.as_deref().unwrap_or_default();
    let whole = crate::step::step(step, Format::Text);
    let candidates = [
        format!("{open}\n\n{}", whole.trim_end()),
        format!("{open} When it is done: {command}"),
    ];
    let fits = |text: &String| budget.unit.measure(text) <= budget.limit;
    candidates.into_iter().find(fits).unwrap_or(open)
}

/// Sends an agent back that was refused before at the same step, in two lines: it has read the step.
pub fn still_open(step: &StepView, show: &str) -> String {
    let title = line(&step.title);
    let ends_with = match &step.command {
        Some(command) => format!("When it is done: {command}. "),
        None => String::new(),
    };
    format!(
        "The step \"{title}\" is still open. If a person has to act first, say so and stop.\n{ends_with}To read the step again: {show}"
    )
}

/// The step of a sub-agent whose conversation was compacted, or the command that shows it if it is too long.
pub fn subagent_step(step: &StepView, show: &str, budget: Budget) -> String {
    let position = &step.position;
    let open = format!(
        "The conversation was compacted. This sub-agent is at the step \"{}\" of {} (run {}), and owes its report.",
        line(&step.title),
        line(&position.skill),
        position.run
    );
    let whole = crate::step::step(step, Format::Text);
    let text = format!("{open}\n\n{}", whole.trim_end());
    if budget.unit.measure(&text) <= budget.limit {
        text
    } else {
        format!("{open} The whole step: {show}")
    }
}

/// Sends a sub-agent back that is about to stop without a report.
pub fn report_missing(step: &StepView) -> String {
    let position = &step.position;
    let mut text = format!(
        "The report is missing: the step \"{}\" of {} (run {}) is open, and whoever sent you gets only what is reported.",
        line(&step.title),
        line(&position.skill),
        position.run
    );
    for (when, command) in [
        ("When it is done", &step.command),
        ("If it cannot be done", &step.failure_command),
    ] {
        if let Some(command) = command {
            text.push_str(&format!(" {when}: {command}"));
        }
    }
    text
}

/// The notice to a person that an agent stopped in the middle of a step.
pub fn released(step: &StepView) -> String {
    format!(
        "Bugle: run {} of {} waits at the step \"{}\". The agent stopped three times without getting on. Say what is \
         wrong, or tell it to go on.",
        step.position.run,
        line(&step.position.skill),
        line(&step.title)
    )
}

/// The notice to a person that an agent stopped with unread messages.
pub fn messages_waiting(unread: u64) -> String {
    let messages = if unread == 1 {
        "message waits"
    } else {
        "messages wait"
    };
    format!(
        "Bugle: {unread} {messages} for the agent, more than it is told in one turn. What is left comes with the next prompt."
    )
}

/// The context of a sub-agent that starts.
pub fn subagent_start(skill: &str, run: &str, open: &[String]) -> String {
    let text = format!(
        "Run {run} of {} gives out work to sub-agents. If the prompt names a `start --child` command, that is the first \
         thing to run: it gives the work, step by step, and takes the report. What is not reported to Bugle is not \
         counted.",
        line(skill)
    );
    format!("{text}{}", not_taken(open))
}

/// Sends a sub-agent back that is about to stop before it started its work.
pub fn subagent_not_started(skill: &str, run: &str, open: &[String]) -> String {
    let text = format!(
        "Nothing was reported to run {run} of {}, which gives out work to sub-agents: whoever sent you gets only what is \
         reported. If the prompt names a `start --child` command, it gives the work and takes the report. If you were sent \
         for something else, stop again.",
        line(skill)
    );
    format!("{text}{}", not_taken(open))
}

/// The commands that start open work.
fn not_taken(open: &[String]) -> String {
    match open {
        [] => String::new(),
        [only] => format!(" One is not taken yet: {only}"),
        several => {
            let commands = several.iter().take(8).map(|command| format!("\n    {command}"));
            format!(" Not taken yet:{}", commands.collect::<String>())
        }
    }
}

/// The notice to an orchestrator whose sub-agents have returned.
pub fn subagents_returned(
    run: &str,
    (reported, all): (usize, usize),
    asks: bool,
    command: Option<&str>,
    show: &str,
) -> String {
    let next = match command {
        _ if asks => format!("Some have open questions. To see them and the commands that answer: {show}"),
        Some(command) if reported == all => format!("To go on: {command}"),
        _ => format!("Who is missing, and how to start them: {show}"),
    };
    format!("Run {run}: {reported} of {all} sub-agents have reported, and none is at work. {next}")
}

/// The status line of a session: the run (skill, id, step, whether it waits), the task, the number of unread messages.
pub fn status_line(run: Option<(&str, &str, &str, bool)>, task: Option<&str>, unread: u64) -> String {
    let mut parts = Vec::new();
    if let Some((skill, run, step, waits)) = run {
        let waits = if waits { " (waiting)" } else { "" };
        parts.push(format!("{} {run}: {}{waits}", line(skill), line(step)));
    }
    parts.extend(task.map(line));
    if unread > 0 {
        parts.push(format!("{unread} unread"));
    }
    parts.join(" | ")
}

/// The title of the task that mirrors a client's todo list.
pub fn list_title(client: &str, run: Option<(&str, &str)>) -> String {
    match run {
        Some((skill, run)) => format!("Things to do in {skill} ({run})"),
        None => format!("Things to do in {client}"),
    }
}
