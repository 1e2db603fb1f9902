//! Plan use cases: import and show plans, and upgrade pinned skills.

mod import;
mod import_report;
mod missing_file;
mod pins;
mod refusal;
mod select;
mod show;
mod source;

pub use import::{ImportRequest, import_plan};
pub(crate) use missing_file::refuse_missing_plan;
pub use pins::upgrade_skills;
pub(crate) use show::text_command;
pub use show::{plans, show_plan, show_plan_section};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bugle_core::id::PlanId;
use bugle_core::plan::{Node, Plan};
use bugle_core::task::PlanLink;

use crate::{AppError, plan_files, resolve_id};

/// Selects a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanSelector {
    /// The plan in focus, else the project's only plan.
    Here,
    /// The plan with this id or id prefix.
    Id(PlanId),
    /// The plan that was imported from this file.
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
