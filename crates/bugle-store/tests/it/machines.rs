//! Machines that share a store.

use bugle_core::id::{SessionId, Timestamp};
use bugle_core::message::AgentAddress;
use bugle_store::{AgentRow, Append, MachineId, NewProject, ProcessId, RunFilter, Scope, SessionRow, Store};

use crate::conformance::Engine;
use crate::test_run::TestRun;

fn on<E: Engine>(engine: &E, number: u64) -> Store {
    engine.open().on_machine(MachineId::from_random(number))
}

fn shop<'a>(id: &'a str, place: &'a str) -> NewProject<'a> {
    NewProject {
        id,
        shared_id: "example.org/acme/shop",
        name: Some("shop"),
        place,
        now: Timestamp(1),
    }
}

fn session(directory: &str) -> SessionRow {
    let id = SessionId("s".to_owned());
    SessionRow::new(id, "claude", directory.to_owned(), Timestamp(1))
}

pub(crate) fn machines_share_a_project_but_not_sessions_and_places<E: Engine>() {
    let engine = E::fresh();
    let (mut one, mut other) = (on(&engine, 1), on(&engine, 2));
    let project = one.create_project(&shop("p-00000000000a", "/work/shop")).unwrap();
    // The same path on another machine is another location.
    assert_eq!(other.find_project("/work/shop").unwrap(), None);
    let elsewhere = other
        .project("/work/shop", "p-00000000000b", Timestamp(2))
        .unwrap();
    assert_ne!(elsewhere, project);
    let again = other
        .create_project(&shop("p-00000000000c", "/src/shop"))
        .unwrap();
    assert_eq!(again, project);
    assert_eq!(one.known_project("/work/shop").unwrap().unwrap().id, project);
    assert_eq!(other.known_project("/src/shop").unwrap().unwrap().id, project);
    let here = one.project_by_id(&elsewhere).unwrap().unwrap();
    assert!(!here.is_here());
    assert_eq!(one.find_project(&here.place).unwrap(), Some(elsewhere));
    assert_eq!(one.projects().unwrap().len(), 2);

    // Both machines have a session with the same id, each with its own agent and run.
    let id = SessionId("s".to_owned());
    for (store, name, run) in [(&mut one, "ada", "r-aaaaaa"), (&mut other, "bob", "r-bbbbbb")] {
        let address: AgentAddress = format!("shop:main:{name}").parse().unwrap();
        store.keep_session(&session(&format!("/{name}"))).unwrap();
        let row = AgentRow {
            session: Some(id.clone()),
            machine: store.machine().clone(),
            process: Some(ProcessId { pid: 7, started: 7 }),
            ..AgentRow::new(project.clone(), address, format!("/{name}"), Timestamp(1))
        };
        assert!(store.add_agent(&row).unwrap());
        let run = TestRun::new(run, 7);
        assert_eq!(
            store.create(&run.as_new(&project, Some(&id))).unwrap(),
            Append::Done
        );
    }
    for (store, name, run) in [(&mut one, "ada", "r-aaaaaa"), (&mut other, "bob", "r-bbbbbb")] {
        assert_eq!(store.session(&id).unwrap().unwrap().directory, format!("/{name}"));
        assert_eq!(store.agent_of_session(&id).unwrap().unwrap().address.name(), name);
        let supervised = store.supervised_agents().unwrap();
        assert_eq!(supervised.len(), 1);
        assert_eq!(supervised[0].agent.address.name(), name);
        let own = store
            .runs(&RunFilter {
                scope: Scope::Session(id.clone()),
                open_only: true,
                limit: 9,
            })
            .unwrap();
        assert_eq!(own.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), [run]);
        assert_eq!(store.folders_of(&project).unwrap().len(), 2);
    }
    let both = one.runs(&RunFilter {
        scope: Scope::Project(project.clone()),
        open_only: true,
        limit: 9,
    });
    assert_eq!(both.unwrap().len(), 2);
}

pub(crate) fn concurrent_machines_create_one_project_per_remote<E: Engine>() {
    let engine = E::fresh();
    drop(engine.open());
    let made: Vec<String> = std::thread::scope(|scope| {
        let makers: Vec<_> = (1..=8_u64)
            .map(|number| {
                let engine = &engine;
                scope.spawn(move || {
                    let id = format!("p-{number:012x}");
                    on(engine, number).create_project(&shop(&id, "/shop")).unwrap().0
                })
            })
            .collect();
        makers.into_iter().map(|maker| maker.join().unwrap()).collect()
    });
    assert!(made.iter().all(|id| *id == made[0]), "{made:?}");
    assert_eq!(engine.open().projects().unwrap().len(), 1);
}

pub(crate) fn a_lease_belongs_to_one_host<E: Engine>() {
    const LEASE: i64 = 1_000_000;
    let engine = E::fresh();
    let (mut store, mut copy) = (on(&engine, 1), on(&engine, 1));
    store.introduce_machine("green").unwrap();
    assert_eq!(store.renew_lease("green", LEASE).unwrap(), None);
    // The supervisor restarts on the same host.
    assert_eq!(store.renew_lease("green", LEASE).unwrap(), None);
    // Another host with a copy of the id has to wait until the lease has expired.
    assert_eq!(copy.renew_lease("blue", LEASE).unwrap().as_deref(), Some("green"));
    assert_eq!(copy.renew_lease("blue", -LEASE).unwrap(), None);
    assert_eq!(
        store.renew_lease("green", LEASE).unwrap().as_deref(),
        Some("blue")
    );
    let id = store.machine().clone();
    let machine = store.machine_row(&id).unwrap().unwrap();
    assert_eq!(machine.name, "blue");
    assert!((-1..LEASE).contains(&machine.age), "{machine:?}");
}
