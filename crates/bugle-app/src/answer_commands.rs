//! The commands that answer a run's question to the user.

use bugle_core::engine::{GateDecision, RunStatus};
use bugle_core::id::VisitToken;
use bugle_core::reply::Choice;

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
        command: ctx.command(&["decide", &visit, answer]),
    };
    answers.into_iter().map(choice).collect()
}

/// The answers to the question of a gate that has reached its limit.
pub(crate) fn gate_choices(ctx: &Context, token: &VisitToken) -> Vec<Choice> {
    choices(ctx, token, GateDecision::ALL.map(GateDecision::as_str))
}

/// The command that answers a visit's question with text. `TEXT` is a placeholder for the answer.
pub(crate) fn answer_with_text(ctx: &Context, token: &VisitToken) -> String {
    format!("{} \"TEXT\"", ctx.command(&["decide", &token.to_string()]))
}

/// How to answer the question that a run is waiting for, one line per possible answer; empty if the run asks nothing.
pub(crate) fn answer_lines(ctx: &Context, run: &OpenRun) -> Vec<String> {
    let OpenRun { state, workflow, .. } = run;
    let (RunStatus::Waiting, Some(visit), Some(token)) =
        (state.status, state.current(), state.current_token())
    else {
        return Vec::new();
    };
    let ask = workflow.step(&visit.step).and_then(|step| step.ask.as_ref());
    let choices = match ask {
        _ if visit.judged.is_some() => gate_choices(ctx, &token),
        Some(ask) => choices(ctx, &token, ask.choices.iter().map(String::as_str)),
        None => return Vec::new(),
    };
    if choices.is_empty() {
        let command = answer_with_text(ctx, &token);
        return vec![format!("to answer (replace TEXT): {command}")];
    }
    let line = |choice: &Choice| format!("to answer \"{}\": {}", choice.answer, choice.command);
    choices.iter().map(line).collect()
}
