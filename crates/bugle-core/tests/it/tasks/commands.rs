//! Task commands: their effects, repeated commands, and refusals.

use bugle_core::id::TaskId;
use bugle_core::name::AgentName;
use bugle_core::task::{
    MAX_NOTE_LENGTH, MAX_TITLE_LENGTH, Removal, TaskCommand, TaskEvent, TaskRefusal, TaskStatus,
};
use bugle_testkit::tasks::TaskTree;

use TaskStatus::{Done, Pending, Skipped};

const SKIP: TaskCommand = TaskCommand::Skip { reason: None };

fn agent(name: &str) -> AgentName {
    AgentName::new(name).unwrap()
}

fn start_as(name: Option<&str>, take_over: bool) -> TaskCommand {
    TaskCommand::Start {
        agent: name.map(agent),
        run: None,
        take_over,
    }
}

fn fail(reason: &str) -> TaskCommand {
    let reason = reason.to_owned();
    TaskCommand::Fail { reason }
}

fn block(reason: &str) -> TaskCommand {
    let reason = reason.to_owned();
    TaskCommand::Block { reason }
}

/// Three nested tasks, and a sibling of the innermost one.
fn nested() -> (TaskTree, [TaskId; 4]) {
    let mut tree = TaskTree::new();
    let top = tree.add(None, "top");
    let middle = tree.add(Some(&top), "middle");
    let inner = tree.add(Some(&middle), "inner");
    let other = tree.add(Some(&middle), "other");
    (tree, [top, middle, inner, other])
}

fn standings(tree: &TaskTree, ids: &[TaskId]) -> Vec<TaskStatus> {
    ids.iter().map(|id| tree[id].status).collect()
}

#[test]
fn a_task_with_open_children_cannot_be_done() {
    let (mut tree, [top, middle, inner, other]) = nested();
    assert_eq!(
        tree.command(&top, &TaskCommand::Done),
        Err(TaskRefusal::OpenInside(vec![
            middle.clone(),
            inner.clone(),
            other.clone()
        ]))
    );
    for id in [&inner, &other, &middle, &top] {
        assert_eq!(
            tree.command(id, &TaskCommand::Done),
            Ok(vec![(id.clone(), TaskEvent::Finished)])
        );
    }
}

#[test]
fn reopening_a_child_reopens_its_parent() {
    let (mut tree, ids) = nested();
    let [top, middle, inner, other] = &ids;
    for id in [inner, other, middle, top] {
        tree.command(id, &TaskCommand::Done).unwrap();
    }
    let changes = tree.command(inner, &TaskCommand::Reopen).unwrap();
    let with = Some(inner.clone());
    assert_eq!(
        changes,
        [
            (inner.clone(), TaskEvent::Reopened { with: None }),
            (middle.clone(), TaskEvent::Reopened { with: with.clone() }),
            (top.clone(), TaskEvent::Reopened { with }),
        ]
    );
    assert_eq!(
        tree[other].status,
        TaskStatus::Done,
        "what is done beside it stays done"
    );
}

#[test]
fn reopening_a_task_reopens_only_what_was_skipped_with_it() {
    let (mut tree, ids) = nested();
    let [top, middle, inner, other] = &ids;
    tree.command(other, &TaskCommand::Done).unwrap();
    let why = TaskCommand::Skip {
        reason: Some("  not needed\n".to_owned()),
    };
    tree.command(top, &why).unwrap();
    assert_eq!(standings(&tree, &ids), [Skipped, Skipped, Skipped, Done]);
    assert_eq!(tree[top].reason.as_deref(), Some("not needed"));
    assert_eq!(tree[inner].skipped_with.as_ref(), Some(top));
    tree.command(top, &TaskCommand::Reopen).unwrap();
    assert_eq!(standings(&tree, &ids), [Pending, Pending, Pending, Done]);
    assert_eq!((&tree[top].reason, &tree[inner].skipped_with), (&None, &None));
    assert_eq!(tree[middle].skipped_with, None);
}

#[test]
fn a_skipped_task_inside_a_finished_one_stays_skipped() {
    let (mut tree, ids) = nested();
    let [top, middle, inner, other] = &ids;
    tree.command(top, &SKIP).unwrap();
    tree.command(middle, &TaskCommand::Reopen).unwrap();
    tree.command(middle, &TaskCommand::Done).unwrap();
    tree.command(top, &TaskCommand::Done).unwrap();
    tree.command(top, &TaskCommand::Reopen).unwrap();
    assert_eq!(standings(&tree, &ids), [Pending, Done, Skipped, Skipped]);
    assert_eq!(
        tree.hiding(),
        [],
        "{inner} and {other} would be open in a task that is done"
    );
}

#[test]
fn restoring_a_task_restores_what_was_removed_with_it() {
    let (mut tree, ids) = nested();
    let [top, middle, inner, other] = &ids;
    tree.command(inner, &fail("no network")).unwrap();
    tree.command(other, &TaskCommand::Remove).unwrap();
    tree.command(middle, &TaskCommand::Remove).unwrap();
    assert_eq!(tree[middle].removed, Some(Removal::ByHand));
    assert_eq!(tree[inner].removed, Some(Removal::With(middle.clone())));
    assert!(tree[top].is_open());
    tree.command(top, &TaskCommand::Done).unwrap();
    tree.command(middle, &TaskCommand::Reopen).unwrap();
    assert_eq!((&tree[middle].removed, &tree[inner].removed), (&None, &None));
    assert_eq!(
        tree[other].removed,
        Some(Removal::ByHand),
        "it was removed before"
    );
    assert_eq!(tree[inner].status, TaskStatus::Failed);
    assert_eq!(tree[inner].reason.as_deref(), Some("no network"));
    assert_eq!(
        tree[top].status,
        TaskStatus::Pending,
        "something in it is open again"
    );
}

#[test]
fn a_task_cannot_be_restored_into_a_removed_one() {
    let (mut tree, [top, _, inner, _]) = nested();
    tree.command(&top, &TaskCommand::Remove).unwrap();
    assert_eq!(
        tree.command(&inner, &TaskCommand::Reopen),
        Err(TaskRefusal::ParentRemoved(top)),
        "the outermost brings back everything that went with it"
    );
}

#[test]
fn a_removed_task_cannot_change() {
    let (mut tree, [top, ..]) = nested();
    tree.command(&top, &TaskCommand::Remove).unwrap();
    let commands = [
        start_as(None, true),
        TaskCommand::Done,
        SKIP,
        fail("x"),
        block("x"),
        TaskCommand::Note("x".to_owned()),
        TaskCommand::Retitle("x".to_owned()),
        TaskCommand::Assign(None),
        TaskCommand::NameSkill(None),
    ];
    for command in commands {
        assert_eq!(
            tree.command(&top, &command),
            Err(TaskRefusal::Removed),
            "{command:?}"
        );
    }
}

#[test]
fn a_repeated_command_causes_no_event() {
    let mut tree = TaskTree::new();
    let id = tree.add(None, "A task");
    let ada = Some(agent("ada"));
    let twice = [
        TaskCommand::Reopen,
        TaskCommand::Retitle("  A \n task ".to_owned()),
        TaskCommand::NameSkill(None),
        TaskCommand::Assign(None),
    ];
    for command in twice {
        assert_eq!(tree.command(&id, &command), Ok(Vec::new()), "{command:?}");
    }
    for command in [
        TaskCommand::Assign(ada),
        start_as(Some("ada"), false),
        TaskCommand::Done,
        TaskCommand::Remove,
    ] {
        assert_eq!(tree.command(&id, &command).unwrap().len(), 1, "{command:?}");
        assert_eq!(tree.command(&id, &command), Ok(Vec::new()), "{command:?}, again");
    }
    let other = tree.add(None, "Another");
    assert_eq!(tree.command(&other, &SKIP).unwrap().len(), 1);
    assert_eq!(tree.command(&other, &SKIP), Ok(Vec::new()));
}

#[test]
fn a_closed_task_must_be_reopened_before_it_closes_differently() {
    let mut tree = TaskTree::new();
    let (done, skipped) = (tree.add(None, "done"), tree.add(None, "skipped"));
    tree.command(&done, &TaskCommand::Done).unwrap();
    tree.command(&skipped, &SKIP).unwrap();
    let closed = |status| Err(TaskRefusal::Closed(status));
    assert_eq!(tree.command(&done, &SKIP), closed(TaskStatus::Done));
    assert_eq!(
        tree.command(&skipped, &TaskCommand::Done),
        closed(TaskStatus::Skipped)
    );
    for command in [start_as(None, true), fail("x"), block("x")] {
        assert_eq!(
            tree.command(&done, &command),
            closed(TaskStatus::Done),
            "{command:?}"
        );
    }
}

#[test]
fn a_task_belongs_to_its_agent_until_another_takes_it_over() {
    let mut tree = TaskTree::new();
    let id = tree.add(None, "A task");
    tree.command(&id, &start_as(Some("ada"), false)).unwrap();
    assert_eq!(
        tree.command(&id, &start_as(Some("bob"), false)),
        Err(TaskRefusal::Held(agent("ada")))
    );
    tree.command(&id, &start_as(Some("bob"), true)).unwrap();
    assert_eq!(tree[&id].agent, Some(agent("bob")));
    tree.command(&id, &TaskCommand::Reopen).unwrap();
    tree.command(&id, &start_as(Some("ada"), false)).unwrap();
    assert_eq!(tree[&id].agent, Some(agent("ada")), "no agent worked on it");
}

#[test]
fn only_retries_after_a_failure_are_counted() {
    let mut tree = TaskTree::new();
    let id = tree.add(None, "A task");
    let start = start_as(None, false);
    tree.command(&id, &start).unwrap();
    tree.command(&id, &block("which port?")).unwrap();
    tree.command(&id, &start).unwrap();
    tree.command(&id, &TaskCommand::Reopen).unwrap();
    tree.command(&id, &start).unwrap();
    assert_eq!(tree[&id].retries, 0, "waiting for an answer is not a failure");
    tree.command(&id, &fail("no network")).unwrap();
    tree.command(&id, &fail("still none")).unwrap();
    assert_eq!(tree[&id].reason.as_deref(), Some("still none"));
    tree.command(&id, &start).unwrap();
    assert_eq!((tree[&id].retries, &tree[&id].reason), (1, &None));
    tree.command(&id, &fail("again")).unwrap();
    tree.command(&id, &TaskCommand::Reopen).unwrap();
    tree.command(&id, &start).unwrap();
    assert_eq!(
        tree[&id].retries, 2,
        "it was given back first, and is tried again all the same"
    );
}

#[test]
fn texts_must_not_be_empty_or_too_long() {
    let mut tree = TaskTree::new();
    let id = tree.add(None, "A task");
    let empty = |what| Err(TaskRefusal::Empty(what));
    assert_eq!(
        tree.command(&id, &TaskCommand::Note(" \n".to_owned())),
        empty("the note")
    );
    assert_eq!(
        tree.command(&id, &TaskCommand::Retitle(String::new())),
        empty("the title")
    );
    assert_eq!(tree.command(&id, &fail("\t")), empty("the reason"));
    assert_eq!(tree.command(&id, &block("")), empty("the reason"));
    let reason = Some(String::new());
    assert_eq!(
        tree.command(&id, &TaskCommand::Skip { reason }),
        empty("the reason")
    );
    for (length, fits) in [(MAX_TITLE_LENGTH, true), (MAX_TITLE_LENGTH + 1, false)] {
        let title = TaskCommand::Retitle("ü".repeat(length));
        assert_eq!(tree.command(&id, &title).is_ok(), fits, "{length}");
    }
    for (length, fits) in [(MAX_NOTE_LENGTH, true), (MAX_NOTE_LENGTH + 1, false)] {
        let note = TaskCommand::Note("ü".repeat(length));
        assert_eq!(tree.command(&id, &note).is_ok(), fits, "{length}");
    }
}
