//! Task scope: a repository with its worktrees, a folder, or a session.

use std::fs;
use std::path::{Path, PathBuf};

use bugle_app::{AddRequest, Destination, ImportRequest, PlanSelector, TaskScope, tasks};
use bugle_core::reply::{NextView, PlanNotice, TaskNotice};
use bugle_core::task::TaskCommand;

use super::{FILE, PLAN, with_plan};
use crate::project::{Project, fails, import_of, start, titled};
use crate::sessions::git;

const FIRST: &str = "Task 1: Parse the header";

/// A repository with a committed plan.
fn repository() -> Project {
    let mut project = Project::new();
    project.write(FILE, PLAN);
    project.git_init("main");
    let folder = &project.app.context.directory;
    git(folder, &["add", "."]);
    git(folder, &["commit", "--quiet", "--message", "a plan"]);
    project
}

impl Project {
    /// The project's folder.
    fn folder(&self) -> PathBuf {
        self.app.context.home.join("project")
    }

    /// Another worktree of the project's repository, on its own branch.
    fn worktree(&self, branch: &str) -> PathBuf {
        let tree = self.app.context.home.join("tree");
        let words = ["worktree", "add", "--quiet", "-b", branch];
        git(&self.folder(), &[&words[..], &[tree.to_str().unwrap()]].concat());
        tree
    }

    /// The next task's label in a folder, for this session.
    #[track_caller]
    fn next_in(&mut self, folder: &Path, session: Option<&str>) -> Option<String> {
        self.enter(folder, session);
        self.next()
    }

    #[track_caller]
    fn next_view(&mut self) -> NextView {
        let (store, context) = (&mut self.app.store, &self.app.context);
        tasks::next_task(store, context, &TaskScope::Here, None).unwrap()
    }
}

#[test]
fn a_plan_written_on_one_branch_is_found_in_a_worktree_on_another() {
    let mut project = repository();
    let (here, tree) = (project.folder(), project.worktree("feature/login"));
    let imported = project.import(FILE).plan;
    assert_eq!(imported.branch.as_deref(), Some("main"));
    assert_eq!(project.next_in(&tree, None).as_deref(), Some(FIRST));
    let deep = tree.join("src/deep");
    fs::create_dir_all(&deep).unwrap();
    assert_eq!(project.next_in(&deep, Some("new")).as_deref(), Some(FIRST));
    project.enter(&tree, None);
    let (store, context) = (&mut project.app.store, &project.app.context);
    let claimed = tasks::claim_task(store, context, &TaskScope::Here, None).unwrap();
    project.done(&claimed.unwrap());
    let next = project.next_in(&here, None);
    assert_eq!(next.as_deref(), Some("Task 2: Show the form"));
    // The same file in the other worktree is the same plan.
    project.enter(&tree, None);
    let again = project.import(FILE).plan;
    assert_eq!(again.name.id, imported.name.id);
    assert_eq!(again.branch.as_deref(), Some("feature/login"));
    project.enter(&tree.join("src"), None);
    let below = PlanSelector::File("../docs/plans/login.md".into());
    let shown = project.try_show_plan(&below).unwrap();
    assert_eq!(shown.plan.name.id, imported.name.id);
    project.enter(&here, None);
    assert_eq!(project.plans().len(), 1);
}

#[test]
fn a_plan_that_is_only_on_another_branch_is_kept_and_marked() {
    let mut project = Project::new();
    project.git_init("main");
    let tree = project.worktree("feature/login");
    project.import_text(FILE, PLAN);
    project.enter(&tree, None);
    let missing = PlanNotice::FileMissing {
        file: FILE.to_owned(),
        imported_on: Some("main".to_owned()),
    };
    assert_eq!(project.plan_notices(), [missing]);
    let task = project.position().unwrap().task.id;
    project.change(&task, &start(None, false));
    let text = project.show(&task).text.unwrap().text;
    assert!(text.contains("Write the failing test"), "{text}");
}

#[test]
fn a_renamed_branch_changes_nothing() {
    let mut project = repository();
    let folder = project.folder();
    project.import(FILE);
    git(&folder, &["branch", "--move", "trunk"]);
    assert_eq!(project.next().as_deref(), Some(FIRST));
    git(&folder, &["checkout", "--quiet", "--detach"]);
    assert_eq!(project.next().as_deref(), Some(FIRST));
    assert_eq!(project.import(FILE).plan.branch, None);
}

#[test]
fn a_deleted_worktree_loses_nothing() {
    let mut project = repository();
    let (here, tree) = (project.folder(), project.worktree("feature/login"));
    project.enter(&tree, Some("gone"));
    project.import_text("docs/other.md", "# Other\n\n## Task 1: Only here\n");
    let task = project.id_of("Task 1: Only here");
    project.change(&task, &start(None, false));
    fs::remove_dir_all(&tree).unwrap();
    project.enter(&here, None);
    assert_eq!(project.next().as_deref(), Some("Task 1: Only here"));
    let shown = project.try_show_plan(&PlanSelector::Here).unwrap().plan;
    let [PlanNotice::FileMissing { imported_on, .. }] = &shown.notices[..] else {
        panic!("{shown:?}")
    };
    assert_eq!(imported_on.as_deref(), Some("feature/login"));
    git(&here, &["worktree", "prune"]);
    project.done(&task);
    project.check();
}

#[test]
fn two_repositories_with_the_same_plan_path_stay_separate() {
    let mut project = repository();
    project.import(FILE);
    let (here, other) = (project.folder(), project.app.context.home.join("elsewhere"));
    fs::create_dir(&other).unwrap();
    git(&other, &["init", "--quiet"]);
    project.enter(&other, None);
    assert!(matches!(project.next_view(), NextView::NoTasks { .. }));
    let shown = project.try_show_plan(&PlanSelector::File(FILE.into()));
    fails(shown, 4, "has not been imported");
    project.write(FILE, "# Login Implementation Plan\n\n### Task 1: Another one\n");
    let imported = project.import(FILE);
    assert!(!imported.again);
    assert_eq!(project.next().as_deref(), Some("Task 1: Another one"));
    assert_eq!(project.next_in(&here, None).as_deref(), Some(FIRST));
    // Ids work in every project, but the trees stay separate.
    let [mine] = project.add(["Mine"]);
    let root = imported.plan.root;
    assert_eq!(project.show(&root).task.title, "Login Implementation Plan");
    let moved = project.try_move(&mine, &Destination::Under(root.clone()));
    fails(moved, 2, "another project");
    fails(project.try_depend(&mine, &root), 2, "another project");
    let waiting = AddRequest {
        waits_for: vec![root.clone()],
        ..titled(&["x"])
    };
    fails(project.try_add(&waiting), 2, "different projects");
    let under = ImportRequest {
        under: Some(root),
        ..import_of(FILE)
    };
    fails(project.try_import(&under), 2, "another project");
    let renamed = ImportRequest {
        was: Some(imported.plan.name.id),
        ..import_of(FILE)
    };
    fails(project.try_import(&renamed), 2, "another project");
    project.check();
    project.enter(&other, None);
    assert_eq!(
        project.labels(),
        ["Login Implementation Plan", "Task 1: Another one"]
    );
}

#[test]
fn outside_git_the_folder_is_the_project() {
    let (mut project, _) = with_plan();
    assert_eq!(project.next().as_deref(), Some(FIRST));
    for folder in ["elsewhere", "project/docs"] {
        project.enter_folder(folder);
        assert!(matches!(project.next_view(), NextView::NoTasks { .. }));
    }
}

#[test]
fn a_session_stays_with_its_plan() {
    let (mut project, _) = with_plan();
    let other = "# Billing\n\n## Task 1: Send the bill\n\n## Task 2: Remind\n";
    project.import_text("docs/billing.md", other);
    let header = project.id_of(FIRST);
    let bill = project.id_of("Task 1: Send the bill");
    let root = project.id_of("Billing");
    let at = |project: &mut Project, session: &str| {
        project.act_as(Some(session));
        project.next().unwrap()
    };
    for (session, task) in [("login", &header), ("billing", &bill)] {
        project.act_as(Some(session));
        project.change(task, &start(None, false));
    }
    assert_eq!(at(&mut project, "login"), FIRST);
    assert_eq!(at(&mut project, "billing"), "Task 1: Send the bill");
    project.done(&bill);
    assert_eq!(
        at(&mut project, "login"),
        FIRST,
        "another session's work is not its own"
    );
    let notices = project.position().unwrap().notices;
    assert!(
        matches!(notices[..], [TaskNotice::OpenElsewhere { .. }]),
        "{notices:?}"
    );
    // Viewing another plan does not switch to it.
    project.show(&bill);
    project.change(&bill, &TaskCommand::Note("seen".to_owned()));
    assert_eq!(at(&mut project, "login"), FIRST);
    project.act_as(Some("billing"));
    let (store, context) = (&mut project.app.store, &project.app.context);
    let claimed = tasks::claim_task(store, context, &TaskScope::Here, None).unwrap();
    assert_eq!(project.show(&claimed.unwrap()).task.label, "Task 2: Remind");
    // When its plan is closed, a session moves to a plan with open tasks.
    project.act_as(None);
    project.change(&root, &TaskCommand::Skip { reason: None });
    assert_eq!(at(&mut project, "billing"), FIRST);
    assert_eq!(at(&mut project, "a new session"), FIRST);
}

#[test]
fn with_several_plans_and_none_active_the_command_must_name_one() {
    let mut project = Project::new();
    let plans = [
        project.import_text("a.md", "# A\n\n## Task 1: One\n"),
        project.import_text("b.md", "# B\n\n## Task 1: Two\n"),
    ];
    for label in ["A", "B"] {
        let root = project.id_of(label);
        project.change(&root, &TaskCommand::Skip { reason: None });
    }
    let shown = project.try_show_plan(&PlanSelector::Here);
    let hints = fails(shown, 2, "this project has several plans").join("\n");
    for plan in plans {
        assert!(hints.contains(plan.as_str()), "{hints}");
    }
    assert_eq!(project.next(), None);
}

#[test]
fn tasks_added_by_hand_do_not_hide_the_current_plan() {
    let (mut project, _) = with_plan();
    let [milk, call] = project.add(["Buy milk", "Call home"]);
    assert_eq!(project.next().as_deref(), Some(FIRST));
    assert_eq!(project.labels().len(), 8);
    project.change(&call, &start(None, false));
    assert_eq!(project.next().as_deref(), Some("Call home"));
    project.done(&call);
    assert_eq!(
        project.next().as_deref(),
        Some(FIRST),
        "the position returns to the first open task"
    );
    let milk = project.show(&milk).task.label;
    assert!(project.ready().contains(&milk));
}
