//! Merging two projects: nothing is lost, and no hashed data changes.

use std::fs;

use serde_json::json;

use super::moved::{projects, runs, sandbox};
use crate::support::hook_client::Client;
use crate::support::sandbox::{SESSION, Sandbox, answer};
use crate::support::tasks::{PLAN, texts};

/// A project in the `elsewhere` folder and another in the `project` folder, each with work.
fn two_projects() -> Sandbox {
    let sandbox = sandbox();
    for folder in [sandbox.elsewhere(), sandbox.project()] {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        sandbox.write(&folder.join("plan.md"), PLAN);
        sandbox.run_in(&folder, &["start", "three"]).ok();
        sandbox
            .run_in(&folder, &["task", "add", &format!("Loose in {name}")])
            .ok();
        sandbox.run_in(&folder, &["plan", "import", "plan.md"]).ok();
        let mut session = sandbox.bugle(&["agent", "register", &format!("worker-{name}")]);
        let session = session.current_dir(&folder).env(SESSION, format!("s-{name}"));
        answer(session).ok();
        let words = ["say", &format!("@lead @human Begun in {name}."), "--as", "impl"];
        sandbox.run_in(&folder, &words).ok();
    }
    sandbox
}

#[test]
fn a_merged_project_brings_runs_tasks_plans_and_messages_along() {
    for is_gone in [false, true] {
        let sandbox = two_projects();
        let (from, into) = (sandbox.elsewhere(), sandbox.project());
        if is_gone {
            fs::remove_dir_all(&from).unwrap();
        }
        let words = ["project", "merge", from.to_str().unwrap(), into.to_str().unwrap()];
        let done = sandbox.run_in(&into, &words).ok();
        assert_eq!(done.out.contains("still exists"), !is_gone, "{done:?}");
        sandbox.verify();
        assert_eq!(projects(&sandbox).len(), 1);

        let list = sandbox.run(&["runs", "--json"]).ok().json();
        assert_eq!(list["data"]["runs"].as_array().unwrap().len(), 2);
        let list = sandbox.run(&["task", "list", "--all", "--json"]).ok().json();
        let titles = texts(&list["data"]["tasks"], "title");
        let place = |title: &str| titles.iter().position(|found| found == title).unwrap();
        assert!(
            place("Loose in project") < place("Loose in elsewhere"),
            "{titles:?}"
        );
        let plans = sandbox.run(&["plan", "list", "--json"]).ok().json();
        let files = texts(&plans["data"]["plans"], "file");
        assert_eq!(files.len(), 2, "{files:?}");
        assert_eq!(files[0], "plan.md");
        if is_gone {
            assert!(files[1].starts_with("plan.md (merged from p-"), "{files:?}");
        } else {
            assert_eq!(files[1], from.join("plan.md").to_str().unwrap());
        }
        // Both messages are for the same person, who has read neither.
        let inbox = sandbox.run(&["inbox", "--for", "human"]).ok().out;
        assert!(
            inbox.contains("Begun in project.") && inbox.contains("Begun in elsewhere."),
            "{inbox}"
        );
        // Messages to agents of the merged project need the full address. Those agents can still write to the person.
        sandbox
            .run(&["say", "@elsewhere:-:lead Hello.", "--as", "impl"])
            .ok();
        let lead = sandbox.run(&["inbox", "--for", "elsewhere:-:lead"]).ok().out;
        assert!(
            lead.contains("Begun in elsewhere.") && lead.contains("Hello."),
            "{lead}"
        );
        sandbox
            .run_in_session(SESSION, "s-elsewhere", &["say", "@human More."])
            .ok();
        let inbox = sandbox.run(&["inbox", "--for", "human"]).ok().out;
        assert!(inbox.contains("More."), "{inbox}");
        // The work continues, and commands printed for the missing folder still run.
        fs::create_dir_all(&from).unwrap();
        let task = list["data"]["tasks"][place("Loose in elsewhere")]["id"]
            .as_str()
            .unwrap();
        sandbox.run(&["task", "done", task]).ok();
        for run in runs(&sandbox, &into) {
            let step = sandbox.run(&["step", &run]).ok().step();
            fs::write(step.result_file(), r#"{ "word": "x" }"#).unwrap();
            sandbox.printed(step.command()).ok();
        }
        sandbox.verify();
    }
}

#[test]
fn two_agents_with_the_same_address_become_one_with_one_mailbox() {
    let sandbox = sandbox();
    let other = sandbox.root().join("other/project");
    fs::create_dir_all(&other).unwrap();
    for (folder, text) in [(&other, "One."), (&sandbox.project(), "Two.")] {
        sandbox.run_in(folder, &["agent", "register", "impl"]).ok();
        sandbox
            .run_in(folder, &["say", &format!("@impl {text}"), "--as", "lead"])
            .ok();
    }
    let words = ["project", "merge", other.to_str().unwrap(), "."];
    sandbox.run(&words).ok();
    let agents = sandbox.run(&["agents", "--json"]).ok().json();
    let listed = agents["data"]["branches"][0]["agents"].as_array().unwrap();
    let names: Vec<_> = listed
        .iter()
        .map(|agent| agent["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["impl", "lead"]);
    let inbox = sandbox.run(&["inbox", "--for", "impl"]).ok().out;
    assert!(
        inbox.find("One.").unwrap() < inbox.find("Two.").unwrap(),
        "{inbox}"
    );
    sandbox.verify();
}

#[test]
fn a_question_from_the_merged_project_can_be_answered() {
    let sandbox = two_projects();
    let asked = ["ask", "@human Which colour?", "--as", "impl", "--json"];
    let asked = sandbox.run_in(&sandbox.elsewhere(), &asked).ok().json();
    let id = asked["data"]["message"]["id"].as_str().unwrap();
    let words = ["project", "merge", "../elsewhere", "."];
    sandbox.run(&words).ok();
    sandbox.run_as_person(&["answer", id, "Red."]).ok();
    let told = sandbox.run(&["inbox", "--for", "elsewhere:-:impl"]).ok().out;
    assert!(told.contains("Red."), "{told}");
    sandbox.verify();
}

#[test]
fn agents_merge_projects_only_after_their_user_typed() {
    let sandbox = two_projects();
    let words = ["project", "merge", "../elsewhere", "."];
    let refused = sandbox
        .run_in_session(SESSION, "s-1", &words)
        .refused("user-not-heard");
    let command = refused.details[0].strip_prefix("the user can run: ").unwrap();
    assert!(
        command.contains(sandbox.elsewhere().to_str().unwrap()),
        "{command}"
    );
    assert_eq!(projects(&sandbox).len(), 2);
    let client = Client::claude(&sandbox).session("s-1");
    client.hook("UserPromptSubmit", &json!({ "prompt": "Merge them." }));
    sandbox.run_in_session(SESSION, "s-1", &words).ok();
    assert_eq!(projects(&sandbox).len(), 1);
    let mut itself = sandbox.bugle(&["project", "merge", ".", "."]);
    answer(&mut itself).fails(2, "cannot be merged into itself");
    sandbox.verify();
}
