//! A refusal.

use bugle_core::reply::RefusalView;

use super::parts::{position_sentence, position_xml};
use crate::xml::Element;
use crate::{Format, text};

/// Renders a refusal.
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
                blocks.push(position_sentence(position));
            }
            blocks.push(match &view.command {
                Some(command) => format!("{}\n\n    {command}", view.remedy),
                None => view.remedy.clone(),
            });
            text::printable(&format!("{}\n", text::page(&blocks)))
        }
    }
}
