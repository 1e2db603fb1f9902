//! The purposes of commands, in a few words each.

use bugle_core::count::counted;
use bugle_core::reply::{AnswerForm, Need, Purpose};

use crate::run;
use crate::text::question_excerpt;

/// A command's purpose, in a few words.
pub fn purpose(purpose: &Purpose) -> String {
    let fixed = match purpose {
        Purpose::FinishTask => "when the task is done",
        Purpose::ShowDetails => "show details",
        Purpose::RestoreTask => "restore the task",
        Purpose::ReopenTask => "reopen the task",
        Purpose::StartTask => "start it",
        Purpose::RetryTask => "retry the task",
        Purpose::TakeOverTask => "take the task over",
        Purpose::NextTask => "see the next task",
        Purpose::NextSubtask => "show the next subtask",
        Purpose::ListReady => "list tasks that can start",
        Purpose::ListOtherReady => "list other tasks that can start",
        Purpose::ShowStepOfTask => "show the current step of the task's run",
        Purpose::FinishStep => "when the step is done",
        Purpose::EndLostStep => "to end the step",
        Purpose::ShowLostStep => "to see the step",
        Purpose::ShowQuestions => "show the questions and how to answer them",
        Purpose::ShowMessages => "show the agent's messages",
        Purpose::ListSkills => "list the skills you can start",
        Purpose::SetUpClient => "connect your coding agent",
        Purpose::WatchDemo => "watch a scripted demo",
        Purpose::Answer(answer) => return answer.clone(),
        Purpose::ReadMessages(number) => return counted(*number, "unread message"),
        Purpose::ContinueRun(skill) => return format!("continue {skill}"),
        Purpose::ShowEndedRun { skill, status } => return format!("see the result of {skill} ({status})"),
        Purpose::Attend { project, need } => {
            let project = project.as_ref().map(|project| format!("{project}: "));
            return format!("{}{}", project.unwrap_or_default(), need_text(need));
        }
    };
    fixed.to_owned()
}

fn need_text(need: &Need) -> String {
    match need {
        Need::Question { agent, text } => {
            format!(
                "@{agent} asks: {} {}",
                question_excerpt(text),
                answer_text(&AnswerForm::Text)
            )
        }
        Need::PausedRun(run) => format!("{} is paused", run::label(run)),
        Need::RunQuestion {
            run,
            question,
            answer,
        } => {
            format!(
                "{} asks: {} {}",
                run::label(run),
                question_excerpt(question),
                answer_text(answer)
            )
        }
        Need::OtherAnswer { answer } => answer_text(answer),
        Need::WholeQuestion => "Show the whole question.".to_owned(),
        Need::Decision(run) => format!("{} is waiting for a decision", run::label(run)),
        Need::Agent { agent, status } => format!("@{agent}: {}", status.as_str()),
        Need::Messages {
            number,
            besides_questions: false,
        } => counted(*number, "unread message"),
        Need::Messages { number, .. } => counted(*number, "other unread message"),
    }
}

/// Describes a command's answer: a fixed answer, or a placeholder that the user replaces.
fn answer_text(answer: &AnswerForm) -> String {
    match answer {
        AnswerForm::Fixed(answer) => format!("Answer \"{answer}\"."),
        AnswerForm::WithReason {
            answer,
            has_placeholder: true,
        } => format!("Answer \"{answer}\"; replace TEXT with the reason."),
        AnswerForm::WithReason { answer, .. } => {
            format!("Answer \"{answer}\"; add the reason with `--why`.")
        }
        AnswerForm::Text => "Replace TEXT with your answer.".to_owned(),
    }
}
