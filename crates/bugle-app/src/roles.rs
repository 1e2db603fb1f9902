//! Lists and shows roles, and exports them as a client's agents.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use bugle_client::{AgentFormat, agent_name, is_definition};
use bugle_core::did_you_mean::nearest;
use bugle_core::reply::{
    ExportState, ExportedRole, RoleDefinition, RoleDetail, RoleEntry, RoleExport, RoleList,
};
use bugle_core::role::{AgentRole, Role};
use bugle_core::tool::{Tool, ToolPolicy};
use bugle_core::validate::ProblemLocation as At;
use bugle_render::problem::line_and_column;
use bugle_skill::{MAX_FILE_BYTES, parse_role};

use crate::checksum::with_checksum;
use crate::files::Shared;
use crate::{AppError, Context, builtin, contained_path, fs_util};

/// Maximum size of a role definition. It is larger than the limit for role files, because a definition escapes some
/// characters.
const MAX_DEFINITION_BYTES: usize = 8 * MAX_FILE_BYTES;

/// A role and its source.
struct Found {
    name: AgentRole,
    source: &'static str,
    path: Option<PathBuf>,
    role: Role,
}

/// All roles. The project's file takes precedence over the user's, and the user's over the built-in one.
pub fn roles(ctx: &Context) -> Result<RoleList, AppError> {
    let roles = AgentRole::ALL.into_iter();
    let roles = roles.map(|name| Ok(find(ctx, name)?.entry()));
    Ok(RoleList {
        roles: roles.collect::<Result<_, AppError>>()?,
    })
}

/// A role with its text.
pub fn show_role(ctx: &Context, name: &str) -> Result<RoleDetail, AppError> {
    let found = find(ctx, parse_name(name)?)?;
    Ok(RoleDetail {
        entry: found.entry(),
        text: found.role.text,
    })
}

/// Formats a role for a client. Writes nothing.
pub fn define_role(ctx: &Context, format: &AgentFormat, name: &str) -> Result<RoleDefinition, AppError> {
    let found = find(ctx, parse_name(name)?)?;
    Ok(RoleDefinition {
        client: format.client.as_str().to_owned(),
        role: found.name.to_string(),
        agent: agent_name(found.name),
        file: format.file_name(found.name),
        text: found.definition(format)?,
    })
}

/// All roles in a client's format, with their file names.
pub(crate) fn definitions(ctx: &Context, format: &AgentFormat) -> Result<Vec<(String, String)>, AppError> {
    let roles = AgentRole::ALL.into_iter();
    roles
        .map(|name| Ok((format.file_name(name), find(ctx, name)?.definition(format)?)))
        .collect()
}

/// Exports the named roles, or all roles, as a client's agents: to a given folder, or to the client's agent folder in
/// the project. Writes nothing if the export would overwrite a file that no export wrote.
pub fn export_roles(
    ctx: &Context,
    format: &AgentFormat,
    to: Option<&Path>,
    names: &[String],
) -> Result<RoleExport, AppError> {
    let folder = to.map_or_else(|| ctx.root.join(format.folder), |to| ctx.directory.join(to));
    let wanted: BTreeSet<AgentRole> = if names.is_empty() {
        AgentRole::ALL.into()
    } else {
        names
            .iter()
            .map(|name| parse_name(name))
            .collect::<Result<_, _>>()?
    };
    let mut plan = Vec::new();
    let mut foreign = Vec::new();
    for name in wanted {
        let text = find(ctx, name)?.definition(format)?;
        let file = folder.join(format.file_name(name));
        match existing_file(&file, &text) {
            ExistingFile::Foreign => foreign.push(file),
            ExistingFile::Same => plan.push((name, file, text, ExportState::Unchanged)),
            ExistingFile::Nothing | ExistingFile::Ours => plan.push((name, file, text, ExportState::Written)),
        }
    }
    if !foreign.is_empty() {
        let names: Vec<String> = foreign.iter().map(|file| file.display().to_string()).collect();
        return Err(AppError::Usage {
            what: format!(
                "refusing to overwrite files that `bugle role export` did not write: {}",
                names.join(", ")
            ),
            hints: vec![
                "Nothing was changed. Move these files, or export to another folder with --to.".to_owned(),
            ],
        });
    }
    fs::create_dir_all(&folder).map_err(|source| AppError::File {
        what: "cannot create",
        path: folder.clone(),
        source,
    })?;
    let mut files = Vec::new();
    for (name, file, text, state) in plan {
        if state == ExportState::Written {
            fs_util::write_atomic(&file, text.as_bytes())?;
        }
        files.push(ExportedRole {
            role: name.to_string(),
            agent: agent_name(name),
            path: file.display().to_string(),
            state,
        });
    }
    Ok(RoleExport {
        client: format.client.as_str().to_owned(),
        folder: folder.display().to_string(),
        files,
    })
}

/// The existing file at the path of a definition.
enum ExistingFile {
    /// No file.
    Nothing,
    /// The same definition.
    Same,
    /// Another definition that an export wrote.
    Ours,
    /// Anything else, including an unreadable file.
    Foreign,
}

fn existing_file(file: &Path, text: &str) -> ExistingFile {
    match fs_util::read_bounded(file, MAX_DEFINITION_BYTES) {
        Ok(bytes) if bytes == text.as_bytes() => ExistingFile::Same,
        Ok(bytes) if std::str::from_utf8(&bytes).is_ok_and(is_definition) => ExistingFile::Ours,
        // A broken link is not a missing file: it counts as foreign.
        Err(_) if file.symlink_metadata().is_err_and(|error| is_absent(&error)) => ExistingFile::Nothing,
        _ => ExistingFile::Foreign,
    }
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

fn parse_name(name: &str) -> Result<AgentRole, AppError> {
    name.parse().map_err(|()| {
        let names = || AgentRole::ALL.map(AgentRole::as_str);
        let hint = match nearest(name, names()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("Available: {}.", names().join(", ")),
        };
        AppError::NotFound {
            what: format!("there is no role `{name}`"),
            hints: vec![hint],
        }
    })
}

/// Finds a role. A file that exists but cannot be used is an error: skipping the file would allow the tools that it
/// denies.
fn find(ctx: &Context, name: AgentRole) -> Result<Found, AppError> {
    let own = [
        ("project", ctx.root.join(".bugle")),
        ("user", ctx.bugle_home.clone()),
    ];
    for (source, base) in own {
        let path = base.join(Shared::Role.folder()).join(format!("{name}.md"));
        match contained_path::read(ctx, &path, MAX_FILE_BYTES) {
            Ok(bytes) => return read(name, source, Some(path), bytes),
            Err(error) if is_absent(&error) => {}
            Err(error) => {
                let what = error.to_string();
                return Err(broken(
                    &path.display().to_string(),
                    &what,
                    "replace the file with a readable one",
                ));
            }
        }
    }
    let file = builtin::roles()
        .remove(name.as_str())
        .ok_or_else(|| AppError::System(format!("the built-in role `{name}` is missing")))?;
    read(name, "built-in", None, file.bytes.to_vec())
}

fn read(
    name: AgentRole,
    source: &'static str,
    path: Option<PathBuf>,
    bytes: Vec<u8>,
) -> Result<Found, AppError> {
    let shown = shown(name, path.as_deref());
    let text = String::from_utf8(bytes)
        .map_err(|_| broken(&shown, "the file is not valid UTF-8", "save the file as UTF-8"))?;
    let inside = Shared::Role
        .file(name.as_str())
        .ok_or_else(|| AppError::System(format!("the role name `{name}` is not a valid file name")))?;
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
        what: format!("cannot use the role {file}: {what}"),
        hints: vec![
            format!("To fix this: {fix}."),
            "If you remove the file, Bugle uses your own role or the built-in role instead.".to_owned(),
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

    /// The role in a client's format; an error if no agent could use the role.
    fn definition(&self, format: &AgentFormat) -> Result<String, AppError> {
        let broken = |what, fix| broken(&shown(self.name, self.path.as_deref()), what, fix);
        if self.role.description.trim().is_empty() {
            return Err(broken(
                "clients require a description for every agent",
                "describe in `description` when to use the role",
            ));
        }
        if !self.role.tools.permits(Tool::Shell) {
            return Err(broken(
                "an agent without `Bash` cannot run Bugle's commands",
                "allow `Bash`, or use --role to export other roles only",
            ));
        }
        Ok(with_checksum(&format.definition(self.name, &self.role)))
    }
}

#[cfg(test)]
#[path = "roles_tests.rs"]
mod tests;
