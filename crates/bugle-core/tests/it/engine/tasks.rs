//! Runs over the tasks of a plan: what is taken, given out and closed, and what becomes of it when the run goes back.

use bugle_core::engine::{
    ChildReport, ChildState, Command, Decision, Environment, Escalation, Event, EvidenceReport, Refusal,
    RunState, TaskRef, context, decide, example_board, fork, plan_in_view, task_effects,
};
use bugle_core::id::{RunId, TaskId, VisitNumber};
use bugle_core::outcome::Outcome::{Fail, Iterate, Ok};
use bugle_core::role::AgentRole;
use bugle_core::shape::Shape;
use bugle_core::task::{Board, TaskEffect, TaskStatus};
use bugle_core::workflow::{Dispatch, DispatchWork, Evidence, FanOut, StepDef, TaskUse, Workflow};
use bugle_testkit::run::TestRun;
use bugle_testkit::spelling::{expression, field_name};
use serde_json::json;

use crate::support::{Build, Drive, answer, begun, brought, done, gave_up, step, unanswered, workflow};

fn id(number: u64) -> TaskId {
    TaskId::from_random(number)
}

/// A step that brings a plan.
fn planning(id: &str) -> StepDef {
    let mut step = step(id).returns("file", Shape::text());
    step.expect = vec![Evidence::Plan {
        file: "{{ result.file }}".to_owned(),
    }];
    step
}

/// A plan, then one task after another: taken, worked on and closed, or set aside.
fn one_after_another() -> Workflow {
    workflow([
        planning("plan").to("pick"),
        step("pick")
            .using([TaskUse::Take])
            .until("!has(task.id)", 9)
            .to("report")
            .on(Iterate, "work"),
        step("work").to("close").failing_to("aside"),
        step("close").using([TaskUse::Done]).to("pick"),
        step("aside")
            .using([TaskUse::Skip])
            .may_bring("why", Shape::text())
            .to("pick"),
        step("report"),
    ])
}

/// A plan, then all that can start at once, again and again.
fn in_waves(quorum: Option<u32>, limit: u32) -> Workflow {
    let mut wave = step("wave")
        .until("plan.ready == 0", 9)
        .to("end")
        .on(Iterate, "wave")
        .failing_to("end");
    wave.dispatch = Some(Dispatch {
        fan_out: FanOut::Tasks {
            item: field_name("task"),
            limit,
        },
        quorum,
        with: [(field_name("left"), expression("plan.open"))].into(),
        ..Dispatch::new(AgentRole::Developer, DispatchWork::Brief)
    });
    workflow([planning("plan").to("wave"), wave])
}

fn planned(workflow: &Workflow) -> TestRun<'_> {
    let mut run = begun(workflow);
    run.accept(brought(1, json!({ "file": "plan.md" })));
    run
}

fn statuses(board: &Board) -> Vec<TaskStatus> {
    board.tasks().iter().map(|task| task.status).collect()
}

fn own(run: &TestRun<'_>) -> Option<String> {
    let visit = run.state.head()?.number;
    run.state.task(visit).map(|task| task.number.clone())
}

#[test]
fn tasks_are_taken_in_order_and_closed_one_by_one() {
    use TaskStatus::{Active, Done, Pending, Skipped};
    let workflow = one_after_another();
    let mut run = planned(&workflow);
    assert_eq!((run.at().as_str(), own(&run).as_deref()), ("pick", Some("1")));
    assert_eq!(statuses(&run.board), [Active, Pending, Pending]);
    run.accept(done(2));
    run.accept(done(3));
    let events = run.accept(done(4));
    assert_eq!(
        statuses(&run.board),
        [Done, Active, Pending],
        "one decision closes a task and takes the next"
    );
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| match event {
            Event::Closed { .. } => "closed",
            Event::Ended { .. } => "ended",
            Event::Entered { .. } => "entered",
            Event::Took { .. } => "took",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["closed", "ended", "entered", "took"]);
    run.accept(done(5));
    run.accept(gave_up(6, "it cannot be built"));
    run.accept(brought(7, json!({ "why": "nobody knows how" })));
    assert_eq!(statuses(&run.board), [Done, Skipped, Active]);
    run.accept(done(8));
    run.accept(gave_up(9, "nor this"));
    let events = run.accept(brought(10, json!({})));
    assert!(events.contains(&Event::Closed {
        visit: VisitNumber(10),
        task: id(3),
        skipped: Some("set aside".to_owned()),
    }));
    assert_eq!(
        (run.at().as_str(), own(&run)),
        ("pick", None),
        "nothing is left to take"
    );
    run.accept(done(11));
    assert_eq!(run.at(), "report");
    let seen = context(&run.state, &workflow, VisitNumber(12)).for_templates();
    let record: Vec<_> = seen["record"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| ["number", "outcome", "why"].map(|key| entry[key].as_str().unwrap()))
        .collect();
    assert_eq!(
        record,
        [
            ["1", "done", ""],
            ["2", "skipped", "nobody knows how"],
            ["3", "skipped", "set aside"]
        ]
    );
}

#[test]
fn what_sub_agents_reported_is_in_the_record() {
    let workflow = in_waves(None, 8);
    let mut run = planned(&workflow);
    run.accept(done(2));
    let seen = context(&run.state, &workflow, VisitNumber(3)).for_templates();
    let numbers: Vec<_> = seen["record"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["number"])
        .collect();
    assert_eq!(numbers, ["1", "3"]);
    let before = context(&run.state, &workflow, VisitNumber(2)).for_templates();
    assert_eq!(before["record"], json!([]));
}

#[test]
fn two_tasks_that_touch_one_file_are_not_built_at_once() {
    let workflow = in_waves(None, 8);
    let mut run = begun(&workflow);
    let mut tasks = run.board.tasks().to_vec();
    tasks[2].brief.files = tasks[0].brief.files.clone();
    run.board = Board::new(tasks);
    run.accept(brought(1, json!({ "file": "plan.md" })));
    let called = run.state.current().unwrap().children();
    assert_eq!(called.len(), 1);
    run.accept(done(2));
    assert_eq!(
        run.state.current().unwrap().children().len(),
        2,
        "the rest comes next"
    );
}

#[test]
fn an_open_task_is_taken_again() {
    let workflow = workflow([
        planning("plan").to("work"),
        step("work")
            .using([TaskUse::Take])
            .returns("finished", Shape::Boolean)
            .until("result.finished", 4)
            .to("close")
            .on(Iterate, "work"),
        step("close").using([TaskUse::Done]),
    ]);
    let mut run = planned(&workflow);
    run.accept(brought(2, json!({ "finished": false })));
    assert_eq!(own(&run).as_deref(), Some("1"));
    run.accept(brought(3, json!({ "finished": true })));
    run.accept(done(4));
    assert_eq!(run.board.done(), 1);
}

#[test]
fn a_step_that_takes_and_closes_does_one_task_each_time() {
    let workflow = workflow([
        planning("plan").to("work"),
        step("work")
            .using([TaskUse::Take, TaskUse::Done])
            .until("plan.open == 0", 9)
            .to("end")
            .on(Iterate, "work"),
    ]);
    let mut run = planned(&workflow);
    for visit in 2..=4 {
        assert_eq!(own(&run), Some((visit - 1).to_string()));
        run.accept(done(visit));
    }
    assert_eq!((run.at().as_str(), run.board.done()), ("end", 3));
}

#[test]
fn a_run_that_ends_or_is_cancelled_releases_its_task() {
    let plan = || planning("plan").to("work");
    let workflow = workflow([plan(), step("work").using([TaskUse::Take])]);
    let mut run = planned(&workflow);
    run.accept(done(2));
    assert_eq!(statuses(&run.board)[0], TaskStatus::Pending);
    let mut run = planned(&workflow);
    run.accept(Command::Cancel { reason: None });
    assert_eq!(statuses(&run.board)[0], TaskStatus::Pending);
    let waves = in_waves(None, 8);
    let mut run = planned(&waves);
    assert_eq!(run.board.ready().len(), 0);
    run.accept(Command::Cancel { reason: None });
    assert_eq!(run.board.ready().len(), 2, "those of its sub-agents too");
}

#[test]
fn going_back_frees_what_was_taken_and_reopens_what_was_closed() {
    use TaskStatus::{Active, Done, Pending};
    let workflow = one_after_another();
    let mut run = planned(&workflow);
    for visit in 2..=6 {
        run.accept(done(visit));
    }
    assert_eq!(statuses(&run.board), [Done, Active, Pending]);
    let rewind = |to| Command::Rewind { to: VisitNumber(to) };
    // Before the work on the first task: it is the run's again, and the second is free.
    run.accept(rewind(3));
    assert_eq!((run.at().as_str(), own(&run).as_deref()), ("work", Some("1")));
    assert_eq!(statuses(&run.board), [Active, Pending, Pending]);
    // Before anything was taken: the first that can start is taken again.
    run.accept(rewind(2));
    assert_eq!((run.at().as_str(), own(&run).as_deref()), ("pick", Some("1")));
    assert_eq!(statuses(&run.board), [Active, Pending, Pending]);
    run.accept(rewind(1));
    assert_eq!(own(&run), None);
    assert_eq!(statuses(&run.board), [Pending; 3]);
    assert_eq!(
        plan_in_view(&run.state, &done(1), None),
        None,
        "the plan is forgotten too"
    );
}

#[test]
fn a_run_that_let_its_task_go_has_it_again_when_it_goes_back() {
    let workflow = workflow([
        planning("plan").to("pick"),
        step("pick").using([TaskUse::Take]).to("work"),
        step("work"),
    ]);
    let mut run = planned(&workflow);
    run.accept(done(2));
    run.accept(done(3));
    assert_eq!(statuses(&run.board)[0], TaskStatus::Pending);
    run.accept(Command::Rewind { to: VisitNumber(3) });
    assert_eq!(own(&run).as_deref(), Some("1"));
    assert_eq!(statuses(&run.board)[0], TaskStatus::Active);
}

#[test]
fn a_task_that_a_person_closed_meanwhile_is_not_taken_again() {
    let workflow = workflow([
        planning("plan").to("work"),
        step("work")
            .using([TaskUse::Take])
            .until("plan.open == 0", 4)
            .to("end")
            .on(Iterate, "work"),
    ]);
    let mut run = planned(&workflow);
    run.board.apply(&id(1), &TaskEffect::Done);
    run.accept(done(2));
    assert_eq!(own(&run).as_deref(), Some("2"));
}

#[test]
fn a_wave_is_what_can_start_and_no_more_than_its_limit() {
    let workflow = in_waves(None, 1);
    let mut run = planned(&workflow);
    let sizes = |run: &TestRun<'_>| run.state.current().map(|visit| visit.children().len());
    assert_eq!(sizes(&run), Some(1), "the rest waits, and nothing is refused");
    run.accept(done(2));
    run.accept(done(3));
    run.accept(done(4));
    assert_eq!((run.at().as_str(), run.board.done()), ("end", 3));
    let workflow = in_waves(None, 8);
    let run = planned(&workflow);
    let visit = run.state.current().unwrap();
    let [first, second] = visit.children() else {
        panic!("{visit:?}")
    };
    let given = &first.params["task"];
    assert_eq!((&given["number"], &given["skill"]), (&json!("1"), &json!("")));
    assert_eq!(given["files"], json!(["src/part_1.rs"]));
    assert_eq!(first.params["left"], json!(3));
    let tasks = [&first.task, &second.task].map(|task| task.as_ref().map(|task: &TaskRef| task.id.clone()));
    assert_eq!(tasks, [Some(id(1)), Some(id(3))]);
}

fn report(slot: u32, state: ChildState) -> ChildReport {
    ChildReport {
        slot,
        run: RunId::from_random(u64::from(slot)),
        state,
        tree: None,
    }
}

fn effects(state: &RunState, workflow: &Workflow, children: &[ChildReport]) -> Vec<(TaskId, TaskEffect)> {
    let board = example_board();
    let environment = Environment {
        children,
        tasks: Some(&board),
        ..Environment::unknown()
    };
    let asking = children.iter().any(|report| report.state.asks());
    let command = if asking { unanswered(2) } else { done(2) };
    match decide(state, workflow, command, environment) {
        Decision::Accept(events) => task_effects(state, &events),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_sub_agents_report_becomes_of_their_tasks() {
    let workflow = in_waves(Some(1), 8);
    let run = planned(&workflow);
    let reason = || "there are two guides".to_owned();
    let first_two = |first, second| {
        let mut found = effects(&run.state, &workflow, &[report(1, first), report(2, second)]);
        found.truncate(2);
        found
    };
    assert_eq!(
        first_two(ChildState::Finished(None), ChildState::Failed(reason())),
        [
            (id(1), TaskEffect::Done),
            (id(3), TaskEffect::Fail { reason: reason() })
        ]
    );
    let stopped = ChildState::Escalated(Escalation::NeedsDecision, reason());
    assert_eq!(
        first_two(stopped, ChildState::Waiting),
        [
            (id(1), TaskEffect::Block { reason: reason() }),
            (id(3), TaskEffect::Release)
        ]
    );
    let mut failed = planned(&workflow);
    failed.accept(gave_up(2, "there is nobody to start"));
    assert_eq!(failed.board.ready().len(), 2);
}

#[test]
fn with_nothing_to_start_no_agent_is_called_for() {
    let workflow = in_waves(None, 8);
    let mut run = begun(&workflow);
    for task in 1..=3 {
        run.board.apply(&id(task), &TaskEffect::Done);
    }
    run.accept(brought(1, json!({ "file": "plan.md" })));
    assert_eq!(run.at(), "end");
}

#[test]
fn the_plan_that_counts_is_the_one_just_brought() {
    let workflow = one_after_another();
    let mut run = begun(&workflow);
    let command = brought(1, json!({ "file": "plan.md" }));
    assert_eq!(plan_in_view(&run.state, &command, None), None);
    let step = &workflow.steps()[0];
    let found: Vec<_> = step.expect.iter().map(EvidenceReport::met).collect();
    assert_eq!(plan_in_view(&run.state, &command, Some(&found)), Some(&id(0)));
    run.accept(command);
    run.accept(done(2));
    assert_eq!(plan_in_view(&run.state, &done(3), None), Some(&id(0)));
    let back = Command::Rewind { to: VisitNumber(1) };
    assert_eq!(plan_in_view(&run.state, &back, None), None);
}

#[test]
fn a_fork_has_the_task_of_the_run_it_comes_from() {
    let workflow = one_after_another();
    let run = planned(&workflow);
    let events = fork(&run.state.id, &run.events, VisitNumber(2)).unwrap();
    let forked = TestRun::from_events(&workflow, events).unwrap();
    assert_eq!(own(&forked).as_deref(), Some("1"));
}

#[test]
fn an_answer_can_close_a_task() {
    let workflow = workflow([
        planning("plan").to("pick"),
        step("pick").using([TaskUse::Take]).to("ask"),
        step("ask")
            .asks(&["done", "not yet"])
            .using([TaskUse::Done])
            .when("result.answer == 'not yet'", Fail)
            .to("end")
            .on(Fail, "end"),
    ]);
    for (said, status) in [("done", TaskStatus::Done), ("not yet", TaskStatus::Pending)] {
        let mut run = planned(&workflow);
        run.accept(done(2));
        run.accept(answer(said));
        assert_eq!(statuses(&run.board)[0], status, "{said}");
    }
}

#[test]
fn a_version_that_counts_on_a_plan_is_not_for_a_run_without_one() {
    let before = workflow([
        step("plan").returns("file", Shape::text()).to("work"),
        step("work"),
    ]);
    let after = workflow([
        planning("plan").to("work"),
        step("work").using([TaskUse::Take]).when("plan.open == 0", Ok),
    ]);
    let mut run = begun(&before);
    run.accept(brought(1, json!({ "file": "plan.md" })));
    let upgrade = Command::Upgrade {
        pin: bugle_core::id::ContentHash::from_digest([2; 32]),
        workflow: &after,
    };
    assert!(matches!(run.refusal(upgrade), Refusal::DoesNotFit { .. }));
}
