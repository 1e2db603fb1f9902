//! Removing and skipping tasks with their subtasks.

use bugle_core::reply::{Change, SideEffect};
use bugle_core::task::{Removal, TaskCommand, TaskEvent, TaskState};

use super::{Authentication, event_of};
use crate::project::{Project, refused, start, titled};

#[test]
fn removing_and_restoring_a_task_includes_its_subtasks() {
    let mut project = Project::new();
    let tree = Authentication::new(&mut project);
    let before = project.outline();
    project.change(&tree.quality_review, &TaskCommand::Remove);
    let removed = project.change(&tree.execute, &TaskCommand::Remove);
    let why = Removal::With(tree.execute.clone());
    assert_eq!(
        event_of(&removed, &tree.spec_review),
        Some(&TaskEvent::Removed { why })
    );
    assert_eq!(project.labels().len(), 5);
    assert_eq!(project.next().as_deref(), Some("Finish branch"));
    for command in [
        start(None, false),
        TaskCommand::Done,
        TaskCommand::Skip { reason: None },
    ] {
        refused(project.try_change(&tree.execute, &command), "removed");
    }
    let again = project.change(&tree.execute, &TaskCommand::Remove);
    assert!(again.also.contains(&SideEffect::NothingChanged), "{again:?}");
    let under = bugle_app::AddRequest {
        under: Some(tree.execute.clone()),
        ..titled(&["x"])
    };
    refused(project.try_add(&under), "removed");
    let reopened = project.try_change(&tree.spec_review, &TaskCommand::Reopen);
    refused(reopened, "parent-removed");
    project.change(&tree.execute, &TaskCommand::Reopen);
    let history = project.show(&tree.execute).history;
    let last = &history.last().unwrap().change;
    assert_eq!(*last, Change::Task(TaskEvent::Restored));
    assert_eq!(
        project.labels().len(),
        before.len() - 1,
        "a task that was removed earlier stays removed"
    );
    project.change(&tree.quality_review, &TaskCommand::Reopen);
    assert_eq!(project.outline(), before);
    project.check();
}

#[test]
fn skipping_and_reopening_a_task_includes_its_open_subtasks() {
    let mut project = Project::new();
    let tree = Authentication::new(&mut project);
    let before = project.outline();
    let skip = TaskCommand::Skip {
        reason: Some("bought it instead".to_owned()),
    };
    let skipped = project.change(&tree.execute, &skip);
    let with = Some(tree.execute.clone());
    let event = event_of(&skipped, &tree.spec_review);
    assert!(
        matches!(event, Some(TaskEvent::Skipped { with: found, .. }) if *found == with),
        "{event:?}"
    );
    assert_eq!(
        project.outline(),
        [
            "Build authentication active",
            "  Brainstorm done",
            "  Create worktree done",
            "  Write plan done",
            "  Execute plan skipped",
            "    Task 1: User model done",
            "    Task 2: Login form skipped",
            "      Implement done",
            "      Spec review skipped",
            "      Code quality review skipped",
            "    Task 3: Sessions skipped",
            "  Finish branch pending",
        ]
    );
    let reason = project.show(&tree.execute).task.reason;
    assert_eq!(reason.as_deref(), Some("bought it instead"));
    refused(project.try_change(&tree.execute, &TaskCommand::Done), "closed");
    project.change(&tree.execute, &TaskCommand::Reopen);
    assert_eq!(project.outline(), before);
    project.change(&tree.execute, &TaskCommand::Skip { reason: None });
    project.change(&tree.spec_review, &TaskCommand::Reopen);
    assert_eq!(
        project.state(&tree.execute),
        TaskState::Active,
        "a subtask is open"
    );
    assert_eq!(project.state(&tree.quality_review), TaskState::Skipped);
    project.check();
}
