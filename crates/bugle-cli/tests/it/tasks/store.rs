//! Damaged tasks are reported, and no command leaves a cycle or hides an open task.

use crate::support::sandbox::Sandbox;

/// Adds a task; returns its id.
fn add(sandbox: &Sandbox, title: &str, more: &[&str]) -> String {
    let arguments = [&["task", "add", title, "--json"], more].concat();
    let document = sandbox.run(&arguments).ok().json();
    document["data"]["tasks"][0]["id"].as_str().unwrap().to_owned()
}

#[test]
fn every_wrong_column_of_a_task_is_reported() {
    let sandbox = Sandbox::new();
    let top = add(&sandbox, "Top", &[]);
    let first = add(&sandbox, "First", &["--under", &top]);
    let second = add(&sandbox, "Second", &["--under", &top, "--waits-for", &first]);
    let sound = sandbox.run(&["store", "verify"]).ok();
    assert!(sound.out.contains("3 tasks with 4 events"), "{}", sound.out);
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
        sandbox.sql("DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT * FROM task");
        let damage = format!("UPDATE task SET {column} = {value} {condition}");
        assert_eq!(sandbox.sql_count(&damage), 1);
        let verified = sandbox.run(&["store", "verify"]).exits(1);
        let found = verified
            .out
            .lines()
            .any(|line| line.starts_with("error: ") && line.contains(what));
        assert!(found, "{damage}:\n{}", verified.out);
        let undo = format!("UPDATE task SET {column} = (SELECT {column} FROM kept {condition}) {condition}");
        assert_eq!(sandbox.sql_count(&undo), 1);
        sandbox.verify();
    }
    sandbox.sql("DELETE FROM dependency");
    let verified = sandbox.run(&["store", "verify"]).exits(1);
    assert!(
        verified.out.contains("differ in the list of dependencies"),
        "{}",
        verified.out
    );
}
