//! The statements that a plan import executes.

use std::fmt::Write as _;

use bugle_app::{ImportRequest, plans};
use bugle_core::reply::PlanImport;
use bugle_store::LoggedStatement;

use super::assert_read_once_except;
use crate::project::Project;

/// A plan with three phases of ten tasks each.
fn plan(number: usize) -> String {
    plan_of(number, 10)
}

/// A plan with three phases.
fn plan_of(number: usize, tasks: usize) -> String {
    let mut text = format!("# Plan {number:03}\n\nGoal: build part {number:03}.\n");
    for phase in 1..=3 {
        let _ = write!(text, "\n## Phase {phase}\n");
        for task in 1..=tasks {
            let _ = write!(text, "\n### Task {phase}.{task}: Add part {task}\n\nWrite it.\n");
        }
    }
    text
}

/// Imports a plan. Returns the report and the statements that the import ran.
fn import(project: &mut Project, number: usize) -> (PlanImport, Vec<LoggedStatement>) {
    import_text(project, number, &plan(number))
}

fn import_text(project: &mut Project, number: usize, text: &str) -> (PlanImport, Vec<LoggedStatement>) {
    let file = project.app.context.directory.join(format!("plan-{number:03}.md"));
    std::fs::write(&file, text).unwrap();
    let request = ImportRequest {
        file,
        under: None,
        was: None,
        another: false,
        trust_checkboxes: false,
        drop_active: false,
    };
    let context = &project.app.context;
    let (imported, log) = project
        .app
        .store
        .log_statements(|store| plans::import_plan(store, context, &request));
    (imported.unwrap(), log)
}

fn steps(log: &[LoggedStatement]) -> u64 {
    log.iter().map(|statement| statement.steps).sum()
}

/// Statements that may repeat: each change reads its task and the task's dependencies. A known plan's tasks are read
/// before and after the import.
const TASKS: [&str; 2] = ["SELECT id, project_id, root_id", "SELECT task_id, on_id, says"];

#[test]
fn an_import_reads_the_project_the_plan_and_its_tree_once() {
    let mut project = Project::new();
    project.add(["Something else"]);
    for (number, trees) in [(0, 1), (1, 1), (0, 2)] {
        let (_, log) = import(&mut project, number);
        let is_tree = |statement: &&LoggedStatement| {
            statement.text.starts_with(TASKS[0]) && statement.text.ends_with("path < $3 ORDER BY path")
        };
        assert_eq!(log.iter().filter(is_tree).count(), trees, "{log:#?}");
        assert_read_once_except("an import", &log, &TASKS);
    }
}

#[test]
fn other_plans_do_not_make_an_import_read_more() {
    let mut project = Project::new();
    let mut costs = Vec::new();
    for number in 0..20 {
        let (imported, log) = import(&mut project, number);
        assert_eq!(imported.added.len(), 33);
        costs.push((log.len(), steps(&log)));
    }
    // The first import creates the project.
    let (statements, steps) = costs[1];
    // Searching a list of 30 random ids takes a varying number of steps.
    let varies = 20;
    for (count, cost) in &costs[2..] {
        assert_eq!(*count, statements, "{costs:?}");
        assert!(cost.abs_diff(steps) <= varies, "{costs:?}");
    }
    project.check();
}

#[test]
fn a_large_plan_needs_as_many_statements_as_a_small_one() {
    let mut project = Project::new();
    project.add(["Something else"]);
    let statements = [(0, 3), (1, 300)].map(|(number, tasks)| {
        let (imported, log) = import_text(&mut project, number, &plan_of(number, tasks));
        assert_eq!(imported.added.len(), 3 + 3 * tasks);
        let texts = log.into_iter().map(|statement| statement.text);
        let kinds = texts.map(|text| text.chars().take(60).collect::<String>());
        kinds.collect::<Vec<_>>()
    });
    assert_eq!(statements[0], statements[1]);
    project.check();
}

#[test]
fn a_repeated_import_reads_only_the_plans_dependencies() {
    let mut project = Project::new();
    let (own, _) = import(&mut project, 0);
    let (other, _) = import(&mut project, 1);
    let (_, alone) = import(&mut project, 0);
    for number in 2..6 {
        import(&mut project, number);
    }
    let (_, among_others) = import(&mut project, 0);
    assert_eq!(among_others.len(), alone.len());
    let root = |imported: &PlanImport| imported.plan.root.clone();
    project.try_depend(&root(&own), &root(&other)).unwrap();
    let (_, waiting) = import(&mut project, 0);
    assert!(steps(&waiting) > steps(&among_others));
    project.check();
}
