//! Plans, the focus of each session, and pinned skill versions.

use bugle_core::id::{PlanId, SessionId, TaskId, Timestamp};
use bugle_core::task::{PlanLink, TaskEvent, TaskKind};
use bugle_store::{PlanRow, ProjectId, SkillPin};
use bugle_testkit::spelling::skill_address;
use bugle_testkit::tasks::task_id;

use crate::conformance::Engine;
use crate::tasks::{added, family, write};
use crate::test_run::{hash, project};

fn plan_row(id: &str, project: &ProjectId, file: &str, root: &TaskId) -> PlanRow {
    PlanRow {
        id: PlanId::parse(id).unwrap(),
        project: project.clone(),
        file: file.to_owned(),
        title: "The plan".to_owned(),
        source: hash(1),
        branch: None,
        root: root.clone(),
        imported_at: Timestamp(5),
    }
}

pub(crate) fn plans_are_found_by_project_and_file<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    store.keep_blobs(&[(hash(1), b"plan".to_vec())]).unwrap();
    let here = store.project("/here", "p-here", Timestamp(1)).unwrap();
    let there = store.project("/there", "p-there", Timestamp(1)).unwrap();
    let file = "docs/plan größe.md";
    let mut plans = Vec::new();
    for (place, (id, project)) in [("p-aa1", &here), ("p-aa2", &there)].into_iter().enumerate() {
        let plan = plan_row(id, project, file, &task_id(place));
        store.keep_plan(&plan).unwrap();
        let link = PlanLink {
            plan: plan.id.clone(),
            number: String::new(),
            title: plan.title.clone(),
            content_hash: String::new(),
            kind: TaskKind::Group,
        };
        let mut changes = vec![(task_id(place), added(None, 0, Some(link.clone())))];
        let kind = TaskKind::Work;
        let number = "1".to_owned();
        let work = PlanLink { kind, number, ..link };
        changes.push((task_id(place + 10), added(Some(&task_id(place)), 0, Some(work))));
        assert!(write(&mut store, project, &changes));
        plans.push(plan);
    }
    for plan in &plans {
        assert_eq!(
            store.plan_of_file(&plan.project, file).unwrap().as_ref(),
            Some(plan)
        );
        assert_eq!(store.plans(&plan.project).unwrap(), std::slice::from_ref(plan));
        let titled = store.plans_titled(&plan.project, &plan.title).unwrap();
        assert_eq!(titled, std::slice::from_ref(plan));
        assert_eq!(store.plans_titled(&plan.project, "Another plan").unwrap(), []);
        assert_eq!(store.tasks_of_plan(&plan.id).unwrap().len(), 2);
        assert_eq!(store.plan_counts(&plan.id, 10).unwrap(), (1, 0));
    }
    assert_eq!(store.plan_of_file(&here, "docs/other.md").unwrap(), None);
    assert_eq!(store.plans_by_prefix("p-aa").unwrap(), plans);
    assert_eq!(store.plans_by_prefix("p-aa2").unwrap(), plans[1..]);
    assert!(write(&mut store, &here, &[(task_id(10), TaskEvent::Finished)]));
    assert_eq!(store.plan_counts(&plans[0].id, 10).unwrap(), (1, 1));
    assert_eq!(store.plan_counts(&plans[0].id, 0).unwrap(), (0, 0));

    let renamed = PlanRow {
        file: "docs/new.md".to_owned(),
        branch: Some("feature/x".to_owned()),
        ..plans[0].clone()
    };
    store.keep_plan(&renamed).unwrap();
    assert_eq!(store.plan_of_file(&here, file).unwrap(), None);
    assert_eq!(store.plans(&here).unwrap(), [renamed]);
    let second = plan_row("p-bb1", &there, file, &task_id(1));
    assert!(store.keep_plan(&second).is_err(), "the file already has a plan");
}

pub(crate) fn the_focus_is_per_session_and_defaults_to_the_latest<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let roots: Vec<TaskId> = (0..2).map(task_id).collect();
    for (place, id) in roots.iter().enumerate() {
        assert!(write(
            &mut store,
            &project,
            &[(id.clone(), added(None, place, None))]
        ));
    }
    let session = |name: &str| SessionId(name.to_owned());
    let (one, two) = (session("one"), session("two"));
    let mut focus =
        |session: Option<&SessionId>| store.focus(&project, session).unwrap().map(|focus| focus.root);
    assert_eq!((focus(None), focus(Some(&one))), (None, None));
    let mut other = engine.open();
    other.set_focus(&project, Some(&one), &roots[0]).unwrap();
    assert_eq!(focus(Some(&one)), Some(roots[0].clone()));
    assert_eq!(focus(Some(&two)), None);
    other.set_focus(&project, Some(&two), &roots[1]).unwrap();
    assert_eq!(focus(Some(&one)), Some(roots[0].clone()));
    assert_eq!(
        focus(None),
        Some(roots[1].clone()),
        "the latest focus of any session"
    );
    other.set_focus(&project, None, &roots[0]).unwrap();
    assert_eq!(
        (focus(None), focus(Some(&two))),
        (Some(roots[0].clone()), Some(roots[1].clone()))
    );
}

pub(crate) fn a_tree_stays_pinned_to_its_first_version_of_a_skill<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let (_, top, _) = family(&mut store, 0);
    store
        .keep_blobs(&[(hash(1), b"one".to_vec()), (hash(2), b"two".to_vec())])
        .unwrap();
    let pin = |seed: u8, version: Option<&str>| SkillPin {
        skill: skill_address("tested"),
        hash: hash(seed),
        version: version.map(str::to_owned),
        source: "/somewhere".to_owned(),
        pinned_at: Timestamp(3),
    };
    assert_eq!(store.pin_skill(&top, &pin(1, None)).unwrap(), pin(1, None));
    let pinned = engine.open().pin_skill(&top, &pin(2, Some("2.0"))).unwrap();
    assert_eq!(pinned, pin(1, None), "another process was first");
    assert_eq!(store.skill_pins(&top).unwrap(), [pin(1, None)]);
    store.replace_pin(&top, &pin(2, Some("2.0"))).unwrap();
    assert_eq!(store.skill_pins(&top).unwrap(), [pin(2, Some("2.0"))]);
    assert!(
        store.replace_pin(&top, &pin(9, None)).is_err(),
        "the skill's bytes are not stored"
    );
}
