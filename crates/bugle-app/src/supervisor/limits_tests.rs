//! Tests of spending limits and their notices.

use std::ffi::OsString;

use bugle_core::agent::{Cap, Spent};
use bugle_core::message::Home;
use tempfile::TempDir;

use super::*;
use crate::{App, Context, messages, projects};

/// A project with an agent that was woken `woken` times.
fn with_agent(woken: u64) -> (TempDir, App, Spender) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().as_os_str().to_owned();
    let variables = move |name: &str| -> Option<OsString> { (name == "HOME").then(|| home.clone()) };
    let project = folder.path().join("shop");
    std::fs::create_dir_all(project.join(".bugle")).unwrap();
    let mut app = App::open(Context::find(&variables, &project, false).unwrap()).unwrap();
    let id = projects::ensure_project(&mut app.store, &app.context).unwrap();
    let here = Home::new("shop", None);
    let row = AgentRow {
        spent: Spent {
            wakeups: woken,
            ..Spent::default()
        },
        ..AgentRow::new(
            id,
            AgentAddress::new(here.project(), here.branch(), "impl").unwrap(),
            "/shop".to_owned(),
            crate::ids::now(),
        )
    };
    assert!(app.store.add_agent(&row).unwrap());
    (folder, app, Spender::Agent(Box::new(row)))
}

fn write(folder: &TempDir, path: &str, text: &str) {
    std::fs::write(folder.path().join(path), text).unwrap();
}

fn notices(app: &mut App) -> Vec<String> {
    let unread = messages::unread_messages(&mut app.store, &app.context, Some("human"))
        .unwrap()
        .0;
    unread.messages.into_iter().map(|message| message.text).collect()
}

#[test]
fn without_limits_nothing_is_reached() {
    let (_folder, mut app, agent) = with_agent(1_000_000);
    assert_eq!(
        limit_reached(&mut app.store, &app.context, &agent, Expense::Turn).unwrap(),
        None
    );
    assert_eq!(notices(&mut app), [""; 0]);
}

#[test]
fn a_reached_limit_is_reported_once_and_again_after_it_was_raised() {
    let (folder, mut app, agent) = with_agent(5);
    let settings = "shop/.bugle/config.yaml";
    write(&folder, settings, "limits: { agent: { wakeups: 6 } }");
    assert_eq!(
        limit_reached(&mut app.store, &app.context, &agent, Expense::Turn).unwrap(),
        None
    );
    write(&folder, settings, "limits: { agent: { wakeups: 5 } }");
    for _ in 0..3 {
        let reached = limit_reached(&mut app.store, &app.context, &agent, Expense::Turn)
            .unwrap()
            .unwrap();
        assert_eq!((reached.limit, reached.spent), (5, 5));
    }
    assert_eq!(notices(&mut app).len(), 1);
    assert!(notices(&mut app)[0].contains("5 wake-ups of 5"));
    write(&folder, settings, "limits: { agent: { wakeups: 4 } }");
    limit_reached(&mut app.store, &app.context, &agent, Expense::Turn)
        .unwrap()
        .unwrap();
    assert_eq!(notices(&mut app).len(), 2);
}

#[test]
fn the_stricter_of_project_and_user_limit_holds() {
    let (folder, mut app, agent) = with_agent(5);
    write(
        &folder,
        ".bugle/config.yaml",
        "limits: { agent: { wakeups: 2, tokens: 0 } }",
    );
    write(
        &folder,
        "shop/.bugle/config.yaml",
        "limits: { agent: { wakeups: 9 } }",
    );
    let reached = limit_reached(&mut app.store, &app.context, &agent, Expense::Turn)
        .unwrap()
        .unwrap();
    assert_eq!(reached.cap, Cap::Wakeups, "the project cannot raise it");
}

#[test]
fn unreadable_limits_do_not_count_as_none() {
    let (folder, mut app, agent) = with_agent(0);
    write(
        &folder,
        "shop/.bugle/config.yaml",
        "limits: { agent: { wakeups: many } }",
    );
    assert!(
        limit_reached(&mut app.store, &app.context, &agent, Expense::Turn)
            .unwrap()
            .is_some()
    );
    let notices = notices(&mut app);
    assert!(notices[0].contains("`many` is not a limit"), "{notices:?}");
}

#[test]
fn all_agents_of_a_run_count_together() {
    let (folder, mut app, _) = with_agent(5);
    write(
        &folder,
        "shop/.bugle/config.yaml",
        "limits: { run: { agents: 1 } }",
    );
    let run = RunId::parse("r-none").unwrap();
    assert_eq!(
        limit_reached(&mut app.store, &app.context, &Spender::Run(run), Expense::Agent).unwrap(),
        None,
        "nobody works for it"
    );
}
