//! Sentences about a wake-up, outside its text.

use bugle_core::reply::{TemplateProblem, WakeNotice};

use super::quote::{code, inline};
use crate::notice_text;

/// A notice about a wake-up.
pub fn notice(notice: &WakeNotice) -> String {
    match notice {
        WakeNotice::Template { file, problem } => template(file, problem),
        WakeNotice::SkillUnavailable { skill, notices } => {
            let reasons = notices.iter().map(|notice| inline(&notice_text::skill(notice)));
            let reasons: Vec<String> = reasons.collect();
            let text = format!(
                "The text of skill {} is not available. {}",
                code(skill),
                reasons.join(" ")
            );
            text.trim_end().to_owned()
        }
        WakeNotice::UnknownAgent { agent, list } => {
            format!("No agent named {agent} is registered in this project. `{list}` lists the agents.")
        }
        WakeNotice::Text(text) => text.clone(),
    }
}

fn template(file: &str, problem: &TemplateProblem) -> String {
    let at = |line: Option<usize>| line.map_or(String::new(), |line| format!(":{line}"));
    match problem {
        TemplateProblem::Unreadable(error) => format!("Bugle ignores the template {file}: {error}."),
        TemplateProblem::UnknownValue { line, name, known } => format!(
            "Bugle ignores the template {file}{}: unknown value `{name}`; available: {}.",
            at(*line),
            known.join(", ")
        ),
        TemplateProblem::Invalid { line, message } => {
            format!("Bugle ignores the template {file}{}: {message}.", at(*line))
        }
        TemplateProblem::MissingPart(name) => format!(
            "Bugle ignores the template {file}: it lacks {{{{ {name} }}}}, which every wake-up needs."
        ),
    }
}
