//! Wake-up templates: `wake/orchestrator.md` and, for sub-agents, `wake/worker.md`, in the project's `.bugle` or in
//! Bugle's home.
//!
//! Bugle reports and ignores a broken template: the agent still gets its wake-up.

use bugle_core::reply::{TemplateProblem, WakeNotice};
use bugle_core::validate::Templates as _;
use bugle_core::wake::{Assembly, Budget, Offer, Part, PartResult, WakeReason, assemble};
use bugle_render::template::Engine;
use bugle_skill::MAX_FILE_BYTES;
use serde_json::{Map, Value, json};

use crate::{Context, contained_path};

/// A template and its file.
pub(super) struct Template {
    source: String,
    pub(super) file: String,
}

impl Template {
    /// The template for a reason, or an error if the template cannot be read.
    pub(super) fn find(ctx: &Context, reason: WakeReason) -> Option<Result<Self, WakeNotice>> {
        let name = match reason {
            WakeReason::Subagent => "worker.md",
            _ => "orchestrator.md",
        };
        let folders = [ctx.root.join(".bugle"), ctx.bugle_home.clone()];
        folders.into_iter().find_map(|base| {
            let path = base.join("wake").join(name);
            let file = path.display().to_string();
            match contained_path::read(ctx, &path, MAX_FILE_BYTES) {
                Ok(bytes) => Some(Ok(Self {
                    source: String::from_utf8_lossy(&bytes).into_owned(),
                    file,
                })),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(error) => Some(Err(WakeNotice::Template {
                    file,
                    problem: TemplateProblem::Unreadable(error.to_string()),
                })),
            }
        })
    }

    /// Assembles a wake-up. The error says what is wrong with the template.
    pub(super) fn assemble(
        &self,
        offers: &[Offer],
        budget: Budget,
        values: &TemplateValues<'_>,
    ) -> Result<Assembly, TemplateProblem> {
        let frame = self.frame(values, offers)?;
        // The template's own text, and the separator before the first part.
        let bare = format!("{}\n\n", fill(&frame, &|_| ""));
        let has_place = |part: Part| frame.contains(&placeholder(part));
        let wanted: Vec<Offer> = offers
            .iter()
            .filter(|offer| has_place(offer.part) || offer.part == Part::Rest)
            .cloned()
            .collect();
        let mut parts = assemble(
            &wanted,
            Budget {
                limit: budget.limit.saturating_sub(budget.unit.measure(&bare)),
                ..budget
            },
        );
        for picked in parts.parts.iter_mut().filter(|picked| !has_place(picked.part)) {
            let offer = offers.iter().find(|offer| offer.part == picked.part);
            let sizes = offer
                .filter(|offer| offer.part != Part::Rest)
                .map(|offer| &offer.sizes);
            if let Some(largest) = sizes.and_then(|sizes| sizes.first()) {
                let full = offer.and_then(|offer| offer.full.as_ref());
                picked.verdict = PartResult::Unwanted;
                picked.whole = budget.unit.measure(full.unwrap_or(&largest.text));
                picked.needs = None;
            }
        }
        let mut text = fill(&frame, &|part| {
            let shown = parts.shown.iter().find(|(shown, _)| *shown == part);
            shown.map_or("", |(_, text)| text.as_str())
        });
        // List the omitted parts even if the template has no placeholder for the list.
        let rest = parts.shown.iter().find(|(part, _)| *part == Part::Rest);
        if let Some((_, rest)) = rest.filter(|_| !has_place(Part::Rest)) {
            text = format!("{text}\n\n{rest}");
        }
        let size = budget.unit.measure(&text);
        Ok(Assembly {
            size,
            text,
            // The template's own text is never cut.
            too_small: (size > budget.limit).then_some(size),
            ..parts
        })
    }

    /// The rendered template, with a placeholder for each part.
    fn frame(&self, given: &TemplateValues<'_>, offers: &[Offer]) -> Result<String, TemplateProblem> {
        let mut values: Map<String, Value> = Part::ALL
            .into_iter()
            .map(|part| (variable(part), Value::String(placeholder(part))))
            .collect();
        values.insert("agent".to_owned(), json!(given.agent));
        values.insert("project".to_owned(), json!(given.project));
        values.insert("branch".to_owned(), json!(given.branch));
        values.insert("reason".to_owned(), json!(given.reason));
        let engine = Engine::default();
        let known: Vec<String> = values.keys().cloned().collect();
        let frame = engine
            .render(&self.source, &Value::Object(values))
            .map_err(|error| {
                let line = error.line;
                let named = engine.references(&self.source).unwrap_or_default();
                let unknown = named.into_iter().find(|name| {
                    let first = name.split('.').next().unwrap_or(name);
                    !known.iter().any(|known| known == first)
                });
                match unknown.filter(|_| error.undefined) {
                    Some(name) => TemplateProblem::UnknownValue { line, name, known },
                    None => TemplateProblem::Invalid {
                        line,
                        message: error.message,
                    },
                }
            })?;
        let is_offered = |part: Part| {
            offers
                .iter()
                .any(|offer| offer.part == part && !offer.sizes.is_empty())
        };
        // Put open questions before the messages, unless the template has a placeholder for the questions.
        let (questions, messages) = (placeholder(Part::Questions), placeholder(Part::Messages));
        let frame = if is_offered(Part::Questions) && !frame.contains(&questions) {
            frame.replacen(&messages, &format!("{questions}\n\n{messages}"), 1)
        } else {
            frame
        };
        // Only a replacement needs the recovery part.
        let needed = |part: &Part| match part {
            Part::Recovery => is_offered(Part::Recovery),
            Part::Questions => false,
            part => part.is_never_dropped(),
        };
        let missing = Part::ALL
            .into_iter()
            .find(|part| needed(part) && !frame.contains(&placeholder(*part)));
        match missing {
            Some(part) => Err(TemplateProblem::MissingPart(variable(part))),
            None => Ok(frame),
        }
    }
}

/// The template values other than the parts.
pub(super) struct TemplateValues<'a> {
    pub agent: &'a str,
    pub project: &'a str,
    pub branch: &'a str,
    pub reason: &'a str,
}

fn variable(part: Part) -> String {
    part.as_str().replace(' ', "_")
}

/// The placeholder for a part. No part contains this string, because control characters are escaped in all parts.
fn placeholder(part: Part) -> String {
    format!("\u{1}{}\u{1}", variable(part))
}

/// Replaces the placeholders with their parts. Removes the blank line after an empty part.
fn fill<'a>(frame: &str, text: &dyn Fn(Part) -> &'a str) -> String {
    let mut filled = frame.to_owned();
    for part in Part::ALL {
        let text = text(part);
        if text.is_empty() {
            filled = filled.replace(&format!("{}\n\n", placeholder(part)), "");
        }
        filled = filled.replace(&placeholder(part), text);
    }
    filled.trim_end().to_owned()
}
