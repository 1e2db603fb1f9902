//! Finds, counts and moves projects.

use bugle_core::id::Timestamp;

use crate::connection::Connection;
use crate::machine_id::MachineId;
use crate::row::{Row, Value};
use crate::write_scope::WriteScope;
use crate::{Store, StoreError, Transaction};

/// A project's id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProjectId(pub String);

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRow {
    /// The project's id.
    pub id: ProjectId,
    /// The project's location on this machine: git's common folder, or the folder itself outside git. If there are
    /// several locations, this is the first one, unless the query named a location. If the project is only on other
    /// machines, this is the project's id.
    pub place: String,
    /// The id that the project's clones share: their remote, or the project's id.
    pub shared_id: String,
    /// The project name in agents' addresses; `None` if it is the same as the folder's name.
    pub name: Option<String>,
    /// Whether the project's id is also stored in the folder at this location.
    pub kept: bool,
    /// When the project was created.
    pub created_at: Timestamp,
}

impl ProjectRow {
    /// Whether the project has a location on this machine.
    pub fn is_here(&self) -> bool {
        self.place != self.id.0
    }
}

/// Counts of a project's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectCounts {
    /// The project's runs, without sub-agent runs.
    pub runs: u64,
    /// The project's open runs.
    pub open_runs: u64,
    /// The project's tasks, without removed ones.
    pub tasks: u64,
    /// The project's open tasks.
    pub open_tasks: u64,
    /// When the project last changed.
    pub last_activity: Timestamp,
}

/// A project's move to another location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation<'a> {
    /// The project before the move.
    pub project: &'a ProjectRow,
    /// The project's new location.
    pub place: &'a str,
    /// The new project name in its agents' addresses.
    pub name: Option<&'a str>,
    /// Whether the project's id is also stored at the new location.
    pub kept: bool,
    /// The old and new folders of the project's runs and agents.
    pub folders: &'a [(String, String)],
}

/// A project that is not stored yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewProject<'a> {
    /// The project's id.
    pub id: &'a str,
    /// The id that the project's clones share: their remote, or the project's id.
    pub shared_id: &'a str,
    /// The project name in agents' addresses; `None` if it is the same as the folder's name.
    pub name: Option<&'a str>,
    /// The project's location on this machine.
    pub place: &'a str,
    /// The current time.
    pub now: Timestamp,
}

const COLUMNS: &str = "project.id, project.shared_id, project.name, project.created_at, \
     COALESCE(project_place.place, project.id) AS place, COALESCE(project_place.kept, 0) AS kept";

/// Projects with their first location on machine `$1`.
const WITH_PLACE: &str = "project LEFT JOIN project_place ON project_place.machine = $1 AND project_place.place = \
     (SELECT MIN(place) FROM project_place AS first WHERE first.project_id = project.id AND first.machine = $1)";

/// Whether a location is a project's id instead of an absolute path. If so, the project is only on other machines.
fn is_id(place: &str) -> bool {
    place.starts_with("p-")
}

fn project_row(row: &Row) -> Result<ProjectRow, StoreError> {
    Ok(ProjectRow {
        id: ProjectId(row.text("id")?),
        place: row.text("place")?,
        shared_id: row.text("shared_id")?,
        name: row.optional_text("name")?,
        kept: row.flag("kept")?,
        created_at: Timestamp(row.int("created_at")?),
    })
}

fn select(db: &mut Connection, from: &str, parameters: &[Value]) -> Result<Vec<ProjectRow>, StoreError> {
    let statement = format!("SELECT {COLUMNS} FROM {from}");
    db.query(&statement, parameters)?
        .iter()
        .map(project_row)
        .collect()
}

impl Store {
    /// Runs `work` in a transaction that blocks only other writers of the same project. `work` may change the
    /// project's tasks, plans and agents.
    pub fn project_transaction<T, E: From<StoreError>>(
        &mut self,
        project: &ProjectId,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_in(WriteScope::Project(&project.0), work)
    }

    /// Like [`Self::project_transaction`], but the commit does not wait for the disk: a power loss may undo it.
    pub fn relaxed_project_transaction<T, E: From<StoreError>>(
        &mut self,
        project: &ProjectId,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.relaxed_transaction_in(WriteScope::Project(&project.0), work)
    }

    /// The project at a location. Creates it with this id if there is none.
    pub fn project(&mut self, place: &str, id: &str, now: Timestamp) -> Result<ProjectId, StoreError> {
        self.create_project(&NewProject {
            id,
            shared_id: id,
            name: None,
            place,
            now,
        })
    }

    /// The project at a location. If there is none, adds the location to the project with this shared id, or creates
    /// the project.
    pub fn create_project(&mut self, new: &NewProject<'_>) -> Result<ProjectId, StoreError> {
        if let Some(found) = self.find_project(new.place)? {
            return Ok(found);
        }
        self.transaction(|tx| {
            // Another process may have created the project first.
            if let Some(found) = tx.find_project(new.place)? {
                return Ok(found);
            }
            let made = tx.connection.execute(
                "INSERT INTO project (id, shared_id, name, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                &[
                    new.id.into(),
                    new.shared_id.into(),
                    new.name.into(),
                    new.now.0.into(),
                ],
            )?;
            let is_taken = made == 0 && new.shared_id == new.id;
            let project = tx
                .project_by_shared_id(new.shared_id)?
                .filter(|_| !is_taken)
                .ok_or_else(|| StoreError::Unreadable("the project id is already in use".to_owned()))?;
            tx.add_place(&project.id, new.place, false)?;
            Ok(project.id)
        })
    }

    /// Records that a project has a clone at a location on this machine. If another project was at this location, that
    /// project loses the location.
    pub fn add_place(&mut self, project: &ProjectId, place: &str, kept: bool) -> Result<(), StoreError> {
        let parameters = [
            self.machine.as_str().into(),
            place.into(),
            project.0.as_str().into(),
            Value::Int(i64::from(kept)),
        ];
        self.connection.write(
            "INSERT INTO project_place (machine, place, project_id, kept) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (machine, place) DO UPDATE SET project_id = $3, kept = $4",
            &parameters,
        )
    }

    /// The id of the project at a location; see [`ProjectRow::place`].
    pub fn find_project(&mut self, place: &str) -> Result<Option<ProjectId>, StoreError> {
        if is_id(place) {
            return Ok(self.known_project(place)?.map(|project| project.id));
        }
        let rows = self.connection.query(
            "SELECT project_id FROM project_place WHERE machine = $1 AND place = $2",
            &[self.machine.as_str().into(), place.into()],
        )?;
        rows.first()
            .map(|row| row.text("project_id").map(ProjectId))
            .transpose()
    }

    /// The project at a location; see [`ProjectRow::place`].
    pub fn known_project(&mut self, place: &str) -> Result<Option<ProjectRow>, StoreError> {
        if is_id(place) {
            return self.project_by_id(&ProjectId(place.to_owned()));
        }
        let at_place = "project_place JOIN project ON project.id = project_place.project_id \
                        WHERE project_place.machine = $1 AND project_place.place = $2";
        let parameters = [self.machine.as_str().into(), place.into()];
        Ok(select(&mut self.connection, at_place, &parameters)?.pop())
    }

    /// A project at each of its locations on this machine.
    pub fn places_of(&mut self, project: &ProjectId) -> Result<Vec<ProjectRow>, StoreError> {
        let at_places = "project_place JOIN project ON project.id = project_place.project_id \
                         WHERE project_place.machine = $1 AND project_place.project_id = $2 \
                         ORDER BY project_place.place";
        let parameters = [self.machine.as_str().into(), project.0.as_str().into()];
        select(&mut self.connection, at_places, &parameters)
    }

    /// The project with this id.
    pub fn project_by_id(&mut self, id: &ProjectId) -> Result<Option<ProjectRow>, StoreError> {
        let parameters = [self.machine.as_str().into(), id.0.as_str().into()];
        let with_id = format!("{WITH_PLACE} WHERE project.id = $2");
        Ok(select(&mut self.connection, &with_id, &parameters)?.pop())
    }

    /// The project with this shared id: a remote, or the project's id.
    pub fn project_by_shared_id(&mut self, shared_id: &str) -> Result<Option<ProjectRow>, StoreError> {
        let parameters = [self.machine.as_str().into(), shared_id.into()];
        let with_id = format!("{WITH_PLACE} WHERE project.shared_id = $2");
        Ok(select(&mut self.connection, &with_id, &parameters)?.pop())
    }

    /// All projects, sorted by location.
    pub fn projects(&mut self) -> Result<Vec<ProjectRow>, StoreError> {
        let all = format!("{WITH_PLACE} ORDER BY place, project.id");
        let machine = [self.machine.as_str().into()];
        select(&mut self.connection, &all, &machine)
    }

    /// Counts of a project's rows.
    pub fn project_counts(&mut self, project: &ProjectRow) -> Result<ProjectCounts, StoreError> {
        let rows = self.connection.query(
            "SELECT (SELECT COUNT(*) FROM run WHERE project_id = $1 AND parent IS NULL) AS runs, \
             (SELECT COUNT(*) FROM run WHERE project_id = $1 AND parent IS NULL \
              AND status IN ('active', 'waiting', 'paused')) AS open_runs, \
             (SELECT COUNT(*) FROM task WHERE project_id = $1 AND removed IS NULL) AS tasks, \
             (SELECT COUNT(*) FROM task WHERE project_id = $1 AND is_open = 1) AS open_tasks, \
             (SELECT COALESCE(MAX(changed_at), 0) FROM run WHERE project_id = $1) AS run_at, \
             (SELECT COALESCE(MAX(said_at), 0) FROM message WHERE project_id = $1) AS message_at, \
             (SELECT COALESCE(MAX(changed_at), 0) FROM agent WHERE project_id = $1) AS agent_at, \
             (SELECT COALESCE(MAX(happened_at), 0) FROM task_event JOIN task ON task.id = task_event.task_id \
              WHERE task.project_id = $1) AS task_at",
            &[project.id.0.as_str().into()],
        )?;
        let row = rows
            .first()
            .ok_or_else(|| StoreError::Unreadable("a project has no run and task counts".to_owned()))?;
        let mut last_activity = project.created_at;
        for column in ["run_at", "message_at", "agent_at", "task_at"] {
            last_activity = last_activity.max(Timestamp(row.int(column)?));
        }
        Ok(ProjectCounts {
            runs: row.unsigned("runs")?,
            open_runs: row.unsigned("open_runs")?,
            tasks: row.unsigned("tasks")?,
            open_tasks: row.unsigned("open_tasks")?,
            last_activity,
        })
    }

    /// Whether a mailbox in the project has this project name in its address.
    pub fn is_addressed_as(&mut self, project: &ProjectId, name: &str) -> Result<bool, StoreError> {
        // An address is `project:branch:name`, and `;` is the character after `:`.
        let rows = self.connection.query(
            "SELECT 1 FROM mailbox WHERE project_id = $1 AND agent >= $2 AND agent < $3 LIMIT 1",
            &[
                project.0.as_str().into(),
                format!("{name}:").as_str().into(),
                format!("{name};").as_str().into(),
            ],
        )?;
        Ok(!rows.is_empty())
    }

    /// The folders of a project's runs and agents on this machine.
    pub fn folders_of(&mut self, project: &ProjectId) -> Result<Vec<String>, StoreError> {
        let rows = self.connection.query(
            "SELECT directory FROM run WHERE project_id = $1 AND machine = $2 \
             UNION SELECT directory FROM agent WHERE project_id = $1 AND machine = $2 ORDER BY 1",
            &[project.0.as_str().into(), self.machine.as_str().into()],
        )?;
        rows.iter().map(|row| row.text("directory")).collect()
    }

    /// Moves a project's runs and agents on this machine to other folders.
    pub fn move_folders(
        &mut self,
        project: &ProjectId,
        folders: &[(String, String)],
    ) -> Result<(), StoreError> {
        let Self { connection, machine } = self;
        connection.transaction(|db| move_folders(db, machine, project, folders))
    }

    /// Records that a project's id is stored in its folder, if the project is still at this location.
    pub fn note_kept(&mut self, project: &ProjectId, place: &str) -> Result<(), StoreError> {
        self.connection.write(
            "UPDATE project_place SET kept = 1 WHERE project_id = $1 AND place = $2 AND machine = $3",
            &[
                project.0.as_str().into(),
                place.into(),
                self.machine.as_str().into(),
            ],
        )
    }

    /// Moves a project from one location on this machine to another. Returns false and writes nothing if it has
    /// already moved or another project is at the new location.
    pub fn move_project(&mut self, moved: &Relocation<'_>) -> Result<bool, StoreError> {
        let project = moved.project;
        let Self { connection, machine } = self;
        connection.transaction(|db| {
            let changed = db.execute(
                "UPDATE project_place SET place = $3, kept = $4 WHERE project_id = $1 AND place = $2 AND machine = $5 \
                 AND NOT EXISTS (SELECT 1 FROM project_place AS other WHERE other.place = $3 AND other.machine = $5)",
                &[
                    project.id.0.as_str().into(),
                    project.place.as_str().into(),
                    moved.place.into(),
                    Value::Int(i64::from(moved.kept)),
                    machine.as_str().into(),
                ],
            )?;
            if changed > 0 {
                db.write(
                    "UPDATE project SET name = $2 WHERE id = $1",
                    &[project.id.0.as_str().into(), moved.name.into()],
                )?;
                move_folders(db, machine, &project.id, moved.folders)?;
            }
            Ok(changed > 0)
        })
    }
}

/// Renames folders in two passes through temporary names, because two folders may swap.
fn move_folders(
    db: &mut Connection,
    machine: &MachineId,
    project: &ProjectId,
    folders: &[(String, String)],
) -> Result<(), StoreError> {
    let marked = |index: usize| format!("\u{1}{index}");
    for table in ["run", "agent"] {
        let statement = format!(
            "UPDATE {table} SET directory = $3 WHERE project_id = $1 AND directory = $2 AND machine = $4"
        );
        let mut rename = |from: &str, to: &str| {
            db.execute(
                &statement,
                &[
                    project.0.as_str().into(),
                    from.into(),
                    to.into(),
                    machine.as_str().into(),
                ],
            )
        };
        for (index, (from, _)) in folders.iter().enumerate() {
            rename(from, &marked(index))?;
        }
        for (index, (_, to)) in folders.iter().enumerate() {
            rename(&marked(index), to)?;
        }
    }
    Ok(())
}
