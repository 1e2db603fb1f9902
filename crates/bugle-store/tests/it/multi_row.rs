//! Changes with many rows need few statements.

use bugle_core::task::{TaskEvent, WaitSource};
use bugle_testkit::tasks::task_id;

use crate::conformance::Engine;
use crate::task_model::recorded;
use crate::tasks::added;
use crate::test_run::project;

pub(crate) fn ten_thousand_tasks_are_written_with_a_few_statements<E: Engine>() {
    const TASKS: usize = 10_000;
    let engine = E::fresh();
    let mut store = engine.open();
    let project = project(&mut store);
    let top = task_id(0);
    let mut changes = vec![(top.clone(), added(None, 0, None))];
    for place in 1..=TASKS {
        changes.push((task_id(place), added(Some(&top), place, None)));
    }
    for place in 2..=TASKS {
        let on = task_id(place - 1);
        let says = WaitSource::Order;
        changes.push((task_id(place), TaskEvent::Waits { on, says }));
    }
    changes.push((task_id(1), TaskEvent::Finished));
    let changes = recorded(&changes);
    let (written, log) = store.log_statements(|store| store.change_tasks(&project, &changes));
    assert!(written.unwrap());
    // With 30,000 parameters per statement: 10 statements for the tasks, 2 for the dependencies and 5 for the events.
    let statements: Vec<&str> = log
        .iter()
        .map(|statement| statement.text.as_str())
        .filter(|text| text.starts_with("INSERT") || text.starts_with("UPDATE"))
        .map(|text| &text[..30.min(text.len())])
        .collect();
    assert!(statements.len() <= 17, "{statements:#?}");
    assert!(log.len() <= 20, "{}", log.len());
    let top = store.task(&top).unwrap().unwrap();
    assert_eq!(top.children, 10_000);
    assert_eq!(top.open_children, 9_999);
    let ready = store.ready(&project, None, true, 10).unwrap();
    let ids: Vec<_> = ready.into_iter().map(|row| row.task.id).collect();
    assert_eq!(ids, [task_id(2)]);
    assert_eq!(store.task_events(&task_id(2)).unwrap().len(), 2);
}
