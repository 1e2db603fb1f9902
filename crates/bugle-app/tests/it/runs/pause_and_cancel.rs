//! A person pauses, resumes and cancels runs.

use bugle_app::RunSelector;
use bugle_core::engine::RunStatus;
use bugle_core::reply::TimelineKind;

use super::{ASKING, run_of, started, three, visit_of, word};
use crate::project::refused;
use crate::reviewed::{end, step, visit};

#[test]
fn a_run_can_be_paused_and_resumed() {
    let (mut project, first) = three();
    let run = run_of(&first);
    let paused = project.pause(&run, Some("the plan changed")).unwrap();
    assert_eq!(paused, first.position.run);
    project.pause(&run, None).unwrap();
    assert_eq!(project.status_of_run(&first), RunStatus::Paused);
    let refusal = refused(project.current(&run), "wrong-status");
    assert_eq!(refusal.command, Some(format!("bugle run resume {paused}")));
    assert_eq!(step(project.resume(&run)), first);
    assert_eq!(
        step(project.resume(&run)),
        first,
        "resuming twice is the same as once"
    );
    assert_eq!(
        project.event_kinds(&first),
        [
            TimelineKind::Started,
            TimelineKind::Entered,
            TimelineKind::Paused,
            TimelineKind::Resumed
        ]
    );
    assert_eq!(project.history(&first)[2], "paused: the plan changed");
}

#[test]
fn a_run_that_waits_for_a_person_waits_again_after_a_pause() {
    let (mut project, choose) = started("asking", ASKING);
    let (run, question) = (run_of(&choose), RunSelector::Visit(visit(&choose)));
    project.pause(&run, None).unwrap();
    let answer = Some("left, mostly");
    refused(project.decide(&question, answer, None), "wrong-status");
    assert_eq!(step(project.resume(&run)), choose);
    assert_eq!(project.status_of_run(&choose), RunStatus::Waiting);
    step(project.decide(&question, answer, None));
}

#[test]
fn a_paused_run_refuses_reports_and_loses_none() {
    let (mut project, first) = three();
    let file = &first.result.as_ref().unwrap().file;
    std::fs::write(file, word("one").to_string()).unwrap();
    project.pause(&run_of(&first), Some("lunch")).unwrap();
    let refusal = refused(project.end_visit(&first), "wrong-status");
    assert_eq!(refusal.position.unwrap().status, RunStatus::Paused);
    let resume = format!("bugle run resume {}", first.position.run);
    assert_eq!(refusal.command, Some(resume));
    assert_eq!(step(project.resume(&run_of(&first))), first);
    let second = step(project.end_visit(&first));
    assert_eq!(second.action, "The first thing was one.");
}

#[test]
fn a_cancelled_run_keeps_its_history_and_can_only_be_shown() {
    let (mut project, first) = three();
    let run = run_of(&first);
    let cancelled = project.cancel(&run, Some("no longer needed")).unwrap();
    assert_eq!(cancelled, first.position.run);
    project.cancel(&run, None).unwrap();
    let show = format!("bugle run show {cancelled}");
    let refusals = [
        refused(project.resume(&run), "wrong-status"),
        refused(project.pause(&run, None), "wrong-status"),
        refused(project.current(&run), "wrong-status"),
        refused(project.upgrade(&run), "wrong-status"),
    ];
    for refusal in refusals {
        let status = refusal.position.as_ref().map(|at| at.status);
        assert_eq!(status, Some(RunStatus::Cancelled), "{refusal:?}");
        assert_eq!(refusal.command.as_ref(), Some(&show), "{refusal:?}");
    }
    assert_eq!(project.history(&first)[2], "cancelled: no longer needed");
    refused(project.rewind(&visit(&first)), "wrong-status");
    project.check();
}

#[test]
fn a_cancelled_run_refuses_reports() {
    let (mut project, first) = three();
    let second = step(project.report(&first, &word("one")));
    project.cancel(&run_of(&first), None).unwrap();
    let refusal = refused(
        project.end_visit_with(&visit(&second), &word("two")),
        "wrong-status",
    );
    assert_eq!(refusal.position.unwrap().status, RunStatus::Cancelled);
    let show = format!("bugle run show {}", first.position.run);
    assert_eq!(refusal.command, Some(show));
    refused(
        project.end_visit_with(&visit(&first), &word("one")),
        "wrong-status",
    );
    project.check();
}

#[test]
fn a_complete_run_refuses_other_reports() {
    let (mut project, first) = three();
    let second = step(project.report(&first, &word("one")));
    let third = step(project.report(&second, &word("two")));
    end(project.end_visit(&third));
    let refusal = refused(
        project.end_visit_with(&visit(&second), &word("other")),
        "stale-visit",
    );
    assert_eq!(refusal.position.unwrap().status, RunStatus::Completed);
    let show = format!("bugle run show {}", first.position.run);
    assert_eq!(refusal.command, Some(show));
    let invented = visit_of(&first, 4);
    refused(project.end_visit_with(&invented, &word("more")), "unknown-visit");
}
