//! The statements that wake-ups and the session start hook execute.

use bugle_app::{AddRequest, Replaced, WakeRequest, messages, runs, wakeup};
use bugle_client::hook::HookEvent;
use bugle_core::reply::WakeView;
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::LoggedStatement;

use super::{OTHER_SESSION, SESSION, Workplace, assert_read_once, assert_read_once_except, hook};
use crate::project::{start, titled};

/// A statement that may repeat: the transaction that marks messages as read counts them again, because another
/// process may have read some.
const UNREAD: &str = "SELECT delivered, taken FROM mailbox";
/// A statement that may repeat: several queries can find the same task (active in this tree, active anywhere, first
/// open, sibling), and each reads the task's dependencies.
const DEPENDENCIES: &str = "SELECT task_id, on_id, says FROM dependency WHERE task_id = $1";

/// A wake-up after a compaction, with room for everything.
pub(super) fn after_compaction() -> WakeRequest {
    WakeRequest {
        agent: None,
        reason: WakeReason::Compact,
        replaces: None,
        budget: Budget::utf16(1_000_000),
        message: None,
        dry_run: false,
    }
}

fn wake(workplace: &mut Workplace, request: &WakeRequest) -> (WakeView, Vec<LoggedStatement>) {
    workplace.logged(|store, context| {
        wakeup::wake_and_write(store, context, request, &|_| String::new(), &mut |_| Ok(()))
    })
}

/// A workplace with a run and messages. Its task waits for another task that an agent has started.
fn busy_workplace() -> Workplace {
    let mut workplace = Workplace::new();
    workplace.act_as(OTHER_SESSION);
    let [decide] = workplace.project.add(["Decide on the colour"]);
    workplace.project.change(&decide, &start(None, false));
    workplace.project.act_as(Some(SESSION));
    workplace
        .project
        .try_depend(&workplace.task.clone(), &decide)
        .unwrap();
    let below = AddRequest {
        under: Some(workplace.task.clone()),
        ..titled(&["Part A", "Part B"])
    };
    workplace.project.add_with(&below);
    workplace.start_run();
    let name = workplace.agent_of(SESSION);
    workplace.act_as(OTHER_SESSION);
    workplace.logged(|store, context| messages::say(store, context, &format!("@{name} It is blue."), None));
    workplace.logged(|store, context| messages::ask(store, context, &format!("@{name} Is it?"), None));
    workplace.project.act_as(Some(SESSION));
    workplace
}

#[test]
fn a_wake_up_reads_each_row_once() {
    let mut workplace = busy_workplace();
    for times in ["with new messages", "with an open question"] {
        let (view, log) = wake(&mut workplace, &after_compaction());
        assert!(view.text.contains("Is it?"), "{}", view.text);
        assert_read_once_except(times, &log, &[UNREAD]);
    }
    let name = workplace.agent_of(SESSION);
    let named = WakeRequest {
        agent: Some(name),
        ..after_compaction()
    };
    workplace.project.act_as(None);
    let (_, log) = wake(&mut workplace, &named);
    assert_read_once_except("of a named agent", &log, &[DEPENDENCIES]);
}

#[test]
fn a_wake_up_reads_the_last_events_of_a_long_run_once() {
    let mut workplace = Workplace::new();
    let run = workplace.start_run().run;
    for number in 0..100 {
        let selector = bugle_app::RunSelector::Run(run.clone());
        let text = format!("Note {number}");
        workplace.logged(|store, context| runs::note(store, context, &selector, &text));
    }
    let (view, log) = wake(&mut workplace, &after_compaction());
    assert!(view.text.contains("Note 99"), "{}", view.text);
    assert_read_once("of a long run", &log);
}

#[test]
fn a_wake_up_that_claims_a_run_reads_each_row_once() {
    let mut workplace = Workplace::new();
    workplace.start_run();
    hook(&mut workplace.project.app, HookEvent::SessionEnd);
    workplace.act_as(OTHER_SESSION);
    let (view, log) = wake(&mut workplace, &after_compaction());
    assert!(view.text.contains("Plan the parts."), "{}", view.text);
    assert_read_once_except("of a session that claims a run", &log, &[DEPENDENCIES]);
}

#[test]
fn a_replacements_wake_up_reads_each_row_once() {
    let mut workplace = busy_workplace();
    let lost = workplace.agent_of(SESSION);
    workplace.act_as(OTHER_SESSION);
    let request = WakeRequest {
        replaces: Some(Replaced {
            agent: lost.clone(),
            log: None,
        }),
        ..after_compaction()
    };
    let (view, log) = wake(&mut workplace, &request);
    assert!(view.text.contains(&lost), "{}", view.text);
    assert_read_once_except("of a replacement", &log, &[DEPENDENCIES]);
}

#[test]
fn a_session_start_uses_one_transaction_besides_its_wake_up() {
    let mut workplace = Workplace::new();
    workplace.start_run();
    for session in [SESSION, OTHER_SESSION] {
        workplace.project.act_as(Some(session));
        let log = hook(&mut workplace.project.app, HookEvent::SessionStart);
        let is_write = |statement: &&LoggedStatement| statement.text.starts_with("BEGIN IMMEDIATE");
        assert_eq!(log.iter().filter(is_write).count(), 2, "{log:#?}");
    }
}
