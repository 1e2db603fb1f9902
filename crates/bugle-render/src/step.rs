//! A step, the end of a run, or a refusal, in each form: the same content for agents, people, programs and documents.

use bugle_wire::{
    Answer, EndView, OrchestratorView, Position, RefusalView, ResourceView, StepView, TaskLabel,
};

use crate::template::fenced;
use crate::xml::dispatch::{OrchestratorAction, orchestrator_action};
use crate::xml::guidance::{self, Resource};
use crate::xml::step::{self as frame, NextCommand, StepHeader, StepOutput};
use crate::xml::{Content, Element};
use crate::{Format, delegation, question, review_loop, text};

/// A step.
pub fn step(view: &StepView, format: Format) -> String {
    match format {
        Format::Xml => format!("{}\n", step_xml(view).render()),
        Format::Text => format!("{}\n", text::printable(&step_text(view))),
        Format::Json => view.to_json(),
        Format::Markdown => text::printable(&step_markdown(view)),
    }
}

/// The end of a run.
pub fn end(view: &EndView, format: Format) -> String {
    match format {
        Format::Xml => {
            let last_word = view.orchestrator.as_ref().map(|last| {
                orchestrator_action(&OrchestratorAction {
                    verdict: &last.verdict,
                    report: Some(&last.report),
                    command: &last.command,
                })
            });
            if let Some(last_word) = last_word {
                return format!("{}\n", last_word.render());
            }
            let root = Element::new("workflow")
                .child(position_xml("run_complete", &view.position).text(&view.message))
                .children(
                    view.notices
                        .iter()
                        .map(|notice| Element::with_text("notice", notice)),
                )
                .child(Element::with_text("findings_command", &view.command));
            format!("{}\n", root.render())
        }
        Format::Text => {
            if let Some(last) = &view.orchestrator {
                return last_word_text(last);
            }
            let notices = view.notices.join("\n");
            let see = format!("What it found:\n\n    {}", view.command);
            text::printable(&format!(
                "{}\n",
                text::page(&[view.message.as_str(), &notices, &see])
            ))
        }
        Format::Json => view.to_json(),
        Format::Markdown => {
            if let Some(last) = &view.orchestrator {
                return last_word_text(last);
            }
            let notices: String = view
                .notices
                .iter()
                .map(|notice| format!("\n{notice}\n"))
                .collect();
            text::printable(&format!(
                "{}\n{notices}\nWhat it found:\n\n{}\n",
                view.message,
                fenced("sh", &view.command)
            ))
        }
    }
}

/// A sub-agent's last word, for people.
fn last_word_text(last: &OrchestratorView) -> String {
    let blocks = [
        last.verdict.clone(),
        format!("Its report:\n\n    {}", last.report),
        format!(
            "Next command, for the agent that started it:\n\n    {}",
            last.command
        ),
    ];
    text::printable(&format!("{}\n", text::page(&blocks)))
}

/// A refusal.
pub fn refusal(view: &RefusalView, format: Format) -> String {
    match format {
        Format::Xml => {
            let root = Element::new("refused")
                .attribute("reason", &view.code)
                .child(Element::with_text("message", &view.message))
                .children(
                    view.details
                        .iter()
                        .map(|detail| Element::with_text("detail", detail)),
                )
                .children(
                    view.outline
                        .iter()
                        .map(|outline| Element::with_text("expected_output", outline)),
                )
                .children(
                    view.position
                        .iter()
                        .map(|position| position_xml("position", position)),
                )
                .child(Element::with_text("remedy", &view.remedy))
                .children(
                    view.command
                        .iter()
                        .map(|command| Element::with_text("invoke_after", command)),
                );
            format!("{}\n", root.render())
        }
        Format::Text | Format::Markdown => {
            let mut blocks = vec![format!("Refused: {}", view.message)];
            if !view.details.is_empty() {
                blocks.push(
                    view.details
                        .iter()
                        .map(|detail| format!("  - {}", detail.replace('\n', "\n    ")))
                        .collect::<Vec<_>>()
                        .join("\n"),
                );
            }
            if let Some(outline) = &view.outline {
                blocks.push(format!("The result must look like this:\n\n{outline}"));
            }
            if let Some(position) = &view.position {
                blocks.push(standing(position));
            }
            blocks.push(match &view.command {
                Some(command) => format!("{}\n\n    {command}", view.remedy),
                None => view.remedy.clone(),
            });
            text::printable(&format!("{}\n", text::page(&blocks)))
        }
        Format::Json => view.to_json(),
    }
}

/// Where a run stands, in a sentence.
pub fn standing(position: &Position) -> String {
    let Position {
        skill,
        run,
        status,
        visit,
        step,
    } = position;
    match (visit, step) {
        (Some(visit), Some(step)) => {
            format!("Run {run} of {skill} is {status} at step {step}, visit {visit}.")
        }
        _ => format!("Run {run} of {skill} is {status}."),
    }
}

fn position_xml(name: &'static str, position: &Position) -> Element {
    Element::new(name)
        .attribute("skill", &position.skill)
        .attribute("run", &position.run)
        .attribute("status", &position.status)
        .optional_attribute("visit", position.visit.as_deref())
        .optional_attribute("step", position.step.as_deref())
}

fn header(view: &StepView) -> StepHeader<'_> {
    StepHeader {
        skill: &view.position.skill,
        run: &view.position.run,
        visit: view.position.visit.as_deref().unwrap_or_default(),
        step: view.position.step.as_deref().unwrap_or_default(),
        phase: view.phase.as_deref(),
        role: &view.role,
        title: &view.title,
    }
}

fn next(view: &StepView) -> NextCommand {
    view.command.clone().map_or(NextCommand::None, NextCommand::Flat)
}

fn step_xml(view: &StepView) -> Element {
    let mut blocks = Vec::new();
    if let Some(side) = &view.review_loop {
        blocks.extend(review_loop::loop_xml(side));
    }
    if let Some(brief) = &view.role_brief {
        blocks.push(Element::with_text("role_brief", brief).attribute("role", &view.role));
    }
    if let Some(dispatch) = &view.dispatch {
        blocks.extend(delegation::dispatch_xml(dispatch));
    }
    if let Some(round) = view.round {
        let banner = Element::new("state_banner")
            .attribute("checkpoint", view.position.step.as_deref().unwrap_or_default())
            .attribute("iteration", round.number)
            .attribute("limit", round.limit);
        blocks.push(banner);
    }
    blocks.extend(
        view.notices
            .iter()
            .map(|notice| Element::with_text("notice", notice)),
    );
    for resource in &view.resources {
        blocks.push(guidance::resource(&Resource {
            name: &resource.name,
            content: &resource.content,
        }));
    }
    if !view.forbidden.is_empty() {
        blocks.push(guidance::forbidden(&view.forbidden));
    }
    if !view.denied_tools.is_empty() {
        let exempt = if handed_in(view).is_empty() {
            ""
        } else {
            " (except for the files named here)"
        };
        blocks.push(Element::with_text(
            "denied_tools",
            format!("{}{exempt}", view.denied_tools.join(", ")),
        ));
    }
    let programs = Some(view.allowed_programs.join(", ")).filter(|programs| !programs.is_empty());
    blocks.extend(programs.map(|programs| Element::with_text("programs_that_may_change_files", programs)));
    if !view.allowed_tools.is_empty() {
        blocks.push(Element::with_text("allowed_tools", view.allowed_tools.join(", ")));
    }
    if !view.evidence.is_empty() {
        let checks = view
            .evidence
            .iter()
            .map(|check| Element::with_text("check", check));
        blocks.push(Element::new("evidence").children(checks));
    }
    if let Some(result) = &view.result {
        blocks.push(
            Element::with_text("expected_output", &result.outline).attribute("write_json_to", &result.file),
        );
    }
    blocks.extend(view.ask.as_ref().map(question::xml));
    if let Some(command) = &view.failure_command {
        let failure = Element::with_text("if_impossible", command);
        blocks.push(failure.optional_attribute("write_reason_to", view.failure_file.as_deref()));
    }
    // Once is enough: where a sub-agent gets its role, which is when it starts or has forgotten it.
    if !view.escalations.is_empty() && view.role_brief.is_some() {
        let kinds: Vec<&str> = view.escalations.iter().map(|way| way.answer.as_str()).collect();
        blocks.push(
            Element::new("if_stuck")
                .optional_attribute("write_reason_to", view.failure_file.as_deref())
                .attribute("kinds", kinds.join(", "))
                .children(view.escalations.first().map(|way| way.command.as_str())),
        );
    }
    frame::step_output(&StepOutput {
        header: header(view),
        mandate: false,
        task: view.task.as_ref().map(task_xml),
        gate_result: view.verdict.as_ref().map(delegation::verdict_xml),
        action: vec![Content::from(view.action.trim_end())],
        blocks,
        next: next(view),
    })
}

fn step_text(view: &StepView) -> String {
    let mut blocks = vec![text::header(&header(view))];
    blocks.extend(view.task.iter().map(text::task));
    blocks.extend(view.verdict.iter().map(delegation::verdict_line));
    blocks.extend(view.review_loop.iter().flat_map(review_loop::loop_text));
    blocks.extend(
        view.role_brief
            .iter()
            .map(|brief| text::section(&format!("--- the role {}", view.role), brief)),
    );
    if let Some(round) = view.round {
        blocks.push(format!("Round {} of at most {}.", round.number, round.limit));
    }
    blocks.extend(view.notices.iter().cloned());
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
        let exempt = handed_in(view).join(", ");
        let exempt = if exempt.is_empty() {
            exempt
        } else {
            format!(" (except to write {exempt})")
        };
        blocks.push(format!(
            "Tools that may not be used: {}{exempt}",
            view.denied_tools.join(", ")
        ));
    }
    let programs = Some(view.allowed_programs.join(", ")).filter(|programs| !programs.is_empty());
    blocks.extend(programs.map(|programs| format!("Programs that may change files: {programs}")));
    if !view.allowed_tools.is_empty() {
        blocks.push(format!(
            "Only these tools may be used: {}",
            view.allowed_tools.join(", ")
        ));
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
    blocks.extend(view.dispatch.iter().flat_map(delegation::dispatch_text));
    blocks.extend(text::command(&next(view)));
    if let Some(command) = &view.failure_command {
        let file = view.failure_file.as_deref().unwrap_or_default();
        blocks.push(format!(
            "If it cannot be done, write why to {file}, and run:\n\n    {command}"
        ));
    }
    blocks.extend(escalations_text(view));
    text::page(&blocks)
}

fn step_markdown(view: &StepView) -> String {
    let mut out = format!(
        "# {}\n\n{} Role: {}.\n",
        view.title,
        standing(&view.position),
        view.role
    );
    for line in view.task.iter().map(text::task) {
        out.push_str(&format!("\n{line}\n"));
    }
    if let Some(round) = view.round {
        out.push_str(&format!("\nRound {} of at most {}.\n", round.number, round.limit));
    }
    for notice in &view.notices {
        out.push_str(&format!("\n{notice}\n"));
    }
    for line in view.verdict.iter().map(delegation::verdict_line) {
        out.push_str(&format!("\n{line}\n"));
    }
    for block in view.review_loop.iter().flat_map(review_loop::loop_text) {
        out.push_str(&format!("\n{block}\n"));
    }
    if let Some(brief) = &view.role_brief {
        out.push_str(&format!("\n{brief}\n"));
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
        ("Tools that may not be used", &view.denied_tools),
        ("Programs that may change files", &view.allowed_programs),
        ("Only these tools may be used", &view.allowed_tools),
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
    if !view.denied_tools.is_empty() && !handed_in(view).is_empty() {
        out.push_str(&format!("\nExcept to write {}\n", handed_in(view).join(", ")));
    }
    if let Some(result) = &view.result {
        let outline = fenced("", &result.outline);
        out.push_str(&format!(
            "\n## Result\n\nWrite it as JSON to {}\n\n{outline}\n",
            result.file
        ));
    }
    out.extend(view.ask.as_ref().map(question::markdown));
    for block in view.dispatch.iter().flat_map(delegation::dispatch_text) {
        out.push_str(&format!("\n{block}\n"));
    }
    if let Some(command) = &view.command {
        out.push_str(&format!("\n## When done\n\n{}\n", fenced("sh", command)));
    }
    if let Some(command) = &view.failure_command {
        let file = view.failure_file.as_deref().unwrap_or_default();
        let command = fenced("sh", command);
        out.push_str(&format!(
            "\n## If it cannot be done\n\nWrite why to {file}\n\n{command}\n"
        ));
    }
    if let Some(ways) = escalations_text(view) {
        out.push_str(&format!("\n{ways}\n"));
    }
    out
}

/// `<task>` of the step.
fn task_xml(task: &TaskLabel) -> Element {
    frame::task(&task.id, &task.number, &task.title)
}

/// How a sub-agent passes its work back, for people.
fn escalations_text(view: &StepView) -> Option<String> {
    let ways: Vec<&str> = view.escalations.iter().map(|way| way.command.as_str()).collect();
    (!ways.is_empty()).then(|| {
        let file = view.failure_file.as_deref().unwrap_or_default();
        text::list(
            &format!("If you cannot go on, write why to {file}, and run one of:"),
            &ways,
        )
    })
}

/// The files in which something is handed in: whatever else is forbidden, these may be written.
fn handed_in(view: &StepView) -> Vec<&str> {
    let result = view.result.as_ref().map(|result| result.file.as_str());
    let answer = view
        .ask
        .as_ref()
        .and_then(|ask| ask.file.as_deref().or(ask.reason_file.as_deref()));
    result
        .into_iter()
        .chain(answer)
        .chain(view.failure_file.as_deref())
        .collect()
}
