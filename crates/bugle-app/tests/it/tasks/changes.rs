//! Notes, titles, skills, agents, dependencies, failures.

use bugle_app::{AddRequest, Extent, tasks};
use bugle_core::id::TaskId;
use bugle_core::name::SkillAddress;
use bugle_core::reply::{SideEffect, SkillReason, TaskName, TimelineKind};
use bugle_core::task::TaskCommand;
use bugle_core::task::TaskState;

use crate::project::{Project, agent, fails, refused, start, titled};

#[test]
fn notes_are_added_and_never_overwritten() {
    let mut project = Project::new();
    let only = AddRequest {
        note: Some("from the start".to_owned()),
        ..titled(&["Only"])
    };
    let task = project.add_with(&only).remove(0);
    for note in ["second", "third\nwith two lines", "fourth"] {
        project.change(&task, &TaskCommand::Note(note.to_owned()));
    }
    let full = project.show(&task);
    let notes: Vec<&str> = full.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(
        notes,
        ["from the start", "second", "third\nwith two lines", "fourth"]
    );
    let brief = project.show_as(&task, Extent::Brief);
    assert_eq!((brief.earlier_notes, brief.notes.len()), (1, 3));
    project.done(&task);
    project.change(&task, &TaskCommand::Note("after the fact".to_owned()));
    assert_eq!(project.state(&task), TaskState::Done);
    let empty = AddRequest {
        note: Some(" ".to_owned()),
        ..titled(&["Other"])
    };
    fails(project.try_add(&empty), 2, "");
    assert_eq!(project.labels(), ["Only"]);
}

#[test]
fn a_tasks_title_and_skill_can_be_changed() {
    let mut project = Project::new();
    let [task] = project.add(["Fix teh login"]);
    let skill = SkillAddress::new("house-style".to_owned()).unwrap();
    let title = TaskCommand::Retitle("Fix the login".to_owned());
    let commands = [title.clone(), TaskCommand::NameSkill(Some(skill))];
    let (store, context) = (&mut project.app.store, &project.app.context);
    tasks::change_task_by(store, context, &task, &commands).unwrap();
    let now = project.show(&task);
    assert_eq!(now.task.title, "Fix the login");
    assert_eq!(now.skill.skill.as_deref(), Some("house-style"));
    assert_eq!(now.skill.reason, SkillReason::Explicit);
    let again = project.change(&task, &title);
    assert_eq!(again.also, [SideEffect::NothingChanged]);
    project.change(&task, &TaskCommand::NameSkill(None));
    let now = project.show(&task);
    assert_eq!(now.task.skill, None);
    let history: Vec<TimelineKind> = now
        .history
        .iter()
        .map(bugle_core::reply::TimelineEntry::kind)
        .collect();
    let expected = [
        TimelineKind::Added,
        TimelineKind::Retitled,
        TimelineKind::Skill,
        TimelineKind::Skill,
    ];
    assert_eq!(history, expected);
}

#[test]
fn a_task_can_be_assigned_and_unassigned() {
    let mut project = Project::new();
    let for_ann = AddRequest {
        agent: Some(agent("ann")),
        ..titled(&["Only"])
    };
    let task = project.add_with(&for_ann).remove(0);
    assert_eq!(project.show(&task).task.agent.as_deref(), Some("ann"));
    project.change(&task, &TaskCommand::Assign(Some(agent("bob"))));
    assert_eq!(project.show(&task).task.agent.as_deref(), Some("bob"));
    project.change(&task, &TaskCommand::Assign(None));
    assert_eq!(project.show(&task).task.agent, None);
}

#[test]
fn dependencies_never_form_a_cycle() {
    let mut project = Project::new();
    let [a, b, c] = project.add(["a", "b", "c"]);
    let [inside] = project.add_under(&a, ["a1"]);
    project.try_depend(&a, &b).unwrap();
    project.try_depend(&b, &c).unwrap();
    assert_eq!(project.state(&a), TaskState::Blocked);
    assert_eq!(
        project.state(&inside),
        TaskState::Blocked,
        "its parent is waiting"
    );
    assert_eq!(project.ready(), ["c"]);
    let cycles = [
        (&c, &a),
        (&c, &b),
        (&c, &inside),
        (&b, &inside),
        (&a, &a),
        (&a, &inside),
        (&inside, &a),
    ];
    for (task, on) in cycles {
        let refusal = refused(project.try_depend(task, on), "circle");
        assert!(!refusal.details.is_empty(), "{refusal:?}");
    }
    let under = AddRequest {
        under: Some(c.clone()),
        waits_for: vec![inside.clone()],
        ..titled(&["a2"])
    };
    assert!(!refused(project.try_add(&under), "circle").details.is_empty());
    let into_a = bugle_app::Destination::Under(a.clone());
    refused(project.try_move(&c, &into_a), "circle");
    assert_eq!(project.labels(), ["a", "a1", "b", "c"]);
    project.done(&c);
    let at = project.position().unwrap();
    assert_eq!(at.task.label, "a1", "the position stays in order");
    assert_eq!(at.task.state, TaskState::Blocked);
    assert_eq!((&at.above[0].id, &at.place.waits_for[0].id), (&a, &b));
    let (store, context) = (&mut project.app.store, &project.app.context);
    tasks::depend_task(store, context, &a, std::slice::from_ref(&b), true).unwrap();
    assert_eq!(project.state(&inside), TaskState::Pending);
    let needed_by = project.show(&c).needed_by;
    assert_eq!(needed_by.len(), 1);
    assert_eq!(needed_by[0].label(), "b");
    project.check();
}

#[test]
fn retries_of_a_failed_task_are_counted() {
    let mut project = Project::new();
    let [task] = project.add(["Only"]);
    let reason = "the bench is down".to_owned();
    for _ in 0..2 {
        project.change(&task, &start(None, false));
        project.change(
            &task,
            &TaskCommand::Fail {
                reason: reason.clone(),
            },
        );
        assert_eq!(project.state(&task), TaskState::Failed);
    }
    project.change(&task, &start(None, false));
    let now = project.show(&task).task;
    assert_eq!((now.retries, now.reason), (2, None));
    let reason = "needs a key".to_owned();
    project.change(&task, &TaskCommand::Block { reason });
    let at = project.position().unwrap();
    assert_eq!(at.task.state, TaskState::Blocked);
    assert_eq!(at.task.reason.as_deref(), Some("needs a key"));
    let (store, context) = (&mut project.app.store, &project.app.context);
    let claimed = tasks::claim_task(store, context, &bugle_app::TaskScope::Here, None);
    assert_eq!(claimed.unwrap(), None);
    project.change(&task, &start(None, false));
    let now = project.show(&task).task;
    assert_eq!((now.state.as_str(), now.retries), ("active", 2));
    project.done(&task);
    project.done(&task);
    project.check();
}

#[test]
fn a_dependency_that_changes_the_plans_order_reports_the_new_order() {
    let mut project = Project::new();
    project.write(
        "plan.md",
        "# Login\n\n## Phase 1: Parse\n\n### Task 1.1: Read\n\nRead it.\n\n## Phase 2: Print\n\n### Task 2.1: Write\n\n\
         Write it.\n\n## Phase 3: Ship\n\n### Task 3.1: Tag\n\nTag it.\n",
    );
    project.import("plan.md");
    let lines = project.tree();
    let id = |label: &str| -> TaskId {
        let line = lines.iter().find(|line| line.task.label == label);
        line.unwrap().task.id.clone()
    };
    let name = |label: &str| {
        let (numbered, title) = label.split_once(": ").unwrap();
        TaskName {
            id: id(label),
            numbered: Some(numbered.to_owned()),
            title: title.to_owned(),
        }
    };
    let (read, write, tag) = (id("Task 1.1: Read"), id("Task 2.1: Write"), id("Task 3.1: Tag"));
    let in_order = project.try_depend(&tag, &read).unwrap();
    assert_eq!(in_order.also, [SideEffect::Waits(name("Task 1.1: Read"))]);
    let reversed = project.try_depend(&read, &write).unwrap();
    assert_eq!(
        reversed.also,
        [
            SideEffect::Waits(name("Task 2.1: Write")),
            SideEffect::NewOrder(vec![name("Phase 2: Print"), name("Phase 1: Parse")])
        ]
    );
    assert_eq!(project.ready(), ["Task 2.1: Write"]);
    let (store, context) = (&mut project.app.store, &project.app.context);
    let restored = tasks::depend_task(store, context, &read, &[write], true).unwrap();
    assert_eq!(
        restored.also,
        [
            SideEffect::WaitsNoMore(name("Task 2.1: Write")),
            SideEffect::NewOrder(vec![name("Phase 1: Parse"), name("Phase 2: Print")])
        ]
    );
    project.check();
}

#[test]
fn changes_to_many_tasks_are_summarised() {
    let mut project = Project::new();
    let [root] = project.add(["All of it"]);
    let titles: Vec<String> = (1..=200).map(|number| format!("Part {number}")).collect();
    let words: Vec<&str> = titles.iter().map(String::as_str).collect();
    project.add_with(&AddRequest {
        under: Some(root.clone()),
        ..titled(&words)
    });
    for command in [
        TaskCommand::Skip { reason: None },
        TaskCommand::Reopen,
        TaskCommand::Remove,
        TaskCommand::Reopen,
    ] {
        let changed = project.change(&root, &command);
        assert!(changed.also.contains(&SideEffect::More(190)), "{changed:?}");
        assert!(changed.also.len() < 15, "{changed:?}");
    }
    project.check();
}

#[test]
fn a_task_cannot_be_reopened_into_a_cycle() {
    let mut project = Project::new();
    let [ground, walls] = project.add(["Ground", "Walls"]);
    project.try_depend(&walls, &ground).unwrap();
    let inside = AddRequest {
        under: Some(ground.clone()),
        waits_for: vec![walls.clone()],
        ..titled(&["Inside"])
    };
    refused(project.try_add(&inside), "circle");
    project.done(&ground);
    project.try_depend(&ground, &walls).unwrap();
    refused(project.try_change(&ground, &TaskCommand::Reopen), "circle");
    let (store, context) = (&mut project.app.store, &project.app.context);
    tasks::depend_task(store, context, &ground, &[walls], true).unwrap();
    project.change(&ground, &TaskCommand::Reopen);
    project.check();
}

#[test]
fn odd_titles_are_kept_and_do_no_harm() {
    let mut project = Project::new();
    for title in [
        "say \"hello\" & 'bye' <now> `rm -rf /` $(id)",
        "🚀 emoji and ﷽ and \u{202e}turned",
        "日本語のタイトル",
        "--under the hood",
    ] {
        let [task] = project.add([title]);
        assert_eq!(project.show(&task).task.title, title);
        project.change(&task, &start(None, false));
        project.done(&task);
    }
    let [control] = project.add(["two\nlines\tand \u{1b}[31mred\u{7}"]);
    let title = project.show(&control).task.title;
    assert!(title.starts_with("two lines and"), "{title:?}");
    let long = "long ".repeat(2_000);
    fails(
        project.try_add(&titled(&[&long])),
        2,
        "longer than 500 characters",
    );
    let before = project.labels();
    fails(
        project.try_add(&titled(&["good", " \n "])),
        2,
        "the title is empty",
    );
    assert_eq!(project.labels(), before, "nothing was added");
    let note = TaskCommand::Note("long ".repeat(5_000));
    refused(project.try_change(&control, &note), "too-long");
    project.check();
}
