//! A step's question for the user, in each format.

use bugle_core::interface::{AnswerRoute, Interface};
use bugle_core::message::TEXT_PLACEHOLDER;
use bugle_core::reply::{AnswerForm, AskView, StepView};

use crate::template::fenced;
use crate::text::section;
use crate::xml::Element;

const RELAY: &str = "Ask the user this exact question and pass on the answer:";
const FOR_USER: &str = "Question for the user (agents: ask this exact question and pass on the answer):";
const IN_PERSON: &str = "Only a person can answer this question, and only in their own terminal or on the dashboard \
                         (`bugle ui`). Show the user the question and the commands, then end your turn:";

const THROUGH_CLIENT: &str = "Only the user can answer this question. Make the call below without an answer: Bugle asks the \
                              user through your client, and returns the next step.";
const ELSEWHERE: &str = "Only the user can answer this question, and only outside this conversation: in a terminal, with \
                         the commands below, or on the dashboard (`bugle ui` or `bugle top`). Show the user the question and \
                         the commands, and end your turn. Make the call below when the user has answered.";

/// A waiting step, for the person who answers it: the question once, then the commands.
pub(crate) fn for_person(view: &StepView, ask: &AskView) -> Vec<String> {
    let mut blocks = vec![ask.question.trim_end().to_owned()];
    let choices = ask.choices.iter().map(|choice| {
        let reason = match ask.form(choice) {
            AnswerForm::WithReason { .. } => " (replace TEXT with the reason)",
            AnswerForm::Fixed(_) | AnswerForm::Text => "",
        };
        format!(
            "To answer \"{}\"{reason}, run:\n\n    {}",
            choice.answer, choice.command
        )
    });
    blocks.extend(choices);
    let free = view.command.iter().filter(|_| ask.choices.is_empty());
    blocks.extend(
        free.map(|command| {
            format!("To answer, replace TEXT and run:\n\n    {command} \"{TEXT_PLACEHOLDER}\"")
        }),
    );
    blocks
}

/// The instruction for the agent that reads the question.
fn instruction(ask: &AskView, interface: Interface) -> &'static str {
    match interface {
        Interface::Mcp(AnswerRoute::Client) => THROUGH_CLIENT,
        Interface::Mcp(AnswerRoute::Person) => ELSEWHERE,
        Interface::Mcp(AnswerRoute::Agent) if ask.in_person => ELSEWHERE,
        Interface::Shell if ask.in_person => IN_PERSON,
        Interface::Shell | Interface::Mcp(AnswerRoute::Agent) => RELAY,
    }
}

pub(crate) fn xml(ask: &AskView, interface: Interface) -> Element {
    let choices = ask
        .choices
        .iter()
        .map(|choice| Element::with_text("choice", &choice.command).attribute("answer", &choice.answer));
    let (answer, reason) = if interface.is_mcp() {
        (None, None)
    } else {
        (ask.file.as_ref(), ask.reason_file.as_ref())
    };
    Element::new("question_for_user")
        .child(Element::with_text("instruction", instruction(ask, interface)))
        .child(Element::with_text("question", &ask.question))
        .children(choices)
        .children(takes_text(ask, interface).then(|| Element::with_text("pass_answer_as", "answer")))
        .children(takes_reason(ask, interface).then(|| Element::with_text("pass_the_users_reason_as", "why")))
        .children(answer.map(|file| Element::with_text("write_answer_to", file)))
        .children(reason.map(|file| Element::with_text("write_the_users_reason_to", file)))
}

/// Whether the agent passes a free answer in a tool call.
fn takes_text(ask: &AskView, interface: Interface) -> bool {
    interface == Interface::Mcp(AnswerRoute::Agent) && !ask.in_person && ask.choices.is_empty()
}

/// Whether the agent passes the user's reason for a decision in a tool call.
fn takes_reason(ask: &AskView, interface: Interface) -> bool {
    interface == Interface::Mcp(AnswerRoute::Agent) && ask.reason_file.is_some()
}

pub(crate) fn text(ask: &AskView) -> Vec<String> {
    let heading = if ask.in_person { IN_PERSON } else { FOR_USER };
    let mut blocks = vec![section(heading, &ask.question)];
    let choices = ask.choices.iter();
    blocks.extend(
        choices.map(|choice| format!("To answer \"{}\", run:\n\n    {}", choice.answer, choice.command)),
    );
    blocks.extend(ask.file.iter().map(|file| format!("Write the answer to {file}")));
    let reason = ask.reason_file.iter();
    blocks.extend(reason.map(|file| {
        format!("To accept, add the user's reason to the command with --why, or first write it to {file}")
    }));
    blocks
}

pub(crate) fn markdown(ask: &AskView, interface: Interface) -> String {
    let mut out = format!(
        "\n## Question for the user\n\n{}\n\n{}\n",
        instruction(ask, interface),
        ask.question.trim_end()
    );
    for choice in &ask.choices {
        if choice.command.is_empty() {
            out.push_str(&format!("\n- {}\n", choice.answer));
            continue;
        }
        let command = fenced(if interface.is_mcp() { "" } else { "sh" }, &choice.command);
        out.push_str(&format!("\nTo answer \"{}\", run:\n\n{command}\n", choice.answer));
    }
    if takes_text(ask, interface) {
        out.push_str("\nPass the answer as `answer`.\n");
    }
    if takes_reason(ask, interface) {
        out.push_str("\nTo accept, pass the user's reason as `why`.\n");
    }
    if interface.is_mcp() {
        return out;
    }
    if let Some(file) = &ask.file {
        out.push_str(&format!("\nWrite the answer to {file}\n"));
    }
    if let Some(file) = &ask.reason_file {
        out.push_str(&format!(
            "\nTo accept, add the user's reason to the command with `--why`, or first write it to {file}\n"
        ));
    }
    out
}
