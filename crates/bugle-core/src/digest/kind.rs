//! Section kinds, recognised by heading. Skills by different authors use the same few headings.

use serde::{Deserialize, Serialize};

use super::Section;
use super::words::is_titled;

/// A section's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// Rules that always apply.
    Rules,
    /// Warning signs.
    RedFlags,
    /// A checklist.
    Checklist,
    /// Step-by-step instructions.
    Process,
    /// The topic of the skill.
    Overview,
    /// When the skill applies.
    WhenToUse,
    /// Reference material.
    Reference,
    /// Examples.
    Examples,
    /// Reasons and further reading.
    Background,
    /// Anything else.
    Other,
}

struct Prior {
    kind: SectionKind,
    /// Heading phrases, separated by commas.
    headings: &'static str,
    /// Base score of a section of this kind, before any word matches.
    points: u32,
    /// Whether every list item is an instruction, regardless of its wording.
    items: bool,
}

/// The first row with a phrase that starts or ends the heading determines the kind.
const PRIORS: &[Prior] = &[
    Prior {
        kind: SectionKind::RedFlags,
        headings: "red flag, red flags, warning signs, anti-pattern, anti-patterns, common mistakes, pitfalls, mistakes, \
                   rationalizations, rationalization, rationalisations, excuses, stop and, never do, do not",
        points: 5,
        items: true,
    },
    Prior {
        kind: SectionKind::Checklist,
        headings: "checklist, definition of done, exit criteria, acceptance criteria, done when, before you finish, \
                   before completion, final check",
        points: 6,
        items: true,
    },
    Prior {
        kind: SectionKind::Rules,
        headings: "iron law, law, rules, rule, principle, principles, constraints, requirements, non-negotiable, \
                   must, always, no, hard gate, guardrails, limits",
        points: 6,
        items: true,
    },
    Prior {
        kind: SectionKind::WhenToUse,
        headings: "when to use, when not to use, use when, use this when, when to apply, triggers",
        points: 3,
        items: true,
    },
    Prior {
        kind: SectionKind::Examples,
        headings: "example, examples, sample, samples, walkthrough, case study, good and bad, in practice",
        points: 1,
        items: false,
    },
    Prior {
        kind: SectionKind::Background,
        headings: "why, rationale, background, motivation, history, impact, integration, related, see also, \
                   further reading, credits",
        points: 1,
        items: false,
    },
    Prior {
        kind: SectionKind::Overview,
        headings: "overview, introduction, summary, purpose, about, in short, goal",
        points: 4,
        items: false,
    },
    Prior {
        kind: SectionKind::Reference,
        headings: "quick reference, reference, commands, cheat sheet, glossary, options, template, templates",
        points: 2,
        items: false,
    },
    Prior {
        kind: SectionKind::Process,
        headings: "process, workflow, steps, step, phase, procedure, how to, loop, cycle, method, instructions",
        points: 4,
        items: true,
    },
];

const PLAIN: Prior = Prior {
    kind: SectionKind::Other,
    headings: "",
    points: 2,
    items: false,
};

impl SectionKind {
    /// A section's kind. Text before the first heading, or directly under the skill's title, is an overview.
    pub(super) fn of(section: &Section) -> Self {
        let named = PRIORS.iter().find(|prior| {
            let mut phrases = prior.headings.split(',').map(str::trim);
            phrases.any(|phrase| is_titled(&section.title, phrase))
        });
        match named {
            Some(prior) => prior.kind,
            None if section.level <= 1 && section.parent.is_none() => Self::Overview,
            None => Self::Other,
        }
    }

    /// Base score of a section of this kind, before any word matches.
    pub fn points(self) -> u32 {
        self.prior().points
    }

    /// Whether every list item is an instruction.
    pub(super) fn keeps_items(self) -> bool {
        self.prior().items
    }

    fn prior(self) -> &'static Prior {
        PRIORS.iter().find(|prior| prior.kind == self).unwrap_or(&PLAIN)
    }
}
