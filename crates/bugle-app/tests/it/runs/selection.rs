//! The run that a command selects if none is named: by session, else by project.

use std::path::Path;

use bugle_app::{AppError, RunSelector, StartRequest, runs};
use bugle_core::reply::StepView;
use bugle_render::author_text;

use super::{THREE, run_of, started, three, word};
use crate::project::{Project, fails};
use crate::reviewed::step;
use crate::sessions::git;

const SEVERAL: &str = "several runs are open in this project";
const NONE: &str = "no run is open in this project";

/// The step of the run that a command in this folder selects.
#[track_caller]
fn selected_in(project: &mut Project, folder: &Path, session: Option<&str>) -> StepView {
    project.enter(folder, session);
    step(project.current(&RunSelector::Here))
}

/// Asserts that no run is selected in this folder.
#[track_caller]
fn assert_none_in(project: &mut Project, folder: &Path) {
    project.enter(folder, None);
    fails(project.current(&RunSelector::Here), 4, NONE);
}

#[test]
fn if_several_runs_are_open_each_is_listed_with_its_command() {
    let (mut project, first) = three();
    let second = project.start_skill("three");
    let here = RunSelector::Here;
    let errors: Vec<AppError> = vec![
        project.current(&here).unwrap_err(),
        project.try_show_run(&here).unwrap_err(),
        project.pause(&here, None).unwrap_err(),
        project.cancel(&here, None).unwrap_err(),
        project.resume(&here).unwrap_err(),
        project.upgrade(&here).unwrap_err(),
    ];
    for error in errors {
        let hints = fails::<()>(Err(error), 2, SEVERAL).join("\n");
        for step in [&first, &second] {
            let command = format!("bugle step {}", step.position.run);
            assert!(hints.contains(&command), "{hints}");
        }
    }
    project.cancel(&run_of(&first), None).unwrap();
    assert_eq!(step(project.current(&here)), second);
}

#[test]
fn if_very_many_runs_are_open_the_first_ten_are_listed() {
    let (mut project, _) = started("three", THREE);
    for _ in 1..14 {
        project.start_skill("three");
    }
    let hints = fails(project.current(&RunSelector::Here), 2, SEVERAL);
    let (last, listed) = hints.split_last().unwrap();
    assert_eq!(listed.len(), 10, "{hints:?}");
    assert!(
        listed.iter().all(|hint| hint.starts_with("bugle step r-")),
        "{hints:?}"
    );
    assert!(last.contains("`bugle run list --open`"), "{hints:?}");
}

#[test]
fn a_session_finds_its_own_run_among_others() {
    let mut project = Project::new();
    project.write_skill("three", THREE);
    let here = project.app.context.directory.clone();
    let elsewhere = here.with_file_name("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let [one, two] = ["session-one", "session-two"].map(|session| {
        project.act_as(Some(session));
        project.start_skill("three")
    });
    project.act_as(None);
    project.start_skill("three");
    for (session, own) in [("session-one", &one), ("session-two", &two)] {
        // An agent without memory does not know where its run began, so the same run is selected in any folder.
        for folder in [&here, &elsewhere] {
            assert_eq!(selected_in(&mut project, folder, Some(session)), *own);
        }
    }
    project.enter(&here, Some("session-three"));
    fails(project.current(&RunSelector::Here), 2, SEVERAL);
    project.act_as(None);
    project.cancel(&run_of(&one), None).unwrap();
    project.act_as(Some("session-one"));
    fails(project.current(&RunSelector::Here), 2, SEVERAL);
    let by = &project.show_run(&two).timeline[0].by;
    assert_eq!(author_text::author(by), "agent session-two");
}

#[test]
fn a_run_is_found_from_every_folder_of_its_project() {
    let mut project = Project::new();
    project.write_skill("three", THREE);
    project.git_init("main");
    let root = project.app.context.directory.clone();
    let first = project.start_skill("three");
    let deep = root.join("src/deep");
    std::fs::create_dir_all(&deep).unwrap();
    assert_eq!(selected_in(&mut project, &deep, None), first);
    let listed = project.list_runs(false, false, 50).runs;
    assert_eq!(listed[0].directory, root.to_str().unwrap());
}

#[test]
fn all_worktrees_of_a_repository_are_one_project() {
    let mut project = Project::new();
    project.write_skill("three", THREE);
    project.git_init("main");
    let here = project.app.context.directory.clone();
    let tree = here.with_file_name("tree");
    let folder = tree.to_str().unwrap();
    git(&here, &["worktree", "add", "--quiet", "-b", "other", folder]);
    let first = project.start_skill("three");
    assert_eq!(selected_in(&mut project, &tree, None), first);
    project.enter(&here, None);
    let second = step(project.report(&first, &word("one")));
    assert_eq!(selected_in(&mut project, &tree, None), second);
    // The skill is in the first worktree only. The run uses a pinned copy, so there is no notice about a missing skill.
    assert!(second.notices.is_empty(), "{:?}", second.notices);
    let request = StartRequest {
        skill: "three".to_owned(),
        params: Vec::new(),
        task: None,
    };
    let started = runs::start(&mut project.app.store, &project.app.context, request);
    fails(started, 4, "there is no skill `three`");
    let elsewhere = here.with_file_name("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    assert_none_in(&mut project, &elsewhere);
}

#[test]
fn outside_git_each_folder_is_a_project() {
    let (mut project, first) = three();
    let inner = project.app.context.directory.join("inner");
    std::fs::create_dir(&inner).unwrap();
    assert_none_in(&mut project, &inner);
    assert_eq!(step(project.current(&run_of(&first))), first);
}

#[test]
fn a_project_reached_through_a_link_is_the_same_project() {
    let (mut project, first) = three();
    let here = project.app.context.directory.clone();
    let link = here.with_file_name("link");
    std::os::unix::fs::symlink(&here, &link).unwrap();
    assert_eq!(selected_in(&mut project, &link, None), first);
}
