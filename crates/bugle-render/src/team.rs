//! The people who share a store, as text.

use std::fmt::Write as _;

use bugle_core::reply::{AddedMember, TeamChange, TeamList};

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
        let projects = projects(member.projects.as_deref());
        let you = if member.you { "  (you)" } else { "" };
        let _ = writeln!(out, "{}{name}  {}  {projects}{you}", member.person, member.role);
    }
    printable(&out)
}

fn projects(names: Option<&[String]>) -> String {
    match names {
        None => "all projects".to_owned(),
        Some([]) => "no projects".to_owned(),
        Some(names) => names.join(", "),
    }
}

fn added(member: &AddedMember) -> String {
    let AddedMember {
        person,
        role,
        is_new_role,
        projects: names,
        saw_all,
        store_line,
    } = member;
    let before = if *saw_all { " (before: all projects)" } else { "" };
    let mut out = format!(
        "{person} is now a {role} of {}{before}.\n",
        projects(names.as_deref())
    );
    if *is_new_role {
        let _ = writeln!(
            out,
            "The new database role has no password; set one in psql: \\password {person}"
        );
    }
    let _ = write!(
        out,
        "Next, {person} must add this line to ~/.bugle/config.yaml and run bugle in a clone of the project:\n  \
         {store_line}"
    );
    out
}

/// A change to a team.
pub fn changed(change: &TeamChange) -> String {
    match change {
        TeamChange::Ready { add } => format!("The store is ready for a team. To add a person: {add}"),
        TeamChange::Added(member) => added(member),
        TeamChange::Removed { person } => {
            format!("Removed {person}. The database role still exists, but has no rights in this store.")
        }
    }
}
