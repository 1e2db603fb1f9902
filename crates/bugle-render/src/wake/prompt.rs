//! The prompt of an agent that is started for a task: its name, its role, the task verbatim, and how to report.

use bugle_wire::PromptView;

use super::quote::{code, inline, mention};

/// The prompt of a new agent, as Markdown.
pub fn agent_prompt(view: &PromptView) -> String {
    let starter = mention(&view.starter);
    let mut parts = vec![format!(
        "You are {}, an agent in the project {}. {starter} started you for one task.",
        mention(&view.agent),
        inline(&view.project)
    )];
    if let (Some(role), Some(text)) = (&view.role, &view.role_text) {
        parts.push(format!("## Your role: {}", code(role)));
        // Headings of the role lie one level deeper here.
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
    // The task is what the agent is to do, so it stands here as itself and not as a quotation.
    parts.push(view.task.trim_end().to_owned());
    parts.push("## How you report".to_owned());
    parts.push(format!(
        "Your last message is your report: end with the result, whole and without anything else. {starter} is told when \
         you are done. What cannot wait until then is said with {}; a question that you need answered is asked with {}, \
         and then you end your turn: the answer wakes you.",
        code(&view.say),
        code(&view.ask)
    ));
    format!("{}\n", parts.join("\n\n"))
}
