//! Text about roles.

use std::fmt::Write as _;

use bugle_core::reply::{ExportState, RoleDetail, RoleEntry, RoleExport, RoleList};

use crate::text::printable;

/// Roles, a few lines each.
pub fn list(view: &RoleList) -> String {
    let mut out = String::new();
    for role in &view.roles {
        let _ = writeln!(
            out,
            "{}\n    {}\n    {}",
            heading(role),
            role.description,
            tools(role)
        );
    }
    printable(&out)
}

/// A role with its brief.
pub fn detail(view: &RoleDetail) -> String {
    let entry = &view.entry;
    let mut out = format!("{}\n{}\n", heading(entry), entry.description);
    if let Some(path) = &entry.path {
        let _ = writeln!(out, "in {path}");
    }
    let _ = writeln!(out, "{}\n\n{}", tools(entry), view.text);
    printable(&out)
}

fn heading(role: &RoleEntry) -> String {
    let model = role.model.as_deref();
    let model = model.map(|size| format!(", {size} model")).unwrap_or_default();
    format!("{}  ({}{model})", role.name, role.source)
}

fn tools(role: &RoleEntry) -> String {
    match &role.allowed_tools {
        Some(allowed) if allowed.is_empty() => "no tools".to_owned(),
        Some(allowed) => format!("only these tools: {}", allowed.join(", ")),
        None if role.denied_tools.is_empty() => "all tools".to_owned(),
        None => format!("all tools except {}", role.denied_tools.join(", ")),
    }
}

/// The result of an export, with a note for the user.
pub fn export(view: &RoleExport, note: &str) -> String {
    let mut out = String::new();
    for file in &view.files {
        let state = match file.state {
            ExportState::Written => "written",
            ExportState::Unchanged => "unchanged",
        };
        let _ = writeln!(out, "{state:<10} {}", file.path);
    }
    let _ = writeln!(out, "{note}");
    printable(&out)
}
