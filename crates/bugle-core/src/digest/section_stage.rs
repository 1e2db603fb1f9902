//! The stages of work that a skill's sections serve.

use serde::Serialize;

use super::match_place::{MatchPlace, above};
use super::stage::{Stage, WorkStage};
use super::words::{is_titled, names_any};
use super::{DigestedSection, DigestedSkill, SectionKind};

/// A section serves a stage of the agent's work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StageMatch {
    /// The stage.
    pub stage: Stage,
    /// Where the section names the stage.
    pub place: MatchPlace,
    /// The match's score.
    pub points: u32,
}

/// The stages that a text names.
pub(super) fn named(text: &str) -> Vec<Stage> {
    let stages = Stage::ALL.iter().copied();
    stages
        .filter(|stage| names_any(text, stage.heading_words()))
        .collect()
}

/// A skill's sections compared with one stage of work.
pub(super) struct StagedSkill<'a> {
    skill: &'a DigestedSkill,
    /// The current stage, then the stages that follow.
    stages: Vec<Stage>,
    /// Whether the whole skill is about the current stage.
    is_about_it: bool,
    /// The phases for the current stage: the phases that name it, or else those with a section that does.
    phases: Vec<usize>,
}

impl<'a> StagedSkill<'a> {
    pub(super) fn new(skill: &'a DigestedSkill, work: &WorkStage) -> Self {
        let title = skill.sections.iter().find(|section| section.level == 1);
        let is_named = |section: &DigestedSection| section.stages.contains(&work.now);
        let steps = skill.sections.iter().enumerate();
        let mut phases: Vec<usize> = steps
            .filter(|(at, section)| is_step(section) && is_named(section) && holds_steps(skill, *at))
            .map(|(at, _)| at)
            .collect();
        if phases.is_empty() {
            let named = skill.sections.iter().filter(|section| is_named(section));
            phases = named.filter_map(|section| phase(skill, section)).collect();
        }
        Self {
            skill,
            stages: std::iter::once(work.now)
                .chain(work.next.iter().copied())
                .collect(),
            is_about_it: title.is_some_and(|title| title.stages.contains(&work.now)),
            phases,
        }
    }

    fn now(&self) -> Stage {
        self.stages[0]
    }

    /// The strongest way in which a section serves the current stage or a stage that follows.
    pub(super) fn serves(&self, at: usize) -> Option<StageMatch> {
        let section = &self.skill.sections[at];
        let named = self.stages.iter().enumerate().filter_map(|(order, stage)| {
            let place = self.place(section, *stage)?;
            if order > 0 && !self.follows(section) {
                return None;
            }
            let points = match (place, order) {
                (MatchPlace::Heading, 0) => 9,
                // A step after the current one comes before a section elsewhere.
                (MatchPlace::Heading, _) if self.is_after_current(at) => 8,
                (MatchPlace::Heading, _) => 6,
                (MatchPlace::Opening, 0) => 3,
                (MatchPlace::Opening, _) => 1,
                (_, 0) => 4,
                _ => 2,
            };
            Some(StageMatch {
                stage: *stage,
                place,
                points,
            })
        });
        let beside = self.beside(at).map(|points| StageMatch {
            stage: self.now(),
            place: MatchPlace::Beside,
            points,
        });
        // Of equal matches, the first counts.
        let mut best: Option<StageMatch> = None;
        for found in named.chain(beside) {
            if best.as_ref().is_none_or(|best| best.points < found.points) {
                best = Some(found);
            }
        }
        best
    }

    /// Whether a section that serves a later stage belongs to the same phase as the current stage, or to the next one.
    fn follows(&self, section: &DigestedSection) -> bool {
        let Some(phase) = phase(self.skill, section) else {
            return true;
        };
        let series = series(self.skill, phase);
        let order = |phase: usize| series.iter().position(|other| *other == phase);
        let known = self.phases.iter().filter_map(|phase| order(*phase));
        known
            .max()
            .is_none_or(|last| order(phase).is_some_and(|own| own <= last + 1))
    }

    /// The points of a step whose series belongs to the work: a step of a skill that is about the current stage, or a
    /// step between two steps that serve the work, or next to one.
    fn beside(&self, at: usize) -> Option<u32> {
        if !is_step(&self.skill.sections[at]) {
            return None;
        }
        let series = series(self.skill, at);
        let is_wanted = |other: &usize| {
            let other = &self.skill.sections[*other];
            let serves_later =
                || other.stages.iter().any(|stage| self.stages.contains(stage)) && self.follows(other);
            other.stages.contains(&self.now()) || serves_later()
        };
        let own = series.iter().position(|other| *other == at)?;
        let before = series[..own].iter().rev();
        let after = series[own + 1..].iter();
        if before.clone().any(is_wanted) && after.clone().any(is_wanted) {
            return Some(7);
        }
        if self.is_about_it {
            return Some(5);
        }
        match (before.clone().next(), after.clone().next()) {
            (Some(last), _) if is_wanted(last) => Some(6),
            (_, Some(next)) if is_wanted(next) => Some(3),
            _ => None,
        }
    }

    /// Whether the section is a step after one for the current stage, in the same series.
    fn is_after_current(&self, at: usize) -> bool {
        is_step(&self.skill.sections[at])
            && series(self.skill, at)
                .iter()
                .any(|step| *step < at && self.skill.sections[*step].stages.contains(&self.now()))
    }

    /// Where a section names a stage.
    fn place(&self, section: &DigestedSection, stage: Stage) -> Option<MatchPlace> {
        if section.level > 1 && section.stages.contains(&stage) {
            return Some(MatchPlace::Heading);
        }
        if section.level > 1 && section.inner_stages.contains(&stage) {
            return Some(MatchPlace::Inside);
        }
        let mut above = above(self.skill, section);
        if above.any(|parent| parent.stages.contains(&stage)) {
            return Some(MatchPlace::Above);
        }
        section
            .opening_stages
            .contains(&stage)
            .then_some(MatchPlace::Opening)
    }

    /// Whether a section is for another stage of the work: its heading, or else the nearest heading above it that names
    /// stages, names only distant ones, or it is in a phase that does. When to use the skill is settled by now. Rules,
    /// warnings and checklists apply in every stage.
    pub(super) fn leads_away(&self, at: usize) -> bool {
        let section = &self.skill.sections[at];
        match section.kind {
            SectionKind::WhenToUse => return true,
            SectionKind::Rules | SectionKind::RedFlags | SectionKind::Checklist => return false,
            _ if self.is_about_it || self.beside(at).is_some() => return false,
            _ => {}
        }
        let own = std::iter::once(section).filter(|section| section.level > 1);
        let mut nearest = own
            .chain(above(self.skill, section))
            .map(|heading| &heading.stages);
        let mut named = section.stages.iter();
        let serves = named.any(|stage| self.stages.contains(stage)) && self.follows(section);
        if serves || section.inner_stages.contains(&self.now()) {
            return false;
        }
        let in_phase = phase(self.skill, section).map(|phase| &self.skill.sections[phase].stages);
        if section.stages.is_empty()
            && let Some(step) = self.step_before(at)
        {
            // A step that names no stage continues the step before it.
            return self.are_distant(&self.skill.sections[step].stages);
        }
        nearest
            .find(|stages| !stages.is_empty())
            .into_iter()
            .chain(in_phase)
            .any(|stages| self.are_distant(stages))
    }

    /// The nearest earlier step of the same series that names a stage.
    fn step_before(&self, at: usize) -> Option<usize> {
        if !is_step(&self.skill.sections[at]) {
            return None;
        }
        let series = series(self.skill, at);
        let mut earlier = series.into_iter().rev().filter(|step| *step < at);
        earlier.find(|step| !self.skill.sections[*step].stages.is_empty())
    }

    /// Whether all of these stages are for another end of the work than the current stage.
    fn are_distant(&self, stages: &[Stage]) -> bool {
        !stages.is_empty() && stages.iter().all(|stage| self.now().contradicts(*stage))
    }
}

/// The numbered step that contains a section.
fn phase(skill: &DigestedSkill, section: &DigestedSection) -> Option<usize> {
    let parent = section.parent?;
    skill.sections.get(parent).is_some_and(is_step).then_some(parent)
}

/// Whether a section contains numbered steps.
fn holds_steps(skill: &DigestedSkill, at: usize) -> bool {
    let mut inside = skill.sections.iter().filter(|section| section.parent == Some(at));
    inside.any(is_step)
}

/// The steps beside a step, including itself, in order.
fn series(skill: &DigestedSkill, step: usize) -> Vec<usize> {
    let own = &skill.sections[step];
    let sections = skill.sections.iter().enumerate();
    sections
        .filter(|(_, other)| is_step(other) && other.parent == own.parent && other.level == own.level)
        .map(|(at, _)| at)
        .collect()
}

/// Whether a section is a numbered step.
fn is_step(section: &DigestedSection) -> bool {
    let title = section.title.trim_start();
    let is_numbered = title.starts_with(|c: char| c.is_ascii_digit());
    is_numbered
        || ["step", "phase", "stage", "gate"]
            .iter()
            .any(|word| is_titled(title, word))
}
