//! Addresses of agents and people, relative to a project.

use bugle_core::message::{Addressee, AgentAddress, BadAddress, Home, Mention};
use bugle_store::ProjectRow;

use crate::context::project_folder;
use crate::{AppError, Context};

/// A project's default name: the name of its folder.
pub(crate) fn project_name(place: &str) -> String {
    project_folder(place)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The current project's name in addresses: the default name until the store has been queried.
pub(crate) fn own_name(ctx: &Context) -> String {
    ctx.project_name
        .get()
        .cloned()
        .flatten()
        .unwrap_or_else(|| project_name(&ctx.project))
}

/// The current project and branch.
pub(crate) fn home(ctx: &Context) -> Home {
    Home::new(&own_name(ctx), ctx.branch().as_deref())
}

pub(crate) fn bad_address(bad: &BadAddress) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    }
}

/// Parses an agent's name, with or without `@`, into its address.
pub(crate) fn named(name: &str, home: &Home) -> Result<AgentAddress, AppError> {
    let name = name.strip_prefix('@').unwrap_or(name);
    let mention = Mention::parse(name).map_err(|bad| bad_address(&bad))?;
    match mention.resolve(home).map_err(|bad| bad_address(&bad))? {
        Addressee::One(address) => Ok(address),
        Addressee::All => Err(AppError::Usage {
            what: format!("`{name}` addresses every agent; use the address of a single agent"),
            hints: Vec::new(),
        }),
    }
}

/// A project's name in addresses.
pub(crate) fn name_of_project(project: &ProjectRow) -> String {
    project
        .name
        .clone()
        .unwrap_or_else(|| project_name(&project.place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_named_after_its_folder() {
        for (place, name) in [
            ("/work/shop/.git", "shop"),
            ("/work/shop", "shop"),
            ("/work/shop.git", "shop.git"),
            ("/", ""),
        ] {
            assert_eq!(project_name(place), name);
        }
    }
}
