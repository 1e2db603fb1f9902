//! A step as plain text.

use bugle_core::reply::StepView;

use super::parts::{escalations_text, header, next, output_files};
use crate::{delegation, notice_text, question, review_loop, text};

pub(super) fn step_text(view: &StepView) -> String {
    let mut blocks = vec![text::header(&header(view))];
    blocks.extend(view.task.iter().map(text::task));
    blocks.extend(view.verdict.iter().map(delegation::verdict_line));
    let loops = view.review_loop.iter();
    blocks.extend(loops.flat_map(|side| review_loop::loop_text(side, view.verdict.as_ref())));
    blocks.extend(
        view.role_brief
            .iter()
            .map(|brief| text::section(&format!("--- Your role: {}", view.role), brief)),
    );
    if let Some(round) = view.round {
        blocks.push(format!("Round {} of at most {}.", round.number, round.limit));
    }
    blocks.extend(view.notices.iter().map(notice_text::run));
    blocks.push(text::section("", &view.action).trim_start().to_owned());
    for resource in &view.resources {
        blocks.push(text::section(
            &format!("--- {} ({})", resource.name, resource.purpose),
            &resource.content,
        ));
    }
    if !view.forbidden.is_empty() {
        blocks.push(text::list("Not allowed in this step:", &view.forbidden));
    }
    if !view.denied_tools.is_empty() {
        let exempt = output_files(view).join(", ");
        let exempt = if exempt.is_empty() {
            exempt
        } else {
            format!(" (except to write {exempt})")
        };
        blocks.push(format!(
            "Do not use these tools: {}{exempt}",
            view.denied_tools.join(", ")
        ));
    }
    let programs = Some(view.allowed_programs.join(", ")).filter(|programs| !programs.is_empty());
    blocks.extend(programs.map(|programs| format!("Only these programs may change files: {programs}")));
    if !view.allowed_tools.is_empty() {
        blocks.push(format!("Use only these tools: {}", view.allowed_tools.join(", ")));
    }
    if !view.evidence.is_empty() {
        blocks.push(text::list("Bugle will check:", &view.evidence));
    }
    if let Some(result) = &view.result {
        blocks.push(format!(
            "Write the result as JSON to {}\n\n{}",
            result.file, result.outline
        ));
    }
    blocks.extend(view.ask.iter().flat_map(question::text));
    blocks.extend(
        view.dispatch
            .iter()
            .flat_map(|dispatch| delegation::dispatch_text(dispatch, view.interface)),
    );
    blocks.extend(text::command(&next(view)));
    if let Some(command) = &view.failure_command {
        let file = view.failure_file.as_deref().unwrap_or_default();
        blocks.push(format!(
            "If you cannot complete the step, write the reason to {file}, then run:\n\n    {command}"
        ));
    }
    blocks.extend(escalations_text(view));
    text::page(&blocks)
}
