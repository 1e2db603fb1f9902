//! Spending limits and their notices.

use std::ffi::OsString;

use bugle_core::agent::{Cap, Spent};
use bugle_core::message::Home;
use tempfile::TempDir;

use super::*;
use crate::{App, Context, Reply, StartRequest, messages, projects, runs};

/// A project with an agent that was woken `woken` times.
fn with_agent(woken: u64) -> (TempDir, App, AgentRow) {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().as_os_str().to_owned();
    let variables = move |name: &str| -> Option<OsString> { (name == "HOME").then(|| home.clone()) };
    let project = folder.path().join("shop");
    std::fs::create_dir_all(project.join(".bugle")).unwrap();
    let mut app = App::open(Context::find(&variables, &project, false).unwrap()).unwrap();
    let id = projects::ensure_project(&mut app.store, &app.context).unwrap();
    let row = AgentRow {
        spent: Spent {
            wakeups: woken,
            ..Spent::default()
        },
        ..AgentRow::new(id, agent("impl"), "/shop".to_owned(), app.context.now())
    };
    assert!(app.store.add_agent(&row).unwrap());
    (folder, app, row)
}

fn agent(name: &str) -> AgentAddress {
    let here = Home::new("shop", None);
    AgentAddress::new(here.project(), here.branch(), name).unwrap()
}

/// Starts a run of a one-step skill.
fn start_run(folder: &TempDir, app: &mut App) -> RunId {
    std::fs::create_dir_all(folder.path().join("shop/.bugle/skills/one")).unwrap();
    let manifest = "---\nname: one\ndescription: One step.\n---\n";
    write(folder, "shop/.bugle/skills/one/SKILL.md", manifest);
    let workflow = "version: 1\nsteps:\n  only: { title: Work, do: Work., next: end }\n";
    write(folder, "shop/.bugle/skills/one/workflow.yaml", workflow);
    let request = StartRequest {
        skill: "one".to_owned(),
        params: Vec::new(),
        task: None,
    };
    let Reply::Step(step) = runs::start(&mut app.store, &app.context, request).unwrap() else {
        panic!("the run is not at its first step");
    };
    step.position.run
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

/// The limit that the agent has reached, if any, before another turn.
fn turn_limit(app: &mut App, agent: &AgentRow) -> Option<Reached> {
    limit_reached(&mut app.store, &app.context, Spender::Agent(agent), Expense::Turn).unwrap()
}

#[test]
fn without_limits_no_limit_is_reached() {
    let (_folder, mut app, agent) = with_agent(1_000_000);
    assert_eq!(turn_limit(&mut app, &agent), None);
    assert_eq!(notices(&mut app), [""; 0]);
}

#[test]
fn a_limit_is_reported_once_and_again_after_it_was_raised() {
    let (folder, mut app, agent) = with_agent(5);
    let settings = "shop/.bugle/config.yaml";
    write(&folder, settings, "limits: { agent: { wakeups: 6 } }");
    assert_eq!(turn_limit(&mut app, &agent), None);
    write(&folder, settings, "limits: { agent: { wakeups: 5 } }");
    for _ in 0..3 {
        let reached = turn_limit(&mut app, &agent).unwrap();
        assert_eq!((reached.limit, reached.spent), (5, 5));
    }
    assert_eq!(notices(&mut app).len(), 1);
    assert!(notices(&mut app)[0].contains("5 of 5 wake-ups"));
    write(&folder, settings, "limits: { agent: { wakeups: 4 } }");
    turn_limit(&mut app, &agent).unwrap();
    assert_eq!(notices(&mut app).len(), 2);
}

#[test]
fn the_stricter_of_the_project_and_user_limits_applies() {
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
    let reached = turn_limit(&mut app, &agent).unwrap();
    assert_eq!(
        reached.cap,
        Cap::Wakeups,
        "the project cannot raise the user's limit"
    );
}

#[test]
fn unreadable_limits_block_instead_of_being_ignored() {
    let (folder, mut app, agent) = with_agent(0);
    write(
        &folder,
        "shop/.bugle/config.yaml",
        "limits: { agent: { wakeups: many } }",
    );
    assert!(turn_limit(&mut app, &agent).is_some());
    let notices = notices(&mut app);
    assert!(notices[0].contains("`many` is not a valid limit"), "{notices:?}");
}

#[test]
fn all_agents_of_a_run_count_together() {
    let (folder, mut app, first) = with_agent(0);
    let (run, other) = (start_run(&folder, &mut app), start_run(&folder, &mut app));
    let spent = Spent {
        wakeups: 3,
        tokens: 400,
        cost: 50_000,
        ..Spent::default()
    };
    for (name, works_for) in [("one", &run), ("two", &run), ("elsewhere", &other)] {
        let row = AgentRow {
            address: agent(name),
            run: Some(works_for.clone()),
            spent,
            ..first.clone()
        };
        assert!(app.store.add_agent(&row).unwrap());
    }
    // One agent's spending is below each limit. The spending of both agents together reaches it.
    for (limit, expense, cap, together) in [
        ("agents: 2", Expense::Agent, Cap::Agents, 2),
        ("wakeups: 6", Expense::Turn, Cap::Wakeups, 6),
        ("tokens: 800", Expense::Turn, Cap::Tokens, 800),
        ("cost: 0.10", Expense::Turn, Cap::Cost, 100_000),
    ] {
        let settings = format!("limits: {{ run: {{ {limit} }} }}");
        write(&folder, "shop/.bugle/config.yaml", &settings);
        let mut reached =
            |run| limit_reached(&mut app.store, &app.context, Spender::Run(run), expense).unwrap();
        let found = reached(&run).unwrap();
        assert_eq!((found.cap, found.limit, found.spent), (cap, together, together));
        assert_eq!(reached(&other), None, "one agent alone stays below {limit}");
    }
    assert_eq!(notices(&mut app).len(), 4);
}
