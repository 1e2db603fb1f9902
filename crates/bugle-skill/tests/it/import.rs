//! Imports of plans: the tasks that the first import creates, and the tasks that later imports keep.

mod cycles;
mod edits;
mod first;
mod forms;
mod hand;
mod kept;
mod order;
mod random;

use bugle_core::id::{PlanId, TaskId};
use bugle_core::plan::Plan;
use bugle_core::task::{
    Import, Importing, PlanCycle, PlanLink, Rank, Task, TaskChanges, TaskCommand, TaskEvent, TaskKind, import,
};
use bugle_skill::parse_plan;
use bugle_testkit::tasks::{TaskTree, task_id};

/// An imported plan with its tree.
#[derive(Debug, Clone)]
struct Imported {
    tree: TaskTree,
    plan: PlanId,
    root: TaskId,
}

/// A plan with these tasks (title and text), numbered in order.
fn plan(tasks: &[(&str, &str)]) -> String {
    let mut text = "# The plan\n".to_owned();
    for (place, (title, body)) in tasks.iter().enumerate() {
        text += &format!("\n### Task {}: {title}\n\n{body}\n", place + 1);
    }
    text
}

impl Imported {
    fn nothing() -> Self {
        let plan = PlanId::parse("p-plan").unwrap();
        let root = task_id(0);
        let link = PlanLink {
            plan: plan.clone(),
            number: String::new(),
            title: "The plan".to_owned(),
            content_hash: String::new(),
            kind: TaskKind::Group,
        };
        let added = TaskEvent::Added {
            title: "The plan".to_owned(),
            parent: None,
            rank: Rank::nth(0),
            skill: None,
            agent: None,
            plan: Some(link),
        };
        let mut tree = TaskTree::new();
        tree.apply(&[(root.clone(), added)]);
        Self { tree, plan, root }
    }

    fn first(markdown: &str) -> Self {
        let mut imported = Self::nothing();
        imported.again(markdown);
        imported
    }

    fn again(&mut self, markdown: &str) -> Import {
        self.attempt(markdown, false).unwrap()
    }

    fn attempt(&mut self, markdown: &str, trust_checkboxes: bool) -> Result<Import, PlanCycle> {
        let read = parse_plan(markdown);
        let outcome = self.decide(&read, trust_checkboxes)?;
        self.tree.apply(&outcome.changes);
        Ok(outcome)
    }

    fn decide(&self, read: &Plan, trust_checkboxes: bool) -> Result<Import, PlanCycle> {
        let hashes: Vec<String> = read.tasks.iter().map(|task| task.content.clone()).collect();
        let mut known = self.tree.inside(&self.root);
        let inside: Vec<TaskId> = known.iter().map(|task| task.id.clone()).collect();
        let elsewhere = self.tree.in_order().into_iter().filter(|task| {
            let of_plan = task.plan.as_ref().is_some_and(|link| link.plan == self.plan);
            of_plan && task.id != self.root && !inside.contains(&task.id)
        });
        known.extend(elsewhere);
        let what = Importing {
            id: &self.plan,
            plan: read,
            hashes: &hashes,
            root: &self.tree[&self.root],
            above: &self.tree.above(&self.root),
            known: &known,
            trust_checkboxes,
        };
        let count = self.tree.count();
        let fresh: Vec<TaskId> = (count..count + read.nodes().len()).map(task_id).collect();
        import(what, &fresh)
    }

    /// The tasks in the tree, in order, without the root.
    fn present(&self) -> Vec<Task> {
        let mut tasks = self.tree.inside(&self.root);
        tasks.retain(|task| task.removed.is_none());
        tasks
    }

    /// The titles in the tree, indented by depth, with an `x` after closed ones.
    fn outline(&self) -> Vec<String> {
        self.present()
            .iter()
            .map(|task| {
                let depth = self.tree.above(&task.id).len() - 1;
                let tick = if task.status.is_open() { "" } else { " x" };
                format!("{}{}{tick}", "  ".repeat(depth), task.title)
            })
            .collect()
    }

    /// The task with a title, in the tree or removed.
    fn titled(&self, title: &str) -> TaskId {
        let tasks = self.tree.in_order();
        let mut found = tasks.iter().filter(|task| task.title == title);
        let id = found
            .next()
            .unwrap_or_else(|| panic!("no task {title}"))
            .id
            .clone();
        assert!(found.next().is_none(), "several tasks {title}");
        id
    }

    fn command(&mut self, title: &str, command: &TaskCommand) -> TaskChanges {
        let id = self.titled(title);
        self.tree.command(&id, command).unwrap()
    }

    fn done(&mut self, title: &str) {
        self.command(title, &TaskCommand::Done);
    }

    fn add(&mut self, under: &str, title: &str) -> TaskId {
        let under = self.titled(under);
        self.tree.add(Some(&under), title)
    }
}

fn moved(import: &Import) -> usize {
    let moved = import
        .changes
        .iter()
        .filter(|(_, event)| matches!(event, TaskEvent::Moved { .. }));
    moved.count()
}
