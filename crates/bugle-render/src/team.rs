//! The people who share a store, as text.

use std::fmt::Write as _;

use bugle_core::reply::{TeamChange, TeamList};

use crate::text::printable;

/// All members, one line each.
pub fn team(view: &TeamList) -> String {
    let mut out = String::new();
    for member in &view.members {
        let name = if member.name == member.person {
            String::new()
        } else {
            format!(" ({})", member.name)
        };
        let projects = match &member.projects {
            None => "all projects".to_owned(),
            Some(projects) if projects.is_empty() => "no projects".to_owned(),
            Some(projects) => projects.join(", "),
        };
        let you = if member.you { "  (you)" } else { "" };
        let _ = writeln!(out, "{}{name}  {}  {projects}{you}", member.person, member.role);
    }
    printable(&out)
}

/// A change to a team.
pub fn changed(change: &TeamChange) -> String {
    match change {
        TeamChange::Ready { add } => format!("The store is ready for a team. To add a person: {add}"),
        TeamChange::Created { person, role } => format!(
            "Added {person} as a {role}. The new database role has no password; set one in psql: \\password {person}"
        ),
        TeamChange::Changed { person, role } => format!("{person} is now a {role}."),
        TeamChange::Removed { person } => {
            format!("Removed {person}. The database role still exists, but has no rights in this store.")
        }
    }
}
