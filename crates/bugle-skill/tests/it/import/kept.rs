//! Checkboxes count only on request, and a closed plan reopens only for an open task.

use bugle_core::task::{TaskCommand, TaskEvent, TaskStatus};

use super::{Imported, plan};

const TICKED: &str = "# P\n\n## Phase 1: Ground ✅\n\n### Task 1: Schema\n\n- [x] **Step 1: Write**\n- [x] **Step 2: Run**\n\n\
    ### Task 2: Models\n\n- [x] **Step 1: Write**\n- [ ] **Step 2: Run**\n\n## Phase 2: Walls ✅\n\n\
    ### Task 3: Login ✅\n\nA form.\n";

#[test]
fn ticks_count_only_on_request() {
    let mut imported = Imported::first(TICKED);
    assert_eq!(
        imported.outline(),
        ["Ground", "  Schema", "  Models", "Walls", "  Login"]
    );
    assert_eq!(imported.again(TICKED).changes, []);
}

#[test]
fn trusted_ticks_close_tasks_without_open_children() {
    let mut imported = Imported::nothing();
    let import = imported.attempt(TICKED, true).unwrap();
    assert_eq!(
        imported.outline(),
        ["Ground", "  Schema x", "  Models", "Walls x", "  Login x"]
    );
    let ticked: Vec<&str> = import
        .ticked
        .iter()
        .map(|id| imported.tree[id].title.as_str())
        .collect();
    assert_eq!(ticked, ["Schema", "Walls", "Login"]);
    assert_eq!(imported.tree.hiding(), []);
    assert_eq!(imported.attempt(TICKED, true).unwrap().changes, []);
}

#[test]
fn a_tick_does_not_close_a_task_with_an_open_task_added_by_hand() {
    let mut imported = Imported::first("# P\n\n### Task 1: Login\n\nA form.\n");
    imported.add("Login", "Ask about the colour");
    imported
        .attempt("# P\n\n### Task 1: Login ✅\n\nA form.\n", true)
        .unwrap();
    assert_eq!(imported.outline(), ["Login", "  Ask about the colour"]);
    assert_eq!(imported.tree.hiding(), []);
}

#[test]
fn a_tick_closes_a_task_whose_other_children_are_removed() {
    let mut imported = Imported::first(TICKED);
    imported.command("Models", &TaskCommand::Remove);
    let import = imported.attempt(TICKED, true).unwrap();
    assert_eq!(
        imported.outline(),
        ["Ground x", "  Schema x", "Walls x", "  Login x"]
    );
    let models = imported.titled("Models");
    assert!(!import.ticked.contains(&models), "it is out of the tree");
    assert_eq!(imported.tree[&models].status, TaskStatus::Pending);
}

#[test]
fn a_new_task_reopens_a_closed_plan() {
    let before = [("Schema", "Tables."), ("Login", "A form.")];
    let mut imported = Imported::first(&plan(&before));
    imported.done("Schema");
    imported.done("Login");
    imported.done("The plan");
    let import = imported.again(&plan(&[before[0], before[1], ("Logout", "A button.")]));
    assert_eq!(imported.outline(), ["Schema x", "Login x", "Logout"]);
    assert!(imported.tree[&imported.root].is_open());
    let reopened = import
        .changes
        .iter()
        .filter(|(_, event)| matches!(event, TaskEvent::Reopened { .. }));
    assert_eq!(reopened.count(), 1);
}

#[test]
fn a_closed_plan_stays_closed_if_the_new_task_is_done() {
    let mut imported = Imported::first("# P\n\n## Phase 1: Ground\n\n### Task 1: Schema\n\nTables.\n");
    for title in ["Schema", "Ground", "The plan"] {
        imported.done(title);
    }
    let more =
        "# P\n\n## Phase 1: Ground\n\n### Task 1: Schema\n\nTables.\n\n### Task 2: Models ✅\n\nTypes.\n";
    imported.attempt(more, true).unwrap();
    assert_eq!(imported.outline(), ["Ground x", "  Schema x", "  Models x"]);
    assert!(!imported.tree[&imported.root].is_open());
}

#[test]
fn a_task_that_moves_into_a_closed_phase_reopens_it() {
    let before = "# P\n\n## Phase 1: Ground\n\n### Task 1: Schema\n\nTables.\n\n## Phase 2: Walls\n\n### Task 2: Login\n\nA form.\n\n\
                  ### Task 3: Logout\n\nA button.\n";
    let mut imported = Imported::first(before);
    imported.done("Schema");
    imported.done("Ground");
    let after = "# P\n\n## Phase 1: Ground\n\n### Task 1: Schema\n\nTables.\n\n### Task 2: Login\n\nA form.\n\n## Phase 2: Walls\n\n\
                 ### Task 3: Logout\n\nA button.\n";
    imported.again(after);
    assert_eq!(
        imported.outline(),
        ["Ground", "  Schema x", "  Login", "Walls", "  Logout"]
    );
}
