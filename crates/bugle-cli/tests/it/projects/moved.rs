//! A project is found again after its folder moved or became a repository; a copy is a new project.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::sandbox::{Answer, SESSION, Sandbox, answer, answer_with_input};
use crate::support::tasks::texts;
use crate::support::workflows::THREE;

/// A sandbox with a user skill, available in all projects.
pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = sandbox.bugle_home().join("skills/three");
    sandbox.skill_at(&folder, "three", THREE);
    sandbox
}

/// Renames the project's folder.
fn moved(sandbox: &Sandbox, name: &str) -> PathBuf {
    let to = sandbox.root().join(name);
    fs::rename(sandbox.project(), &to).unwrap();
    to
}

pub(crate) fn runs(sandbox: &Sandbox, folder: &Path) -> Vec<String> {
    let list = sandbox.run_in(folder, &["runs", "--json"]).ok().json();
    let runs = list["data"]["runs"].as_array().unwrap();
    runs.iter()
        .map(|run| run["position"]["run"].as_str().unwrap().to_owned())
        .collect()
}

fn tasks(sandbox: &Sandbox, folder: &Path) -> Vec<String> {
    let words = ["task", "list", "--all", "--json"];
    let list = sandbox.run_in(folder, &words).ok().json();
    texts(&list["data"]["tasks"], "title")
}

/// Every project in the store, with its folder and whether the folder exists.
pub(crate) fn projects(sandbox: &Sandbox) -> Vec<Value> {
    let words = ["project", "list", "--json"];
    let list = sandbox.run_in(sandbox.root(), &words).ok().json();
    list["data"]["projects"].as_array().unwrap().clone()
}

/// The store must match its events; the project's folder may be gone.
fn verify(sandbox: &Sandbox) {
    let words = ["store", "verify"];
    let answer = sandbox.run_in(sandbox.root(), &words).ok();
    assert!(answer.out.contains("no errors found"), "{answer:?}");
}

fn hook(sandbox: &Sandbox, folder: &Path, event: &str, facts: &Value) -> String {
    let mut body = json!({ "session_id": "s-1", "cwd": folder, "hook_event_name": event });
    for (name, value) in facts.as_object().unwrap() {
        body[name] = value.clone();
    }
    let mut command = sandbox.bugle(&["hook", event, "--client", "claude"]);
    let told = answer_with_input(command.current_dir(folder), body.to_string().as_bytes());
    told.ok().out
}

fn start(sandbox: &Sandbox, folder: &Path) -> String {
    let step = sandbox.run_in(folder, &["start", "three"]).ok().step();
    step.run
}

fn git(sandbox: &Sandbox, folder: &Path, words: &[&str]) -> Answer {
    sandbox.tool(folder, "git", words)
}

#[test]
fn a_repository_that_was_moved_and_renamed_keeps_its_work() {
    let sandbox = sandbox();
    sandbox.git_init();
    let run = start(&sandbox, &sandbox.project());
    sandbox.run(&["task", "add", "Build it"]).ok();
    sandbox.run(&["say", "@human Which one?", "--as", "impl"]).ok();
    let shop = moved(&sandbox, "shop");

    let step = sandbox.run_in(&shop, &["step"]).ok().step();
    assert_eq!(step.run, run);
    assert_eq!(runs(&sandbox, &shop), [run.as_str()]);
    assert_eq!(tasks(&sandbox, &shop), ["Build it"]);
    let wake = sandbox.run_in(&shop, &["wake", "--reason", "compact"]).ok().out;
    assert!(wake.contains(&run) && wake.contains("Build it"), "{wake}");
    // The person keeps their messages, and agents keep their names.
    let inbox = sandbox.run_in(&shop, &["inbox", "--for", "human"]).ok().out;
    assert!(inbox.contains("Which one?"), "{inbox}");
    sandbox
        .run_in(&shop, &["say", "@impl The left one.", "--as", "lead"])
        .ok();
    let impls = sandbox.run_in(&shop, &["inbox", "--for", "impl"]).ok().out;
    assert!(impls.contains("The left one."), "{impls}");
    // A step that was started in the old folder ends in the new one.
    fs::write(step.result_file(), r#"{ "word": "x" }"#).unwrap();
    sandbox.printed(step.command()).ok();
    let all = projects(&sandbox);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0]["folder"], shop.to_str().unwrap());
    assert_eq!(all[0]["name"], "project");
    assert_eq!(
        (&all[0]["exists"], &all[0]["keeps_id"]),
        (&json!(true), &json!(true))
    );
    verify(&sandbox);
}

#[test]
fn a_run_given_by_id_is_found_in_the_moved_folder_first() {
    let sandbox = sandbox();
    sandbox.git_init();
    let run = start(&sandbox, &sandbox.project());
    let shop = moved(&sandbox, "shop");
    sandbox.run_in(&shop, &["step", &run]).ok();
    assert_eq!(projects(&sandbox)[0]["folder"], shop.to_str().unwrap());
}

#[test]
fn a_hook_in_a_moved_folder_finds_the_run() {
    let sandbox = sandbox();
    sandbox.git_init();
    hook(
        &sandbox,
        &sandbox.project(),
        "SessionStart",
        &json!({ "source": "startup" }),
    );
    let words = ["start", "three"];
    let step = sandbox.run_in_session(SESSION, "s-1", &words).ok().step();
    let shop = moved(&sandbox, "shop");
    let told = hook(&sandbox, &shop, "SessionStart", &json!({ "source": "compact" }));
    assert!(told.contains(&step.run), "{told}");
    let told = hook(&sandbox, &shop, "Stop", &json!({}));
    assert!(told.contains(&step.run), "{told}");
    assert_eq!(projects(&sandbox)[0]["folder"], shop.to_str().unwrap());
    verify(&sandbox);
}

#[test]
fn a_folder_that_becomes_a_repository_and_then_moves_keeps_its_work() {
    let sandbox = sandbox();
    let run = start(&sandbox, &sandbox.project());
    assert!(sandbox.project().join(".bugle/project").is_file());
    sandbox.git_init();
    assert_eq!(runs(&sandbox, &sandbox.project()), [run.as_str()]);
    // The id is now in the git configuration; no file is left that could be committed.
    assert!(!sandbox.project().join(".bugle").exists());
    let config = fs::read_to_string(sandbox.project().join(".git/config")).unwrap();
    assert!(config.contains("[bugle]\n\tproject = p-"), "{config}");
    git(&sandbox, &sandbox.project(), &["status"]);
    let shop = moved(&sandbox, "shop");
    assert_eq!(runs(&sandbox, &shop), [run.as_str()]);
    // Without git, the folder is still the same project.
    fs::remove_dir_all(shop.join(".git")).unwrap();
    assert_eq!(runs(&sandbox, &shop), [run]);
    assert_eq!(projects(&sandbox).len(), 1);
}

#[test]
fn a_folder_outside_git_that_was_moved_keeps_its_work() {
    let sandbox = sandbox();
    let run = start(&sandbox, &sandbox.project());
    let shop = moved(&sandbox, "shop");
    assert_eq!(runs(&sandbox, &shop), [run]);
}

#[test]
fn a_copy_is_a_new_project_and_both_continue() {
    for in_git in [true, false] {
        let sandbox = sandbox();
        if in_git {
            sandbox.git_init();
        }
        let project = sandbox.project();
        let first = start(&sandbox, &project);
        let copy = sandbox.root().join("copy");
        sandbox.tool(
            sandbox.root(),
            "cp",
            &["-a", project.to_str().unwrap(), copy.to_str().unwrap()],
        );
        assert_eq!(runs(&sandbox, &copy), [""; 0]);
        let second = start(&sandbox, &copy);
        assert_eq!(runs(&sandbox, &copy), [second.as_str()]);
        assert_eq!(runs(&sandbox, &project), [first.as_str()]);
        // Each project now has its own id, so each can move.
        let shop = moved(&sandbox, "shop");
        assert_eq!(runs(&sandbox, &shop), [first]);
        let moved_copy = sandbox.root().join("moved-copy");
        fs::rename(&copy, &moved_copy).unwrap();
        assert_eq!(runs(&sandbox, &moved_copy), [second]);
        assert_eq!(projects(&sandbox).len(), 2);
        verify(&sandbox);
    }
}

#[test]
fn a_clone_is_a_new_project() {
    let sandbox = sandbox();
    sandbox.git_init();
    let first = start(&sandbox, &sandbox.project());
    git(
        &sandbox,
        sandbox.root(),
        &["clone", "--quiet", "project", "clone"],
    );
    let clone = sandbox.root().join("clone");
    assert_eq!(runs(&sandbox, &clone), [""; 0]);
    start(&sandbox, &clone);
    // The clone is still a separate project after the original is gone.
    fs::remove_dir_all(sandbox.project()).unwrap();
    assert_eq!(runs(&sandbox, &clone).len(), 1);
    assert!(!runs(&sandbox, &clone).contains(&first));
    let all = projects(&sandbox);
    let exist: Vec<&Value> = all.iter().map(|project| &project["exists"]).collect();
    assert_eq!(exist, [&json!(true), &json!(false)], "{all:?}");
}

#[test]
fn a_repository_with_another_projects_id_gets_none_of_its_work() {
    let sandbox = sandbox();
    sandbox.git_init();
    let project = sandbox.project();
    let run = start(&sandbox, &project);
    let id = projects(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    // The id is in the hostile repository's git configuration, while the other project exists.
    let hostile = sandbox.root().join("hostile");
    fs::create_dir(&hostile).unwrap();
    git(&sandbox, &hostile, &["init", "--quiet"]);
    git(&sandbox, &hostile, &["config", "bugle.project", &id]);
    assert_eq!(runs(&sandbox, &hostile), [""; 0]);
    assert_eq!(runs(&sandbox, &project), [run.as_str()]);
    // The id is in a file that comes with a clone, and the other project is gone.
    let clone = sandbox.root().join("clone");
    fs::create_dir_all(clone.join(".bugle")).unwrap();
    git(&sandbox, &clone, &["init", "--quiet"]);
    fs::write(clone.join(".bugle/project"), &id).unwrap();
    let away = sandbox.root().join("away");
    fs::rename(&project, &away).unwrap();
    assert_eq!(runs(&sandbox, &clone), [""; 0]);
    assert_eq!(runs(&sandbox, &away), [run]);
    // Text that is not an id is ignored.
    for odd in ["../../x", "p-'; DROP TABLE run", ""] {
        let other = sandbox.elsewhere();
        sandbox.write(&other.join(".bugle/project"), odd);
        assert_eq!(runs(&sandbox, &other), [""; 0]);
    }
}

#[test]
fn a_project_whose_id_cannot_be_written_is_identified_by_path_and_loses_nothing_to_a_copied_id() {
    let sandbox = sandbox();
    sandbox.git_init();
    let project = sandbox.project();
    // Lock git's configuration, as another process would.
    fs::write(project.join(".git/config.lock"), "").unwrap();
    let run = start(&sandbox, &project);
    assert_eq!(runs(&sandbox, &project), [run.as_str()]);
    let all = projects(&sandbox);
    assert_eq!(all[0]["keeps_id"], false);
    let hostile = sandbox.root().join("hostile");
    fs::create_dir(&hostile).unwrap();
    git(&sandbox, &hostile, &["init", "--quiet"]);
    git(
        &sandbox,
        &hostile,
        &["config", "bugle.project", all[0]["id"].as_str().unwrap()],
    );
    assert_eq!(runs(&sandbox, &hostile), [""; 0]);
    fs::remove_file(project.join(".git/config.lock")).unwrap();
    sandbox.run(&["task", "add", "Build it"]).ok();
    assert_eq!(projects(&sandbox)[0]["keeps_id"], true);
    assert_eq!(runs(&sandbox, &moved(&sandbox, "shop")), [run]);
}

#[test]
fn many_processes_find_a_moved_project_at_once() {
    let sandbox = sandbox();
    sandbox.git_init();
    let run = start(&sandbox, &sandbox.project());
    let shop = moved(&sandbox, "shop");
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|number| {
                let (sandbox, shop, run) = (&sandbox, &shop, &run);
                scope.spawn(move || {
                    if number % 2 == 0 {
                        assert_eq!(runs(sandbox, shop), [run.as_str()]);
                    } else {
                        let title = format!("Task {number}");
                        sandbox.run_in(shop, &["task", "add", &title]).ok();
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert_eq!(projects(&sandbox).len(), 1);
    assert_eq!(tasks(&sandbox, &shop).len(), 4);
    verify(&sandbox);
}

#[test]
fn worktrees_and_links_to_a_moved_repository_are_the_same_project() {
    let sandbox = sandbox();
    sandbox.git_init();
    let tree = sandbox.work_tree("feature");
    let run = start(&sandbox, &tree);
    let base = sandbox.root().join("base");
    fs::create_dir(&base).unwrap();
    fs::rename(sandbox.project(), base.join("project")).unwrap();
    fs::rename(&tree, base.join("tree")).unwrap();
    let (project, tree) = (base.join("project"), base.join("tree"));
    let mut repair = sandbox.command("git", &project);
    answer(repair.args(["worktree", "repair"]).arg(&tree)).exits(0);
    let link = sandbox.root().join("link");
    std::os::unix::fs::symlink(&project, &link).unwrap();
    for folder in [&link, &project, &tree] {
        assert_eq!(runs(&sandbox, folder), [run.as_str()], "{}", folder.display());
    }
    // The run was started in the worktree, which moved too.
    let step = sandbox.run_in(&tree, &["step"]).ok().step();
    fs::write(step.result_file(), r#"{ "word": "x" }"#).unwrap();
    sandbox.printed(step.command()).ok();
    assert_eq!(projects(&sandbox).len(), 1);
}

#[test]
fn a_folder_that_lost_its_id_is_moved_by_hand() {
    let sandbox = sandbox();
    sandbox.git_init();
    let run = start(&sandbox, &sandbox.project());
    let old = sandbox.project();
    let shop = moved(&sandbox, "shop");
    git(&sandbox, &shop, &["config", "--unset", "bugle.project"]);
    assert_eq!(runs(&sandbox, &shop), [""; 0]);
    let listed = sandbox.run_in(&shop, &["project", "list"]).ok().out;
    assert!(listed.contains("the folder is missing"), "{listed}");
    sandbox
        .run_in(&shop, &["project", "move", "nowhere"])
        .fails(4, "there is no project");

    let words = ["project", "move", old.to_str().unwrap()];
    let mut agent = sandbox.bugle(&words);
    let refused = answer(agent.current_dir(&shop).env(SESSION, "s-1")).refused("user-not-heard");
    let command = refused.details[0].strip_prefix("the user can run: ").unwrap();
    // The command for the user runs as printed from any folder.
    let done = sandbox.printed(command).ok();
    assert!(done.out.contains("Moved project p-"), "{done:?}");
    assert_eq!(runs(&sandbox, &shop), [run.as_str()]);
    sandbox
        .run_in(&shop, &["project", "move", old.to_str().unwrap()])
        .fails(4, "there is no project");
    sandbox
        .run_in(&shop, &["project", "move", "."])
        .fails(2, "already");
    // The folder has its id again.
    let away = sandbox.root().join("away");
    fs::rename(&shop, &away).unwrap();
    assert_eq!(runs(&sandbox, &away), [run]);
    verify(&sandbox);
}

#[test]
fn a_project_is_not_moved_over_another() {
    let sandbox = sandbox();
    start(&sandbox, &sandbox.project());
    start(&sandbox, &sandbox.elsewhere());
    let old = sandbox.project();
    let words = ["project", "move", old.to_str().unwrap()];
    let refused = sandbox.run_in(&sandbox.elsewhere(), &words);
    let refused = refused.fails(2, "is already a project");
    assert!(refused.err.contains("project merge p-"), "{refused:?}");
}
