//! The parts that are never cut: the agent's identity, its position, and the next action.

use bugle_core::count::count_phrase;
use bugle_core::reply::{AskedQuestion, HeldRun, OpenWork, WakeFacts};
use bugle_core::wake::WakeReason;
use bugle_core::wake::{Offer, Part};

use super::quote::{Program, clipped, code, command, inline, mention, speaker};
use super::sizes;
use crate::step::position_sentence;
use crate::{command_text, ownership_text, task_text};

/// Maximum length of the agent's own question, in characters.
const MAX_ASKED: usize = 240;

/// The agent's name and project, and why it wakes up. An agent that still has its context gets one line.
pub(super) fn identity(facts: &WakeFacts, remembers: bool, program: &Program) -> Offer {
    let mut line = vec![whereabouts(facts), because(facts)];
    if remembers && facts.total > 0 {
        line.push(format!("{}.", super::tasks::progress(facts)));
    }
    line.extend(facts.held.as_ref().map(held));
    if facts.other_runs > 0 {
        let runs = count_phrase(
            u64::from(facts.other_runs),
            "other run is open here",
            "other runs are open here",
        );
        line.push(format!(
            "{runs}: {}",
            code(&program.command(&["run", "list", "--open"]))
        ));
    }
    if is_idle(facts) {
        line.push("Nothing is open here.".to_owned());
    }
    if remembers {
        return sizes::whole(Part::Identity, vec![line.join(" ")]);
    }
    let heading = match facts.agent.as_str() {
        "" => "# Wake-up for this session".to_owned(),
        agent => format!("# Wake-up for {}", mention(agent)),
    };
    sizes::whole(Part::Identity, vec![heading, line.join(" ")])
}

/// A run that another session owns, and how to take it over.
fn held(held: &HeldRun) -> String {
    let run = format!(
        "Run {} of {} is open here",
        inline(held.run.as_str()),
        inline(&held.skill)
    );
    let take = code(&held.command);
    match &held.with {
        None => format!("{run} and was started outside any session. To take the run over: {take}."),
        Some(with) if held.is_over => format!(
            "{run}. The run belongs to {}, whose session has ended. To take the run over: {take}.",
            speaker(with)
        ),
        Some(with) => format!(
            "{run}. The run belongs to {}, last active {}. If that session is gone, take the run over: {take}.",
            speaker(with),
            ownership_text::ago(held.idle)
        ),
    }
}

fn whereabouts(facts: &WakeFacts) -> String {
    let branch = facts.branch.as_ref();
    let branch = branch.map_or(String::new(), |branch| format!(" on branch {}", code(branch)));
    let who = match facts.agent.as_str() {
        "" => String::new(),
        agent => format!("{} ", mention(agent)),
    };
    format!("You are {who}in project {}{branch}.", code(&facts.project))
}

fn because(facts: &WakeFacts) -> String {
    if let Some(recovery) = &facts.recovery {
        return format!(
            "You are replacing {}, which has stopped.",
            mention(&recovery.agent)
        );
    }
    let because = match facts.reason {
        WakeReason::Startup => "The session has started.",
        WakeReason::Resume => "The session was resumed.",
        WakeReason::Clear => "The session was cleared: your earlier context is gone.",
        // An MCP client asks for its context at any time.
        WakeReason::Compact if facts.interface.is_mcp() => "This is everything you need to continue.",
        WakeReason::Compact => "The session was compacted: only a summary is left in your context.",
        WakeReason::Mention if is_silent(facts) => "A message woke you, but you have already read it.",
        WakeReason::Mention => "You have new messages.",
        WakeReason::Event => "An event that you were waiting for has happened.",
        WakeReason::Subagent => "You are starting as a sub-agent.",
    };
    because.to_owned()
}

/// Whether there are no unread messages.
fn is_silent(facts: &WakeFacts) -> bool {
    facts.messages.is_empty() && facts.more_messages == 0
}

/// Whether there is nothing to do.
fn is_idle(facts: &WakeFacts) -> bool {
    let work =
        facts.step.is_some() || facts.position.is_some() || facts.other_runs > 0 || facts.held.is_some();
    let waits = facts.asked.is_some() || !facts.questions.is_empty();
    !work && !waits && is_silent(facts) && facts.tasks.is_empty()
}

/// The agent's position in the task tree and in the run.
pub(super) fn position(facts: &WakeFacts) -> Offer {
    let task = facts.position.as_ref();
    let task = task.map(|at| {
        format!(
            "{} ({})",
            inline(&task_text::position(at)),
            inline(at.task.id.as_str())
        )
    });
    let run = facts
        .step
        .as_ref()
        .map(|step| inline(&position_sentence(&step.position)));
    let sentences: Vec<String> = task.into_iter().chain(run).collect();
    let position = (!sentences.is_empty()).then(|| format!("**Current position:** {}", sentences.join(" ")));
    let lines: Vec<String> = position
        .into_iter()
        .chain(facts.asked.as_ref().map(asked))
        .collect();
    if lines.is_empty() {
        return sizes::nothing(Part::Position);
    }
    sizes::whole(Part::Position, lines)
}

/// The agent's own question that has no answer yet.
fn asked(question: &AskedQuestion) -> String {
    let to: Vec<String> = question.to.iter().map(|to| speaker(to)).collect();
    format!(
        "**Waiting for an answer:** you asked {} ({}): {}",
        to.join(", "),
        inline(question.id.as_str()),
        clipped(&question.text, MAX_ASKED)
    )
}

/// The command that prints the omitted parts. [`bugle_core::wake::assemble`] appends their names.
pub(super) fn rest(facts: &WakeFacts) -> Offer {
    if facts.again.is_empty() {
        return sizes::nothing(Part::Rest);
    }
    let line = format!(
        "Left out to save space ({} prints everything):",
        code(&facts.again)
    );
    sizes::whole(Part::Rest, vec![line])
}

/// The next actions, with commands that can be copied.
pub(super) fn next(facts: &WakeFacts) -> Offer {
    let next = &facts.next;
    let says = next.open.as_ref().map(open_work);
    let says = inline(&says.unwrap_or_default());
    // The identity part already says that there is no open work.
    if next.commands.is_empty() && (says.is_empty() || is_idle(facts)) {
        return sizes::nothing(Part::NextAction);
    }
    let mut blocks = vec!["## Next action".to_owned()];
    if !says.is_empty() {
        blocks.push(format!("**Open:** {says}"));
    }
    for way in &next.commands {
        blocks.push(format!(
            "**{}:**",
            sentence_case(&inline(&command_text::purpose(&way.purpose)))
        ));
        blocks.push(command(&way.command));
    }
    sizes::whole(Part::NextAction, blocks)
}

/// The open work, in one or two sentences.
fn open_work(open: &OpenWork) -> String {
    match open {
        OpenWork::Asks(step) => format!("The step \"{step}\" is waiting for the user's answer."),
        OpenWork::SubagentsAsk { step, asking } => {
            let asks = match asking {
                1 => "1 of the step's sub-agents has an open question".to_owned(),
                asking => format!("{asking} of the step's sub-agents have open questions"),
            };
            format!("The step \"{step}\" cannot end yet: {asks}.")
        }
        OpenWork::Step { step, owner } => {
            let owner = owner.as_ref().and_then(ownership_text::owner);
            let owner = owner.map_or_else(String::new, |notice| format!(" {notice}"));
            format!(
                "The step \"{step}\" is open.{owner} When the work is done, end the step with the command below."
            )
        }
        OpenWork::Unreadable(why) => why.clone(),
        OpenWork::Nothing => "Nothing is open here.".to_owned(),
    }
}

/// A command's label, with its first letter in upper case.
fn sentence_case(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Command".to_owned(),
    }
}
