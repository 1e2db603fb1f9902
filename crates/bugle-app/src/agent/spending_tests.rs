//! Limits: what is reached stops, and is told once.

use std::ffi::OsString;

use bugle_core::agent::{Cap, Spent};
use bugle_core::message::Home;
use bugle_store::AgentStore as _;
use tempfile::TempDir;

use super::*;
use crate::Place;

/// A project with an app in it, and an agent that has been woken so often.
fn with_agent(woken: u64) -> (TempDir, App, Spender) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().as_os_str().to_owned();
    let variables = move |name: &str| -> Option<OsString> { (name == "HOME").then(|| home.clone()) };
    let project = folder.path().join("shop");
    std::fs::create_dir_all(project.join(".bugle")).unwrap();
    let mut app = App::open(Place::find(&variables, &project, false).unwrap()).unwrap();
    let id = app.made_project().unwrap();
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
            crate::now(),
        )
    };
    assert!(app.store.add_agent(&row).unwrap());
    (folder, app, Spender::Agent(Box::new(row)))
}

fn write(folder: &TempDir, path: &str, text: &str) {
    std::fs::write(folder.path().join(path), text).unwrap();
}

fn told(app: &mut App) -> Vec<String> {
    let unread = app.unread_messages(Some("human")).unwrap().0;
    unread.messages.into_iter().map(|message| message.text).collect()
}

#[test]
fn without_limits_nothing_is_reached() {
    let (_folder, mut app, agent) = with_agent(1_000_000);
    assert_eq!(app.limit_reached(&agent, Expense::Turn).unwrap(), None);
    assert_eq!(told(&mut app), [""; 0]);
}

#[test]
fn what_is_reached_is_told_once_and_again_after_it_was_raised() {
    let (folder, mut app, agent) = with_agent(5);
    let settings = "shop/.bugle/config.yaml";
    write(&folder, settings, "limits: { agent: { wakeups: 6 } }");
    assert_eq!(app.limit_reached(&agent, Expense::Turn).unwrap(), None);
    write(&folder, settings, "limits: { agent: { wakeups: 5 } }");
    for _ in 0..3 {
        let reached = app.limit_reached(&agent, Expense::Turn).unwrap().unwrap();
        assert_eq!((reached.limit, reached.spent), (5, 5));
    }
    assert_eq!(told(&mut app).len(), 1);
    assert!(told(&mut app)[0].contains("5 wake-ups of 5"));
    write(&folder, settings, "limits: { agent: { wakeups: 4 } }");
    app.limit_reached(&agent, Expense::Turn).unwrap().unwrap();
    assert_eq!(told(&mut app).len(), 2);
}

#[test]
fn the_stricter_of_the_project_s_and_the_user_s_limits_holds() {
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
    let reached = app.limit_reached(&agent, Expense::Turn).unwrap().unwrap();
    assert_eq!(reached.cap, Cap::Wakeups, "the project cannot raise it");
}

#[test]
fn limits_that_cannot_be_read_are_not_taken_for_none() {
    let (folder, mut app, agent) = with_agent(0);
    write(
        &folder,
        "shop/.bugle/config.yaml",
        "limits: { agent: { wakeups: many } }",
    );
    assert!(app.limit_reached(&agent, Expense::Turn).unwrap().is_some());
    let told = told(&mut app);
    assert!(told[0].contains("`many` is no limit"), "{told:?}");
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
        app.limit_reached(&Spender::Run(run), Expense::Agent).unwrap(),
        None,
        "nobody works for it"
    );
}
