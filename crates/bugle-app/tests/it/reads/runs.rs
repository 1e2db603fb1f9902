//! The statements that `bugle done` and a run's page execute.

use bugle_app::{RunSelector, dashboard, runs};
use bugle_client::hook::HookEvent;
use bugle_core::id::{ChildToken, VisitToken};
use bugle_store::LoggedStatement;

use super::{SESSION, Workplace, assert_read_once, hook, visit};

const PARTS: &str = r#"{"parts": ["one", "two"]}"#;
const REPORT: &str = r#"{"report": "It is built."}"#;
const NO_FINDINGS: &str = r#"{"checks": ["it builds"], "findings": []}"#;

/// Starts a sub-agent's run and returns its visit.
fn start_child(workplace: &mut Workplace, parent: &VisitToken, slot: u32) -> VisitToken {
    let token = ChildToken {
        parent: parent.clone(),
        slot,
    };
    let (reply, _) = workplace.logged(|store, context| runs::start_child(store, context, &token));
    visit(&reply)
}

#[track_caller]
fn assert_page_reads_once(workplace: &mut Workplace, visit: &VisitToken) {
    let selector = RunSelector::Visit(visit.clone());
    let (_, log) = workplace.logged(|store, context| dashboard::run_page(store, context, &selector, None));
    assert_read_once("a run's page", &log);
}

#[test]
fn done_and_a_runs_page_read_each_row_once() {
    let mut workplace = Workplace::new();
    let plan = workplace.start_run();
    assert_page_reads_once(&mut workplace, &plan);

    let (reply, log) = workplace.done(&plan, Some(PARTS));
    assert_read_once("done", &log);
    let build = visit(&reply);
    for slot in [1, 2] {
        let child = start_child(&mut workplace, &build, slot);
        assert_page_reads_once(&mut workplace, &build);
        let (_, log) = workplace.done(&child, Some(REPORT));
        assert_read_once("a sub-agent's done", &log);
    }
    assert_page_reads_once(&mut workplace, &build);
    let (reply, log) = workplace.done(&build, None);
    assert_read_once("done with sub-agents' reports", &log);

    let review = visit(&reply);
    // Another program does the review.
    workplace.project.act_as(None);
    let child = start_child(&mut workplace, &review, 1);
    let (_, log) = workplace.done(&child, Some(NO_FINDINGS));
    assert_read_once("a reviewer's done", &log);
    workplace.project.act_as(Some(SESSION));
    assert_page_reads_once(&mut workplace, &review);
    let (_, log) = workplace.done(&build, None);
    assert_read_once("a repeated done", &log);
    let (reply, log) = workplace.done(&review, None);
    assert_read_once("a gate's done", &log);
    let (_, log) = workplace.done(&visit(&reply), None);
    assert_read_once("the last done", &log);
    assert_page_reads_once(&mut workplace, &review);
}

#[test]
fn a_refused_stop_reads_the_run_once() {
    let mut workplace = Workplace::new();
    workplace.start_run();
    let log = hook(&mut workplace.project.app, HookEvent::Stop);
    let read: Vec<&LoggedStatement> = log
        .iter()
        .filter(|sent| sent.text.contains("FROM event"))
        .collect();
    assert_eq!(read.len(), 1, "{log:#?}");
}
