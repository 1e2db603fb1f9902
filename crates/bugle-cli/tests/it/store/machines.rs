//! Clones on several machines that share a store, and on one machine.

use serde_json::json;

use crate::support::machines::Machines;
use crate::support::sandbox::Sandbox;
use crate::support::workflows::THREE;

/// The ids of the projects, and whether each is the current one.
fn projects(sandbox: &Sandbox) -> Vec<(String, bool)> {
    let list = sandbox.run(&["project", "list", "--json"]).ok().json();
    let projects = list["data"]["projects"].as_array().unwrap();
    let entry = |project: &serde_json::Value| {
        (
            project["id"].as_str().unwrap().to_owned(),
            project["here"].as_bool().unwrap(),
        )
    };
    projects.iter().map(entry).collect()
}

#[test]
fn clones_of_one_remote_on_two_machines_are_one_project_and_continue_its_run() {
    let Some(machines) = Machines::new() else { return };
    let (one, other) = (&machines.one, &machines.other);
    one.skill("three", THREE);
    one.run(&["task", "add", "Count the stars"]).ok();
    let first = one.start(&["three"]);
    let second = one.report(&first, &json!({ "word": "one" })).ok().step();
    let tasks = other.run(&["task", "list"]).ok();
    assert!(tasks.out.contains("Count the stars"), "{}", tasks.out);
    // The project has only one open run, so the other machine needs no run id.
    let there = other.run(&["step"]).ok().step();
    assert_eq!(there.visit, second.visit);
    let third = other.report(&there, &json!({ "word": "two" })).ok().step();
    assert_eq!(third.step, "third");
    let folder = machines.sql("SELECT directory FROM run");
    assert_eq!(folder, other.project().to_str().unwrap());
    let (here, there) = (projects(one), projects(other));
    assert_eq!(here, there);
    assert_eq!(here.len(), 1);
    assert!(here[0].1);
    assert_eq!(
        machines.sql("SELECT shared_id FROM project"),
        "git.example.org/acme/shop"
    );
    assert_eq!(machines.sql("SELECT COUNT(*) FROM machine"), "2");
    // A worktree belongs to the same project.
    let tree = other.work_tree("fix");
    let listed = other.run_in(&tree, &["task", "list"]).ok();
    assert!(listed.out.contains("Count the stars"), "{}", listed.out);
    // A clone that moves on its machine is still the same clone.
    let moved = other.root().join("moved");
    std::fs::rename(other.project(), &moved).unwrap();
    let listed = other.run_in(&moved, &["step"]).ok().step();
    assert_eq!(listed.visit, third.visit);
    assert_eq!(machines.sql("SELECT COUNT(*) FROM project_place"), "2");
    one.verify();
}

#[test]
fn a_clone_joins_a_project_by_name_and_by_the_id_in_its_settings() {
    let sandbox = Sandbox::new();
    sandbox.git_init();
    sandbox.run(&["task", "add", "Count the stars"]).ok();
    let id = projects(&sandbox)[0].0.clone();
    let clones = [sandbox.root().join("second"), sandbox.root().join("third")];
    for clone in &clones {
        let words = ["clone", "--quiet", "project", clone.to_str().unwrap()];
        sandbox.tool(sandbox.root(), "git", &words);
    }
    // On one machine, a clone is a separate project until it joins.
    let listed = sandbox.run_in(&clones[0], &["task", "list"]).ok();
    assert!(!listed.out.contains("Count the stars"), "{}", listed.out);
    let joined = sandbox.run_in(&clones[0], &["project", "join", "project"]).ok();
    assert!(joined.out.contains(&id), "{}", joined.out);
    let settings = format!("project: {id}\n");
    sandbox.write(&clones[1].join(".bugle/config.yaml"), settings);
    for clone in &clones {
        let listed = sandbox.run_in(clone, &["task", "list"]).ok();
        assert!(listed.out.contains("Count the stars"), "{}", listed.out);
    }
    let again = sandbox.run_in(&clones[1], &["project", "join"]).ok();
    assert!(again.out.contains("already belongs"), "{}", again.out);
    // A joined clone that moves is found again, and the other clones are not affected.
    let moved = sandbox.root().join("moved");
    std::fs::rename(&clones[0], &moved).unwrap();
    let listed = sandbox.run_in(&moved, &["task", "list"]).ok();
    assert!(listed.out.contains("Count the stars"), "{}", listed.out);
    sandbox
        .run(&["project", "join"])
        .fails(4, "no project in the store");
    sandbox
        .run(&["project", "join", "elsewhere"])
        .fails(4, "there is no project");
    sandbox.verify();
}
