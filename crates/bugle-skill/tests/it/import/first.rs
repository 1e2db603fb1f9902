//! The first import, and the same plan again.

use bugle_core::plan::TaskMatch;
use bugle_core::task::{TaskKind, TaskStatus};

use super::{Imported, plan};

const PHASES: &str = "# Shop\n\n## Phase 1: Ground\n\n### Task 1: Schema\n\nTables.\n\n### Task 2: Models\n\n**Depends on:** Task 1\n\n\
    ## Phase 2: Walls\n\n**Depends on:** Phase 1\n\n### Task 3: Login\n\nA form.\n";

#[test]
fn every_group_and_task_gets_a_task_in_file_order() {
    let mut imported = Imported::nothing();
    let import = imported.again(PHASES);
    assert_eq!(
        imported.outline(),
        ["Ground", "  Schema", "  Models", "Walls", "  Login"]
    );
    assert!(import.matches.iter().all(|change| *change == TaskMatch::New));
    let numbers: Vec<Option<String>> = imported
        .present()
        .iter()
        .map(|task| task.number().map(str::to_owned))
        .collect();
    let expected = ["Phase 1", "1", "2", "Phase 2", "3"].map(|number| Some(number.to_owned()));
    assert_eq!(numbers, expected);
    let ground = imported.titled("Ground");
    assert!(imported.tree[&ground].is_group());
    let schema = &imported.tree[&imported.titled("Schema")];
    assert_eq!(schema.plan.as_ref().map(|link| link.kind), Some(TaskKind::Work));
    assert_eq!(schema.status, TaskStatus::Pending);
}

#[test]
fn declared_dependencies_are_imported() {
    let imported = Imported::first(PHASES);
    let waits = |title: &str| -> Vec<_> {
        let task = &imported.tree[&imported.titled(title)];
        task.waits_for.keys().cloned().collect()
    };
    assert_eq!(waits("Models"), [imported.titled("Schema")]);
    assert_eq!(waits("Walls"), [imported.titled("Ground")]);
    assert_eq!(waits("Login"), []);
}

#[test]
fn importing_the_same_plan_again_changes_nothing() {
    let mut imported = Imported::first(PHASES);
    imported.done("Schema");
    imported.command("Models", &bugle_core::task::TaskCommand::Remove);
    imported.done("Ground");
    let import = imported.again(PHASES);
    assert_eq!(import.changes, []);
    assert!(
        import
            .matches
            .iter()
            .all(|change| matches!(change, TaskMatch::Same { .. }))
    );
    assert_eq!(import.vanished, []);
}

#[test]
fn line_endings_and_blank_lines_are_not_changes() {
    let mut imported = Imported::first(PHASES);
    let import = imported.again(&PHASES.replace('\n', "\r\n").replace("Tables.", "Tables.   "));
    assert_eq!(import.changes, []);
}

#[test]
fn a_task_without_a_title_is_named_by_its_number() {
    let mut imported = Imported::first("# P\n\n### Task 1: A\n\n### Task 2:\n\nThe words.\n");
    assert_eq!(imported.outline(), ["A", "Task 2"]);
    imported.again("# P\n\n### Task 1: A\n\n### Task 2: B\n\n### Task 3:\n\nThe words.\n");
    assert_eq!(imported.outline(), ["A", "B", "Task 3"]);
}

#[test]
fn ten_thousand_tasks_are_imported_in_order() {
    let titles: Vec<String> = (1..=10_000).map(|number| format!("Do thing {number}")).collect();
    let tasks: Vec<(&str, &str)> = titles.iter().map(|title| (title.as_str(), "As told.")).collect();
    let mut imported = Imported::nothing();
    let import = imported.again(&plan(&tasks));
    assert_eq!(
        import.changes.len(),
        19_999,
        "each is added, and comes after the one before it"
    );
    assert!(imported.present().iter().map(|task| &task.title).eq(&titles));
}
