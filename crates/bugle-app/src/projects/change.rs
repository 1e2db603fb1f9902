//! Moves and merges projects on request, for example after a folder has lost its id.

use std::path::Path;

use bugle_core::id::Actor;
use bugle_core::message::{AgentAddress, Home};
use bugle_core::reply::{ProjectChange, ProjectFolder};
use bugle_core::rights::Action;
use bugle_core::task::{Rank, TaskChanges, TaskEvent};
use bugle_store::{AgentRow, ProjectRow, Store};

use super::current::{new_folders, relocate, write_id};
use super::list;
use crate::context::project_folder;
use crate::{AppError, Context, addresses, event_record, identity, permissions};

/// Moves a project to another folder, by default the current one.
pub fn move_project(
    store: &mut Store,
    ctx: &Context,
    old: &str,
    new: Option<&str>,
) -> Result<ProjectChange, AppError> {
    let names: Vec<String> = std::iter::once(old)
        .chain(new)
        .map(|text| portable_name(ctx, text))
        .collect();
    let arguments: Vec<&str> = ["project", "move"]
        .into_iter()
        .chain(names.iter().map(String::as_str))
        .collect();
    permissions::permit(store, ctx, Action::ChangeProject, &arguments)?;
    let project = list::resolve_project(store, ctx, old)?;
    let target = match new {
        Some(new) => {
            let folder = list::resolve_folder(ctx, new);
            if !folder.is_dir() {
                return Err(AppError::NotFound {
                    what: format!("there is no folder {}", folder.display()),
                    hints: Vec::new(),
                });
            }
            ctx.moved_to(&folder)
        }
        None => ctx.clone(),
    };
    let ctx = &target;
    let from = project_folder(&project.place).to_owned();
    let to = project_folder(&ctx.project).to_owned();
    if let Some(other) = store.known_project(&ctx.project)? {
        return Err(if other.id == project.id {
            AppError::Usage {
                what: format!("project {} is already in {}", project.id.0, to.display()),
                hints: Vec::new(),
            }
        } else {
            let merge = ["project", "merge", &project.id.0, &other.id.0];
            AppError::Usage {
                what: format!("{} is already a project: {}", to.display(), other.id.0),
                hints: vec![format!("To merge the two projects: {}", ctx.command(&merge))],
            }
        });
    }
    let old_folder_stays = from != to && identity::former_place(&project).has_project();
    if relocate(store, ctx, &project, false)?.is_none_or(|now| now.id != project.id) {
        return Err(AppError::System(
            "another process has just changed this project; try again".to_owned(),
        ));
    }
    write_id(store, ctx, &project.id)?;
    Ok(ProjectChange::Moved {
        project: project.id.0,
        from: from.display().to_string(),
        to: to.display().to_string(),
        old_folder_stays,
    })
}

/// Merges one project into another.
pub fn merge_projects(
    store: &mut Store,
    ctx: &Context,
    from: &str,
    into: &str,
) -> Result<ProjectChange, AppError> {
    let (name_from, name_into) = (portable_name(ctx, from), portable_name(ctx, into));
    let by = permissions::permit(
        store,
        ctx,
        Action::ChangeProject,
        &["project", "merge", &name_from, &name_into],
    )?;
    let (from, into) = (
        list::resolve_project(store, ctx, from)?,
        list::resolve_project(store, ctx, into)?,
    );
    if from.id == into.id {
        return Err(AppError::Usage {
            what: format!("{} cannot be merged into itself", from.id.0),
            hints: Vec::new(),
        });
    }
    let folder_stays = project_folder(&from.place).is_dir();
    store.transaction(|tx| {
        refuse_busy(tx, ctx, &[&from, &into])?;
        let merge = Merge {
            from: &from,
            into: &into,
        };
        merge.append_tasks(tx, ctx, &by)?;
        merge.rename_plan_files(tx, folder_stays)?;
        if !folder_stays {
            let folders = new_folders(tx, &from, &into.place)?;
            tx.move_folders(&from.id, &folders)?;
        }
        tx.merge_projects(&from.id, &into.id)?;
        merge.forward_mail(tx, ctx)
    })?;
    let folder_of = |row: &ProjectRow| ProjectFolder {
        id: row.id.0.clone(),
        folder: project_folder(&row.place).display().to_string(),
    };
    Ok(ProjectChange::Merged {
        from: folder_of(&from),
        into: folder_of(&into),
        old_folder_stays: folder_stays,
    })
}

/// A name for the project that works in any folder: its id or an absolute path.
fn portable_name(ctx: &Context, text: &str) -> String {
    if bugle_core::project::ProjectKey::parse(text).is_some() {
        return text.to_owned();
    }
    let folder = list::resolve_folder(ctx, text);
    let is_folder = folder.exists() || text.contains(std::path::is_separator);
    if is_folder {
        folder.to_string_lossy().into_owned()
    } else {
        text.to_owned()
    }
}

/// Refuses to merge projects with running agents, whose processes refer to the project's id and to mailbox positions.
fn refuse_busy(store: &mut Store, ctx: &Context, projects: &[&ProjectRow]) -> Result<(), AppError> {
    let is_listed = |id: &bugle_store::ProjectId| projects.iter().any(|project| project.id == *id);
    let running = store.agents_with_process()?.into_iter();
    let mut busy: Vec<AgentAddress> = running
        .filter(|agent| is_listed(&agent.project))
        .map(|agent| agent.address)
        .collect();
    let deliveries = store.open_deliveries()?.into_iter();
    busy.extend(
        deliveries
            .filter(|delivery| is_listed(&delivery.project))
            .map(|delivery| delivery.agent),
    );
    busy.sort();
    busy.dedup();
    if busy.is_empty() {
        return Ok(());
    }
    Err(AppError::Usage {
        what: "agents are running in these projects; nothing was merged".to_owned(),
        hints: busy
            .iter()
            .map(|agent| {
                format!(
                    "To stop {agent}'s turn: {}",
                    ctx.command(&["agent", "interrupt", &agent.to_string()])
                )
            })
            .collect(),
    })
}

/// A merge of two projects, inside a transaction.
struct Merge<'a> {
    from: &'a ProjectRow,
    into: &'a ProjectRow,
}

impl Merge<'_> {
    /// Ranks the top-level tasks of `from` after the top-level tasks of `into`.
    fn append_tasks(&self, store: &mut Store, ctx: &Context, by: &Actor) -> Result<(), AppError> {
        let Some(mut last) = store.last_rank(&self.into.id, None)? else {
            return Ok(());
        };
        let mut changes = TaskChanges::new();
        for row in store.siblings(&self.from.id, None, true)? {
            last = Rank::portion(Some(last), None, 1).ok_or_else(|| {
                AppError::System(
                    "cannot merge the projects: the top level of the task tree is full".to_owned(),
                )
            })?;
            let event = TaskEvent::Moved {
                parent: None,
                rank: last,
            };
            changes.push((row.task.id, event));
        }
        let acting = Context {
            actor: by.clone(),
            ..ctx.clone()
        };
        store.change_tasks(&self.from.id, &event_record::task_events(&acting, changes))?;
        Ok(())
    }

    /// Gives the plans of `from` new file keys that no plan of `into` has: absolute paths if the folder of `from`
    /// still exists.
    fn rename_plan_files(&self, store: &mut Store, folder_stays: bool) -> Result<(), AppError> {
        for mut plan in store.plans(&self.from.id)? {
            let before = plan.file.clone();
            if folder_stays && Path::new(&plan.file).is_relative() {
                let absolute = project_folder(&self.from.place).join(&plan.file);
                plan.file = absolute.to_string_lossy().into_owned();
            }
            if store.plan_of_file(&self.into.id, &plan.file)?.is_some() {
                plan.file = format!("{} (merged from {})", plan.file, self.from.id.0);
            }
            if plan.file != before {
                store.keep_plan(&plan)?;
            }
        }
        Ok(())
    }

    /// Forwards the user's messages, old and new, from `from` to `into`: both projects have the same user.
    fn forward_mail(&self, store: &mut Store, ctx: &Context) -> Result<(), AppError> {
        let person = |project: &ProjectRow| {
            AgentAddress::human(&Home::new(&addresses::name_of_project(project), None))
        };
        let (old, new) = (person(self.from), person(self.into));
        if old == new {
            return Ok(());
        }
        let now = ctx.now();
        let directory = project_folder(&self.into.place).to_string_lossy().into_owned();
        store.add_agent(&AgentRow {
            renamed: Some(new.clone()),
            ..AgentRow::new(self.into.id.clone(), old.clone(), directory, now)
        })?;
        store.forward_mail(&self.into.id, &old, &new, now)?;
        Ok(())
    }
}
