//! Manual changes to a plan's tasks survive later imports.

use bugle_core::task::{Removal, TaskCommand};

use super::{Imported, moved, plan};

const THREE: [(&str, &str); 3] = [("Schema", "Tables."), ("Models", "Types."), ("Login", "A form.")];

/// Two phases with these tasks.
fn phases(first: &[&str], second: &[&str]) -> String {
    let mut text = "# P\n".to_owned();
    let mut number = 0;
    for (place, (title, tasks)) in [("Ground", first), ("Walls", second)].into_iter().enumerate() {
        text += &format!("\n## Phase {}: {title}\n", place + 1);
        for task in tasks {
            number += 1;
            text += &format!("\n### Task {number}: {task}\n\nMake {task}.\n");
        }
    }
    text
}

#[test]
fn a_manually_removed_task_stays_removed() {
    let mut imported = Imported::first(&plan(&THREE));
    imported.command("Models", &TaskCommand::Remove);
    imported.again(&plan(&[THREE[1], THREE[0], THREE[2]]));
    assert_eq!(imported.outline(), ["Schema", "Login"]);
    imported.again(&plan(&[THREE[0]]));
    imported.again(&plan(&THREE));
    assert_eq!(imported.outline(), ["Schema", "Login"]);
    imported.command("Models", &TaskCommand::Reopen);
    assert_eq!(
        imported.outline(),
        ["Schema", "Models", "Login"],
        "it returns to its place in the plan"
    );
}

#[test]
fn a_removed_task_does_not_hide_a_new_one_with_its_number() {
    let mut imported = Imported::first(&plan(&THREE));
    imported.command("Models", &TaskCommand::Remove);
    imported.again(&plan(&[THREE[0], ("Write the manual", "Pages."), THREE[2]]));
    assert_eq!(imported.outline(), ["Schema", "Write the manual", "Login"]);
}

#[test]
fn an_added_task_stays_after_its_neighbour() {
    let mut imported = Imported::first(&plan(&THREE));
    imported.add("The plan", "At the end");
    imported.add("Models", "Inside");
    let import = imported.again(&plan(&[THREE[2], THREE[0], THREE[1]]));
    assert_eq!(
        imported.outline(),
        ["Login", "At the end", "Schema", "Models", "  Inside"]
    );
    assert_eq!(moved(&import), 2, "the neighbour and the task after it");
    imported.again(&plan(&[THREE[2], ("Seeds", "Data."), THREE[0], THREE[1]]));
    assert_eq!(
        imported.outline(),
        ["Login", "At the end", "Seeds", "Schema", "Models", "  Inside"]
    );
}

#[test]
fn added_tasks_keep_their_order_when_neighbours_vanish() {
    let mut imported = Imported::first(&phases(&["Schema"], &["Login"]));
    imported.add("Ground", "First note");
    imported.again(&phases(&["Schema", "Models"], &["Login"]));
    imported.add("Ground", "Second note");
    imported.again(&phases(&["Schema", "Models", "Seeds"], &["Login"]));
    imported.add("Ground", "Third note");
    imported.again(&phases(&["Seeds"], &["Login", "Models", "Schema"]));
    let outline = imported.outline();
    let notes: Vec<&str> = outline
        .iter()
        .map(|line| line.trim())
        .filter(|line| line.ends_with("note"))
        .collect();
    assert_eq!(notes, ["First note", "Second note", "Third note"]);
    assert_eq!(
        outline,
        [
            "Ground",
            "  First note",
            "  Second note",
            "  Seeds",
            "  Third note",
            "Walls",
            "  Login",
            "  Models",
            "  Schema"
        ]
    );
}

#[test]
fn an_added_task_vanishes_and_returns_with_its_parent() {
    let mut imported = Imported::first(&plan(&THREE));
    let inside = imported.add("Models", "Inside");
    let deeper = imported.add("Inside", "Deeper");
    imported.again(&plan(&[THREE[0], THREE[2]]));
    assert_eq!(imported.outline(), ["Schema", "Login"]);
    let with = Some(Removal::With(imported.titled("Models")));
    assert_eq!(
        (&imported.tree[&inside].removed, &imported.tree[&deeper].removed),
        (&with, &with)
    );
    imported.again(&plan(&THREE));
    assert_eq!(
        imported.outline(),
        ["Schema", "Models", "  Inside", "    Deeper", "Login"]
    );
}

#[test]
fn a_removed_subtask_stays_removed_when_its_parent_returns() {
    let mut imported = Imported::first(&plan(&THREE));
    imported.add("Models", "Inside");
    imported.add("Models", "Wrong");
    imported.command("Wrong", &TaskCommand::Remove);
    imported.again(&plan(&[THREE[0], THREE[2]]));
    imported.again(&plan(&THREE));
    assert_eq!(imported.outline(), ["Schema", "Models", "  Inside", "Login"]);
}

#[test]
fn a_task_in_a_removed_phase_is_removed_with_its_children() {
    let mut imported = Imported::first(&phases(&["Schema", "Models"], &["Login"]));
    imported.add("Models", "Inside");
    imported.command("Walls", &TaskCommand::Remove);
    imported.again(&phases(&["Schema"], &["Login", "Models", "Logout"]));
    assert_eq!(imported.outline(), ["Ground", "  Schema"]);
    assert_eq!(imported.tree.hiding(), []);
    assert_eq!(
        imported
            .again(&phases(&["Schema"], &["Login", "Models", "Logout"]))
            .changes,
        []
    );
    imported.command("Walls", &TaskCommand::Reopen);
    assert_eq!(
        imported.outline(),
        [
            "Ground",
            "  Schema",
            "Walls",
            "  Login",
            "  Models",
            "    Inside",
            "  Logout"
        ]
    );
}

#[test]
fn a_task_returning_to_a_removed_phase_is_restored_with_it() {
    let mut imported = Imported::first(&phases(&["Schema"], &["Login", "Logout"]));
    imported.add("Logout", "Inside");
    imported.again(&phases(&["Schema"], &["Login"]));
    imported.command("Walls", &TaskCommand::Remove);
    imported.again(&phases(&["Schema"], &["Login", "Logout"]));
    assert_eq!(imported.outline(), ["Ground", "  Schema"]);
    assert_eq!(imported.tree.hiding(), []);
    imported.command("Walls", &TaskCommand::Reopen);
    assert_eq!(
        imported.outline(),
        ["Ground", "  Schema", "Walls", "  Login", "  Logout", "    Inside"]
    );
}

#[test]
fn a_manual_title_stays_until_the_plan_changes_it() {
    let mut imported = Imported::first(&plan(&THREE));
    imported.command("Models", &TaskCommand::Retitle("My models".to_owned()));
    imported.again(&plan(&[THREE[0], ("Models", "Other types."), THREE[2]]));
    assert_eq!(imported.outline(), ["Schema", "My models", "Login"]);
    imported.again(&plan(&[THREE[0], ("Views", "Other types."), THREE[2]]));
    assert_eq!(imported.outline(), ["Schema", "Views", "Login"]);
}
