//! The people who share a store, as text.

use std::fmt::Write as _;

use bugle_core::reply::TeamList;

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
