//! Agents: names, sessions, messages, questions, spending and exchanges.

use bugle_core::agent::{AgentStatus, Exchange, Signal, Spent};
use bugle_core::id::{MessageId, RunId, SessionId, Timestamp};
use bugle_core::message::{AgentAddress, MessageKind};
use bugle_core::role::AgentRole;
use bugle_store::{AgentRow, Append, NewMessage, Pair, ProcessId, ProjectId, Receiver, Store};

use crate::conformance::Engine;
use crate::test_run::{TestRun, hash, project};

fn agent(name: &str) -> AgentAddress {
    AgentAddress::new("shop", "main", name).unwrap()
}

fn row(project: &ProjectId, name: &str) -> AgentRow {
    AgentRow::new(
        project.clone(),
        agent(name),
        "/work/shop".to_owned(),
        Timestamp(7),
    )
}

fn session(id: &str) -> SessionId {
    SessionId(id.to_owned())
}

fn post(
    store: &mut Store,
    project: &ProjectId,
    id: &str,
    kind: MessageKind,
    to: &[(&str, bool)],
) -> MessageId {
    let id: MessageId = id.parse().unwrap();
    let to: Vec<Receiver> = to
        .iter()
        .map(|(name, wakes)| Receiver {
            project: project.clone(),
            agent: agent(name),
            wakes: *wakes,
        })
        .collect();
    let message = NewMessage {
        id: &id,
        project,
        sender: &agent("lead"),
        text: "look",
        at: Timestamp(5),
        kind,
        answers: None,
        branch: "main",
        to: &to,
    };
    store.post(&message).unwrap().unwrap();
    id
}

/// The ids of an agent's unread messages, in order.
fn unread(store: &mut Store, project: &ProjectId, name: &str) -> Vec<String> {
    let unread = store.unread(project, &agent(name), 99).unwrap();
    let rows = unread.rows.iter();
    rows.map(|row| row.message.id.to_string()).collect()
}

pub(crate) fn an_agent_round_trips<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let mut created = row(&project, "backend");
    assert!(store.add_agent(&created).unwrap());
    let question = post(&mut store, &project, "m-a", MessageKind::Ask, &[("docs", true)]);
    store.keep_blobs(&[(hash(1), Vec::new())]).unwrap();
    let begun = TestRun::new("r-one", 1);
    assert_eq!(store.create(&begun.as_new(&project, None)).unwrap(), Append::Done);
    created = AgentRow {
        client: Some("codex".to_owned()),
        role: Some(AgentRole::Developer),
        session: Some(session("s-1")),
        state: created.state.after(Signal::TurnBegan).after(Signal::Asked),
        question: Some(question),
        task: Some("everything, größe 🎺".to_owned()),
        run: Some(RunId::parse("r-one").unwrap()),
        started_by: Some(agent("lead")),
        process: Some(ProcessId {
            pid: 4_294_967_295,
            started: -3,
        }),
        exit_code: Some(-9),
        log: Some("/logs/backend".to_owned()),
        recoveries: 2,
        spent: Spent {
            wakeups: 3,
            agents: 0,
            tokens: 1_000_000,
            cost: 2_500_000,
        },
        changed_at: Timestamp(9),
        ..created
    };
    assert!(store.keep_agent(&created).unwrap());
    let mut other = engine.open();
    assert_eq!(
        other.agent(&project, &created.address).unwrap().as_ref(),
        Some(&created)
    );
    let by_session = other.agent_of_session(&SessionId("s-1".to_owned())).unwrap();
    assert_eq!(by_session.as_ref(), Some(&created));
    assert_eq!(other.agents_with_process().unwrap(), [created]);
    assert_eq!(other.agent(&project, &agent("nobody")).unwrap(), None);
    assert!(!other.keep_agent(&row(&project, "nobody")).unwrap());
}

pub(crate) fn agent_names_and_sessions_are_unique<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let first = AgentRow {
        session: Some(session("s-1")),
        ..row(&project, "backend")
    };
    assert!(store.add_agent(&first).unwrap());
    assert!(
        !store.add_agent(&row(&project, "backend")).unwrap(),
        "the name is taken"
    );
    let thief = AgentRow {
        session: Some(session("s-1")),
        ..row(&project, "docs")
    };
    assert!(!store.add_agent(&thief).unwrap(), "the session is taken");
    assert!(store.add_agent(&row(&project, "docs")).unwrap());
    assert!(!store.keep_agent(&thief).unwrap(), "another agent's session");
    assert_eq!(
        store.agents(Some(&project)).unwrap(),
        [first, row(&project, "docs")]
    );
    // The same name in another project is a different agent.
    let there = store.project("/there/shop", "p-there", Timestamp(1)).unwrap();
    assert!(store.add_agent(&row(&there, "backend")).unwrap());
}

pub(crate) fn agents_are_listed_by_branch_and_name<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let mut called = |branch: &str, name: &str, renamed: Option<&str>| {
        let agent = AgentRow {
            address: AgentAddress::new("shop", branch, name).unwrap(),
            renamed: renamed.map(agent),
            ..row(&project, name)
        };
        assert!(store.add_agent(&agent).unwrap());
    };
    called("main", "b", None);
    called("dev", "z", None);
    called("main", "a", None);
    called("main", "old", Some("a"));
    let listed = store.agents(Some(&project)).unwrap();
    let names: Vec<&str> = listed.iter().map(|row| row.address.name()).collect();
    assert_eq!(names, ["z", "a", "b"]);
    assert_eq!(store.agents(None).unwrap(), listed);
    assert_eq!(store.agents(Some(&ProjectId("p-other".to_owned()))).unwrap(), []);
}

pub(crate) fn an_agent_moves_to_the_session_that_follows_a_cleared_one<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let (one, two) = (SessionId("s-1".to_owned()), SessionId("s-2".to_owned()));
    let first = AgentRow {
        session: Some(one.clone()),
        ..row(&project, "backend")
    };
    assert!(store.add_agent(&first).unwrap());
    store.hand_over(&one, &two).unwrap();
    assert_eq!(store.agent_of_session(&one).unwrap(), None);
    let found = store.agent_of_session(&two).unwrap().unwrap();
    assert_eq!(found.address, agent("backend"));
}

pub(crate) fn agents_with_waking_mail_are_found<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    for name in ["backend", "docs", "lead"] {
        assert!(store.add_agent(&row(&project, name)).unwrap());
    }
    let waiting = |store: &mut Store| -> Vec<(String, Option<u64>, u64)> {
        let rows = store.supervised_agents().unwrap();
        rows.into_iter()
            .map(|row| (row.agent.address.name().to_owned(), row.called_at, row.unread))
            .collect()
    };
    post(
        &mut store,
        &project,
        "m-a",
        MessageKind::Say,
        &[("docs", false), ("nobody", true)],
    );
    assert_eq!(waiting(&mut store), []);
    assert_eq!(store.last_wake_seq(&project, &agent("docs")).unwrap(), None);
    post(
        &mut store,
        &project,
        "m-b",
        MessageKind::Say,
        &[("backend", true), ("docs", true)],
    );
    post(&mut store, &project, "m-c", MessageKind::Say, &[("docs", false)]);
    assert_eq!(
        waiting(&mut store),
        [
            ("backend".to_owned(), Some(1), 1),
            ("docs".to_owned(), Some(3), 3)
        ]
    );
    assert_eq!(store.last_wake_seq(&project, &agent("docs")).unwrap(), Some(2));
    // A message that does not wake the agent is read together with a message that does.
    assert_eq!(unread(&mut store, &project, "docs"), ["m-a", "m-b", "m-c"]);
    store.take(&project, &agent("docs"), 2, Timestamp(9)).unwrap();
    assert_eq!(waiting(&mut store), [("backend".to_owned(), Some(1), 1)]);
    assert_eq!(unread(&mut store, &project, "docs"), ["m-c"]);
}

pub(crate) fn forwarded_mail_arrives_once_and_in_order<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    post(&mut store, &project, "m-a", MessageKind::Say, &[("s-1", true)]);
    store.take(&project, &agent("s-1"), 1, Timestamp(9)).unwrap();
    post(&mut store, &project, "m-c", MessageKind::Ask, &[("s-1", true)]);
    post(
        &mut store,
        &project,
        "m-b",
        MessageKind::Say,
        &[("s-1", true), ("backend", true)],
    );
    for _ in 0..2 {
        store
            .forward_mail(&project, &agent("s-1"), &agent("backend"), Timestamp(9))
            .unwrap();
        assert_eq!(unread(&mut store, &project, "backend"), ["m-b", "m-c"]);
        assert_eq!(unread(&mut store, &project, "s-1"), [""; 0]);
    }
    let asked =
        |store: &mut Store, name: &str| store.open_questions(&project, &agent(name), &[]).unwrap().len();
    assert_eq!((asked(&mut store, "backend"), asked(&mut store, "s-1")), (1, 0));
}

pub(crate) fn a_question_is_open_until_it_is_answered<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    post(
        &mut store,
        &project,
        "m-a",
        MessageKind::Ask,
        &[("backend", true), ("docs", true)],
    );
    post(
        &mut store,
        &project,
        "m-b",
        MessageKind::Say,
        &[("backend", true)],
    );
    let later = post(
        &mut store,
        &project,
        "m-c",
        MessageKind::Ask,
        &[("backend", true)],
    );
    let open = |store: &mut Store, name: &str| -> Vec<String> {
        let rows = store.open_questions(&project, &agent(name), &[]).unwrap();
        rows.iter().map(|row| row.id.to_string()).collect()
    };
    assert_eq!(open(&mut store, "backend"), ["m-c", "m-a"]);
    store.take(&project, &agent("backend"), 3, Timestamp(9)).unwrap();
    assert_eq!(
        open(&mut store, "backend"),
        ["m-c", "m-a"],
        "reading a question does not answer it"
    );
    assert!(store.close_question(&"m-a".parse().unwrap()).unwrap());
    assert!(!store.close_question(&"m-a".parse().unwrap()).unwrap(), "once");
    assert_eq!(open(&mut store, "backend"), ["m-c"]);
    assert_eq!(open(&mut store, "docs"), [""; 0]);
    let found = store.messages_by_prefix("m-c").unwrap();
    assert_eq!(
        (found.len(), found[0].kind, &found[0].id),
        (1, MessageKind::Ask, &later)
    );
}

pub(crate) fn spending_is_summed_by_run<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    store.keep_blobs(&[(hash(1), Vec::new())]).unwrap();
    let begun = TestRun::new("r-one", 1);
    assert_eq!(store.create(&begun.as_new(&project, None)).unwrap(), Append::Done);
    let run = RunId::parse("r-one").unwrap();
    assert!(store.add_agent(&row(&project, "lead")).unwrap());
    for name in ["one", "two"] {
        let started = AgentRow {
            run: Some(run.clone()),
            started_by: Some(agent("lead")),
            spent: Spent {
                wakeups: 2,
                agents: 0,
                tokens: 10,
                cost: 5,
            },
            ..row(&project, name)
        };
        assert!(store.add_agent(&started).unwrap());
    }
    let spent = store.spent_on_run(&run).unwrap();
    let expected = Spent {
        wakeups: 4,
        agents: 2,
        tokens: 20,
        cost: 10,
    };
    assert_eq!(spent, expected);
    let lead = store.agent(&project, &agent("lead")).unwrap().unwrap();
    assert_eq!((lead.spent.agents, lead.state.status), (2, AgentStatus::Idle));
    let nothing = store.spent_on_run(&RunId::parse("r-two").unwrap()).unwrap();
    assert_eq!(nothing, Spent::default());
}

pub(crate) fn a_key_is_recorded_once<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    assert!(store.record_once(&project, "a limit", Timestamp(1)).unwrap());
    assert!(
        !engine
            .open()
            .record_once(&project, "a limit", Timestamp(2))
            .unwrap()
    );
    assert!(store.record_once(&project, "another", Timestamp(2)).unwrap());
}

pub(crate) fn a_pair_is_the_same_in_either_order<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let (one, two, three) = (agent("one"), agent("two"), agent("three"));
    let pair = Pair::of((&project, &one), (&project, &two));
    assert_eq!(pair, Pair::of((&project, &two), (&project, &one)));
    assert_eq!(
        store.exchange(&pair).unwrap(),
        (Exchange::default(), Timestamp(0))
    );
    let exchange = Exchange {
        last: Some(one.clone()),
        turns: 3,
    };
    let other = Pair::of((&project, &three), (&project, &two));
    for pair in [&pair, &other] {
        store.keep_exchange(pair, &exchange, Timestamp(4)).unwrap();
    }
    assert_eq!(store.exchange(&pair).unwrap(), (exchange.clone(), Timestamp(4)));
    store.forget_exchanges(&project, &one).unwrap();
    assert_eq!(store.exchange(&pair).unwrap().0, Exchange::default());
    assert_eq!(store.exchange(&other).unwrap().0, exchange);
    let sessions = [SessionId("session".to_owned())];
    assert!(!store.progressed_since(&project, &sessions, Timestamp(0)).unwrap());
}
