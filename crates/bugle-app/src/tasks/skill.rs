//! The skill that applies to a task, why it applies, and the sections of the skill that the task needs.

use std::collections::BTreeMap;

use bugle_core::digest::{
    Claim, Detail, DigestedSkill, Need, Relevance, WorkPosition, WorkStage, digest, relevance, work_stage,
};
use bugle_core::id::{ContentHash, TaskId};
use bugle_core::name::SkillAddress;
use bugle_core::path::SkillPath;
use bugle_core::reply::{
    PinView, ReminderView, RulesProblem, SectionView, SkillChoiceView, SkillNotice, SkillReason, TaskName,
};
use bugle_core::role::AgentRole;
use bugle_core::skill_selection::{Selection, SelectionReason};
use bugle_core::task::TaskEvent;
use bugle_skill::{parse_sections, skill_body};
use bugle_store::{SkillPin, Store, TaskRow};

use super::Rules;
use super::skill_pin::{InstalledSkill, drift, pin_view};
use crate::tasks::task_row;
use crate::{AppError, Context, event_record};

/// The format version of digested sections in the store. Must differ from the versions of compiled workflows and plan
/// outlines.
const DIGESTER: i64 = 1003;

/// A skill's sections, and how much an agent's work needs each.
pub(crate) struct Sections {
    /// The sections, in order.
    pub digested: DigestedSkill,
    /// The relevance of each section, most needed first.
    pub relevant: Vec<Relevance>,
    /// The stage of the work, if it is known.
    pub stage: Option<WorkStage>,
}

/// The skill for a task.
pub(crate) struct ChosenSkill {
    /// The skill's address; `None` if no skill applies.
    pub skill: Option<SkillAddress>,
    /// The skill versions that the task's tree has pinned.
    pub pins: Vec<SkillPin>,
    /// The selection as shown to the reader.
    pub view: SkillChoiceView,
    /// Problems in the rules that selected the skill.
    pub problems: Vec<RulesProblem>,
}

/// The view of a selection, with the pinned version and whether a different version is installed.
pub(crate) fn selection_view(
    ctx: &Context,
    row: &TaskRow,
    above: &[TaskRow],
    pins: &[SkillPin],
    choice: &Selection,
) -> SkillChoiceView {
    let reason = match &choice.reason {
        SelectionReason::Explicit => SkillReason::Explicit,
        SelectionReason::Inherited { ancestor } => {
            SkillReason::Inherited(above.get(*ancestor).map(|row| TaskName::of(&row.task)))
        }
        SelectionReason::Rule {
            origin,
            number,
            words,
        } => SkillReason::Rule {
            origin: *origin,
            number: *number,
            words: words.clone(),
        },
        SelectionReason::RoleDefault { role } => SkillReason::Role(*role),
        SelectionReason::Nothing => SkillReason::Nothing,
    };
    let mut view = SkillChoiceView {
        task: TaskName::of(&row.task),
        skill: choice.primary.as_ref().map(ToString::to_string),
        reason,
        reminders: choice
            .reminders
            .iter()
            .map(|reminder| ReminderView {
                line: reminder.line.clone(),
                skill: reminder.skill.to_string(),
            })
            .collect(),
        pinned: None,
        installed: None,
        notices: Vec::new(),
        sections: Vec::new(),
        history: Vec::new(),
    };
    let Some(skill) = &choice.primary else {
        return view;
    };
    let pinned = pins.iter().find(|pin| pin.skill == *skill);
    let installed = InstalledSkill::find(ctx, skill);
    view.installed = installed.as_ref().map(|installed| installed.found.describe());
    view.notices
        .extend(drift(pinned, skill, installed.as_ref(), ctx, row));
    view.pinned = pinned.map(pin_view);
    view
}

/// Pins the installed version of a task's skill to the task's tree, unless the tree has already pinned a version, and
/// records the use. Called when a task starts.
pub(crate) fn pin_skill_of(store: &mut Store, ctx: &Context, row: &TaskRow) -> Result<(), AppError> {
    let above = store.above(row)?;
    let pins = store.skill_pins(&row.root)?;
    let choice = Rules::load(ctx).choose(ctx, row, &above, &pins, None);
    let Some(skill) = choice.primary else {
        return Ok(());
    };
    let pinned = pins.into_iter().find(|pin| pin.skill == skill);
    let pin = if let Some(pin) = pinned {
        pin
    } else {
        let Some(installed) = InstalledSkill::find(ctx, &skill) else {
            return Ok(());
        };
        let installed_pin = installed.store_files(store, ctx, &skill)?;
        let pin = store.pin_skill(&row.root, &installed_pin)?;
        if let Some((hash, text)) = installed.text()
            && stored_sections(store, &hash)?.is_none()
        {
            let body = serde_json::to_string(&sections(&text))
                .map_err(|error| AppError::System(error.to_string()))?;
            store.keep_compiled(&hash, DIGESTER, &body)?;
        }
        pin
    };
    let used = TaskEvent::SkillUsed { skill, pin: pin.hash };
    let last = store
        .task_events(&row.task.id)?
        .into_iter()
        .rev()
        .map(|recorded| recorded.event)
        .find(|event| matches!(event, TaskEvent::SkillUsed { .. }));
    if last.as_ref() != Some(&used) {
        store.change_tasks(
            &row.project,
            &event_record::task_events(ctx, vec![(row.task.id.clone(), used)]),
        )?;
    }
    Ok(())
}

/// The digested sections of a skill's text, if the store has them.
fn stored_sections(store: &mut Store, hash: &ContentHash) -> Result<Option<DigestedSkill>, AppError> {
    let body = store.compiled(hash, DIGESTER)?;
    Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
}

/// Digests a skill's text into sections.
fn sections(text: &str) -> DigestedSkill {
    let body = skill_body(text);
    digest(body, &parse_sections(body))
}

/// The hash of a pinned skill's `SKILL.md`.
fn pinned_text_hash(store: &mut Store, pin: &SkillPin) -> Result<Option<ContentHash>, AppError> {
    let Some(list) = store.blob(&pin.hash)? else {
        return Ok(None);
    };
    let mut files: BTreeMap<SkillPath, ContentHash> = serde_json::from_slice(&list)
        .map_err(|error| bugle_store::StoreError::Unreadable(format!("a pinned skill: {error}")))?;
    let main = SkillPath::new("SKILL.md").ok();
    Ok(main.and_then(|path| files.remove(&path)))
}

/// The full text of the pinned version of a task's skill.
pub fn task_skill_text(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    role: Option<AgentRole>,
) -> Result<String, AppError> {
    let row = task_row(store, ctx, id)?;
    let above = store.above(&row)?;
    let rules = Rules::load(ctx);
    let pins = store.skill_pins(&row.root)?;
    let choice = rules.choose(ctx, &row, &above, &pins, role);
    let text = match &choice.primary {
        Some(skill) => skill_text(store, ctx, &pins, skill)?,
        None => None,
    };
    text.ok_or_else(|| AppError::NotFound {
        what: match &choice.primary {
            Some(skill) => format!("the skill {skill} is not installed"),
            None => "no skill applies to this task".to_owned(),
        },
        hints: Vec::new(),
    })
}

/// The text of the skill version that the task's tree has pinned, else of the installed version.
fn skill_text(
    store: &mut Store,
    ctx: &Context,
    pins: &[SkillPin],
    skill: &SkillAddress,
) -> Result<Option<String>, AppError> {
    let Some(pin) = pins.iter().find(|pin| pin.skill == *skill) else {
        let installed = InstalledSkill::find(ctx, skill);
        return Ok(installed
            .and_then(|installed| installed.text())
            .map(|(_, text)| text));
    };
    match pinned_text_hash(store, pin)? {
        Some(hash) => stored_text(store, &hash),
        None => Ok(None),
    }
}

/// The text of a blob; `None` if the blob is missing or is not UTF-8.
fn stored_text(store: &mut Store, hash: &ContentHash) -> Result<Option<String>, AppError> {
    let bytes = store.blob(hash)?;
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}

/// The sections of the skill version that the task's tree has pinned, else of the installed version. Reads the text
/// only if the store does not have its sections.
fn skill_sections(
    store: &mut Store,
    ctx: &Context,
    pins: &[SkillPin],
    skill: &SkillAddress,
) -> Result<Option<DigestedSkill>, AppError> {
    let (hash, installed) = match pins.iter().find(|pin| pin.skill == *skill) {
        Some(pin) => (pinned_text_hash(store, pin)?, None),
        None => InstalledSkill::find(ctx, skill)
            .and_then(|installed| installed.text())
            .map_or((None, None), |(hash, text)| (Some(hash), Some(text))),
    };
    let Some(hash) = hash else { return Ok(None) };
    if let Some(stored) = stored_sections(store, &hash)? {
        return Ok(Some(stored));
    }
    let text = match installed {
        Some(text) => Some(text),
        None => stored_text(store, &hash)?,
    };
    Ok(text.map(|text| sections(&text)))
}

/// The skill for a task, with the reason, the version, the sections that the task needs, and the skills used earlier.
pub fn task_skill(
    store: &mut Store,
    ctx: &Context,
    id: &TaskId,
    role: Option<AgentRole>,
) -> Result<SkillChoiceView, AppError> {
    let row = task_row(store, ctx, id)?;
    let above = store.above(&row)?;
    let chosen = chosen_skill(store, ctx, &row, &above, role)?;
    let position = WorkPosition {
        title: &row.task.title,
        role,
        ..WorkPosition::default()
    };
    let sections = sections_for(store, ctx, &chosen, &position)?;
    let mut view = chosen.view;
    view.notices
        .extend(chosen.problems.into_iter().map(SkillNotice::Rules));
    for recorded in store.task_events(&row.task.id)? {
        if let TaskEvent::SkillUsed { skill, pin } = recorded.event {
            view.history.push(PinView {
                skill: skill.to_string(),
                hash: pin.to_string(),
                version: None,
                source: None,
            });
        }
    }
    if let Some(Sections {
        digested, relevant, ..
    }) = sections
    {
        let section_view = |relevant: &Relevance| {
            let section = digested.sections.get(relevant.section)?;
            Some(SectionView {
                title: section.title.clone(),
                score: relevant.score,
                needed: relevant.claim == Claim::Needed,
                characters: section.at(Detail::Full).size.characters,
                digest_characters: section.at(Detail::Digest).size.characters,
            })
        };
        view.sections = relevant.iter().filter_map(section_view).collect();
    }
    Ok(view)
}

/// Selects the skill for a task. The task's ancestors are passed nearest first.
pub(crate) fn chosen_skill(
    store: &mut Store,
    ctx: &Context,
    row: &TaskRow,
    above: &[TaskRow],
    role: Option<AgentRole>,
) -> Result<ChosenSkill, AppError> {
    let rules = Rules::load(ctx);
    let pins = store.skill_pins(&row.root)?;
    let choice = rules.choose(ctx, row, above, &pins, role);
    Ok(ChosenSkill {
        view: selection_view(ctx, row, above, &pins, &choice),
        skill: choice.primary,
        pins,
        problems: rules.problems,
    })
}

/// Plans the queries for the sections of a task's skill.
pub(crate) fn plan_sections(store: &mut Store, chosen: &ChosenSkill) -> Result<(), AppError> {
    if !store.reads_ahead() {
        return Ok(());
    }
    let is_chosen = |pin: &&SkillPin| Some(&pin.skill) == chosen.skill.as_ref();
    if let Some(pin) = chosen.pins.iter().find(is_chosen)
        && let Some(hash) = pinned_text_hash(store, pin)?
    {
        store.read_ahead(|plan| plan.compiled(&hash, DIGESTER).map(drop))?;
    }
    Ok(())
}

/// The sections of a task's skill and how much the work needs each; `None` if there is no skill to read.
pub(crate) fn sections_for(
    store: &mut Store,
    ctx: &Context,
    chosen: &ChosenSkill,
    position: &WorkPosition<'_>,
) -> Result<Option<Sections>, AppError> {
    let digested = match &chosen.skill {
        Some(skill) => skill_sections(store, ctx, &chosen.pins, skill)?,
        None => None,
    };
    Ok(digested.map(|digested| {
        let stage = work_stage(&WorkPosition {
            delegates: digested.delegates(),
            ..*position
        });
        let need = Need {
            title: position.title,
            step: None,
            stage: stage.as_ref(),
        };
        Sections {
            relevant: relevance(&digested, &need),
            digested,
            stage,
        }
    }))
}
