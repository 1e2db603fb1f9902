//! The end of a run.

use bugle_core::reply::{EndView, OrchestratorView, RunEnding};

use super::parts::position_xml;
use crate::template::fenced;
use crate::xml::Element;
use crate::xml::dispatch::{OrchestratorAction, orchestrator_action};
use crate::{Format, child_text, notice_text, text};

/// Renders the end of a run.
pub fn end(view: &EndView, format: Format) -> String {
    match format {
        Format::Xml => {
            let last_message = view.orchestrator.as_ref().map(|last| {
                orchestrator_action(&OrchestratorAction {
                    verdict: &child_text::report(last),
                    report: Some(&last.report),
                    command: &last.command,
                    interface: last.interface,
                })
            });
            if let Some(last_message) = last_message {
                return format!("{}\n", last_message.render());
            }
            let root = Element::new("workflow")
                .child(position_xml("run_complete", &view.position).text(ending(view)))
                .children(
                    view.notices
                        .iter()
                        .map(|notice| Element::with_text("notice", notice_text::run(notice))),
                )
                .child(Element::with_text("findings_command", &view.command));
            format!("{}\n", root.render())
        }
        Format::Text => {
            if let Some(last) = &view.orchestrator {
                return last_message_text(last);
            }
            let notices: Vec<String> = view.notices.iter().map(notice_text::run).collect();
            let notices = notices.join("\n");
            let see = format!("To see the results, run:\n\n    {}", view.command);
            text::printable(&format!("{}\n", text::page(&[&ending(view), &notices, &see])))
        }
        Format::Markdown => {
            if let Some(last) = &view.orchestrator {
                return last_message_text(last);
            }
            let notices: String = view
                .notices
                .iter()
                .map(|notice| format!("\n{}\n", notice_text::run(notice)))
                .collect();
            text::printable(&format!(
                "{}\n{notices}\nTo see the results, run:\n\n{}\n",
                ending(view),
                fenced("sh", &view.command)
            ))
        }
    }
}

/// How a run ended, with the agent's next action.
pub fn ending(view: &EndView) -> String {
    let run = format!("Run {} of {}", view.position.run, view.position.skill);
    match &view.ending {
        RunEnding::Complete => format!("{run} is complete. Tell the user the result."),
        RunEnding::Cancelled => format!("{run} was cancelled, as the user decided. Tell the user."),
        RunEnding::Failed { step, reason } => {
            let reason = reason.as_deref().unwrap_or("the step did not pass");
            let reason: Vec<&str> = reason.split_whitespace().collect();
            format!(
                "{run} ended with `fail` at step `{step}`: \"{}\". Tell the user.",
                reason.join(" ")
            )
        }
    }
}

/// A sub-agent's final message, as text.
fn last_message_text(last: &OrchestratorView) -> String {
    let blocks = [
        child_text::report(last),
        format!("Report:\n\n    {}", last.report),
        format!("Next command, for the orchestrator:\n\n    {}", last.command),
    ];
    text::printable(&format!("{}\n", text::page(&blocks)))
}
