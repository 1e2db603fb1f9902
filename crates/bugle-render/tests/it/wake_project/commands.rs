//! The commands and files of the project's steps and tasks.

use bugle_core::id::{ChildToken, VisitToken};
use bugle_core::reply::{Choice, CommandView, NextAction, OpenWork, Purpose, StepView};
use bugle_core::task::{Task, TaskStatus};

use crate::wake_facts::command;

pub(super) fn next(step: Option<&StepView>) -> NextAction {
    let Some(step) = step else {
        return NextAction {
            open: Some(OpenWork::Nothing),
            commands: Vec::new(),
        };
    };
    let choices = step.ask.iter().flat_map(|ask| &ask.choices);
    let mut commands: Vec<CommandView> = choices
        .map(|choice| command(Purpose::Answer(choice.answer.clone()), &choice.command))
        .collect();
    commands.extend(step.command.iter().map(|line| command(Purpose::FinishStep, line)));
    NextAction {
        open: Some(OpenWork::Step {
            step: step.title.clone(),
            owner: None,
        }),
        commands,
    }
}

/// The next commands of a task, in the program's order.
pub(super) fn task_commands(task: &Task, is_group: bool) -> Vec<CommandView> {
    let done = command(Purpose::FinishTask, &format!("bugle task done {}", task.id));
    let begin = |purpose: Purpose| command(purpose, &format!("bugle task start {}", task.id));
    match task.status {
        TaskStatus::Active => vec![done],
        TaskStatus::Blocked | TaskStatus::Failed => vec![begin(Purpose::RetryTask), done],
        TaskStatus::Pending if is_group => vec![done],
        _ => vec![begin(Purpose::StartTask), done],
    }
}

pub(super) fn decide(token: &VisitToken, answer: &str) -> Choice {
    Choice {
        answer: answer.to_owned(),
        command: format!("bugle decide '{token}' '{}'", answer.replace('\'', r"'\''")),
    }
}

pub(super) fn result_file(token: &VisitToken) -> String {
    format!("/work/{}/{}.json", token.run, token.visit)
}

pub(super) fn words_file(token: &VisitToken) -> String {
    format!("/work/{}/{}.txt", token.run, token.visit)
}

pub(super) fn answer_file(child: &ChildToken) -> String {
    format!(
        "/work/{}/{}-{}.txt",
        child.parent.run, child.parent.visit, child.slot
    )
}

/// Splits a command into words as a shell does.
pub(crate) fn split(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = line.chars();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            '\\' if !quoted => word.get_or_insert_default().extend(letters.next()),
            ' ' if !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}
