//! The use cases of plans: taken into the tree of tasks, looked at, kept in step with their files.

mod import;
mod imported;
mod missing;
mod order;
mod read;
mod reading;
mod refusals;

pub(crate) use missing::refuse_missing_plan;
pub(crate) use order::reorder_plan;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bugle_core::id::{PlanId, TaskId};
use bugle_core::plan::{Node, Plan};
use bugle_core::task::PlanLink;
use bugle_store::{PlanRow, Store as _, TaskStore as _};
use bugle_wire::{PinView, PinsUpgraded};

pub use import::ImportRequest;
pub(crate) use reading::FileState;

use crate::files::content_hash;
use crate::place::git_folders;
use crate::prefix::meant;
use crate::task::{Installed, TaskScope, bad_id, called, plan_name};
use crate::{App, AppError, Place};

/// More than this is not read as a plan.
const LARGEST_PLAN: usize = 8 * 1024 * 1024;

/// Which plan is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanSelector {
    /// The one that is worked on here.
    Here,
    /// By its id, or the beginning of it.
    Id(PlanId),
    /// By its file.
    File(PathBuf),
}

impl PlanSelector {
    /// Reads what a person or agent typed.
    pub fn parse(text: Option<&str>) -> Result<Self, AppError> {
        match text {
            None => Ok(Self::Here),
            Some(text) if text.starts_with("p-") && !Path::new(text).exists() => {
                text.parse().map(Self::Id).map_err(|bad| bad_id(&bad))
            }
            Some(text) => Ok(Self::File(text.into())),
        }
    }
}

/// The name under which a plan's file is known: below the root of its work tree if that belongs to this project, so that
/// it is the same in every work tree; else whole.
fn file_key(place: &Place, path: &Path) -> String {
    let folder = path.parent().unwrap_or(path);
    let here = place.project.as_str();
    let root = match git_folders(folder) {
        Some((root, common)) if common.to_string_lossy() == here => Some(root),
        Some(_) => None,
        None => Some(place.root.clone()),
    };
    let below = root.and_then(|root| path.strip_prefix(root).ok().map(Path::to_owned));
    let key = below.unwrap_or_else(|| path.to_owned());
    key.to_string_lossy().replace('\\', "/")
}

/// The text of bytes that were read as a plan.
fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}

/// The groups and tasks of a plan by what it calls them.
pub(crate) struct PlanIndex<'a> {
    plan: &'a Plan,
    nodes: BTreeMap<(String, &'a str), Vec<Node>>,
}

impl<'a> PlanIndex<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        let mut nodes: BTreeMap<(String, &str), Vec<Node>> = BTreeMap::new();
        for node in plan.nodes() {
            let called = match node {
                Node::Task(index) => {
                    let task = &plan.tasks[index];
                    (task.number.as_str().to_owned(), task.title.as_str())
                }
                Node::Group(index) => (plan.groups[index].called(), plan.groups[index].title.as_str()),
            };
            nodes.entry(called).or_default().push(node);
        }
        Self { plan, nodes }
    }

    /// Where in the plan a task stands. Numbers and titles may be there twice; then the text tells them apart.
    pub(crate) fn find(&self, link: &PlanLink) -> Option<Node> {
        let same_text = |node: &&Node| match **node {
            Node::Task(index) => hash_of(&self.plan.tasks[index].content) == link.content_hash,
            Node::Group(_) => true,
        };
        let found = self.nodes.get(&(link.number.clone(), link.title.as_str()))?;
        match found.as_slice() {
            [one] => Some(*one),
            several => several.iter().find(same_text).or(several.first()).copied(),
        }
    }
}

/// The hash of what a plan says about a task; empty if it says nothing.
fn hash_of(content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    content_hash(content.as_bytes()).to_string()
}

impl App {
    /// The plan with this id, or the beginning of it.
    pub(crate) fn plan_row(&mut self, id: &PlanId) -> Result<PlanRow, AppError> {
        let rows = self.store.plans_by_prefix(id.as_str())?;
        let hint = format!(
            "`{}` shows the plans of this project.",
            self.place.command(&["plan", "list"])
        );
        meant(
            rows,
            id.as_str(),
            ("plan", "plans"),
            |row| (row.id.to_string(), row.file.clone()),
            hint,
        )
    }

    fn no_plan(&self, what: &str) -> AppError {
        AppError::NotFound {
            what: what.to_owned(),
            hints: vec![
                format!(
                    "`{}` shows the plans of this project.",
                    self.place.command(&["plan", "list"])
                ),
                format!(
                    "`{}` takes one into the tree of tasks.",
                    self.place.command(&["plan", "import", "FILE"])
                ),
            ],
        }
    }

    /// The plan that is meant.
    pub(crate) fn select_plan(&mut self, selector: &PlanSelector) -> Result<PlanRow, AppError> {
        match selector {
            PlanSelector::Id(id) => self.plan_row(id),
            PlanSelector::File(file) => {
                let path = self.place.directory.join(file);
                let path = path.canonicalize().unwrap_or(path);
                let key = file_key(&self.place, &path);
                let found = match self.project()? {
                    Some(project) => self.store.plan_of_file(&project, &key)?,
                    None => None,
                };
                found.ok_or_else(|| self.no_plan(&format!("the plan {key} was not imported")))
            }
            PlanSelector::Here => {
                let Some(project) = self.project()? else {
                    return Err(self.no_plan("there are no plans here"));
                };
                let mut plans = self.store.plans(&project)?;
                if let Some(root) = self.focus(&project)?
                    && let Some(at) = plans.iter().position(|plan| plan.root == root.task.id)
                {
                    return Ok(plans.swap_remove(at));
                }
                match plans.len() {
                    1 => Ok(plans.remove(0)),
                    0 => Err(self.no_plan("there are no plans here")),
                    _ => Err(AppError::Usage {
                        what: "there are several plans here; say which is meant".to_owned(),
                        hints: plans
                            .iter()
                            .map(|plan| format!("{} ({})", plan.id, plan.file))
                            .collect(),
                    }),
                }
            }
        }
    }

    /// The text of a plan as it was imported.
    pub(crate) fn imported_text(&mut self, plan: &PlanRow) -> Result<String, AppError> {
        let missing =
            || bugle_store::StoreError::Unreadable(format!("the text of plan {} is not there", plan.id));
        let bytes = self.store.blob(&plan.source)?.ok_or_else(missing)?;
        Ok(text_of(bytes).map_err(|_| missing())?)
    }

    /// The plan's file in this work tree, if this is its project.
    fn plan_file(&mut self, plan: &PlanRow) -> Result<Option<PathBuf>, AppError> {
        let here = self.project()?.as_ref() == Some(&plan.project);
        let file = Path::new(&plan.file);
        Ok((here || file.is_absolute()).then(|| self.place.root.join(file)))
    }

    /// Has the tree of a plan, or of a task, keep to the versions of its skills that are installed now.
    pub fn upgrade_skills(&mut self, scope: &TaskScope) -> Result<PinsUpgraded, AppError> {
        let root = self.root_of(scope)?;
        let row = self.task_row(&root)?;
        let plan = self.plan_above(&row, &[])?;
        let mut lines = Vec::new();
        for pin in self.store.skill_pins(&root)? {
            let Some(installed) = Installed::find(&self.place, &pin.skill) else {
                lines.push(format!(
                    "{}: not installed; {} is kept",
                    pin.skill,
                    pin.hash.short()
                ));
                continue;
            };
            if installed.hash == pin.hash {
                lines.push(format!("{}: unchanged, {}", pin.skill, pin.hash.short()));
                continue;
            }
            let newer = self.store.together(|store| {
                let newer = installed.keep(store, &pin.skill)?;
                store.pin_skill(&root, &newer, true)?;
                Ok::<_, AppError>(newer)
            })?;
            lines.push(format!(
                "{}: from {} to {}, from {}",
                pin.skill,
                called(pin.version.as_ref(), &pin.hash),
                called(newer.version.as_ref(), &newer.hash),
                newer.source
            ));
        }
        if lines.is_empty() {
            lines.push("No skill was used here yet, so there is nothing to move on.".to_owned());
        }
        Ok(PinsUpgraded {
            task: crate::task::name_of(&row.task),
            plan: plan.as_ref().map(plan_name),
            lines,
            pins: self.pin_views(&root)?,
        })
    }

    fn pin_views(&mut self, root: &TaskId) -> Result<Vec<PinView>, AppError> {
        let pins = self.store.skill_pins(root)?;
        Ok(pins.iter().map(crate::task::pin_view).collect())
    }

    fn root_of(&mut self, scope: &TaskScope) -> Result<TaskId, AppError> {
        match scope {
            TaskScope::Task(id) => Ok(self.task_row(id)?.root),
            TaskScope::Plan(id) => {
                let plan = self.plan_row(id)?;
                Ok(self.task_row(&plan.root)?.root)
            }
            TaskScope::Here | TaskScope::Project => {
                if let Some(project) = self.project()?
                    && let Some(root) = self.focus(&project)?
                {
                    return Ok(root.task.id);
                }
                let plan = self.select_plan(&PlanSelector::Here)?;
                Ok(self.task_row(&plan.root)?.root)
            }
        }
    }
}
