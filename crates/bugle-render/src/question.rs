//! A step's question for the user, in each format.

use bugle_core::message::TEXT_PLACEHOLDER;
use bugle_core::reply::{AnswerForm, AskView, StepView};

use crate::template::fenced;
use crate::text::section;
use crate::xml::Element;

const RELAY: &str = "Ask the user this exact question and pass on the answer:";
const FOR_USER: &str = "Question for the user (agents: ask this exact question and pass on the answer):";
const IN_PERSON: &str = "Only a person can answer this question, and only in their own terminal or on the dashboard \
                         (`bugle ui`). Show the user the question and the commands, then end your turn:";

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
fn instruction(ask: &AskView) -> &'static str {
    if ask.in_person { IN_PERSON } else { RELAY }
}

pub(crate) fn xml(ask: &AskView) -> Element {
    let choices = ask
        .choices
        .iter()
        .map(|choice| Element::with_text("choice", &choice.command).attribute("answer", &choice.answer));
    Element::new("question_for_user")
        .child(Element::with_text("instruction", instruction(ask)))
        .child(Element::with_text("question", &ask.question))
        .children(choices)
        .children(
            ask.file
                .iter()
                .map(|file| Element::with_text("write_answer_to", file)),
        )
        .children(
            ask.reason_file
                .iter()
                .map(|file| Element::with_text("write_the_users_reason_to", file)),
        )
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

pub(crate) fn markdown(ask: &AskView) -> String {
    let mut out = format!(
        "\n## Question for the user\n\n{}\n\n{}\n",
        instruction(ask),
        ask.question.trim_end()
    );
    for choice in &ask.choices {
        let command = fenced("sh", &choice.command);
        out.push_str(&format!("\nTo answer \"{}\", run:\n\n{command}\n", choice.answer));
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
