//! Projects as text.

use bugle_core::id::Timestamp;
use std::fmt::Write as _;

use bugle_core::count::counted;
use bugle_core::reply::{JoinedFolder, ProjectChange, ProjectList, RemoteConflict};

use crate::text::printable;

/// All projects, two lines each.
pub fn projects(view: &ProjectList, clock: &dyn Fn(Timestamp) -> String) -> String {
    if view.projects.is_empty() {
        return "No projects yet.\n".to_owned();
    }
    let mut out = String::new();
    for project in &view.projects {
        let mut notes = Vec::new();
        if project.here {
            notes.push("this project");
        }
        if let Some(remote) = &project.remote {
            notes.push(remote);
        }
        if project.folder.is_none() {
            notes.push("no clone on this machine");
        } else if !project.exists {
            notes.push("the folder is missing");
        } else if !project.keeps_id && project.remote.is_none() {
            notes.push("no stored id: Bugle cannot find the project after a move");
        }
        let notes = if notes.is_empty() {
            String::new()
        } else {
            format!("  ({})", notes.join("; "))
        };
        let _ = writeln!(
            out,
            "{}  {}  {}{notes}",
            project.id,
            project.name,
            project.folder.as_deref().unwrap_or("-")
        );
        let _ = writeln!(
            out,
            "    {}, {} open; {}, {} open; last activity {}",
            counted(project.runs, "run"),
            project.open_runs,
            counted(project.tasks, "task"),
            project.open_tasks,
            clock(project.last_activity)
        );
    }
    printable(&out)
}

/// A change to a project.
pub fn changed(change: &ProjectChange) -> String {
    match change {
        ProjectChange::AlreadyJoined(joined) => belongs("already", joined),
        ProjectChange::Joined { joined, before } => {
            let now = belongs("now", joined);
            match before {
                Some(before) => format!(
                    "{now} Earlier runs and tasks stay in project {}; to move them: {}",
                    before.id, before.merge
                ),
                None => now,
            }
        }
        ProjectChange::Shared { remote, project } => {
            format!("Clones of {remote} on other machines now belong to project {project}.")
        }
        ProjectChange::Moved {
            project,
            from,
            to,
            old_folder_stays,
        } => {
            let stays = if *old_folder_stays {
                format!(" {from} still exists. Using Bugle there again creates a new project.")
            } else {
                String::new()
            };
            format!("Moved project {project} from {from} to {to}.{stays}")
        }
        ProjectChange::Merged {
            from,
            into,
            old_folder_stays,
        } => {
            let stays = if *old_folder_stays {
                format!(
                    " {} still exists. Open runs continue in that folder; new work there belongs to a new project.",
                    from.folder
                )
            } else {
                String::new()
            };
            format!(
                "Merged project {} ({}) into {} ({}).{stays}",
                from.id, from.folder, into.id, into.folder
            )
        }
    }
}

/// The conflict over a remote that belongs to another project.
pub fn remote_conflict(conflict: &RemoteConflict) -> String {
    let RemoteConflict {
        remote,
        project,
        name,
        other,
        merge,
        join,
    } = conflict;
    printable(&format!(
        "Project {project} ({name}) is not shared: project {other} already has the remote {remote}, so other clones \
         use {other}. To merge the two projects: {merge}. To use {other} only in this folder: {join}"
    ))
}

fn belongs(when: &str, joined: &JoinedFolder) -> String {
    let JoinedFolder {
        folder,
        project,
        name,
    } = joined;
    format!("{folder} {when} belongs to project {project} ({name}).")
}
