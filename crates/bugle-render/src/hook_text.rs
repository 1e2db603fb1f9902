//! Hook replies: facts, and the next command.

use bugle_core::count::counted;
use bugle_core::hook::{Denied, Protected, Write, WriteTarget};
use bugle_core::reply::StepView;
use bugle_core::tool::Tool;
use bugle_core::wake::Budget;

use crate::Format;
use crate::text::printable;

fn line(text: &str) -> String {
    printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// What to write instead of `bugle` in a shell that does not find the program by name. `program` is the program's path as a
/// shell word.
pub fn not_on_path(program: &str) -> String {
    format!(
        "`bugle` is not on the PATH of your shell. In every bugle command, write {program} instead of bugle."
    )
}

/// An agent's options after Bugle has denied a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alternative<'a> {
    /// The agent is working on the step.
    Step {
        /// The command that ends the step, if it can end now.
        ends_with: Option<&'a str>,
        /// The command that shows the step.
        show: &'a str,
    },
    /// The agent is a sub-agent; the step belongs to its orchestrator.
    SubAgent,
}

/// The text that denies a tool: the reason, and an alternative.
pub fn denied(denied: &Denied, (skill, title): (&str, &str), alternative: Alternative<'_>) -> String {
    let step = format!("the step \"{}\" of {}", line(title), line(skill));
    let why = match denied {
        Denied::Tool(Tool::Shell, name) => format!(
            "does not allow the {} tool, except to run the step's `bugle` commands one at a time",
            line(name)
        ),
        Denied::Tool(_, name) => format!("does not allow the {} tool", line(name)),
        Denied::Writes(write) => format!("does not allow changes to files: {}", writes(write)),
        Denied::Protected(..) | Denied::Setup(_) | Denied::HidesSession => {
            return format!("Bugle: {}", protected(denied, &step));
        }
    };
    let alternative = match alternative {
        Alternative::Step {
            ends_with: Some(command),
            show,
        } => format!(
            "Complete the step without this tool call. You may write the files that the step asks for. When the step \
             is done, run: {command}\nTo read the step again, run: {show}"
        ),
        Alternative::Step {
            ends_with: None,
            show,
        } => format!("To read the step again, run: {show}"),
        Alternative::SubAgent => {
            "Your orchestrator's step also applies to you. Work without this tool, and report what you would have \
             changed. If your prompt contains a `start --child` command, run it first: then your own step applies."
                .to_owned()
        }
    };
    format!("Bugle: {step} {why}. {alternative}")
}

/// Describes the file changes that a command makes.
fn writes(write: &Write) -> String {
    match (&write.program, &write.target) {
        (None, WriteTarget::File { shown, .. }) => format!("this command writes {}", line(shown)),
        (Some(program), WriteTarget::File { shown, .. }) => {
            format!("`{}` changes {}", line(program), line(shown))
        }
        (Some(program), WriteTarget::Unknown(None)) => format!("`{}` may change files", line(program)),
        (Some(program), WriteTarget::Unknown(Some(target))) => format!(
            "`{}` changes {} (Bugle cannot tell which file)",
            line(program),
            line(target)
        ),
        (None, WriteTarget::Unknown(Some(target))) => {
            format!("Bugle cannot tell what {} does", line(target))
        }
        (None, WriteTarget::Unknown(None)) => {
            "this command is too long or too deeply nested to check".to_owned()
        }
    }
}

/// The text that denies access to Bugle's own files and hooks: the reason, and an alternative.
fn protected(denied: &Denied, step: &str) -> String {
    match denied {
        Denied::Protected(Protected::Store, file) => format!(
            "{} belongs to Bugle's store, which is protected while {step} is open. Use bugle commands to read and \
             change runs.",
            line(file)
        ),
        Denied::Protected(Protected::Settings, file) => format!(
            "{} can contain Bugle's hooks and is protected while {step} is open. Ask the user to make this change.",
            line(file)
        ),
        Denied::Protected(Protected::Program, file) => format!(
            "{} is the program that Bugle's hooks call and is protected while {step} is open. Ask the user to make this \
             change.",
            line(file)
        ),
        Denied::Setup(words) => format!(
            "only the user may run `bugle {}` while {step} is open. Ask the user to run the command.",
            line(words)
        ),
        _ => format!(
            "this command hides the session from Bugle while {step} is open. Run the bugle command as printed, without \
             changing environment variables."
        ),
    }
}

/// The notice that a stopping agent's step is still open. Instructions follow the notice.
pub fn step_is_open(step: &StepView) -> String {
    let position = &step.position;
    format!(
        "Your turn is not over: the step \"{}\" of {} (run {}) is open. If the user must act first, say so and stop. \
         After three stops without progress, the run waits for the user.",
        line(&step.title),
        line(&position.skill),
        position.run
    )
}

/// The reply that keeps an agent from stopping in the middle of a step. Contains the whole step if it fits, otherwise
/// only the command that ends the step.
pub fn continue_step(step: &StepView, budget: Budget) -> String {
    let open = step_is_open(step);
    let command = step.command.as_deref().unwrap_or_default();
    let whole = crate::step::step(step, Format::Text);
    let candidates = [
        format!("{open}\n\n{}", whole.trim_end()),
        format!("{open} When the step is done, run: {command}"),
    ];
    let fits = |text: &String| budget.unit.measure(text) <= budget.limit;
    candidates.into_iter().find(fits).unwrap_or(open)
}

/// The reply that sends an agent back to the same step again. The agent has already read the step, so the text is
/// short.
pub fn still_open(step: &StepView, show: &str) -> String {
    let title = line(&step.title);
    let ends_with = match &step.command {
        Some(command) => format!("When the step is done, run: {command}\n"),
        None => String::new(),
    };
    format!(
        "The step \"{title}\" is still open. If the user must act first, say so and stop.\n\
         {ends_with}To read the step again, run: {show}"
    )
}

/// The agent's position, which it may have lost in a compaction.
pub fn position(step: &StepView, show: &str, wake: &str) -> String {
    let position = &step.position;
    let ends_with = match &step.command {
        Some(command) => format!("When the step is done, run: {command}\n"),
        None => String::new(),
    };
    format!(
        "Bugle: you are at step \"{}\" of {} (run {}).\n\
         {ends_with}To read the step, run: {show}\nIf you have lost your context, run: {wake}",
        line(&step.title),
        line(&position.skill),
        position.run
    )
}

/// The news that the user has answered a run's question outside the conversation.
pub fn answered(run: &str, answer: Option<&str>, show: &str) -> String {
    let answer = answer.map_or(String::new(), |answer| format!(" with \"{}\"", line(answer)));
    format!("Bugle: the user has answered the question of run {run}{answer}. To continue, run: {show}")
}

/// The text for a sub-agent after a compaction: the whole step if it fits, otherwise the command that prints the step.
pub fn subagent_step(step: &StepView, show: &str, budget: Budget) -> String {
    let position = &step.position;
    let open = format!(
        "The conversation was compacted. You are a sub-agent working on step \"{}\" of {} (run {}). You have not returned a result yet.",
        line(&step.title),
        line(&position.skill),
        position.run
    );
    let whole = crate::step::step(step, Format::Text);
    let text = format!("{open}\n\n{}", whole.trim_end());
    if budget.unit.measure(&text) <= budget.limit {
        text
    } else {
        format!("{open} To read the step, run: {show}")
    }
}

/// The reply to a sub-agent that stops without a report.
pub fn report_missing(step: &StepView) -> String {
    let position = &step.position;
    let mut text = format!(
        "Your report is missing: the step \"{}\" of {} (run {}) is open. Your orchestrator receives only what you report.",
        line(&step.title),
        line(&position.skill),
        position.run
    );
    for (when, command) in [
        ("When the step is done", &step.command),
        ("If you cannot complete the step", &step.failure_command),
    ] {
        if let Some(command) = command {
            text.push_str(&format!("\n{when}, run: {command}"));
        }
    }
    text
}

/// The notice to the user that an agent stopped in the middle of a step.
pub fn released(step: &StepView) -> String {
    format!(
        "Bugle: run {} of {} is waiting at the step \"{}\". The agent stopped three times without progress. Tell the \
         agent what is wrong, or tell it to continue.",
        step.position.run,
        line(&step.position.skill),
        line(&step.title)
    )
}

/// The notice to the user that an agent stopped with unread messages.
pub fn messages_waiting(unread: u64) -> String {
    let messages = counted(unread, "unread message");
    format!("Bugle: the agent has {messages}, which Bugle delivers with your next prompt.")
}

/// A notice about an agent, as a message to a person who does not see the agent's client.
pub fn about_agent(agent: &str, notice: &str, reply: &str) -> String {
    let notice = notice.strip_prefix("Bugle: ").unwrap_or(notice);
    format!("@{agent}: {notice} For example, run: {reply}")
}

/// The context for a starting sub-agent.
pub fn subagent_start(skill: &str, run: &str, open: &[String]) -> String {
    let text = format!(
        "Run {run} of {} dispatches work to sub-agents. If your prompt contains a `start --child` command, run it first: \
         the command prints your first step, and each step says how to report. Bugle counts only reported work.",
        line(skill)
    );
    format!("{text}{}", not_started(open))
}

/// The reply to a sub-agent that stops before it has started its work.
pub fn subagent_not_started(skill: &str, run: &str, open: &[String]) -> String {
    let text = format!(
        "You have not reported anything to run {run} of {}, which dispatches work to sub-agents. Your orchestrator receives \
         only what you report. If your prompt contains a `start --child` command, run it: the command prints your first \
         step, and each step says how to report. If you were started for something else, end your turn again.",
        line(skill)
    );
    format!("{text}{}", not_started(open))
}

/// The start commands that no sub-agent has run.
fn not_started(open: &[String]) -> String {
    match open {
        [] => String::new(),
        [only] => format!(" Start command that has not been run: {only}"),
        several => {
            let commands = several.iter().take(8).map(|command| format!("\n    {command}"));
            format!(
                " Start commands that have not been run:{}",
                commands.collect::<String>()
            )
        }
    }
}

/// The denial of a second sub-agent for the same work.
pub fn already_launched(work: &str) -> String {
    format!(
        "A sub-agent in the background already works on {work}. Do not start another one for it. Start the sub-agents \
         that are missing, then end your turn: your next turn starts when a sub-agent has finished."
    )
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
        _ if asks => format!(
            "Some sub-agents have open questions. To see the questions and how to answer them, run: {show}"
        ),
        Some(command) if reported == all => format!("To continue, run: {command}"),
        _ => format!("To see which sub-agents are missing and how to start them, run: {show}"),
    };
    format!("Run {run}: {reported} of {all} sub-agents have reported, and none is working. {next}")
}

/// A session's status line: the run (skill, id, step, whether it is waiting), the task, the number of unread messages.
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

/// The title of the task that mirrors a client's to-do list.
pub fn list_title(client: &str, run: Option<(&str, &str)>) -> String {
    match run {
        Some((skill, run)) => format!("Todo list of {skill} ({run})"),
        None => format!("Todo list of {client}"),
    }
}
