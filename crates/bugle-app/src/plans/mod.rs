//! Plan use cases: import and show plans, and upgrade pinned skills.

mod import;
mod import_report;
mod missing_file;
mod refusal;
mod show;
mod source;

pub use import::{ImportRequest, import_plan};
pub(crate) use missing_file::refuse_missing_plan;
pub use show::{plans, show_plan, show_plan_section};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bugle_core::id::{PlanId, TaskId};
use bugle_core::plan::{Node, Plan};
use bugle_core::task::PlanLink;
use bugle_store::{PlanRow, Store};
use bugle_wire::{PinView, PinsUpgraded};

use crate::tasks::{InstalledSkill, TaskScope, name_of, pin_view, plan_name, version_label};
use crate::{AppError, Context, plan_files, projects, resolve_id, tasks};

/// Selects a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanSelector {
    /// The plan in focus, else the project's only plan.
    Here,
    /// The plan with this id or id prefix.
    Id(PlanId),
    /// By its file.
    File(PathBuf),
}

impl PlanSelector {
    /// Parses a command-line argument.
    pub fn parse(text: Option<&str>) -> Result<Self, AppError> {
        match text {
            None => Ok(Self::Here),
            Some(text) if text.starts_with("p-") && !Path::new(text).exists() => {
                text.parse().map(Self::Id).map_err(|bad| resolve_id::bad_id(&bad))
            }
            Some(text) => Ok(Self::File(text.into())),
        }
    }
}

/// A plan's groups and tasks, by number and title.
pub(crate) struct PlanIndex<'a> {
    plan: &'a Plan,
    nodes: BTreeMap<(String, &'a str), Vec<Node>>,
}

impl<'a> PlanIndex<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Self {
        let mut nodes: BTreeMap<(String, &str), Vec<Node>> = BTreeMap::new();
        for node in plan.nodes() {
            let key = match node {
                Node::Task(index) => {
                    let task = &plan.tasks[index];
                    (task.number.as_str().to_owned(), task.title.as_str())
                }
                Node::Group(index) => (plan.groups[index].called(), plan.groups[index].title.as_str()),
            };
            nodes.entry(key).or_default().push(node);
        }
        Self { plan, nodes }
    }

    /// The node of a task. If several nodes have the same number and title, compares their text.
    pub(crate) fn find(&self, link: &PlanLink) -> Option<Node> {
        let same_text = |node: &&Node| match **node {
            Node::Task(index) => plan_files::hash_of(&self.plan.tasks[index].content) == link.content_hash,
            Node::Group(_) => true,
        };
        let found = self.nodes.get(&(link.number.clone(), link.title.as_str()))?;
        match found.as_slice() {
            [one] => Some(*one),
            several => several.iter().find(same_text).or(several.first()).copied(),
        }
    }
}

/// Resolves a selector to a plan.
pub(crate) fn select_plan(
    store: &mut Store,
    ctx: &Context,
    selector: &PlanSelector,
) -> Result<PlanRow, AppError> {
    match selector {
        PlanSelector::Id(id) => plan_files::load_plan(store, ctx, id),
        PlanSelector::File(file) => {
            let path = ctx.directory.join(file);
            let path = path.canonicalize().unwrap_or(path);
            let key = plan_files::file_key(ctx, &path);
            let found = match projects::project(store, ctx)? {
                Some(project) => store.plan_of_file(&project, &key)?,
                None => None,
            };
            found.ok_or_else(|| plan_files::no_plan(ctx, &format!("the plan {key} has not been imported")))
        }
        PlanSelector::Here => {
            let Some(project) = projects::project(store, ctx)? else {
                return Err(plan_files::no_plan(ctx, "this project has no plans"));
            };
            let mut plans = store.plans(&project)?;
            if let Some(focus) = tasks::focus(store, ctx, &project)?
                && let Some(at) = plans.iter().position(|plan| plan.root == focus.root)
            {
                return Ok(plans.swap_remove(at));
            }
            match plans.len() {
                1 => Ok(plans.remove(0)),
                0 => Err(plan_files::no_plan(ctx, "this project has no plans")),
                _ => Err(AppError::Usage {
                    what: "this project has several plans; name one".to_owned(),
                    hints: plans
                        .iter()
                        .map(|plan| format!("{} ({})", plan.id, plan.file))
                        .collect(),
                }),
            }
        }
    }
}

/// Pins the installed version of each skill that a task tree uses.
pub fn upgrade_skills(store: &mut Store, ctx: &Context, scope: &TaskScope) -> Result<PinsUpgraded, AppError> {
    let root = root_of(store, ctx, scope)?;
    let row = tasks::task_row(store, ctx, &root)?;
    let plan = tasks::plan_above(store, &row, &[])?;
    let mut lines = Vec::new();
    for pin in store.skill_pins(&root)? {
        let Some(installed) = InstalledSkill::find(ctx, &pin.skill) else {
            lines.push(format!(
                "{}: not installed, still pinned to {}",
                pin.skill,
                pin.hash.short()
            ));
            continue;
        };
        if installed.hash == pin.hash {
            lines.push(format!("{}: unchanged, {}", pin.skill, pin.hash.short()));
            continue;
        }
        let newer = store.transaction(|tx| {
            let newer = installed.store_files(tx, ctx, &pin.skill)?;
            tx.pin_skill(&root, &newer, true)?;
            Ok::<_, AppError>(newer)
        })?;
        lines.push(format!(
            "{}: updated {} to {} ({})",
            pin.skill,
            version_label(pin.version.as_ref(), &pin.hash),
            version_label(newer.version.as_ref(), &newer.hash),
            newer.source
        ));
    }
    if lines.is_empty() {
        lines.push("No skill has been used for these tasks yet, so there is nothing to update.".to_owned());
    }
    Ok(PinsUpgraded {
        task: name_of(&row.task),
        plan: plan.as_ref().map(plan_name),
        lines,
        pins: pin_views(store, &root)?,
    })
}

fn pin_views(store: &mut Store, root: &TaskId) -> Result<Vec<PinView>, AppError> {
    let pins = store.skill_pins(root)?;
    Ok(pins.iter().map(pin_view).collect())
}

fn root_of(store: &mut Store, ctx: &Context, scope: &TaskScope) -> Result<TaskId, AppError> {
    match scope {
        TaskScope::Task(id) => Ok(tasks::task_row(store, ctx, id)?.root),
        TaskScope::Plan(id) => {
            let plan = plan_files::load_plan(store, ctx, id)?;
            Ok(tasks::task_row(store, ctx, &plan.root)?.root)
        }
        TaskScope::Here | TaskScope::Project => {
            if let Some(project) = projects::project(store, ctx)?
                && let Some(focus) = tasks::focus(store, ctx, &project)?
            {
                return Ok(focus.root);
            }
            let plan = select_plan(store, ctx, &PlanSelector::Here)?;
            Ok(tasks::task_row(store, ctx, &plan.root)?.root)
        }
    }
}
