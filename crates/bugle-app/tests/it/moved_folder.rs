//! Moved project folders: reads find the project without writing, and the next write records the new path.

use std::path::Path;

use bugle_app::{RunSelector, dashboard, projects, runs, tasks};
use bugle_core::id::RunId;
use bugle_store::{Durability, RunFilter, Scope, Store};

use crate::project::Project;

/// Another connection, which detects every commit.
struct Observer {
    store: Store,
    seen: i64,
}

impl Observer {
    fn of(project: &Project) -> Self {
        let mut store =
            Store::open(&project.app.context.bugle_home.join("bugle.db"), Durability::Full).unwrap();
        let seen = store.data_version().unwrap();
        Self { store, seen }
    }

    /// Whether there was a commit since the last call.
    fn has_changed(&mut self) -> bool {
        let before = std::mem::replace(&mut self.seen, self.store.data_version().unwrap());
        self.seen != before
    }
}

fn follow(project: &mut Project) {
    projects::follow_move(&mut project.app.store, &project.app.context).unwrap();
}

/// A run's folder, as stored.
fn stored_folder(project: &mut Project, run: &RunId) -> String {
    let filter = RunFilter {
        scope: Scope::All,
        open_only: false,
        limit: 10,
    };
    let rows = project.app.store.runs(&filter).unwrap();
    rows.into_iter().find(|row| row.id == *run).unwrap().directory
}

#[test]
fn reads_in_a_moved_folder_find_everything_and_write_nothing() {
    let mut project = Project::new();
    let run = project.start_run();
    let [task] = project.add(["Build it"]);
    let old = project.app.context.directory.clone();
    project.move_to("shop");
    let new = project.app.context.directory.clone();
    let mut observer = Observer::of(&project);

    let (store, ctx) = (&mut project.app.store, &project.app.context);
    let folder = |detail: &bugle_core::reply::RunDetail| detail.summary.directory.clone();
    for selector in [RunSelector::Run(run.clone()), RunSelector::Here] {
        let shown = runs::show(store, ctx, &selector).unwrap();
        assert_eq!(Path::new(&folder(&shown)), new);
    }
    let page = dashboard::run_page(store, ctx, &RunSelector::Run(run.clone()), None).unwrap();
    assert_eq!(Path::new(&folder(&page.detail)), new);
    assert_eq!(dashboard::runs_page(store, ctx, None).unwrap().runs.len(), 1);
    dashboard::now_page(store, ctx).unwrap();
    dashboard::channel_page(store, ctx, None, None).unwrap();
    dashboard::wakeups_page(store, ctx, None).unwrap();
    let plan = dashboard::plan_page(store, ctx, None, None).unwrap();
    assert_eq!(plan.tasks[0].task.id, task);
    let listed = runs::runs(store, ctx, false, true, 10).unwrap();
    assert_eq!(listed.runs.len(), 1);
    assert!(!observer.has_changed(), "a read wrote to the store");
    assert_eq!(Path::new(&stored_folder(&mut project, &run)), old);

    follow(&mut project);
    assert!(observer.has_changed());
    assert_eq!(Path::new(&stored_folder(&mut project, &run)), new);
    follow(&mut project);
    assert!(!observer.has_changed(), "the path is already up to date");
}

#[test]
fn a_moved_project_keeps_its_name_before_and_after_the_move_is_recorded() {
    let mut project = Project::new();
    project.start_run();
    project.move_to("shop");
    let name = |project: &mut Project| {
        let (store, ctx) = (&mut project.app.store, &project.app.context);
        bugle_app::top_view::top_view(store, ctx).unwrap().channels[0]
            .name
            .project
            .clone()
    };
    assert_eq!(name(&mut project), "project");
    follow(&mut project);
    project.act_as(None);
    assert_eq!(name(&mut project), "project");
}

#[test]
fn a_write_records_the_move() {
    let mut project = Project::new();
    let run = project.start_run();
    let [first] = project.add(["Build it"]);
    project.move_to("shop");
    let [second] = project.add(["Test it"]);
    let new = project.app.context.directory.clone();
    assert_eq!(Path::new(&stored_folder(&mut project, &run)), new);
    let (store, ctx) = (&mut project.app.store, &project.app.context);
    for task in [first, second] {
        tasks::change_task(store, ctx, &task, &bugle_core::task::TaskCommand::Done).unwrap();
    }
}
