//! The shape of a wake-up, where a project or a user wants another one: a template that says where its parts stand and what
//! stands around them.
//!
//! `wake/orchestrator.md` and, for sub-agents, `wake/worker.md`, in the project's `.bugle` or in Bugle's home. What is wrong
//! with one is said, and the usual shape is used: nobody stays without a wake-up because of a typing error.

use bugle_core::validate::Templates as _;
use bugle_core::wake::{Assembly, Budget, Offer, Part, Verdict, WakeReason, assemble};
use bugle_render::template::Engine;
use bugle_skill::MAX_FILE_BYTES;
use serde_json::{Map, Value, json};

use crate::{Place, inside};

/// A template, and where it was found.
pub(super) struct Template {
    source: String,
    pub(super) file: String,
}

impl Template {
    /// The template for this reason, if there is one, or why it cannot be read.
    pub(super) fn find(place: &Place, reason: WakeReason) -> Option<Result<Self, String>> {
        let name = match reason {
            WakeReason::Subagent => "worker.md",
            _ => "orchestrator.md",
        };
        let folders = [place.root.join(".bugle"), place.bugle_home.clone()];
        folders.into_iter().find_map(|base| {
            let path = base.join("wake").join(name);
            let file = path.display().to_string();
            match inside::read(place, &path, MAX_FILE_BYTES) {
                Ok(bytes) => Some(Ok(Self {
                    source: String::from_utf8_lossy(&bytes).into_owned(),
                    file,
                })),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
                Err(error) => Some(Err(format!("The template {file} is not used: {error}."))),
            }
        })
    }

    /// Puts a wake-up together in this shape, or says what is wrong with it.
    pub(super) fn assemble(
        &self,
        offers: &[Offer],
        budget: Budget,
        around: &Around<'_>,
    ) -> Result<Assembly, String> {
        let frame = self.frame(around, offers)?;
        let bare = filled(&frame, &|_| "");
        let has_place = |part: Part| frame.contains(&mark(part));
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
            if let Some(whole) = sizes.and_then(|sizes| sizes.first()) {
                picked.verdict = Verdict::Unwanted;
                picked.whole = budget.unit.measure(&whole.text);
            }
        }
        let mut text = filled(&frame, &|part| {
            let shown = parts.shown.iter().find(|(shown, _)| *shown == part);
            shown.map_or("", |(_, text)| text.as_str())
        });
        // What was left out for want of room is said, whether the template has a place for it or not.
        let rest = parts.shown.iter().find(|(part, _)| *part == Part::Rest);
        if let Some((_, rest)) = rest.filter(|_| !has_place(Part::Rest)) {
            text = format!("{text}\n\n{rest}");
        }
        let size = budget.unit.measure(&text);
        Ok(Assembly {
            size,
            text,
            // What the template itself says is never cut either.
            too_small: (size > budget.limit).then_some(size),
            ..parts
        })
    }

    /// The template with marks where its parts stand.
    fn frame(&self, around: &Around<'_>, offers: &[Offer]) -> Result<String, String> {
        let mut values: Map<String, Value> = Part::ALL
            .into_iter()
            .map(|part| (variable(part), Value::String(mark(part))))
            .collect();
        values.insert("agent".to_owned(), json!(around.agent));
        values.insert("project".to_owned(), json!(around.project));
        values.insert("branch".to_owned(), json!(around.branch));
        values.insert("reason".to_owned(), json!(around.reason));
        let engine = Engine::default();
        let known: Vec<String> = values.keys().cloned().collect();
        let frame = engine
            .render(&self.source, &Value::Object(values))
            .map_err(|error| {
                let line = error.line.map_or(String::new(), |line| format!(":{line}"));
                let named = engine.references(&self.source).unwrap_or_default();
                let unknown = named.into_iter().find(|name| {
                    let first = name.split('.').next().unwrap_or(name);
                    !known.iter().any(|known| known == first)
                });
                let why = match unknown.filter(|_| error.undefined) {
                    Some(name) => format!("there is nothing called `{name}`; there is {}", known.join(", ")),
                    None => error.message,
                };
                format!("The template {}{line} is not used: {why}.", self.file)
            })?;
        let is_offered = |part: Part| {
            offers
                .iter()
                .any(|offer| offer.part == part && !offer.sizes.is_empty())
        };
        // Open questions stand before the messages unless the template has a place for them.
        let (questions, messages) = (mark(Part::Questions), mark(Part::Messages));
        let frame = if is_offered(Part::Questions) && !frame.contains(&questions) {
            frame.replacen(&messages, &format!("{questions}\n\n{messages}"), 1)
        } else {
            frame
        };
        // Only a replacement has something to take over.
        let needed = |part: &Part| match part {
            Part::Recovery => is_offered(Part::Recovery),
            Part::Questions => false,
            part => part.is_never_dropped(),
        };
        let missing = Part::ALL
            .into_iter()
            .find(|part| needed(part) && !frame.contains(&mark(*part)));
        match missing {
            Some(part) => Err(format!(
                "The template {} is not used: it leaves out {{{{ {} }}}}, which no wake-up may leave out.",
                self.file,
                variable(part)
            )),
            None => Ok(frame),
        }
    }
}

/// What a template sees besides the parts.
pub(super) struct Around<'a> {
    pub agent: &'a str,
    pub project: &'a str,
    pub branch: &'a str,
    pub reason: &'a str,
}

fn variable(part: Part) -> String {
    part.as_str().replace(' ', "_")
}

/// A line that no text has, because control characters are made visible everywhere.
fn mark(part: Part) -> String {
    format!("\u{1}{}\u{1}", variable(part))
}

/// The frame with its parts. Where one has nothing to say, the empty line behind it goes as well.
fn filled<'a>(frame: &str, text: &dyn Fn(Part) -> &'a str) -> String {
    let mut filled = frame.to_owned();
    for part in Part::ALL {
        let text = text(part);
        if text.is_empty() {
            filled = filled.replace(&format!("{}\n\n", mark(part)), "");
        }
        filled = filled.replace(&mark(part), text);
    }
    filled.trim_end().to_owned()
}
