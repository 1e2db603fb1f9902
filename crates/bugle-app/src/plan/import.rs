//! Taking a plan into the tree of tasks, for the first time or again.

use std::path::{Path, PathBuf};

use bugle_core::id::{PlanId, TaskId};
use bugle_core::name::SkillAddress;
use bugle_core::plan::Plan;
use bugle_core::task::{
    Import, Importing, MOST_LEVELS, PlanLink, Rank, Standing, Substance, Task, TaskChanges, TaskCommand,
    TaskEvent, TaskRefusal, import,
};
use bugle_skill::parse_plan;
use bugle_store::{PlanRow, ProjectId, SqliteStore, Store as _, TaskRow, TaskStore as _};
use bugle_wire::PlanImport;

use super::missing::similar_files;
use super::order::tasks_around;
use super::refusals::{active_vanish, imported_twice, no_tasks, plans_in, refused_circle, renamed};
use super::{LARGEST_PLAN, file_key, hash_of, text_of};
use crate::files::content_hash;
use crate::task::{ID_TRIES, carry_out, move_under, new_task_id, recorded, refuse_cycle, refused, there};
use crate::{App, AppError, Place, folder, inside};

/// Headings of a plan nest no deeper than this below its root.
const MOST_PLAN_LEVELS: usize = 12;

/// A plan that is to be imported.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// Its file.
    pub file: PathBuf,
    /// The task that it lies in; at the top if not said.
    pub under: Option<TaskId>,
    /// The plan that this one was, before its file was moved.
    pub was: Option<PlanId>,
    /// Whether it is another plan, even if it looks like one whose file got another name.
    pub another: bool,
    /// Whether ticked boxes and signs in headings say that a task is done.
    pub trust_checkboxes: bool,
    /// Whether tasks that somebody is at may be taken out of the tree.
    pub drop_active: bool,
}

/// A plan that was read.
pub(super) struct Source {
    pub bytes: Vec<u8>,
    pub plan: Plan,
    pub key: String,
}

/// What happened to the tree.
pub(super) struct Imported {
    pub plan: PlanRow,
    pub before: Vec<TaskRow>,
    pub import: Import,
    pub again: bool,
}

impl App {
    /// Takes a plan into the tree of tasks; what is closed stays closed if it was there before.
    pub fn import_plan(&mut self, request: &ImportRequest) -> Result<PlanImport, AppError> {
        let source = self.read_plan(&request.file)?;
        if source.plan.tasks.is_empty() {
            return Err(no_tasks(&source));
        }
        let project = self.kept_project()?;
        let under = match &request.under {
            Some(under) => Some(self.task_row(under)?),
            None => None,
        };
        let was = match &request.was {
            Some(was) => Some(self.plan_row(was)?),
            None => None,
        };
        let strangers = [
            under.as_ref().map(|row| (row.task.id.to_string(), &row.project)),
            was.as_ref().map(|plan| (plan.id.to_string(), &plan.project)),
        ];
        for (id, other) in strangers.into_iter().flatten() {
            if *other != project {
                return Err(AppError::Usage {
                    what: format!("{id} belongs to another project"),
                    hints: Vec::new(),
                });
            }
        }
        if was.is_none() && !request.another {
            self.refuse_renamed(&project, &source)?;
        }
        let branch = self.place.branch();
        for _ in 0..ID_TRIES {
            let place = &self.place;
            let imported = self.store.together(|store| {
                if let Some(was) = &was {
                    make_way(store, place, &source, was)?;
                }
                let (plan, again) = plan_row(store, &project, &source, was.as_ref(), branch.clone())?;
                bring_in(
                    store,
                    place,
                    &source,
                    (plan, again),
                    under.as_ref(),
                    (request.trust_checkboxes, request.drop_active),
                )
            })?;
            if let Some(imported) = imported {
                return self.import_view(&source, imported);
            }
        }
        Err(AppError::System(
            "no free ids were found for the tasks".to_owned(),
        ))
    }

    /// A new plan with the title of one whose file is gone is probably that one under another name. To import it as a new
    /// one would begin it all over again.
    fn refuse_renamed(&mut self, project: &ProjectId, source: &Source) -> Result<(), AppError> {
        if self.store.plan_of_file(project, &source.key)?.is_some() {
            return Ok(());
        }
        let title = title_of_plan(source);
        let same_title = self
            .store
            .plans(project)?
            .into_iter()
            .filter(|other| other.title == title);
        for other in same_title {
            let gone = self.plan_file(&other)?.is_some_and(|file| !file.exists());
            if gone && there(&mut self.store, &other.root)?.task.removed.is_none() {
                let file = self.place.root.join(&source.key);
                return Err(renamed(&self.place, &file, &other));
            }
        }
        Ok(())
    }

    /// Reads a plan's file.
    pub(super) fn read_plan(&mut self, file: &Path) -> Result<Source, AppError> {
        let given = self.place.directory.join(file);
        let path = given.canonicalize().unwrap_or_else(|_| given.clone());
        let key = file_key(&self.place, &path);
        if path.is_dir() {
            return Err(AppError::Usage {
                what: format!("{} is a folder, not a plan", file.display()),
                hints: plans_in(&path),
            });
        }
        if inside::is_link_out(&self.place.root, &given) {
            return Err(AppError::File {
                what: "cannot read",
                path: given,
                source: std::io::Error::new(std::io::ErrorKind::PermissionDenied, inside::LEAVES),
            });
        }
        let bytes = match folder::read_bounded(&path, LARGEST_PLAN) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(self.no_such_plan_file(file, &key)?);
            }
            Err(source) => {
                return Err(AppError::File {
                    what: "cannot read",
                    path,
                    source,
                });
            }
        };
        let text = text_of(bytes.clone()).map_err(|why| AppError::File {
            what: "cannot read",
            path: path.clone(),
            source: std::io::Error::other(why),
        })?;
        Ok(Source {
            bytes,
            plan: parse_plan(&text),
            key,
        })
    }

    fn no_such_plan_file(&mut self, file: &Path, key: &str) -> Result<AppError, AppError> {
        let known = match self.project()? {
            Some(project) => self.store.plan_of_file(&project, key)?,
            None => None,
        };
        let hints = match known {
            Some(plan) => vec![
                format!(
                    "It was imported as {}, and its tasks are kept: `{}`",
                    plan.id,
                    self.place.command(&["plan", "show", plan.id.as_str()])
                ),
                format!(
                    "If it has another name now: `{}`",
                    self.place
                        .command(&["plan", "import", "NEW-FILE", "--was", plan.id.as_str()])
                ),
            ],
            None => similar_files(&self.place.directory, file),
        };
        Ok(AppError::NotFound {
            what: format!("there is no file {}", file.display()),
            hints,
        })
    }
}

/// Another plan may have been imported from the file that a plan has now. If it was taken out of the tree, it gives up the
/// name of the file; else it is not clear whose tasks are meant.
fn make_way(store: &mut SqliteStore, place: &Place, source: &Source, was: &PlanRow) -> Result<(), AppError> {
    let Some(other) = store.plan_of_file(&was.project, &source.key)? else {
        return Ok(());
    };
    if other.id == was.id {
        return Ok(());
    }
    if there(store, &other.root)?.task.removed.is_some() {
        let file = format!("{} (as {})", other.file, other.id);
        return Ok(store.keep_plan(&PlanRow { file, ..other })?);
    }
    Err(imported_twice(place, source, was, &other))
}

/// The title of a plan: its own, else the name of its file.
fn title_of_plan(source: &Source) -> String {
    let title = source.plan.title.clone().unwrap_or_else(|| {
        let name = Path::new(&source.key).file_stem();
        name.map_or_else(|| source.key.clone(), |name| name.to_string_lossy().into_owned())
    });
    bugle_core::task::title_of(&title).unwrap_or_else(|_| "A plan".to_owned())
}

/// The row of the plan as it will be, and whether it was there before.
fn plan_row(
    store: &mut SqliteStore,
    project: &ProjectId,
    source: &Source,
    was: Option<&PlanRow>,
    branch: Option<String>,
) -> Result<(PlanRow, bool), AppError> {
    let known = match was {
        Some(was) => Some(was.clone()),
        None => store.plan_of_file(project, &source.key)?,
    };
    let title = title_of_plan(source);
    let again = known.is_some();
    let plan = match known {
        Some(known) => PlanRow {
            title,
            file: source.key.clone(),
            source: content_hash(&source.bytes),
            branch,
            imported_at: crate::now(),
            ..known
        },
        None => PlanRow {
            id: PlanId::from_random(crate::random()?),
            project: project.clone(),
            file: source.key.clone(),
            title,
            source: content_hash(&source.bytes),
            branch,
            root: new_task_id()?,
            imported_at: crate::now(),
        },
    };
    Ok((plan, again))
}

/// Writes everything, inside a transaction; nothing if an id was taken.
fn bring_in(
    store: &mut SqliteStore,
    place: &Place,
    source: &Source,
    (plan, again): (PlanRow, bool),
    under: Option<&TaskRow>,
    (trust_checkboxes, drop_active): (bool, bool),
) -> Result<Option<Imported>, AppError> {
    if let Some(under) = under.filter(|under| under.task.removed.is_some()) {
        return Err(refused(store, place, &under.task, &TaskRefusal::Removed)?);
    }
    store.keep_blobs(&[(plan.source.clone(), source.bytes.clone())])?;
    super::reading::keep_outline(store, &plan.source, &source.plan, &source.bytes)?;
    store.keep_plan(&plan)?;
    if !again && !add_root(store, place, &plan, &source.plan, under)? {
        return Ok(None);
    }
    let mut root = there(store, &plan.root)?;
    if root.task.removed.is_some() {
        carry_out(store, place, &root.task.id, &TaskCommand::Reopen)?;
        root = there(store, &plan.root)?;
    }
    if let Some(under) = under.filter(|under| root.task.parent.as_ref() != Some(&under.task.id)) {
        move_under(store, place, &root, &under.task.id)?;
        root = there(store, &plan.root)?;
    }
    let above: Vec<Task> = store.above(&root)?.into_iter().map(|row| row.task).collect();
    if above.len() + 1 + MOST_PLAN_LEVELS > MOST_LEVELS {
        return Err(AppError::Usage {
            what: "the plan would lie too deep in the tree of tasks".to_owned(),
            hints: Vec::new(),
        });
    }
    let before = if again {
        tasks_around(store, &plan.id, &root)?
    } else {
        Vec::new()
    };
    let known: Vec<Task> = before.iter().map(|row| row.task.clone()).collect();
    let hashes: Vec<String> = source
        .plan
        .tasks
        .iter()
        .map(|task| hash_of(&task.content))
        .collect();
    let nodes = source.plan.groups.len() + source.plan.tasks.len();
    let ids: Vec<TaskId> = (0..nodes).map(|_| new_task_id()).collect::<Result<_, _>>()?;
    let what = Importing {
        id: &plan.id,
        plan: &source.plan,
        hashes: &hashes,
        root: &root.task,
        above: &above,
        known: &known,
        trust_checkboxes,
    };
    let import = import(what, &ids).map_err(|circle| refused_circle(source, &circle))?;
    if !drop_active {
        let at_work: Vec<&TaskRow> = before
            .iter()
            .filter(|row| import.vanished.contains(&row.task.id) && row.task.is_open())
            .filter(|row| row.task.standing == Standing::Active)
            .collect();
        if !at_work.is_empty() {
            return Err(active_vanish(place, source, &at_work));
        }
    }
    let mut changes = renamed_root(&root.task, &plan);
    changes.extend(import.changes.iter().cloned());
    if !store.change_tasks(&root.project, &recorded(place, changes))? {
        return Ok(None);
    }
    // The plan is free of circles, but one may pass through what people added.
    refuse_cycle(store, place, &root.project, &[], &import.nodes)?;
    store.set_focus(&root.project, place.session.as_ref(), &root.root)?;
    Ok(Some(Imported {
        plan,
        before,
        import,
        again,
    }))
}

fn add_root(
    store: &mut SqliteStore,
    place: &Place,
    plan: &PlanRow,
    read: &Plan,
    under: Option<&TaskRow>,
) -> Result<bool, AppError> {
    let parent = under.map(|row| row.task.id.clone());
    let last = store.last_rank(&plan.project, parent.as_ref())?;
    let rank = Rank::portion(last, None, 1)
        .ok_or_else(|| AppError::System("there is no room for more tasks here".to_owned()))?;
    let skill = read
        .preamble
        .skills
        .first()
        .and_then(|skill| SkillAddress::new(skill.as_str()).ok());
    let added = TaskEvent::Added {
        title: plan.title.clone(),
        parent,
        rank,
        skill,
        agent: None,
        plan: Some(root_link(plan)),
    };
    let changes: TaskChanges = vec![(plan.root.clone(), added)];
    Ok(store.change_tasks(&plan.project, &recorded(place, changes))?)
}

/// The plan as a whole is a group without a number.
fn root_link(plan: &PlanRow) -> PlanLink {
    PlanLink {
        plan: plan.id.clone(),
        number: String::new(),
        title: plan.title.clone(),
        content_hash: String::new(),
        substance: Substance::Group,
    }
}

fn renamed_root(root: &Task, plan: &PlanRow) -> TaskChanges {
    let link = root_link(plan);
    let mut changes = TaskChanges::new();
    if let Some(old) = root.plan.as_ref().filter(|old| **old != link) {
        if root.title == old.title {
            let title = plan.title.clone();
            changes.push((root.id.clone(), TaskEvent::Retitled { title }));
        }
        changes.push((root.id.clone(), TaskEvent::Planned { plan: link }));
    }
    changes
}
