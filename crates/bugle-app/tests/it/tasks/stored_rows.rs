//! A damaged row of a task is reported.

use bugle_app::{AddRequest, verify};
use bugle_core::reply::StoreCheck;

use crate::project::{Project, titled};

fn verified(project: &mut Project) -> StoreCheck {
    verify::verify(&mut project.app.store).unwrap()
}

#[track_caller]
fn assert_reported(check: &StoreCheck, what: &str) {
    let is_reported = check.faults.iter().any(|fault| fault.contains(what));
    assert!(is_reported, "{what:?} is not in {:?}", check.faults);
}

#[test]
fn every_wrong_column_of_a_task_is_reported() {
    let mut project = Project::new();
    let [top] = project.add(["Top"]);
    let [first] = project.add_under(&top, ["First"]);
    let waiting = AddRequest {
        under: Some(top.clone()),
        waits_for: vec![first.clone()],
        ..titled(&["Second"])
    };
    let second = project.add_with(&waiting).remove(0);
    let sound = verified(&mut project);
    assert_eq!((sound.tasks, sound.task_events), (3, 4), "{sound:?}");
    for (column, value, id, what) in [
        ("title", "'X'", &first, "differ in the title"),
        ("standing", "'done'", &first, "differ in the status"),
        ("retries", "7", &first, "differ in the number of retries"),
        ("version", "9", &second, "differ in the version"),
        ("path", "'00'", &second, "differ in the path"),
        ("root_id", "'t-x'", &second, "differ in the root"),
        ("children", "3", &top, "differ in the number of children"),
        (
            "open_children",
            "0",
            &top,
            "differ in the number of open children",
        ),
        ("blockers", "0", &second, "differ in the number of blocking tasks"),
        ("is_open", "0", &first, "does not return the first open task"),
    ] {
        let condition = format!("WHERE id = '{id}'");
        project.sql("DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT * FROM task");
        project.change_row(&format!("UPDATE task SET {column} = {value} {condition}"));
        assert_reported(&verified(&mut project), what);
        let kept = format!("(SELECT {column} FROM kept {condition})");
        project.change_row(&format!("UPDATE task SET {column} = {kept} {condition}"));
        project.check();
    }
    project.sql("DELETE FROM dependency");
    assert_reported(&verified(&mut project), "differ in the list of dependencies");
}
