//! Finds, counts and moves projects.

use bugle_core::id::Timestamp;

use crate::connection::Connection;
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
    /// The project's location: git's common folder, or the folder itself outside git.
    pub place: String,
    /// The project name in agents' addresses; `None` if it is the same as the folder's name.
    pub name: Option<String>,
    /// Whether the project's id is also stored in its folder.
    pub kept: bool,
    /// When the project was created.
    pub created_at: Timestamp,
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

const COLUMNS: &str = "id, place, name, kept, created_at";

fn project_row(row: &Row) -> Result<ProjectRow, StoreError> {
    Ok(ProjectRow {
        id: ProjectId(row.text("id")?),
        place: row.text("place")?,
        name: row.optional_text("name")?,
        kept: row.flag("kept")?,
        created_at: Timestamp(row.int("created_at")?),
    })
}

fn select(db: &mut Connection, rest: &str, parameters: &[Value]) -> Result<Vec<ProjectRow>, StoreError> {
    let statement = format!("SELECT {COLUMNS} FROM project {rest}");
    db.query(&statement, parameters)?
        .iter()
        .map(project_row)
        .collect()
}

impl Store {
    /// Runs `work` in a transaction that blocks only other writers of the same project. `work` may change the project's
    /// tasks, plans and agents.
    pub fn project_transaction<T, E: From<StoreError>>(
        &mut self,
        project: &ProjectId,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.transaction_in(WriteScope::Project(&project.0), work)
    }

    /// Like [`Self::project_transaction`], but the commit does not wait for the disk: a power loss may undo it.
    pub fn relaxed_project_transaction<T, E: From<StoreError>>(
        &mut self,
        project: &ProjectId,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        self.relaxed_transaction_in(WriteScope::Project(&project.0), work)
    }

    /// The project at a location. Creates it with this id if there is none.
    pub fn project(&mut self, place: &str, id: &str, now: Timestamp) -> Result<ProjectId, StoreError> {
        if let Some(found) = self.find_project(place)? {
            return Ok(found);
        }
        self.connection.transaction(|db| {
            db.execute(
                "INSERT INTO project (id, place, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                &[id.into(), place.into(), now.0.into()],
            )
        })?;
        self.find_project(place)?
            .ok_or_else(|| StoreError::Unreadable("the project id is already in use".to_owned()))
    }

    /// The id of the project at a location.
    pub fn find_project(&mut self, place: &str) -> Result<Option<ProjectId>, StoreError> {
        let rows = self
            .connection
            .query("SELECT id FROM project WHERE place = $1", &[place.into()])?;
        rows.first().map(|row| row.text("id").map(ProjectId)).transpose()
    }

    /// The project at a location.
    pub fn known_project(&mut self, place: &str) -> Result<Option<ProjectRow>, StoreError> {
        Ok(select(&mut self.connection, "WHERE place = $1", &[place.into()])?.pop())
    }

    /// The project with this id.
    pub fn project_by_id(&mut self, id: &ProjectId) -> Result<Option<ProjectRow>, StoreError> {
        Ok(select(&mut self.connection, "WHERE id = $1", &[id.0.as_str().into()])?.pop())
    }

    /// All projects, sorted by location.
    pub fn projects(&mut self) -> Result<Vec<ProjectRow>, StoreError> {
        select(&mut self.connection, "ORDER BY place", &[])
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

    /// The folders of a project's runs and agents.
    pub fn folders_of(&mut self, project: &ProjectId) -> Result<Vec<String>, StoreError> {
        let rows = self.connection.query(
            "SELECT directory FROM run WHERE project_id = $1 \
             UNION SELECT directory FROM agent WHERE project_id = $1 ORDER BY 1",
            &[project.0.as_str().into()],
        )?;
        rows.iter().map(|row| row.text("directory")).collect()
    }

    /// Moves a project's runs and agents to other folders.
    pub fn move_folders(
        &mut self,
        project: &ProjectId,
        folders: &[(String, String)],
    ) -> Result<(), StoreError> {
        self.connection
            .transaction(|db| move_folders(db, project, folders))
    }

    /// Records that a project's id is stored in its folder, if the project is still at this location.
    pub fn note_kept(&mut self, project: &ProjectId, place: &str) -> Result<(), StoreError> {
        self.connection
            .execute(
                "UPDATE project SET kept = 1 WHERE id = $1 AND place = $2",
                &[project.0.as_str().into(), place.into()],
            )
            .map(|_| ())
    }

    /// Moves a project. Returns false and writes nothing if it has already moved or another project is at the new
    /// location.
    pub fn move_project(&mut self, moved: &Relocation<'_>) -> Result<bool, StoreError> {
        let project = moved.project;
        self.connection.transaction(|db| {
            let changed = db.execute(
                "UPDATE project SET place = $3, name = $4, kept = $5 WHERE id = $1 AND place = $2 \
                 AND NOT EXISTS (SELECT 1 FROM project AS other WHERE other.place = $3 AND other.id <> $1)",
                &[
                    project.id.0.as_str().into(),
                    project.place.as_str().into(),
                    moved.place.into(),
                    moved.name.into(),
                    Value::Int(i64::from(moved.kept)),
                ],
            )?;
            if changed > 0 {
                move_folders(db, &project.id, moved.folders)?;
            }
            Ok(changed > 0)
        })
    }
}

/// Renames folders in two passes through temporary names, because two folders may swap.
fn move_folders(
    db: &mut Connection,
    project: &ProjectId,
    folders: &[(String, String)],
) -> Result<(), StoreError> {
    let marked = |index: usize| format!("\u{1}{index}");
    for table in ["run", "agent"] {
        let statement = format!("UPDATE {table} SET directory = $3 WHERE project_id = $1 AND directory = $2");
        let mut rename = |from: &str, to: &str| {
            db.execute(&statement, &[project.0.as_str().into(), from.into(), to.into()])
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
