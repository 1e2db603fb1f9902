//! Clones of a project that was created in a file store and then moved to a server.

use crate::support::machines::Machines;

const REMOTE: &str = "git.example.org/acme/shop";

/// Two clones of one remote. The first clone's project was moved from a file to the server.
fn moved() -> Option<Machines> {
    let mut machines = Machines::new()?;
    let url = machines.server.url(&machines.database);
    machines.one.use_file();
    machines.one.run(&["task", "add", "Count the stars"]).ok();
    machines.one.run(&["store", "move", &url]).ok();
    Some(machines)
}

#[test]
fn a_members_clone_of_a_moved_project_is_the_same_project() {
    let Some(mut machines) = moved() else { return };
    assert_eq!(machines.sql("SELECT shared_id FROM project"), REMOTE);
    machines.one.run_as_person(&["store", "init"]).ok();
    let ben = format!("ben_of_{}", machines.database);
    let add = ["team", "add", &ben, "--role", "member", "--project", "project"];
    machines.one.run_as_person(&add).ok();
    let url = machines.server.url_as(&ben, &machines.database);
    machines.other.use_store(url);
    let other = &machines.other;
    let tasks = other.run(&["task", "list"]).ok().out;
    assert!(tasks.contains("Count the stars"), "{tasks}");
    other.run(&["task", "add", "Count the moons"]).ok();
    assert_eq!(machines.sql("SELECT COUNT(*) FROM project"), "1");
    let projects = other.run(&["project", "list"]).ok().out;
    assert!(projects.contains("  project  "), "{projects}");
    assert!(projects.contains(REMOTE), "{projects}");
    assert!(!projects.contains("no stored id"), "{projects}");
    let team = other.run(&["team", "list"]).ok().out;
    assert!(team.contains(&format!("{ben}  member  project")), "{team}");
    machines.one.verify();
}

#[test]
fn the_next_command_in_a_clone_records_the_remote_of_a_project_that_has_none() {
    let Some(machines) = moved() else { return };
    let (one, other) = (&machines.one, &machines.other);
    let forget = "UPDATE project SET shared_id = id, name = NULL";
    machines.sql(forget);
    one.run(&["task", "list"]).ok();
    assert_eq!(
        machines.sql("SELECT shared_id || ' ' || name FROM project"),
        format!("{REMOTE} project")
    );
    // If another clone creates its own project first, both projects stay, and a person sees how to merge them.
    machines.sql(forget);
    other.run(&["task", "add", "Count the moons"]).ok();
    let warned = one.run(&["task", "list"]).exits(0);
    let [own, others] =
        ["=", "<>"].map(|is| machines.sql(&format!("SELECT id FROM project WHERE shared_id {is} id")));
    let merge = format!("project merge {own} {others}");
    assert!(warned.err.contains(&merge), "{}", warned.err);
    one.run_as_person(&["project", "merge", &own, &others]).ok();
    let listed = one.run(&["task", "list"]).ok();
    for title in ["Count the stars", "Count the moons"] {
        assert!(listed.out.contains(title), "{}", listed.out);
    }
    one.verify();
}

#[test]
fn a_move_reports_projects_that_have_the_same_remote() {
    let Some(mut machines) = Machines::new() else {
        return;
    };
    machines.one.use_file();
    let one = &machines.one;
    one.run(&["task", "add", "Count the stars"]).ok();
    let second = one.root().join("second");
    one.tool(one.root(), "git", &["clone", "--quiet", "project", "second"]);
    one.tool(
        &second,
        "git",
        &["remote", "set-url", "origin", &format!("https://{REMOTE}")],
    );
    one.run_in(&second, &["task", "add", "Count the moons"]).ok();
    let moved = one
        .run(&["store", "move", &machines.server.url(&machines.database)])
        .ok()
        .out;
    assert!(moved.contains("project merge p-"), "{moved}");
    let shared = "SELECT name FROM project WHERE shared_id <> id";
    assert_eq!(machines.sql(shared), "project");
    one.verify();
}
