//! The runs of a project, and of all projects.

use bugle_app::runs;
use bugle_core::reply::{RunList, RunSummary};

use super::{THREE, run_of, started};
use crate::project::Project;

impl Project {
    /// The runs of this project, or of all projects.
    #[track_caller]
    pub(super) fn list_runs(&mut self, everywhere: bool, open_only: bool, limit: u32) -> RunList {
        runs::runs(
            &mut self.app.store,
            &self.app.context,
            everywhere,
            open_only,
            limit,
        )
        .unwrap()
    }
}

#[test]
fn a_project_lists_its_own_runs_and_can_list_all() {
    let mut project = Project::new();
    project.write_skill("three", THREE);
    assert!(project.list_runs(false, false, 50).runs.is_empty());
    let done = project.start_skill("three");
    project.cancel(&run_of(&done), None).unwrap();
    let open = project.start_skill("three");
    assert_eq!(project.list_runs(false, false, 50).runs.len(), 2);
    let [only] = <[RunSummary; 1]>::try_from(project.list_runs(false, true, 50).runs).unwrap();
    assert_eq!(only.position, open.position);
    assert_eq!(only.directory, project.app.context.directory.to_str().unwrap());
    project.enter_folder("elsewhere");
    assert!(project.list_runs(false, false, 50).runs.is_empty());
    assert_eq!(project.list_runs(true, false, 50).runs.len(), 2);
}

#[test]
fn all_runs_can_be_listed_however_many_there_are() {
    let (mut project, _) = started("three", THREE);
    for _ in 1..53 {
        project.start_skill("three");
    }
    let limited = project.list_runs(false, false, 50);
    assert_eq!((limited.runs.len(), limited.more), (50, 3));
    let all = project.list_runs(false, false, 53);
    assert_eq!((all.runs.len(), all.more), (53, 0));
}
