//! Importing plans: edits, re-import, renamed and missing files.

use std::fs;

use bugle_app::{ImportRequest, PlanSelector, task_id};
use bugle_core::id::TaskId;
use bugle_core::reply::{ImportNotice, PlanImport, PlanNotice};
use bugle_core::task::{TaskCommand, TaskState};

use super::{FILE, PLAN, labels, with_plan};
use crate::project::{Project, fails, import_of, refused, start};

const FIRST: &str = "Task 1: Parse the header";
const SECOND: &str = "Task 2: Show the form";
const SECOND_TEXT: &str = "### Task 2: Show the form\n\nDraw it.\n";

/// The plan's second task, with its dependency on the first removed.
fn second_of(project: &mut Project) -> TaskId {
    let (first, second) = (project.id_of(FIRST), project.id_of(SECOND));
    let (store, context) = (&mut project.app.store, &project.app.context);
    bugle_app::tasks::depend_task(store, context, &second, &[first], true).unwrap();
    second
}

/// Replaces text in the plan's file.
fn edit(project: &Project, from: &str, to: &str) {
    let file = project.app.context.directory.join(FILE);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from:?} is not in {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

fn has_changed(notices: &[PlanNotice]) -> bool {
    matches!(notices, [PlanNotice::FileChanged { .. }])
}

fn is_missing(notices: &[PlanNotice]) -> bool {
    matches!(notices, [PlanNotice::FileMissing { file, .. }] if file == FILE)
}

/// The only notice of an import.
#[track_caller]
fn notice(imported: &PlanImport) -> &ImportNotice {
    let [notice] = imported.notices.as_slice() else {
        panic!("{imported:?}")
    };
    notice
}

#[test]
fn closed_tasks_stay_closed_after_an_edit() {
    let (mut project, id) = with_plan();
    let first = project.id_of(FIRST);
    let third = project.id_of("Task 3: Keep the session");
    project.done(&first);
    project.change(&third, &TaskCommand::Note("by hand".to_owned()));
    edit(
        &project,
        "### Task 2: Show the form",
        "### Task 2: Draw a logo\n\nIn colour.\n\n### Task 3: Show the form",
    );
    edit(
        &project,
        "### Task 3: Keep the session",
        "### Task 4: Keep the session",
    );
    edit(&project, "Store the cookie.", "Store the cookie for a day.");
    assert!(has_changed(&project.plan_notices()));
    assert!(has_changed(&project.plans()[0].notices));
    let imported = project.import(FILE);
    assert_eq!(labels(&imported.added), ["Task 2: Draw a logo"]);
    assert_eq!(labels(&imported.edited), ["Task 4: Keep the session"]);
    assert_eq!(labels(&imported.moved), ["Task 3: Show the form"]);
    assert_eq!(project.state(&first), TaskState::Done);
    assert_eq!(project.id_of("Task 4: Keep the session"), third, "the same task");
    assert_eq!(project.show(&third).notes[0].text, "by hand");
    assert_eq!(project.next().as_deref(), Some("Task 2: Draw a logo"));
    let again = project.import(FILE);
    assert_eq!((&again.plan.name.id, again.unchanged), (&id, 6), "{again:?}");
    for list in [
        &again.added,
        &again.edited,
        &again.moved,
        &again.vanished,
        &again.ticked,
        &again.reopened,
    ] {
        assert!(list.is_empty(), "{again:?}");
    }
    assert_eq!(project.plan_notices(), []);
    project.check();
}

#[test]
fn tasks_missing_from_the_file_are_reported_and_can_be_restored() {
    let (mut project, _) = with_plan();
    let second = second_of(&mut project);
    project.done(&second);
    edit(&project, SECOND_TEXT, "");
    let imported = project.import(FILE);
    assert_eq!(labels(&imported.vanished), [SECOND]);
    assert!(matches!(notice(&imported), ImportNotice::Vanished { task, .. } if task.id == second));
    assert!(!project.labels().contains(&SECOND.to_owned()));
    // A task that reappears in the file is the same task.
    project.write(FILE, PLAN);
    let back = project.import(FILE);
    assert_eq!(labels(&back.came_back), [SECOND]);
    assert_eq!(project.id_of(SECOND), second);
    assert_eq!(project.state(&second), TaskState::Done);
    // A restored task stays even if the file lacks it.
    edit(&project, SECOND_TEXT, "");
    let gone = project.import(FILE);
    let ImportNotice::Vanished { restore, .. } = notice(&gone) else {
        panic!("{gone:?}")
    };
    assert_eq!(*restore, format!("bugle task reopen {second}"));
    project.change(&second, &TaskCommand::Reopen);
    assert_eq!(project.state(&second), TaskState::Done, "its state is unchanged");
    project.import(FILE);
    assert!(project.labels().contains(&"Show the form".to_owned()));
}

#[test]
fn an_active_task_is_not_removed_by_an_older_file() {
    let (mut project, _) = with_plan();
    let second = second_of(&mut project);
    project.change(&second, &start(Some("alice"), false));
    edit(&project, SECOND_TEXT, "");
    let refusal = refused(project.try_import(&import_of(FILE)), "active-vanish");
    assert!(refusal.details[0].contains("alice"), "{refusal:?}");
    assert_eq!(project.state(&second), TaskState::Active);
    let dropping = ImportRequest {
        drop_active: true,
        ..import_of(FILE)
    };
    project.try_import(&dropping).unwrap();
    assert!(!project.labels().contains(&SECOND.to_owned()));
}

#[test]
fn a_task_removed_by_hand_stays_removed() {
    let (mut project, _) = with_plan();
    let second = second_of(&mut project);
    project.done(&second);
    project.change(&second, &TaskCommand::Remove);
    let again = project.import(FILE);
    assert!(!project.labels().contains(&SECOND.to_owned()));
    let ImportNotice::KeptOut { task, restore } = notice(&again) else {
        panic!("{again:?}")
    };
    assert_eq!(task.id, second);
    assert_eq!(*restore, format!("bugle task reopen {second}"));
    project.change(&second, &TaskCommand::Reopen);
    assert_eq!(project.state(&second), TaskState::Done);
    project.check();
}

#[test]
fn ticked_boxes_count_only_on_request() {
    let mut project = Project::new();
    project.import_text(FILE, &PLAN.replace("- [ ]", "- [x]"));
    let first = project.id_of(FIRST);
    assert_eq!(project.state(&first), TaskState::Pending);
    let trusting = ImportRequest {
        trust_checkboxes: true,
        ..import_of(FILE)
    };
    let trusted = project.try_import(&trusting).unwrap();
    assert_eq!(labels(&trusted.ticked), [FIRST]);
    assert_eq!(project.state(&first), TaskState::Done);
    assert!(project.try_import(&trusting).unwrap().ticked.is_empty());
    project.write(FILE, PLAN);
    project.try_import(&trusting).unwrap();
    let state = project.state(&first);
    assert_eq!(state, TaskState::Done, "an empty box reopens nothing");
}

#[test]
fn a_plan_whose_file_was_renamed_keeps_its_tasks() {
    let (mut project, id) = with_plan();
    let first = project.id_of(FIRST);
    project.done(&first);
    let before = project.outline();
    let (folder, new) = (project.app.context.directory.clone(), "docs/sign-in.md");
    fs::rename(folder.join(FILE), folder.join(new)).unwrap();
    assert!(is_missing(&project.plan_notices()));
    let failed = project.try_import(&import_of(FILE));
    let hints = fails(failed, 4, "there is no file").join("\n");
    assert!(hints.contains(&format!("--was {id}")), "{hints}");
    let renamed = ImportRequest {
        was: Some(id.clone()),
        ..import_of(new)
    };
    let imported = project.try_import(&renamed).unwrap().plan.name;
    assert_eq!((&imported.id, imported.file.as_str()), (&id, new));
    assert_eq!(project.outline(), before);
    assert_eq!(project.state(&first), TaskState::Done);
    assert_eq!(project.plan_notices(), []);
}

#[test]
fn a_renamed_plan_that_was_imported_as_a_new_one_can_be_corrected() {
    let (mut project, id) = with_plan();
    let first = project.id_of(FIRST);
    project.done(&first);
    let before = project.outline();
    let (folder, new) = (project.app.context.directory.clone(), "docs/sign-in.md");
    fs::rename(folder.join(FILE), folder.join(new)).unwrap();
    let asked = refused(project.try_import(&import_of(new)), "perhaps-renamed");
    assert!(asked.details[0].contains(&format!("--was {id}")), "{asked:?}");
    let another = ImportRequest {
        another: true,
        ..import_of(new)
    };
    let imported = project.try_import(&another).unwrap().plan;
    assert_ne!(imported.name.id, id);
    let renamed = ImportRequest {
        was: Some(id.clone()),
        ..import_of(new)
    };
    let refusal = refused(project.try_import(&renamed), "imported-twice");
    assert!(refusal.command.is_some(), "{refusal:?}");
    project.change(&imported.root, &TaskCommand::Remove);
    let corrected = project.try_import(&renamed).unwrap();
    assert_eq!(corrected.plan.name.id, id);
    assert_eq!(project.outline(), before);
    let plans = project.plans();
    assert_eq!(plans.len(), 2, "the other plan is kept outside the tree");
    project.check();
}

#[test]
fn a_plan_can_be_imported_under_a_task() {
    let mut project = Project::new();
    let [parent] = project.add(["Release"]);
    project.write(FILE, PLAN);
    let under = |task: &TaskId| ImportRequest {
        under: Some(task.clone()),
        ..import_of(FILE)
    };
    project.try_import(&under(&parent)).unwrap();
    assert_eq!(
        project.outline()[..2],
        ["Release pending", "  Login Implementation Plan pending"]
    );
    let [other] = project.add(["Later"]);
    assert!(project.try_import(&under(&other)).unwrap().again);
    assert_eq!(
        project.outline()[..3],
        [
            "Release pending",
            "Later pending",
            "  Login Implementation Plan pending"
        ],
        "the plan is under the named task"
    );
    let none = task_id("t-zzzzzzzz").unwrap();
    let failed = project.try_import(&under(&none));
    fails(failed, 4, "there is no task t-zzzzzzzz");
    project.change(&parent, &TaskCommand::Remove);
    refused(project.try_import(&under(&parent)), "removed");
    project.check();
}

#[test]
fn importing_a_removed_plan_restores_it() {
    let (mut project, id) = with_plan();
    let before = project.outline();
    let root = project.id_of("Login Implementation Plan");
    project.change(&root, &TaskCommand::Remove);
    assert_eq!(project.plans()[0].notices, [PlanNotice::Removed]);
    assert_eq!(project.next(), None);
    assert_eq!(project.import(FILE).plan.name.id, id);
    assert_eq!(project.outline(), before);
}

#[test]
fn a_plan_without_its_file_keeps_everything_that_was_imported() {
    let (mut project, id) = with_plan();
    fs::remove_file(project.app.context.directory.join(FILE)).unwrap();
    let first = project.id_of(FIRST);
    let full = project.show(&first);
    let text = full.text.unwrap().text;
    assert!(text.starts_with("### Task 1: Parse the header"), "{text}");
    assert_eq!(full.constraints, ["No new dependencies."]);
    for plan in [FILE, id.as_str()] {
        let section = project.section(plan, "2").text;
        assert!(section.contains("Draw it."), "{section}");
    }
    let shown = project.try_show_plan(&PlanSelector::File(FILE.into())).unwrap();
    assert!(is_missing(&shown.plan.notices), "{shown:?}");
    project.change(&first, &start(None, false));
    project.done(&first);
    project.check();
}
