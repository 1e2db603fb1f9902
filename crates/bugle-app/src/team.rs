//! The people who share a store, and their roles.

use bugle_core::reply::{AddedMember, TeamChange, TeamList, TeamMember};
use bugle_core::rights::Action;
use bugle_core::team::TeamRole;
use bugle_store::{MemberRow, ProjectId, Store};

use crate::settings::decides_setting;
use crate::{AppError, Context, StoreLocation, addresses, permissions, projects};

/// A request to add a member.
#[derive(Debug, Clone, Copy)]
pub struct AddRequest<'a> {
    /// The database role.
    pub person: &'a str,
    /// The person's role in the team.
    pub role: TeamRole,
    /// The ids or names of the person's projects; empty for all projects.
    pub projects: &'a [String],
    /// The person's name, if it differs from the database role.
    pub name: Option<&'a str>,
}

/// Prepares the store for a team.
pub fn init(store: &mut Store, ctx: &Context) -> Result<TeamChange, AppError> {
    require_server(ctx)?;
    permissions::permit(store, ctx, Action::ChangeTeam, &["store", "init"])?;
    store.init_team(ctx.now())?;
    record_who_decides(store, ctx)?;
    Ok(TeamChange::Ready {
        add: ctx.command(&["team", "add", "NAME", "--role", "member"]),
    })
}

/// Adds a member or changes their role, and adds projects to their list.
pub fn add(store: &mut Store, ctx: &Context, request: &AddRequest<'_>) -> Result<TeamChange, AppError> {
    let mut arguments = vec!["team", "add", request.person, "--role", request.role.as_str()];
    for project in request.projects {
        arguments.extend(["--project", project]);
    }
    prepare(store, ctx, &arguments)?;
    let mut seen: Option<Vec<ProjectId>> = None;
    for project in request.projects {
        let found = projects::resolve_project(store, ctx, project)?;
        seen.get_or_insert_default().push(found.id);
    }
    let person = request.person;
    let before = member(store, person)?;
    let is_new_role = store.add_member(&MemberRow {
        person: person.to_owned(),
        name: request.name.unwrap_or(person).to_owned(),
        role: request.role,
        projects: seen,
        added_at: ctx.now(),
    })?;
    record_who_decides(store, ctx)?;
    let projects = match member(store, person)?.and_then(|member| member.projects) {
        None => None,
        Some(ids) => Some(project_names(store, &ids)?),
    };
    Ok(TeamChange::Added(AddedMember {
        person: person.to_owned(),
        role: request.role,
        is_new_role,
        saw_all: projects.is_some() && before.is_some_and(|before| before.projects.is_none()),
        projects,
        store_line: store_line(ctx, person),
    }))
}

/// The member with this database role.
fn member(store: &mut Store, person: &str) -> Result<Option<MemberRow>, AppError> {
    Ok(store
        .members()?
        .into_iter()
        .find(|member| member.person == person))
}

fn project_names(store: &mut Store, ids: &[ProjectId]) -> Result<Vec<String>, AppError> {
    let projects = store.projects()?;
    let name_of = |id: &ProjectId| {
        let found = projects.iter().find(|row| row.id == *id);
        found.map_or_else(|| id.0.clone(), addresses::name_of_project)
    };
    Ok(ids.iter().map(name_of).collect())
}

/// The line that a person adds to their settings file.
fn store_line(ctx: &Context, person: &str) -> String {
    let url = match &ctx.store {
        StoreLocation::Server(server) => server.url_for(person),
        StoreLocation::File(_) => String::new(),
    };
    format!("store: {url}")
}

/// Removes a member.
pub fn remove(store: &mut Store, ctx: &Context, person: &str) -> Result<TeamChange, AppError> {
    prepare(store, ctx, &["team", "remove", person])?;
    if !store.remove_member(person)? {
        let list = ctx.command(&["team", "list"]);
        return Err(AppError::NotFound {
            what: format!("{person} is not a member"),
            hints: vec![format!("`{list}` lists the members.")],
        });
    }
    Ok(TeamChange::Removed {
        person: person.to_owned(),
    })
}

/// The members.
pub fn list(store: &mut Store, ctx: &Context) -> Result<TeamList, AppError> {
    require_server(ctx)?;
    let you = store.person()?;
    let mut members = Vec::new();
    for member in store.members()? {
        let projects = match &member.projects {
            None => None,
            Some(ids) => Some(project_names(store, ids)?),
        };
        members.push(TeamMember {
            you: you.as_ref() == Some(&member.person),
            person: member.person,
            name: member.name,
            role: member.role,
            projects,
        });
    }
    Ok(TeamList { members })
}

/// Copies `decides` from the project's settings to the server, which enforces it. Only a lead may do this.
fn record_who_decides(store: &mut Store, ctx: &Context) -> Result<(), AppError> {
    if let (Some(role), Some(project)) = (decides_setting(ctx)?, projects::project(store, ctx)?) {
        store.set_decides(&project, role)?;
    }
    Ok(())
}

/// Checks that the store has a team and that the caller may change it.
fn prepare(store: &mut Store, ctx: &Context, command: &[&str]) -> Result<(), AppError> {
    require_server(ctx)?;
    permissions::permit(store, ctx, Action::ChangeTeam, command)?;
    if store.is_team()? {
        return Ok(());
    }
    let init = ctx.command(&["store", "init"]);
    Err(AppError::Usage {
        what: "this store has no team yet".to_owned(),
        hints: vec![format!("To create a team, the database owner must run: {init}")],
    })
}

fn require_server(ctx: &Context) -> Result<(), AppError> {
    if ctx.store.is_shared() {
        return Ok(());
    }
    Err(AppError::Usage {
        what: "a team needs a Postgres store, but this store is a file".to_owned(),
        hints: vec![format!(
            "To move the store to a server: {}",
            ctx.command(&["store", "move", "postgres://user@host/database"])
        )],
    })
}
