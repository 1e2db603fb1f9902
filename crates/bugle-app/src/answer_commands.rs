//! The commands that answer a question. A person sees the placeholder `TEXT`. Agents and programs get commands that run
//! as printed and read the text from a file or from stdin.

use bugle_core::engine::{GateDecision, RunStatus};
use bugle_core::id::{Actor, MessageId, VisitToken};
use bugle_core::interface::{AnswerRoute, Interface};
use bugle_core::message::TEXT_PLACEHOLDER;
use bugle_core::reply::{AnswerCommand, AskView, Choice};
use bugle_core::workflow::Answerer;

use crate::Context;
use crate::open_run::OpenRun;

/// A visit's fixed answers, each with its command.
pub(crate) fn choices<'a>(
    ctx: &Context,
    token: &VisitToken,
    answers: impl IntoIterator<Item = &'a str>,
) -> Vec<Choice> {
    let visit = token.to_string();
    let choice = |answer: &'a str| Choice {
        answer: answer.to_owned(),
        command: decide(ctx, &[&visit, answer]),
    };
    answers.into_iter().map(choice).collect()
}

/// The possible decisions at a gate that has reached its limit. Accepting findings needs a reason.
pub(crate) fn gate_choices(ctx: &Context, token: &VisitToken) -> Vec<Choice> {
    let choice = |decision: GateDecision| Choice {
        answer: decision.as_str().to_owned(),
        command: match decision {
            GateDecision::Accept => accept_with_reason(ctx, token),
            GateDecision::Continue | GateDecision::Abort => {
                decide(ctx, &[&token.to_string(), decision.as_str()])
            }
        },
    };
    GateDecision::ALL.map(choice).into()
}

/// The command that accepts a gate's findings with a reason.
pub(crate) fn accept_with_reason(ctx: &Context, token: &VisitToken) -> String {
    let accept = decide(ctx, &[&token.to_string(), GateDecision::Accept.as_str()]);
    if is_person(ctx) || ctx.interface == Interface::Mcp(AnswerRoute::Person) {
        format!("{accept} --why \"{TEXT_PLACEHOLDER}\"")
    } else {
        accept
    }
}

/// The command that decides; empty if Bugle asks the user through the client. Where only the user can answer, the
/// command is for the user's shell.
fn decide(ctx: &Context, words: &[&str]) -> String {
    let words: Vec<&str> = ["decide"].into_iter().chain(words.iter().copied()).collect();
    match ctx.interface {
        Interface::Mcp(AnswerRoute::Client) => String::new(),
        Interface::Mcp(AnswerRoute::Person) => ctx.shell_command(&words),
        Interface::Shell | Interface::Mcp(AnswerRoute::Agent) => ctx.command(&words),
    }
}

/// This context for a question that only a person may answer.
pub(crate) fn in_person(ctx: &Context) -> Context {
    let interface = match ctx.interface {
        Interface::Mcp(AnswerRoute::Agent) => Interface::Mcp(AnswerRoute::Person),
        other => other,
    };
    Context {
        interface,
        ..ctx.clone()
    }
}

/// The command that continues a step with a question; `None` if each answer has its own command.
pub(crate) fn continuation(ctx: &Context, ask: &AskView, token: &VisitToken) -> Option<String> {
    let is_fixed = !ask.choices.is_empty();
    let visit = token.to_string();
    match ctx.interface {
        Interface::Mcp(AnswerRoute::Client) => Some(ctx.command(&["decide", &visit])),
        Interface::Mcp(AnswerRoute::Person) => Some(ctx.command(&["step", token.run.as_str()])),
        Interface::Mcp(AnswerRoute::Agent) if ask.in_person => {
            Some(ctx.command(&["step", token.run.as_str()]))
        }
        Interface::Shell | Interface::Mcp(AnswerRoute::Agent) => {
            (!is_fixed).then(|| ctx.command(&["decide", &visit]))
        }
    }
}

fn is_person(ctx: &Context) -> bool {
    matches!(ctx.actor, Actor::Person(_)) && ctx.acting_as.is_none()
}

/// The command that answers a visit's question with text.
pub(crate) fn answer_with_text(ctx: &Context, token: &VisitToken) -> String {
    if ctx.interface == Interface::Mcp(AnswerRoute::Agent) {
        return ctx.command(&["decide", &token.to_string()]);
    }
    format!(
        "{} \"{TEXT_PLACEHOLDER}\"",
        ctx.shell_command(&["decide", &token.to_string()])
    )
}

/// The command that answers a question in a message.
pub(crate) fn answer_message(ctx: &Context, question: &MessageId) -> String {
    if !is_person(ctx) {
        return ctx.command(&["answer", question.as_str(), "-"]);
    }
    format!(
        "{} \"{TEXT_PLACEHOLDER}\"",
        ctx.command(&["answer", question.as_str()])
    )
}

/// The commands that answer a waiting run's question; empty if the run has no open question.
pub(crate) fn answers(ctx: &Context, run: &OpenRun) -> Vec<AnswerCommand> {
    let OpenRun { state, workflow, .. } = run;
    let (RunStatus::Waiting, Some(visit), Some(token)) =
        (state.status, state.current(), state.current_token())
    else {
        return Vec::new();
    };
    if ctx.interface == Interface::Mcp(AnswerRoute::Client) {
        return Vec::new();
    }
    let ask = workflow.step(&visit.step).and_then(|step| step.ask.as_ref());
    let ctx = &if ask.is_some_and(|ask| ask.by == Answerer::Person) {
        in_person(ctx)
    } else {
        ctx.clone()
    };
    let choices = match ask {
        _ if visit.judged.is_some() => gate_choices(ctx, &token),
        Some(ask) => choices(ctx, &token, ask.choices.iter().map(String::as_str)),
        None => return Vec::new(),
    };
    if choices.is_empty() {
        return vec![AnswerCommand::Text(answer_with_text(ctx, &token))];
    }
    let fixed = |choice: Choice| AnswerCommand::Fixed {
        has_placeholder: choice.command.ends_with(&format!("\"{TEXT_PLACEHOLDER}\"")),
        answer: choice.answer,
        command: choice.command,
    };
    choices.into_iter().map(fixed).collect()
}
