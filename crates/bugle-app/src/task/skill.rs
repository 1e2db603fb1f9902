//! The skill for a task: which one applies and why, and the exact version that its tree keeps to.

use std::collections::BTreeMap;
use std::path::Path;

use bugle_core::choice::{Choice, Reason};
use bugle_core::digest::{Detail, DigestedSkill, Need, Relevance, digest, relevance};
use bugle_core::id::{ContentHash, TaskId};
use bugle_core::name::SkillAddress;
use bugle_core::path::SkillPath;
use bugle_core::role::AgentRole;
use bugle_core::task::TaskEvent;
use bugle_render::task_words::{reason, spoken};
use bugle_skill::{parse_sections, parse_skill_file};
use bugle_store::{SkillPin, SqliteStore, Store as _, TaskRow, TaskStore as _};
use bugle_wire::{PinView, ReminderView, SectionView, SkillChoiceView};

use super::{Rules, name_of, recorded};
use crate::catalogue::{self, Found, SkillSource};
use crate::files::{self, SkillBytes, content_hash};
use crate::{App, AppError, Place, pin};

/// The version of digested sections in the store. Apart from the compiled workflows of skills.
const DIGESTER: i64 = 1001;

/// A skill in sections, and how much a task needs each.
pub(crate) type Sections = (DigestedSkill, Vec<Relevance>);

/// The skill for a task.
pub(crate) struct ChosenSkill {
    /// Which one it is; none if none applies.
    pub skill: Option<SkillAddress>,
    /// The same as it is shown.
    pub view: SkillChoiceView,
    /// What is wrong with the rules by which it was chosen.
    pub notices: Vec<String>,
}

/// A choice as it is shown, with the version that the tree keeps to and whether another one is installed.
pub(crate) fn choice_view(
    store: &mut SqliteStore,
    place: &Place,
    row: &TaskRow,
    above: &[TaskRow],
    choice: &Choice,
) -> Result<SkillChoiceView, AppError> {
    let named_by = match choice.reason {
        Reason::Inherited { ancestor } => above.get(ancestor).map(|row| spoken(&row.task)),
        _ => None,
    };
    let (reason, because) = reason(choice, named_by.as_deref());
    let mut view = SkillChoiceView {
        task: name_of(&row.task),
        skill: choice.primary.as_ref().map(ToString::to_string),
        because,
        reason: reason.to_owned(),
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
        return Ok(view);
    };
    let pinned = store
        .skill_pins(&row.root)?
        .into_iter()
        .find(|pin| pin.skill == *skill);
    let installed = Installed::find(place, skill);
    view.installed = installed.as_ref().map(|installed| installed.found.describe());
    view.notices
        .extend(drift(pinned.as_ref(), skill, installed.as_ref(), place, row));
    view.pinned = pinned.map(|pin| pin_view(&pin));
    Ok(view)
}

pub(crate) fn pin_view(pin: &SkillPin) -> PinView {
    PinView {
        skill: pin.skill.to_string(),
        hash: pin.hash.to_string(),
        version: pin.version.clone(),
        source: Some(pin.source.clone()),
    }
}

/// What is to be said about the installed version of a skill, if anything.
fn drift(
    pinned: Option<&SkillPin>,
    skill: &SkillAddress,
    installed: Option<&Installed>,
    place: &Place,
    row: &TaskRow,
) -> Option<String> {
    match (pinned, installed) {
        (None, None) => Some(missing(place, skill, &row.task.id)),
        (None, Some(_)) => None,
        (Some(_), None) => Some(format!(
            "The skill {skill} is no longer installed; this work keeps to the version it began with."
        )),
        (Some(pin), Some(installed)) if pin.hash == installed.hash => None,
        (Some(pin), Some(installed)) => Some(format!(
            "The skill {skill} has changed: this work keeps to {}, installed is {}. `{}` moves on.",
            called(pin.version.as_ref(), &pin.hash),
            called(installed.version().as_ref(), &installed.hash),
            place.command(&["plan", "upgrade-skills", row.root.as_str()])
        )),
    }
}

/// What is to be said about a skill that cannot be read: that it is not here, or that it is not clear which one is meant.
fn missing(place: &Place, skill: &SkillAddress, task: &TaskId) -> String {
    let found = catalogue::in_plugins(place, skill.as_str());
    let addresses: Vec<&str> = found.iter().map(|found| found.address.as_str()).collect();
    match addresses.first() {
        None => format!("The skill {skill} is not installed here; the work goes on without it."),
        Some(first) => format!(
            "Several plugins have a skill {skill}: {}. `{}` says that it is the first.",
            addresses.join(", "),
            place.command(&["task", "edit", task.as_str(), "--skill", first])
        ),
    }
}

/// A version as people speak of it.
pub(crate) fn called(version: Option<&String>, hash: &ContentHash) -> String {
    match version {
        Some(version) => format!("{version} ({})", hash.short()),
        None => hash.short().to_owned(),
    }
}

/// A skill as it is installed.
pub(crate) struct Installed {
    pub found: Found,
    files: BTreeMap<SkillPath, SkillBytes>,
    pub hash: ContentHash,
}

impl Installed {
    /// The skill of this name, from the first place that has one.
    pub(crate) fn find(place: &Place, skill: &SkillAddress) -> Option<Self> {
        let found = catalogue::find(place, skill.as_str())?;
        let files = files::of(place, &found, &mut Vec::new());
        let hashes = files.iter().map(|(path, file)| (path.clone(), file.hash.clone()));
        let hash = content_hash(&pin::listing(&hashes.collect()));
        Some(Self { found, files, hash })
    }

    /// What it calls itself, else what its plugin calls itself. Read only when somebody asks: it stands in YAML.
    pub(crate) fn version(&self) -> Option<String> {
        written_version(&self.files).or_else(|| plugin_version(&self.found))
    }

    /// Keeps its bytes.
    pub(crate) fn keep(&self, store: &mut SqliteStore, skill: &SkillAddress) -> Result<SkillPin, AppError> {
        let hashes = self
            .files
            .iter()
            .map(|(path, file)| (path.clone(), file.hash.clone()));
        let mut blobs: Vec<(ContentHash, Vec<u8>)> = self
            .files
            .values()
            .map(|file| (file.hash.clone(), file.bytes.clone()))
            .collect();
        blobs.push((self.hash.clone(), pin::listing(&hashes.collect())));
        store.keep_blobs(&blobs)?;
        Ok(SkillPin {
            skill: skill.clone(),
            hash: self.hash.clone(),
            version: self.version(),
            source: self.found.describe(),
            pinned_at: crate::now(),
        })
    }

    fn text(&self) -> Option<(ContentHash, String)> {
        let file = self.files.get(&SkillPath::new("SKILL.md").ok()?)?;
        let text = String::from_utf8(file.bytes.clone()).ok()?;
        Some((file.hash.clone(), text))
    }
}

/// The version that a skill calls itself.
fn written_version(files: &BTreeMap<SkillPath, SkillBytes>) -> Option<String> {
    let path = SkillPath::new("SKILL.md").ok()?;
    let text = std::str::from_utf8(&files.get(&path)?.bytes).ok()?;
    parse_skill_file(&path, text)
        .ok()?
        .manifest
        .metadata
        .get("version")
        .cloned()
}

/// The version of the plugin that brought a skill: the folder above `skills`.
fn plugin_version(found: &Found) -> Option<String> {
    if found.source != SkillSource::Plugin {
        return None;
    }
    let folder = found
        .path
        .as_deref()
        .and_then(Path::parent)
        .and_then(Path::parent)?;
    Some(folder.file_name()?.to_string_lossy().into_owned())
}

/// Work on a task begins: its tree keeps to the installed version of its skill from now on, unless it has one already, and
/// the task remembers which it was.
pub(crate) fn keep_to(store: &mut SqliteStore, place: &Place, row: &TaskRow) -> Result<(), AppError> {
    let above = store.above(row)?;
    let choice = Rules::load(place).choose(store, place, row, &above, None)?;
    let Some(skill) = choice.primary else {
        return Ok(());
    };
    let pinned = store
        .skill_pins(&row.root)?
        .into_iter()
        .find(|pin| pin.skill == skill);
    let pin = if let Some(pin) = pinned {
        pin
    } else {
        let Some(installed) = Installed::find(place, &skill) else {
            return Ok(());
        };
        let pin = installed.keep(store, &skill)?;
        store.pin_skill(&row.root, &pin, false)?;
        if let Some((hash, text)) = installed.text()
            && kept_sections(store, &hash)?.is_none()
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
        store.change_tasks(&row.project, &recorded(place, vec![(row.task.id.clone(), used)]))?;
    }
    Ok(())
}

/// The sections of a skill's text, if they are kept in the store.
fn kept_sections(store: &mut SqliteStore, hash: &ContentHash) -> Result<Option<DigestedSkill>, AppError> {
    let body = store.compiled(hash, DIGESTER)?;
    Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
}

/// The sections of a skill's text.
fn sections(text: &str) -> DigestedSkill {
    let path = SkillPath::new("SKILL.md").ok();
    let parsed = path.and_then(|path| parse_skill_file(&path, text).ok());
    let body = parsed.map_or_else(|| text.to_owned(), |file| file.body);
    digest(&body, &parse_sections(&body))
}

/// The hash of the text of a pinned skill.
fn pinned_hash(store: &mut SqliteStore, pin: &SkillPin) -> Result<Option<ContentHash>, AppError> {
    let Some(list) = store.blob(&pin.hash)? else {
        return Ok(None);
    };
    let mut files: BTreeMap<SkillPath, ContentHash> = serde_json::from_slice(&list)
        .map_err(|error| bugle_store::StoreError::Unreadable(format!("a pinned skill: {error}")))?;
    let main = SkillPath::new("SKILL.md").ok();
    Ok(main.and_then(|path| files.remove(&path)))
}

impl App {
    /// The whole text of the skill for a task, in the version that its tree keeps to.
    pub fn task_skill_text(&mut self, id: &TaskId, role: Option<AgentRole>) -> Result<String, AppError> {
        let row = self.task_row(id)?;
        let above = self.store.above(&row)?;
        let rules = Rules::load(&self.place);
        let choice = rules.choose(&mut self.store, &self.place, &row, &above, role)?;
        let text = match &choice.primary {
            Some(skill) => self.skill_text(&row, skill)?,
            None => None,
        };
        text.ok_or_else(|| AppError::NotFound {
            what: match &choice.primary {
                Some(skill) => format!("the skill {skill} is not installed here"),
                None => "no skill applies to this task".to_owned(),
            },
            hints: Vec::new(),
        })
    }

    /// The text of a skill as a task is worked on with it.
    fn skill_text(&mut self, row: &TaskRow, skill: &SkillAddress) -> Result<Option<String>, AppError> {
        let pins = self.store.skill_pins(&row.root)?;
        let Some(pin) = pins.iter().find(|pin| pin.skill == *skill) else {
            let installed = Installed::find(&self.place, skill);
            return Ok(installed
                .and_then(|installed| installed.text())
                .map(|(_, text)| text));
        };
        match pinned_hash(&mut self.store, pin)? {
            Some(hash) => self.kept_text(&hash),
            None => Ok(None),
        }
    }

    /// A text that is kept by its hash.
    fn kept_text(&mut self, hash: &ContentHash) -> Result<Option<String>, AppError> {
        let bytes = self.store.blob(hash)?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }

    /// The sections of a skill as a task is worked on with it. Its text is read only if they are not kept.
    fn skill_sections(
        &mut self,
        row: &TaskRow,
        skill: &SkillAddress,
    ) -> Result<Option<DigestedSkill>, AppError> {
        let pins = self.store.skill_pins(&row.root)?;
        let (hash, installed) = match pins.iter().find(|pin| pin.skill == *skill) {
            Some(pin) => (pinned_hash(&mut self.store, pin)?, None),
            None => Installed::find(&self.place, skill)
                .and_then(|installed| installed.text())
                .map_or((None, None), |(hash, text)| (Some(hash), Some(text))),
        };
        let Some(hash) = hash else { return Ok(None) };
        if let Some(kept) = kept_sections(&mut self.store, &hash)? {
            return Ok(Some(kept));
        }
        let text = match installed {
            Some(text) => Some(text),
            None => self.kept_text(&hash)?,
        };
        Ok(text.map(|text| sections(&text)))
    }

    /// The skill for a task, and why: with its version, the sections that the task needs, and what was used before.
    pub fn task_skill(&mut self, id: &TaskId, role: Option<AgentRole>) -> Result<SkillChoiceView, AppError> {
        let row = self.task_row(id)?;
        let above = self.store.above(&row)?;
        let chosen = self.chosen_skill(&row, &above, role)?;
        let sections = self.sections_for(&row, &chosen, role)?;
        let mut view = chosen.view;
        view.notices.extend(chosen.notices);
        for recorded in self.store.task_events(&row.task.id)? {
            if let TaskEvent::SkillUsed { skill, pin } = recorded.event {
                view.history.push(PinView {
                    skill: skill.to_string(),
                    hash: pin.to_string(),
                    version: None,
                    source: None,
                });
            }
        }
        if let Some((digested, relevant)) = sections {
            let section_view = |relevant: &Relevance| {
                let section = digested.sections.get(relevant.section)?;
                Some(SectionView {
                    title: section.title.clone(),
                    score: relevant.score,
                    needed: relevant.is_needed(),
                    characters: section.at(Detail::Full).size.characters,
                    digest_characters: section.at(Detail::Digest).size.characters,
                })
            };
            view.sections = relevant.iter().filter_map(section_view).collect();
        }
        Ok(view)
    }

    /// The skill for a task that lies in these, the nearest first.
    pub(crate) fn chosen_skill(
        &mut self,
        row: &TaskRow,
        above: &[TaskRow],
        role: Option<AgentRole>,
    ) -> Result<ChosenSkill, AppError> {
        let rules = Rules::load(&self.place);
        let choice = rules.choose(&mut self.store, &self.place, row, above, role)?;
        Ok(ChosenSkill {
            view: choice_view(&mut self.store, &self.place, row, above, &choice)?,
            skill: choice.primary,
            notices: rules.notices,
        })
    }

    /// The sections of the skill for a task and how much the task needs each, if there is a skill to read.
    pub(crate) fn sections_for(
        &mut self,
        row: &TaskRow,
        chosen: &ChosenSkill,
        role: Option<AgentRole>,
    ) -> Result<Option<Sections>, AppError> {
        let digested = match &chosen.skill {
            Some(skill) => self.skill_sections(row, skill)?,
            None => None,
        };
        let need = Need {
            title: &row.task.title,
            step: None,
            role,
        };
        Ok(digested.map(|digested| {
            let relevant = relevance(&digested, &need);
            (digested, relevant)
        }))
    }
}
