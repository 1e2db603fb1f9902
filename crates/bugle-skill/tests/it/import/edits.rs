//! An edited plan: closed tasks stay closed, moved tasks move, vanished tasks can be restored.

use bugle_core::plan::{MatchedBy, TaskMatch};
use bugle_core::task::{Removal, TaskCommand, TaskEvent, TaskStatus};

use super::{Imported, moved, plan};

const FOUR: [(&str, &str); 4] = [
    ("Schema", "Tables."),
    ("Models", "Types."),
    ("Login", "A form."),
    ("Logout", "A button."),
];

fn half_done() -> Imported {
    let mut imported = Imported::first(&plan(&FOUR));
    imported.done("Schema");
    imported.done("Models");
    imported
}

#[test]
fn an_inserted_task_changes_no_other_task() {
    let mut imported = half_done();
    let import = imported.again(&plan(&[FOUR[0], ("Seeds", "Data."), FOUR[1], FOUR[2], FOUR[3]]));
    assert_eq!(
        imported.outline(),
        ["Schema x", "Seeds", "Models x", "Login", "Logout"]
    );
    assert_eq!(moved(&import), 0, "there is room between two tasks");
    assert_eq!(import.vanished, []);
}

#[test]
fn as_few_tasks_as_possible_are_moved() {
    let mut imported = half_done();
    let import = imported.again(&plan(&[FOUR[3], FOUR[0], FOUR[1], FOUR[2]]));
    assert_eq!(imported.outline(), ["Logout", "Schema x", "Models x", "Login"]);
    assert_eq!(moved(&import), 1);
    let import = imported.again(&plan(&FOUR));
    assert_eq!(imported.outline(), ["Schema x", "Models x", "Login", "Logout"]);
    assert_eq!(moved(&import), 1);
}

#[test]
fn without_room_all_tasks_are_ranked_again() {
    let mut imported = half_done();
    let names: Vec<String> = (0..40).map(|number| format!("Between {number}")).collect();
    let mut tasks = vec![FOUR[0], FOUR[1]];
    for name in &names {
        // Insert every task after the first one: each insertion halves the room there.
        tasks.insert(1, (name.as_str(), "More."));
        imported.again(&plan(&tasks));
        let order: Vec<String> = imported.present().into_iter().map(|task| task.title).collect();
        assert!(order.iter().eq(tasks.iter().map(|(title, _)| title)), "{order:?}");
    }
    assert_eq!(imported.tree[&imported.titled("Models")].status, TaskStatus::Done);
}

#[test]
fn a_reworded_task_is_the_same_task() {
    let mut imported = half_done();
    let models = imported.titled("Models");
    let reworded = [
        FOUR[0],
        ("Models and views", "Types."),
        ("Login", "A form with two fields."),
        FOUR[3],
    ];
    let import = imported.again(&plan(&reworded));
    assert_eq!(
        imported.outline(),
        ["Schema x", "Models and views x", "Login", "Logout"]
    );
    assert_eq!(imported.titled("Models and views"), models);
    assert_eq!(
        import.matches[2],
        TaskMatch::Edited {
            old: 2,
            by: MatchedBy::NumberAndTitle,
            moved: false
        }
    );
}

#[test]
fn a_vanished_task_returns_unchanged() {
    let mut imported = half_done();
    imported.command("Models", &TaskCommand::Note("took an hour".to_owned()));
    let fail = TaskCommand::Fail {
        reason: "no network".to_owned(),
    };
    imported.command("Logout", &fail);
    let import = imported.again(&plan(&[FOUR[0], FOUR[2]]));
    assert_eq!(imported.outline(), ["Schema x", "Login"]);
    let gone = [imported.titled("Models"), imported.titled("Logout")];
    assert_eq!(import.vanished, gone);
    assert!(
        gone.iter()
            .all(|id| imported.tree[id].removed == Some(Removal::Vanished))
    );
    let unchanged = imported.again(&plan(&[FOUR[0], FOUR[2]]));
    assert_eq!(unchanged.changes, [], "they vanish once");

    imported.again(&plan(&FOUR));
    assert_eq!(imported.outline(), ["Schema x", "Models x", "Login", "Logout"]);
    let logout = &imported.tree[&gone[1]];
    assert_eq!(
        (logout.status, logout.reason.as_deref()),
        (TaskStatus::Failed, Some("no network"))
    );
}

#[test]
fn a_vanished_task_does_not_match_a_new_one_with_its_number() {
    let mut imported = half_done();
    let fail = TaskCommand::Fail {
        reason: "no network".to_owned(),
    };
    imported.command("Logout", &fail);
    imported.again(&plan(&FOUR[..3]));
    let import = imported.again(&plan(&[
        FOUR[0],
        FOUR[1],
        FOUR[2],
        ("Write the manual", "Pages."),
    ]));
    assert_eq!(import.matches[3], TaskMatch::New);
    assert_eq!(
        imported.tree[&imported.titled("Write the manual")].status,
        TaskStatus::Pending
    );
    assert_eq!(
        imported.tree[&imported.titled("Logout")].removed,
        Some(Removal::Vanished)
    );
}

#[test]
fn a_vanished_task_does_not_block_a_match() {
    let mut imported = half_done();
    imported.again(&plan(&[FOUR[0], FOUR[1], FOUR[3]]));
    let logout = imported.titled("Logout");
    // `Logout` and the vanished `Login` both have the number 3 now.
    let import = imported.again(&plan(&[FOUR[0], FOUR[1], ("Sign off", "A link in the corner.")]));
    assert_eq!(imported.titled("Sign off"), logout);
    assert_eq!(
        import.matches[2],
        TaskMatch::Edited {
            old: import.matches[2].old().unwrap(),
            by: MatchedBy::Number,
            moved: false
        }
    );
}

#[test]
fn a_returning_task_makes_its_replacement_vanish() {
    let mut imported = half_done();
    imported.again(&plan(&[FOUR[0], FOUR[1], FOUR[2], ("Sign off", "A link.")]));
    imported.again(&plan(&FOUR));
    assert_eq!(imported.outline(), ["Schema x", "Models x", "Login", "Logout"]);
}

#[test]
fn dependencies_follow_the_plan_and_manual_ones_stay() {
    use bugle_core::task::WaitSource::{Hand, Order, Plan};
    let with =
        |second: &str, third: &str| plan(&[("Schema", "Tables."), ("Models", second), ("Login", third)]);
    let mut imported = Imported::first(&with("**Depends on:** Task 1", "A form."));
    let [schema, models, login] = ["Schema", "Models", "Login"].map(|title| imported.titled(title));
    let by_hand = [(&login, &schema), (&login, &models)];
    for (task, on) in by_hand {
        let on = on.clone();
        imported
            .tree
            .apply(&[(task.clone(), TaskEvent::Waits { on, says: Hand })]);
    }
    let waits = |imported: &Imported, id| {
        imported.tree[id]
            .waits_for
            .clone()
            .into_iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(waits(&imported, &models), [(schema.clone(), Plan)]);
    imported.again(&with("Types.", "**Depends on:** Task 2"));
    assert_eq!(waits(&imported, &models), [(schema.clone(), Order)]);
    assert_eq!(
        waits(&imported, &login),
        [(schema.clone(), Hand), (models.clone(), Hand)]
    );
    imported.again(&with("**Depends on:** Task 1", "A form."));
    assert_eq!(waits(&imported, &models), [(schema.clone(), Plan)]);
    assert_eq!(
        waits(&imported, &login),
        [(schema, Hand), (models, Hand)],
        "manual dependencies stay until a user removes them"
    );
}
