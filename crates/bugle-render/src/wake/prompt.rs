//! The prompt for an agent that starts with a task: its name, its role, the task verbatim, and how to report.

use bugle_core::reply::PromptView;

use super::quote::{code, inline, mention};

/// A new agent's prompt, as Markdown.
pub fn agent_prompt(view: &PromptView) -> String {
    let starter = mention(&view.starter);
    let mut parts = vec![format!(
        "You are {}, an agent in project {}. {starter} started you for one task.",
        mention(&view.agent),
        inline(&view.project)
    )];
    if let (Some(role), Some(text)) = (&view.role, &view.role_text) {
        parts.push(format!("## Your role: {}", code(role)));
        // Demotes the role's headings by one level.
        let lines = text.trim().lines().map(|line| {
            if line.starts_with('#') {
                format!("#{line}")
            } else {
                line.to_owned()
            }
        });
        parts.push(lines.collect::<Vec<_>>().join("\n"));
    }
    parts.push("## Your task".to_owned());
    // The task is the agent's instruction, so it is not quoted.
    parts.push(view.task.trim_end().to_owned());
    parts.push("## How to report".to_owned());
    parts.push(format!(
        "Your final message is your report: the complete result and nothing else. Bugle notifies {starter} when you \
         are done. To send a message earlier, use {}. To ask a question, use {}, then end your turn: the answer wakes you.",
        code(&view.say),
        code(&view.ask)
    ));
    format!("{}\n", parts.join("\n\n"))
}
