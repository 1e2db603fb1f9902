//! A session with several open runs: each of them restricts its agent.

use bugle_app::{AppError, Reply, StartRequest, runs};
use bugle_core::engine::RunStatus;
use bugle_core::reply::StepView;
use serde_json::{Value, json};

use super::{GUARDED, SESSION, seen};
use crate::project::{Project, fails};

/// A workflow with one step that allows everything.
const FREE: &str = "version: 1\nsteps:\n  roam:\n    title: Roam\n    do: Roam about.\n    next: end\n";

const ASKING: &str = "version: 1\nsteps:\n  ask:\n    title: Ask\n    do: Ask the user.\n    ask: { question: Which way?, choices: [left, right] }\n    next: end\n";

fn file() -> Value {
    json!({ "file_path": "src/a.rs" })
}

/// A project with the three skills, in which the session acts.
fn project() -> Project {
    let mut project = Project::new();
    for (name, workflow) in [("guarded", GUARDED), ("free", FREE), ("asking", ASKING)] {
        project.write_skill(name, workflow);
    }
    project.act_as(Some(SESSION));
    project
}

impl Project {
    fn try_start_free(&mut self) -> Result<Reply, AppError> {
        let request = StartRequest {
            skill: "free".to_owned(),
            params: Vec::new(),
            task: None,
        };
        runs::start(&mut self.app.store, &self.app.context, request)
    }

    /// Reports that a sub-agent ran a command with this output.
    #[track_caller]
    fn helper_ran(&mut self, agent: &str, command: &str, output: &str) {
        let facts = json!({
            "agent_id": agent, "agent_type": "general-purpose", "tool_name": "Bash",
            "tool_input": { "command": command }, "tool_response": { "stdout": output },
        });
        self.hook("PostToolUse", &facts);
    }

    #[track_caller]
    fn helper_starts(&mut self, agent: &str) {
        let facts = json!({ "agent_id": agent, "agent_type": "general-purpose" });
        self.hook("SubagentStart", &facts);
    }
}

fn result_file(step: &StepView, project: &Project) -> Value {
    let work = project.app.context.bugle_home.join("work");
    json!({ "file_path": work.join(step.position.run.as_str()).join("1.json") })
}

#[test]
fn a_second_run_without_denials_does_not_lift_those_of_the_first() {
    let mut project = project();
    let guarded = project.start_skill("guarded");
    let free = project.start_skill("free");
    for (tool, input) in [
        ("Edit", file()),
        ("Bash", json!({ "command": "sed -i s/a/b/ src/a.rs" })),
    ] {
        let why = project.denied(tool, &input);
        assert!(
            why.contains("\"Look around\" of guarded") && why.contains(guarded.command.as_ref().unwrap()),
            "{why}"
        );
    }
    for run in [&guarded, &free] {
        let result = result_file(run, &project);
        let why = project.denied("Write", &result);
        assert_eq!(why, "", "each run's result can be submitted");
    }
    let helper = project.denied_to(Some("helper"), "Edit", &file());
    assert!(helper.contains("Look around"), "{helper}");
    project.report(&guarded, &seen()).unwrap();
    assert_eq!(project.denied("Edit", &file()), "", "no open step forbids it");
}

#[test]
fn a_released_run_does_not_hide_an_older_one_from_the_stop_hook() {
    let mut project = project();
    let guarded = project.start_skill("guarded");
    let free = project.start_skill("free");
    project.stop_until_released("Roam");
    assert_eq!(project.status_of_step(&free), RunStatus::Waiting);
    let kept = project.stop_again().unwrap();
    assert!(kept.contains(guarded.command.as_ref().unwrap()), "{kept}");
    // A prompt from the user resumes both runs.
    project.prompt("go on");
    assert_eq!(project.status_of_step(&free), RunStatus::Active);
}

#[test]
fn a_question_to_the_user_lets_the_agent_stop_whatever_else_is_open() {
    let mut project = project();
    project.start_skill("guarded");
    project.start_skill("asking");
    assert_eq!(project.stop(), None);
    let why = project.denied("Edit", &file());
    assert!(why.contains("Look around"), "{why}");
}

#[test]
fn a_session_is_limited_to_as_many_open_runs_as_a_hook_checks() {
    let mut project = project();
    project.start_skill("guarded");
    for _ in 1..20 {
        project.try_start_free().unwrap();
    }
    let why = project.denied("Edit", &file());
    assert!(why.contains("Look around"), "{why}");
    fails(
        project.try_start_free(),
        3,
        "already has the maximum of 20 open runs",
    );
    project.act_as(Some("session-two"));
    project.try_start_free().unwrap();
}

#[test]
fn a_sub_agent_that_starts_another_run_is_still_restricted_by_its_own() {
    let mut project = project();
    project.start_skill("free");
    project.helper_starts("agent-7");
    for skill in ["guarded", "free"] {
        let begun = project.start_skill(skill);
        let run = begun.position.run.to_string();
        project.helper_ran("agent-7", &format!("bugle start {skill}"), &run);
        let why = project.denied_to(Some("agent-7"), "Edit", &file());
        assert!(why.contains("\"Look around\" of guarded"), "{skill}: {why}");
    }
    assert_eq!(
        project.denied("Edit", &file()),
        "",
        "the main thread has neither run"
    );
}

#[test]
fn a_sub_agent_cannot_take_a_run_from_the_main_thread_by_naming_it() {
    let mut project = project();
    let guarded = project.start_skill("guarded");
    let run = guarded.position.run.to_string();
    project.set_clock(1_000);
    project.helper_starts("agent-7");
    project.helper_ran("agent-7", &format!("echo bugle start {run}"), &run);
    let why = project.denied("Edit", &file());
    assert!(why.contains("Look around"), "{why}");
}
