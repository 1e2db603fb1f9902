//! A step as Markdown.

use bugle_core::reply::{ResourceView, StepView};

use super::parts::{escalations_text, output_files, position_sentence};
use crate::template::fenced;
use crate::{delegation, notice_text, question, review_loop, text};

pub(super) fn step_markdown(view: &StepView) -> String {
    let mut out = format!("# {}\n\n{}\n", view.title, position_sentence(&view.position));
    for line in view.task.iter().map(text::task) {
        out.push_str(&format!("\n{line}\n"));
    }
    if let Some(round) = view.round {
        out.push_str(&format!("\nRound {} of at most {}.\n", round.number, round.limit));
    }
    for notice in view.notices.iter().map(notice_text::run) {
        out.push_str(&format!("\n{notice}\n"));
    }
    for line in view.verdict.iter().map(delegation::verdict_line) {
        out.push_str(&format!("\n{line}\n"));
    }
    let loops = view.review_loop.iter();
    for block in loops.flat_map(|side| review_loop::loop_text(side, view.verdict.as_ref())) {
        out.push_str(&format!("\n{block}\n"));
    }
    if let Some(brief) = &view.role_brief {
        out.push_str(&format!("\nYour role is {}.\n\n{brief}\n", view.role));
    }
    out.push_str(&format!("\n{}\n", view.action.trim_end()));
    for resource in &view.resources {
        let ResourceView {
            name,
            purpose,
            content,
        } = resource;
        out.push_str(&format!("\n## {name} ({purpose})\n\n{}\n", content.trim_end()));
    }
    let lists = [
        ("Not allowed in this step", &view.forbidden),
        ("Do not use these tools", &view.denied_tools),
        ("Only these programs may change files", &view.allowed_programs),
        ("Use only these tools", &view.allowed_tools),
        ("Bugle will check", &view.evidence),
    ];
    for (heading, entries) in lists {
        if !entries.is_empty() {
            out.push_str(&format!("\n## {heading}\n\n"));
            for entry in entries {
                out.push_str(&format!("- {entry}\n"));
            }
        }
    }
    if !view.denied_tools.is_empty() && !output_files(view).is_empty() {
        out.push_str(&format!(
            "\nException: you may use the denied tools to write {}\n",
            output_files(view).join(", ")
        ));
    }
    if let Some(result) = &view.result {
        let outline = fenced("", &result.outline);
        let place = if view.interface.is_mcp() {
            "Pass the result in the call, as `result`.".to_owned()
        } else {
            format!("Write the result as JSON to {}", result.file)
        };
        out.push_str(&format!("\n## Result\n\n{place}\n\n{outline}\n"));
    }
    let ask = view.ask.as_ref();
    out.extend(ask.map(|ask| question::markdown(ask, view.interface)));
    for block in view
        .dispatch
        .iter()
        .flat_map(|dispatch| delegation::dispatch_text(dispatch, view.interface))
    {
        out.push_str(&format!("\n{block}\n"));
    }
    let language = if view.interface.is_mcp() { "" } else { "sh" };
    if let Some(command) = &view.command {
        out.push_str(&format!("\n## When done\n\n{}\n", fenced(language, command)));
    }
    if let Some(command) = &view.failure_command {
        let command = fenced(language, command);
        let how = if view.interface.is_mcp() {
            "Call, with the reason as `why`:".to_owned()
        } else {
            let file = view.failure_file.as_deref().unwrap_or_default();
            format!("Write the reason to {file}, then run:")
        };
        out.push_str(&format!(
            "\n## If you cannot complete the step\n\n{how}\n\n{command}\n"
        ));
    }
    if let Some(ways) = escalations_text(view) {
        out.push_str(&format!("\n{ways}\n"));
    }
    out
}
