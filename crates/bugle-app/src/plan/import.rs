//! Taking a plan into the tree of tasks, for the first time or again.

use std::path::{Path, PathBuf};

use bugle_core::id::{PlanId, TaskId};
use bugle_core::name::SkillAddress;
use bugle_core::plan::{Fate, Plan};
use bugle_core::task::{
    Import, Importing, MOST_LEVELS, PlanCycle, PlanLink, Rank, Substance, Task, TaskChanges, TaskCommand,
    TaskEvent, import,
};
use bugle_render::plan as plan_words;
use bugle_skill::parse_plan;
use bugle_store::{PlanRow, ProjectId, SqliteStore, Store as _, TaskRow, TaskStore as _};
use bugle_wire::{PlanImport, RefusalView, TaskName};

use super::{LARGEST_PLAN, file_key, hash_of, text_of};
use crate::files::content_hash;
use crate::task::{ID_TRIES, TaskScope, carry_out, name_of, new_task_id, recorded, there};
use crate::{App, AppError, Place, folder};

/// Headings of a plan nest no deeper than this below its root.
const MOST_PLAN_LEVELS: usize = 12;
/// How many files a hint names.
const MOST_FILES: usize = 5;

/// A plan that is to be imported.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// Its file.
    pub file: PathBuf,
    /// The task that it lies in; at the top if not said.
    pub under: Option<TaskId>,
    /// The plan that this one was, before its file was moved.
    pub was: Option<PlanId>,
    /// Whether ticked boxes and signs in headings say that a task is done.
    pub trust_checkboxes: bool,
}

/// A plan that was read.
pub(super) struct Source {
    pub bytes: Vec<u8>,
    pub plan: Plan,
    pub key: String,
}

/// What happened to the tree.
struct Imported {
    plan: PlanRow,
    before: Vec<TaskRow>,
    import: Import,
    again: bool,
}

impl App {
    /// Takes a plan into the tree of tasks; what is closed stays closed if it was there before.
    pub fn import_plan(&mut self, request: &ImportRequest) -> Result<PlanImport, AppError> {
        let source = self.read_plan(&request.file)?;
        if source.plan.tasks.is_empty() {
            return Err(no_tasks(&source));
        }
        let project = self.made_project()?;
        let under = match &request.under {
            Some(under) => Some(self.task_row(under)?),
            None => None,
        };
        let was = match &request.was {
            Some(was) => Some(self.plan_row(was)?),
            None => None,
        };
        let branch = self.place.branch();
        for _ in 0..ID_TRIES {
            let place = &self.place;
            let imported = self.store.together(|store| {
                let (plan, again) = plan_row(store, &project, &source, was.as_ref(), branch.clone())?;
                bring_in(
                    store,
                    place,
                    &source,
                    (plan, again),
                    under.as_ref(),
                    request.trust_checkboxes,
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
            None => Vec::new(),
        };
        Ok(AppError::NotFound {
            what: format!("there is no file {}", file.display()),
            hints,
        })
    }

    fn import_view(&mut self, source: &Source, imported: Imported) -> Result<PlanImport, AppError> {
        let Imported {
            plan,
            before,
            import,
            again,
        } = imported;
        let mut view = PlanImport {
            plan: self.plan_summary(&plan)?,
            again,
            added: Vec::new(),
            edited: Vec::new(),
            moved: Vec::new(),
            vanished: Vec::new(),
            unchanged: 0,
            ticked: self.names(&import.ticked)?,
            reopened: Vec::new(),
            unclear: source.plan.notes.iter().map(plan_words::note).collect(),
            notices: Vec::new(),
            position: self.position(&TaskScope::Plan(plan.id.clone()))?,
        };
        for (id, fate) in import.nodes.iter().zip(&import.fates) {
            let list = match fate {
                Fate::New => &mut view.added,
                Fate::Moved { .. } => &mut view.moved,
                Fate::Edited { .. } => &mut view.edited,
                Fate::Same { .. } => {
                    view.unchanged += 1;
                    continue;
                }
            };
            list.push(name_of(&there(&mut self.store, id)?.task));
        }
        let gone: Vec<&TaskRow> = before
            .iter()
            .filter(|row| import.vanished.contains(&row.task.id) && row.task.removed.is_none())
            .collect();
        view.vanished = gone.iter().map(|row| name_of(&row.task)).collect();
        for row in gone {
            view.notices.push(format!(
                "{} is no longer in the plan and was taken out of the tree ({}); `{}` puts it back.",
                name_of(&row.task).label,
                row.task.standing.as_str(),
                self.place.command(&["task", "reopen", row.task.id.as_str()])
            ));
        }
        let reopened: Vec<TaskId> = import
            .changes
            .iter()
            .filter(|(_, event)| matches!(event, TaskEvent::Reopened { .. }))
            .map(|(id, _)| id.clone())
            .collect();
        view.reopened = self.names(&reopened)?;
        if !again {
            view.notices.extend(self.perhaps_moved(&plan)?);
        }
        Ok(view)
    }

    fn names(&mut self, ids: &[TaskId]) -> Result<Vec<TaskName>, AppError> {
        ids.iter()
            .map(|id| Ok(name_of(&there(&mut self.store, id)?.task)))
            .collect()
    }

    /// A new plan with the title of one whose file is gone may be that one under another name.
    fn perhaps_moved(&mut self, plan: &PlanRow) -> Result<Option<String>, AppError> {
        for other in self.store.plans(&plan.project)? {
            let gone = match self.plan_file(&other)? {
                Some(file) => !file.exists(),
                None => false,
            };
            if other.id != plan.id && other.title == plan.title && gone {
                return Ok(Some(format!(
                    "Plan {} has the same title, and its file {} is not here. If it was renamed, its tasks are kept by \
                     removing this one (`{}`) and importing it as that one (`{}`).",
                    other.id,
                    other.file,
                    self.place.command(&["task", "rm", plan.root.as_str()]),
                    self.place
                        .command(&["plan", "import", &plan.file, "--was", other.id.as_str()])
                )));
            }
        }
        Ok(None)
    }
}

fn plans_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| path.display().to_string())
        .collect();
    files.sort();
    files.truncate(MOST_FILES);
    if files.is_empty() {
        vec!["Name the Markdown file with the plan.".to_owned()]
    } else {
        std::iter::once("Name the file, for example:".to_owned())
            .chain(files)
            .collect()
    }
}

fn no_tasks(source: &Source) -> AppError {
    AppError::Refused(Box::new(RefusalView {
        code: "no-tasks".to_owned(),
        message: format!("There are no tasks in {}, so nothing was imported.", source.key),
        details: source.plan.notes.iter().map(plan_words::note).collect(),
        outline: None,
        remedy: "A task is a heading with the word, a number and a title: `### Task 1: Parse the header`."
            .to_owned(),
        position: None,
        command: None,
    }))
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
    let title = source.plan.title.clone().unwrap_or_else(|| {
        let name = Path::new(&source.key).file_stem();
        name.map_or_else(|| source.key.clone(), |name| name.to_string_lossy().into_owned())
    });
    let title = bugle_core::task::title_of(&title).unwrap_or_else(|_| "A plan".to_owned());
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
    trust_checkboxes: bool,
) -> Result<Option<Imported>, AppError> {
    store.keep_blobs(&[(plan.source.clone(), source.bytes.clone())])?;
    store.keep_plan(&plan)?;
    if !again && !add_root(store, place, &plan, &source.plan, under)? {
        return Ok(None);
    }
    let mut root = there(store, &plan.root)?;
    if root.task.removed.is_some() {
        carry_out(store, place, &root.task.id, &TaskCommand::Reopen)?;
        root = there(store, &plan.root)?;
    }
    let above: Vec<Task> = store.above(&root)?.into_iter().map(|row| row.task).collect();
    if above.len() + 1 + MOST_PLAN_LEVELS > MOST_LEVELS {
        return Err(AppError::Usage {
            what: "the plan would lie too deep in the tree of tasks".to_owned(),
            hints: Vec::new(),
        });
    }
    let mut before = store.subtree(&root.project, &root.path)?.split_off(1);
    if again {
        let elsewhere = store.tasks_of_plan(&plan.id)?.into_iter();
        before.extend(elsewhere.filter(|row| !root.path.holds(&row.path)));
    }
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
    let mut changes = renamed_root(&root.task, &plan);
    changes.extend(import.changes.iter().cloned());
    if !store.change_tasks(&root.project, &recorded(place, changes))? {
        return Ok(None);
    }
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

fn refused_circle(source: &Source, circle: &PlanCycle) -> AppError {
    let nodes = source.plan.nodes();
    let said = |place: usize| {
        let node = nodes.get(place).copied();
        let line = node
            .and_then(|node| source.plan.extent(node))
            .map_or(0, |extent| extent.line);
        match node {
            Some(bugle_core::plan::Node::Task(index)) => {
                format!("Task {} (line {line})", source.plan.tasks[index].number)
            }
            Some(bugle_core::plan::Node::Group(index)) => {
                format!("{} (line {line})", source.plan.groups[index].title)
            }
            None => "a task".to_owned(),
        }
    };
    AppError::Refused(Box::new(RefusalView {
        code: "circle".to_owned(),
        message: format!(
            "Tasks of {} wait for each other in a circle, so nothing was imported.",
            source.key
        ),
        details: circle
            .0
            .iter()
            .map(|(task, on)| format!("{} waits for {}", said(*task), said(*on)))
            .collect(),
        outline: None,
        remedy: "Take one of these dependencies out of the plan, and import it again.".to_owned(),
        position: None,
        command: None,
    }))
}
