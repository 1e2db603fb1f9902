//! Wake-ups.

use bugle_core::id::{Timestamp, WakeupId};
use bugle_core::wake::{Budget, WakeReason};
use bugle_store::{Store, WakeupRow};

use crate::conformance::Engine;
use crate::test_run::{hash, project};

pub(crate) fn wakeups_round_trip<E: Engine>() {
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let wakeup = |id: &str, agent: &str| WakeupRow {
        id: WakeupId::parse(id).unwrap(),
        project: project.clone(),
        agent: agent.to_owned(),
        reason: WakeReason::Compact,
        at: Timestamp(5),
        budget: Budget::bytes(9_000),
        size: 812,
        parts: r#"[{"part":"tasks"}]"#.to_owned(),
        hash: hash(1),
    };
    let given = [
        wakeup("w-ab", "one"),
        wakeup("w-aa", "two"),
        wakeup("w-ba", "one"),
    ];
    for row in &given {
        assert!(store.keep_wakeup(row, b"text \xff").unwrap());
    }
    assert!(!store.keep_wakeup(&wakeup("w-aa", "other"), b"other").unwrap());
    let mut latest = given.to_vec();
    latest.reverse();
    assert_eq!(store.wakeups(&project, None, 10).unwrap(), latest);
    assert_eq!(store.wakeups(&project, None, 1).unwrap(), latest[..1]);
    let of_one = [given[2].clone(), given[0].clone()];
    assert_eq!(store.wakeups(&project, Some("one"), 10).unwrap(), of_one);
    assert_eq!(store.wakeups(&project, Some("three"), 10).unwrap(), []);
    assert_eq!(
        store.wakeups_by_prefix("w-a").unwrap(),
        [given[1].clone(), given[0].clone()]
    );
    let content = |store: &mut Store, id: &str| store.wakeup_content(&WakeupId::parse(id).unwrap()).unwrap();
    assert_eq!(content(&mut store, "w-aa").as_deref(), Some(&b"text \xff"[..]));
    assert_eq!(content(&mut store, "w-zz"), None);
}
