//! Tests for matching the tasks of an edited plan.

use proptest::prelude::*;

use super::matching::*;

fn words<'a>(number: &'a str, title: &'a str, content_hash: &'a str) -> TaskWords<'a> {
    TaskWords {
        number,
        title,
        content_hash,
        parent: None,
    }
}

fn inside(parent: usize, words: TaskWords<'_>) -> TaskWords<'_> {
    TaskWords {
        parent: Some(parent),
        ..words
    }
}

fn open(words: TaskWords<'_>) -> OldTask<'_> {
    OldTask {
        words,
        closed: false,
        removed: false,
    }
}

fn closed(words: TaskWords<'_>) -> OldTask<'_> {
    OldTask {
        words,
        closed: true,
        removed: false,
    }
}

/// A plan with four tasks, before the edit.
fn before() -> Vec<OldTask<'static>> {
    vec![
        closed(words("1", "Set up the schema", "a")),
        closed(words("2", "Add the login form", "b")),
        open(words("3", "Write the docs", "c")),
        open(words("4", "Verify", "d")),
    ]
}

#[test]
fn an_unchanged_plan_keeps_every_task() {
    let old = before();
    let new: Vec<_> = old.iter().map(|task| task.words).collect();
    let matching = match_tasks(&old, &new);
    assert_eq!(
        matching.matches,
        (0..4).map(|old| TaskMatch::Same { old }).collect::<Vec<_>>()
    );
    assert!(matching.vanished.is_empty());
}

#[test]
fn an_inserted_task_is_new_and_later_tasks_do_not_move() {
    let new = [
        words("1", "Set up the schema", "a"),
        words("2", "Migrate the data", "x"),
        words("3", "Add the login form", "b"),
        words("4", "Write the docs", "c"),
        words("5", "Verify", "d"),
    ];
    let by = MatchedBy::Title;
    let matching = match_tasks(&before(), &new);
    assert_eq!(
        matching.matches,
        [
            TaskMatch::Same { old: 0 },
            TaskMatch::New,
            TaskMatch::Moved { old: 1, by },
            TaskMatch::Moved { old: 2, by },
            TaskMatch::Moved { old: 3, by },
        ]
    );
    assert!(matching.vanished.is_empty());
}

#[test]
fn an_edited_text_or_title_is_the_same_task() {
    let new = [
        words("1", "Set up the schema", "a2"),
        words("2", "Add the sign-in form", "b"),
        words("3", "Write the documentation", "c2"),
        words("4", "`verify`", "d"),
    ];
    let edited = |old, by| TaskMatch::Edited {
        old,
        by,
        moved: false,
    };
    assert_eq!(
        match_tasks(&before(), &new).matches,
        [
            edited(0, MatchedBy::NumberAndTitle),
            edited(1, MatchedBy::Content),
            edited(2, MatchedBy::Number),
            edited(3, MatchedBy::NumberAndTitle),
        ]
    );
}

#[test]
fn only_the_task_that_changed_places_moved() {
    let mut new: Vec<_> = before().iter().map(|task| task.words).collect();
    let last = new.remove(3);
    new.insert(0, last);
    let matching = match_tasks(&before(), &new);
    let moved = TaskMatch::Moved {
        old: 3,
        by: MatchedBy::NumberAndTitle,
    };
    assert_eq!(
        matching.matches,
        [
            moved,
            TaskMatch::Same { old: 0 },
            TaskMatch::Same { old: 1 },
            TaskMatch::Same { old: 2 }
        ]
    );
}

#[test]
fn finished_work_does_not_count_for_another_task_with_its_number() {
    let new = [
        words("1", "Set up the schema", "a"),
        words("2", "Rotate the signing keys", "z"),
    ];
    let matching = match_tasks(&before(), &new);
    assert_eq!(matching.matches, [TaskMatch::Same { old: 0 }, TaskMatch::New]);
    assert_eq!(matching.vanished, [1, 2, 3]);

    // Matching an open task with its replacement loses no finished work.
    let new = [words("3", "Record a screencast", "z")];
    let edited = TaskMatch::Edited {
        old: 2,
        by: MatchedBy::Number,
        moved: false,
    };
    assert_eq!(match_tasks(&before(), &new).matches, [edited]);
}

#[test]
fn a_title_shared_by_several_tasks_is_not_a_match() {
    let old = [closed(words("1", "Verify", "a")), open(words("2", "Verify", "b"))];
    let new = [words("7", "Verify", "x"), words("8", "Verify", "b")];
    let matching = match_tasks(&old, &new);
    let moved = TaskMatch::Moved {
        old: 1,
        by: MatchedBy::Title,
    };
    assert_eq!(matching.matches[1], moved);
    // After that match, only the other task has this title.
    assert_eq!(matching.matches[0].old(), Some(0));

    let new = [
        words("7", "Verify", "x"),
        words("8", "Verify", "y"),
        words("9", "Verify", "z"),
    ];
    let matching = match_tasks(&old, &new);
    assert_eq!(matching.matches, [TaskMatch::New; 3]);
    assert_eq!(matching.vanished, [0, 1]);
}

#[test]
fn equal_numbers_and_titles_are_distinguished_by_their_group() {
    let old = [
        open(words("Phase 1", "Server", "p")),
        closed(inside(0, words("1", "Write tests", "a"))),
        open(words("Phase 2", "Client", "q")),
        open(inside(2, words("1", "Write tests", "b"))),
    ];
    let new = [
        words("Phase 2", "Client", "q"),
        inside(0, words("1", "Write tests", "b2")),
    ];
    let matching = match_tasks(&old, &new);
    assert_eq!(matching.matches[0], TaskMatch::Same { old: 2 });
    assert_eq!(
        matching.matches[1],
        TaskMatch::Edited {
            old: 3,
            by: MatchedBy::NumberAndTitle,
            moved: false
        }
    );
    assert_eq!(matching.vanished, [0, 1]);
}

#[test]
fn a_renamed_group_moves_no_tasks_but_another_group_does() {
    let old = [
        open(words("Phase 1", "Server", "p")),
        open(inside(0, words("1", "Write tests", "a"))),
    ];
    let renamed = [
        words("Phase 1", "Server side", "p"),
        inside(0, words("1", "Write tests", "a")),
    ];
    assert_eq!(match_tasks(&old, &renamed).matches[1], TaskMatch::Same { old: 1 });
    let alone = [words("1", "Write tests", "a")];
    let matching = match_tasks(&old, &alone);
    assert!(matches!(matching.matches[0], TaskMatch::Moved { old: 1, .. }));
    assert_eq!(matching.vanished, [0]);
}

type Owned = (String, String, String, bool);

fn some_tasks() -> impl Strategy<Value = Vec<Owned>> {
    // A small vocabulary, so that numbers, titles and texts often collide.
    let task = ("[1-4][ab]?", "(Add|Verify|add `it`|)", "(a|b|c|)", any::<bool>());
    proptest::collection::vec(task, 0..24)
}

fn as_words(tasks: &[Owned]) -> Vec<TaskWords<'_>> {
    let last = tasks.len();
    tasks
        .iter()
        .enumerate()
        .map(|(index, task)| TaskWords {
            parent: (task.3 && index > 0).then_some(index.saturating_sub(1).min(last)),
            ..words(&task.0, &task.1, &task.2)
        })
        .collect()
}

fn as_old(tasks: &[Owned]) -> Vec<OldTask<'_>> {
    let words = as_words(tasks).into_iter().zip(tasks);
    words
        .map(|(words, task)| OldTask {
            words,
            closed: task.3,
            removed: false,
        })
        .collect()
}

proptest! {
    #[test]
    fn each_old_task_is_used_once_or_has_vanished(old in some_tasks(), new in some_tasks()) {
        let (old, new) = (as_old(&old), as_words(&new));
        let matching = match_tasks(&old, &new);
        prop_assert_eq!(matching.matches.len(), new.len());
        let mut seen = matching.vanished.clone();
        seen.extend(matching.matches.iter().filter_map(|change| change.old()));
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..old.len()).collect::<Vec<_>>());
    }

    #[test]
    fn a_plan_imported_again_keeps_everything(tasks in some_tasks()) {
        let (old, new) = (as_old(&tasks), as_words(&tasks));
        let matching = match_tasks(&old, &new);
        prop_assert!(matching.vanished.is_empty());
        for (index, change) in matching.matches.iter().enumerate() {
            prop_assert_eq!(*change, TaskMatch::Same { old: index });
        }
    }
}
