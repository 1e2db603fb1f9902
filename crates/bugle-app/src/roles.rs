//! Roles: the project's, the user's and the built-in ones, and their export as agents of a client.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bugle_core::role::{AgentRole, Role};
use bugle_core::tool::ToolPolicy;
use bugle_core::validate::{Place as At, nearest};
use bugle_render::problem::line_and_column;
use bugle_render::role::{Client, agent_name, definition, is_definition};
use bugle_skill::{MAX_FILE_BYTES, parse_role};
use bugle_wire::{ExportState, ExportedRole, RoleDefinition, RoleDetail, RoleEntry, RoleExport, RoleList};

use crate::files::Shared;
use crate::{AppError, Place, builtin, folder, inside};

/// Escapes can make a definition longer than its role, but never by more than this.
const LONGEST_DEFINITION: usize = 8 * MAX_FILE_BYTES;

/// A role that was found, and where.
struct Found {
    name: AgentRole,
    source: &'static str,
    path: Option<PathBuf>,
    role: Role,
}

/// Every role. The project's file comes before the user's, and both before the built-in one.
pub fn roles(place: &Place) -> Result<RoleList, AppError> {
    let roles = AgentRole::ALL.into_iter();
    let roles = roles.map(|name| Ok(find(place, name)?.entry()));
    Ok(RoleList {
        roles: roles.collect::<Result<_, AppError>>()?,
    })
}

/// A role with all that it is told.
pub fn show_role(place: &Place, name: &str) -> Result<RoleDetail, AppError> {
    let found = find(place, named(name)?)?;
    Ok(RoleDetail {
        entry: found.entry(),
        text: found.role.text,
    })
}

/// A role as a client reads it; nothing is written.
pub fn define_role(place: &Place, client: Client, name: &str) -> Result<RoleDefinition, AppError> {
    let found = find(place, named(name)?)?;
    Ok(RoleDefinition {
        client: client.as_str().to_owned(),
        role: found.name.to_string(),
        agent: agent_name(found.name),
        file: client.file_name(found.name),
        text: found.definition(client)?,
    })
}

/// Every role as a client reads it, with the name of its file.
pub(crate) fn definitions(place: &Place, client: Client) -> Result<Vec<(String, String)>, AppError> {
    let roles = AgentRole::ALL.into_iter();
    roles
        .map(|name| Ok((client.file_name(name), find(place, name)?.definition(client)?)))
        .collect()
}

/// Writes roles as agents of a client: these ones, or all if none is named; into a folder, or where the client looks
/// for a project's agents. Either all of them are written or, if a file of somebody else is in the way, none.
pub fn export_roles(
    place: &Place,
    client: Client,
    to: Option<&Path>,
    names: &[String],
) -> Result<RoleExport, AppError> {
    let folder = to.map_or_else(
        || place.root.join(client.agents_folder()),
        |to| place.directory.join(to),
    );
    let wanted: BTreeSet<AgentRole> = if names.is_empty() {
        AgentRole::ALL.into()
    } else {
        names.iter().map(|name| named(name)).collect::<Result<_, _>>()?
    };
    let mut plan = Vec::new();
    let mut foreign = Vec::new();
    for name in wanted {
        let text = find(place, name)?.definition(client)?;
        let file = folder.join(client.file_name(name));
        match what_is_at(&file, &text) {
            There::Foreign => foreign.push(file),
            There::Same => plan.push((name, file, text, ExportState::Unchanged)),
            There::Nothing | There::Ours => plan.push((name, file, text, ExportState::Written)),
        }
    }
    if !foreign.is_empty() {
        let names: Vec<String> = foreign.iter().map(|file| file.display().to_string()).collect();
        return Err(AppError::Usage {
            what: format!(
                "not written by an export, and not overwritten: {}",
                names.join(", ")
            ),
            hints: vec![
                "Nothing was changed. Move it away, or export to another folder with --to.".to_owned(),
            ],
        });
    }
    fs::create_dir_all(&folder).map_err(|source| AppError::File {
        what: "cannot make",
        path: folder.clone(),
        source,
    })?;
    let mut files = Vec::new();
    for (name, file, text, state) in plan {
        if state == ExportState::Written {
            folder::write_whole(&file, text.as_bytes())?;
        }
        files.push(ExportedRole {
            role: name.to_string(),
            agent: agent_name(name),
            path: file.display().to_string(),
            state,
        });
    }
    Ok(RoleExport {
        client: client.as_str().to_owned(),
        folder: folder.display().to_string(),
        files,
    })
}

/// What stands where a definition is to be written.
enum There {
    Nothing,
    /// Exactly this definition.
    Same,
    /// Another one that an export wrote.
    Ours,
    /// Anything else; what cannot be read counts, for it cannot be told whose it is.
    Foreign,
}

fn what_is_at(file: &Path, text: &str) -> There {
    match folder::read_bounded(file, LONGEST_DEFINITION) {
        Ok(bytes) if bytes == text.as_bytes() => There::Same,
        Ok(bytes) if std::str::from_utf8(&bytes).is_ok_and(is_definition) => There::Ours,
        // A link that leads nowhere is somebody's too.
        Err(_) if file.symlink_metadata().is_err_and(|error| is_absent(&error)) => There::Nothing,
        _ => There::Foreign,
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn named(name: &str) -> Result<AgentRole, AppError> {
    name.parse().map_err(|()| {
        let names = || AgentRole::ALL.map(AgentRole::as_str);
        let hint = match nearest(name, names()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("There are: {}.", names().join(", ")),
        };
        AppError::NotFound {
            what: format!("there is no role `{name}`"),
            hints: vec![hint],
        }
    })
}

/// The role as it counts here. A file that is there and cannot be used is an error: to pass it over would give the
/// role back the tools that the file takes from it.
fn find(place: &Place, name: AgentRole) -> Result<Found, AppError> {
    let own = [
        ("project", place.root.join(".bugle")),
        ("user", place.bugle_home.clone()),
    ];
    for (source, base) in own {
        let path = base.join(Shared::Role.folder()).join(format!("{name}.md"));
        match inside::read(place, &path, MAX_FILE_BYTES) {
            Ok(bytes) => return read(name, source, Some(path), bytes),
            Err(error) if is_absent(&error) => {}
            Err(error) => {
                let what = error.to_string();
                return Err(broken(
                    &path.display().to_string(),
                    &what,
                    "make it a file that can be read",
                ));
            }
        }
    }
    let file = builtin::roles()
        .remove(name.as_str())
        .ok_or_else(|| AppError::System(format!("the role `{name}` is not part of this program")))?;
    read(name, "built-in", None, file.bytes.to_vec())
}

fn read(
    name: AgentRole,
    source: &'static str,
    path: Option<PathBuf>,
    bytes: Vec<u8>,
) -> Result<Found, AppError> {
    let shown = shown(name, path.as_deref());
    let text =
        String::from_utf8(bytes).map_err(|_| broken(&shown, "it is not UTF-8 text", "save it as UTF-8"))?;
    let inside = Shared::Role
        .file(name.as_str())
        .ok_or_else(|| AppError::System(format!("the role `{name}` has no file")))?;
    let role = parse_role(&inside, name, &text).map_err(|problem| {
        let at = match problem.place {
            At::Bytes { start, .. } => format!("{shown}:{}", line_and_column(&text, start).0),
            _ => shown.clone(),
        };
        broken(&at, &problem.message, &problem.fix)
    })?;
    Ok(Found {
        name,
        source,
        path,
        role,
    })
}

fn shown(name: AgentRole, path: Option<&Path>) -> String {
    path.map_or_else(|| format!("built-in {name}"), |path| path.display().to_string())
}

fn broken(file: &str, what: &str, fix: &str) -> AppError {
    AppError::Text {
        what: format!("the role {file} cannot be used: {what}"),
        hints: vec![
            format!("What to do: {fix}."),
            "Without this file, the role is the user's own or the built-in one.".to_owned(),
        ],
    }
}

impl Found {
    fn entry(&self) -> RoleEntry {
        let (denied, allowed) = match &self.role.tools {
            ToolPolicy::Unrestricted => (Vec::new(), None),
            ToolPolicy::Deny(tools) | ToolPolicy::DenyExcept { tools, .. } => (tools.clone(), None),
            ToolPolicy::Allow(tools) => (Vec::new(), Some(tools.clone())),
        };
        RoleEntry {
            name: self.name.to_string(),
            description: self.role.description.clone(),
            source: self.source.to_owned(),
            path: self.path.as_ref().map(|path| path.display().to_string()),
            denied_tools: denied,
            allowed_tools: allowed,
            model: self.role.model.map(|size| size.as_str().to_owned()),
        }
    }

    /// The role for a client, if an agent of that client could work by it.
    fn definition(&self, client: Client) -> Result<String, AppError> {
        let broken = |what, fix| broken(&shown(self.name, self.path.as_deref()), what, fix);
        if self.role.description.trim().is_empty() {
            return Err(broken(
                "no client takes an agent without a description",
                "say under `description` when the role is called for",
            ));
        }
        if !self.role.tools.permits("Bash") {
            return Err(broken(
                "an agent without `Bash` can run none of Bugle's commands",
                "let the role use `Bash`, or export the other roles with --role",
            ));
        }
        Ok(definition(client, self.name, &self.role))
    }
}

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;
