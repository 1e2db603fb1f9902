//! The brief of a sub-agent: its role, its one task, the constraints, its instructions, the report it returns. Nothing
//! of the rest of the plan, of its siblings or of what was before.

use bugle_wire::BriefView;

use super::quote::{code, fence, inline, items, tags_remark};

/// A brief as Markdown.
pub fn brief(view: &BriefView) -> String {
    let mut parts = vec![
        format!("# Brief: {}", inline(&view.task.label)),
        format!(
            "You are a sub-agent with the role {} and this one task, {}.",
            code(&view.role),
            inline(&view.task.id)
        ),
        "## Your role".to_owned(),
        // Headings of the role lie one level deeper here.
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
        "## The task".to_owned(),
    ];
    match &view.text {
        Some(text) => {
            parts.push(format!(
                "From the plan {}, line {}, word for word{}:",
                code(&text.file),
                text.line,
                tags_remark(&text.text)
            ));
            parts.push(fence(&text.text));
        }
        None => parts.push(inline(&view.task.label)),
    }
    if !view.constraints.is_empty() {
        parts.push("## What holds for every task of the plan".to_owned());
        parts.push(items(view.constraints.iter().map(|item| inline(item))));
    }
    if !view.interfaces.is_empty() {
        parts.push("## What it takes from other tasks and gives to them".to_owned());
        parts.push(items(view.interfaces.iter().map(|item| inline(item))));
    }
    if !view.notes.is_empty() {
        parts.push("## Noted with the task".to_owned());
        parts.extend(view.notes.iter().map(|note| fence(note)));
    }
    if let Some(context) = &view.context {
        parts.push("## From whoever gives you the task".to_owned());
        parts.push(format!("In their words{}:", tags_remark(context)));
        parts.push(fence(context));
    }
    if !view.reminders.is_empty() {
        parts.push("## Keep to".to_owned());
        parts.push(items(
            view.reminders.iter().map(|reminder| inline(&reminder.line)),
        ));
    }
    parts.push("## When you are done".to_owned());
    let done = "Report as your role says, to whoever gave you the task; they close it. What others will need to know \
                belongs into the report.";
    parts.push(done.to_owned());
    format!("{}\n", parts.join("\n\n"))
}
