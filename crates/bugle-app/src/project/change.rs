//! Moving and merging projects by hand, for when a folder has lost its id.

use std::path::Path;

use bugle_core::id::Actor;
use bugle_core::message::{AgentAddress, Home};
use bugle_core::rights::Action;
use bugle_core::task::{Rank, TaskChanges, TaskEvent};
use bugle_store::{
    AgentRow, AgentStore as _, LaunchStore as _, MergeStore as _, ProjectRow, ProjectStore as _, SqliteStore,
    TaskStore as _,
};

use super::{called, new_folders};
use crate::place::project_folder;
use crate::task::recorded;
use crate::{App, AppError, Place, identity};

impl App {
    /// Has a project be in another folder, here unless one is named. Says what was done, a sentence each.
    pub fn move_project(&mut self, old: &str, new: Option<&str>) -> Result<Vec<String>, AppError> {
        let shown: Vec<String> = std::iter::once(old)
            .chain(new)
            .map(|text| self.shown(text))
            .collect();
        let words: Vec<&str> = ["project", "move"]
            .into_iter()
            .chain(shown.iter().map(String::as_str))
            .collect();
        self.permit(Action::ChangeProject, &words)?;
        let project = self.project_meant(old)?;
        if let Some(new) = new {
            let folder = self.folder_meant(new);
            if !folder.is_dir() {
                return Err(AppError::NotFound {
                    what: format!("there is no folder {}", folder.display()),
                    hints: Vec::new(),
                });
            }
            self.place = self.place.moved_to(&folder);
        }
        let from = project_folder(&project.place).to_owned();
        let to = project_folder(&self.place.project).to_owned();
        if let Some(other) = self.store.known_project(&self.place.project)? {
            return Err(if other.id == project.id {
                AppError::Usage {
                    what: format!("project {} is in {} already", project.id.0, to.display()),
                    hints: Vec::new(),
                }
            } else {
                let merge = ["project", "merge", &project.id.0, &other.id.0];
                AppError::Usage {
                    what: format!("{} is a project already: {}", to.display(), other.id.0),
                    hints: vec![format!(
                        "To bring the work of both together: {}",
                        self.place.command(&merge)
                    )],
                }
            });
        }
        let stays = from != to && identity::former_place(&project).has_project();
        if self
            .relocate(&project, false)?
            .is_none_or(|now| now.id != project.id)
        {
            return Err(AppError::System(
                "another process has just changed this project; try again".to_owned(),
            ));
        }
        self.keep_id(&project.id)?;
        let mut said = vec![format!(
            "Moved project {} from {} to {}.",
            project.id.0,
            from.display(),
            to.display()
        )];
        if stays {
            said.push(format!(
                "{} still exists. It becomes a project of its own when Bugle is next used in it.",
                from.display()
            ));
        }
        Ok(said)
    }

    /// Brings everything of one project under another. Says what was done, a sentence each.
    pub fn merge_projects(&mut self, from: &str, into: &str) -> Result<Vec<String>, AppError> {
        let (shown_from, shown_into) = (self.shown(from), self.shown(into));
        let by = self.permit(
            Action::ChangeProject,
            &["project", "merge", &shown_from, &shown_into],
        )?;
        let (from, into) = (self.project_meant(from)?, self.project_meant(into)?);
        if from.id == into.id {
            return Err(AppError::Usage {
                what: format!("{} cannot be merged into itself", from.id.0),
                hints: Vec::new(),
            });
        }
        let place = &self.place;
        let stays = project_folder(&from.place).is_dir();
        self.store.together(|store| {
            refuse_busy(store, place, &[&from, &into])?;
            rank_behind(store, place, &by, (&from, &into))?;
            free_files(store, (&from, &into), stays)?;
            if !stays {
                let folders = new_folders(store, &from, &into.place)?;
                store.move_folders(&from.id, &folders)?;
            }
            store.merge_projects(&from.id, &into.id)?;
            merge_people(store, &from, &into)
        })?;
        let mut said = vec![format!(
            "Merged project {} ({}) into {} ({}).",
            from.id.0,
            project_folder(&from.place).display(),
            into.id.0,
            project_folder(&into.place).display()
        )];
        if stays {
            said.push(format!(
                "{} still exists. Its runs go on there; new work in it belongs to a new project.",
                project_folder(&from.place).display()
            ));
        }
        Ok(said)
    }

    /// A project as it can be named from any folder.
    fn shown(&self, text: &str) -> String {
        if bugle_core::project::ProjectKey::parse(text).is_some() {
            return text.to_owned();
        }
        let folder = self.folder_meant(text);
        let is_folder = folder.exists() || text.contains(std::path::is_separator);
        if is_folder {
            folder.to_string_lossy().into_owned()
        } else {
            text.to_owned()
        }
    }
}

/// Refuses projects with agents at work: their processes know the project by its id, and their mail by its order.
fn refuse_busy(store: &mut SqliteStore, place: &Place, projects: &[&ProjectRow]) -> Result<(), AppError> {
    let is_meant = |id: &bugle_store::ProjectId| projects.iter().any(|project| project.id == *id);
    let running = store.agents_with_process()?.into_iter();
    let mut busy: Vec<AgentAddress> = running
        .filter(|agent| is_meant(&agent.project))
        .map(|agent| agent.address)
        .collect();
    let launches = store.open_launches()?.into_iter();
    busy.extend(
        launches
            .filter(|launch| is_meant(&launch.project))
            .map(|launch| launch.agent),
    );
    busy.sort();
    busy.dedup();
    if busy.is_empty() {
        return Ok(());
    }
    Err(AppError::Usage {
        what: "agents of these projects are at work; nothing was merged".to_owned(),
        hints: busy
            .iter()
            .map(|agent| {
                format!(
                    "To stop the turn of {agent}: {}",
                    place.command(&["interrupt", &agent.to_string()])
                )
            })
            .collect(),
    })
}

/// Puts the tasks of a project behind those of another.
fn rank_behind(
    store: &mut SqliteStore,
    place: &Place,
    by: &Actor,
    (from, into): (&ProjectRow, &ProjectRow),
) -> Result<(), AppError> {
    let Some(mut last) = store.last_rank(&into.id, None)? else {
        return Ok(());
    };
    let mut changes = TaskChanges::new();
    for row in store.siblings(&from.id, None, true)? {
        last = Rank::portion(Some(last), None, 1)
            .ok_or_else(|| AppError::System("there is no room for more tasks".to_owned()))?;
        let event = TaskEvent::Moved {
            parent: None,
            rank: last,
        };
        changes.push((row.task.id, event));
    }
    let acting = Place {
        actor: by.clone(),
        ..place.clone()
    };
    store.change_tasks(&from.id, &recorded(&acting, changes))?;
    Ok(())
}

/// Gives the plans of a project files that the other has no plan from: whole paths as long as its folder exists.
fn free_files(
    store: &mut SqliteStore,
    (from, into): (&ProjectRow, &ProjectRow),
    stays: bool,
) -> Result<(), AppError> {
    for mut plan in store.plans(&from.id)? {
        let before = plan.file.clone();
        if stays && Path::new(&plan.file).is_relative() {
            let whole = project_folder(&from.place).join(&plan.file);
            plan.file = whole.to_string_lossy().into_owned();
        }
        if store.plan_of_file(&into.id, &plan.file)?.is_some() {
            plan.file = format!("{} (merged from {})", plan.file, from.id.0);
        }
        if plan.file != before {
            store.keep_plan(&plan)?;
        }
    }
    Ok(())
}

/// One person reads the messages of both projects: those to the person in `from`, old and new, arrive in `into`.
fn merge_people(store: &mut SqliteStore, from: &ProjectRow, into: &ProjectRow) -> Result<(), AppError> {
    let person = |project: &ProjectRow| AgentAddress::human(&Home::new(&called(project), None));
    let (old, new) = (person(from), person(into));
    if old == new {
        return Ok(());
    }
    let now = crate::now();
    let directory = project_folder(&into.place).to_string_lossy().into_owned();
    store.add_agent(&AgentRow {
        renamed: Some(new.clone()),
        ..AgentRow::new(into.id.clone(), old.clone(), directory, now)
    })?;
    store.forward_mail(&into.id, &old, &new, now)?;
    Ok(())
}
