//! A sub-agent's brief: its role, its task, the constraints, its instructions, how to report. The brief contains
//! nothing about the rest of the plan, other sub-agents or earlier work.

use bugle_core::reply::BriefView;

use super::quote::{code, fence, inline, items, tags_remark};

/// A brief as Markdown.
pub fn brief(view: &BriefView) -> String {
    let mut parts = vec![
        format!("# Brief: {}", inline(&view.task.label())),
        format!(
            "You are a sub-agent with the role {}. Your only task is {}.",
            code(&view.role),
            inline(view.task.id.as_str())
        ),
        "## Your role".to_owned(),
        // Demotes the role's headings by one level.
        view.role_text
            .trim()
            .lines()
            .map(|line| {
                if line.starts_with('#') {
                    format!("#{line}")
                } else {
                    line.to_owned()
                }
            })
            .collect::<Vec<_>>()
            .join("\n"),
        "## Your task".to_owned(),
    ];
    match &view.text {
        Some(text) => {
            parts.push(format!(
                "Verbatim from the plan {}, line {}{}:",
                code(&text.file),
                text.line,
                tags_remark(&text.text)
            ));
            parts.push(fence(&text.text));
        }
        None => parts.push(inline(&view.task.label())),
    }
    if !view.constraints.is_empty() {
        parts.push("## Constraints for all tasks in the plan".to_owned());
        parts.push(items(view.constraints.iter().map(|item| inline(item))));
    }
    if !view.interfaces.is_empty() {
        parts.push("## Interfaces with other tasks".to_owned());
        parts.push(items(view.interfaces.iter().map(|item| inline(item))));
    }
    if !view.notes.is_empty() {
        parts.push("## Notes on the task".to_owned());
        parts.extend(view.notes.iter().map(|note| fence(note)));
    }
    if let Some(context) = &view.context {
        parts.push("## From your orchestrator".to_owned());
        parts.push(format!("Verbatim{}:", tags_remark(context)));
        parts.push(fence(context));
    }
    if !view.reminders.is_empty() {
        parts.push("## Rules".to_owned());
        parts.push(items(
            view.reminders.iter().map(|reminder| inline(&reminder.line)),
        ));
    }
    parts.push("## When you are done".to_owned());
    let done = "Report to your orchestrator as your role describes. Include everything that other tasks depend on. \
    The orchestrator closes the task.";
    parts.push(done.to_owned());
    format!("{}\n", parts.join("\n\n"))
}
