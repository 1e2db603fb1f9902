//! Projects: where each is, what its agents call it, and moving one.

use bugle_core::id::Timestamp;

use crate::StoreError;
use crate::sql::{Row, Sql, Value, transaction};
use crate::store::{ProjectId, SqlStore};

/// The migration with which projects can move. Agents of a merged project keep their addresses, so that two of them may have
/// the same branch and name: the table of agents is made again without that constraint.
pub(crate) const SCHEMA: &str = "
ALTER TABLE project ADD COLUMN name TEXT;
ALTER TABLE project ADD COLUMN kept BIGINT NOT NULL DEFAULT 0;
CREATE TABLE agent_of_project (
  project_id TEXT NOT NULL REFERENCES project (id),
  address TEXT NOT NULL,
  branch TEXT NOT NULL,
  name TEXT NOT NULL,
  client TEXT,
  role TEXT,
  session TEXT,
  status TEXT NOT NULL,
  asks BIGINT NOT NULL,
  in_turn BIGINT NOT NULL,
  question TEXT REFERENCES message (id),
  task TEXT,
  run_id TEXT REFERENCES run (id),
  started_by TEXT,
  directory TEXT NOT NULL,
  pid BIGINT,
  process_started BIGINT,
  exit_code BIGINT,
  log TEXT,
  recoveries BIGINT NOT NULL,
  wakeups BIGINT NOT NULL,
  tokens BIGINT NOT NULL,
  cost BIGINT NOT NULL,
  renamed TEXT,
  created_at BIGINT NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (project_id, address)
);
INSERT INTO agent_of_project SELECT project_id, address, branch, name, client, role, session, status, asks, in_turn,
  question, task, run_id, started_by, directory, pid, process_started, exit_code, log, recoveries, wakeups, tokens, cost,
  renamed, created_at, changed_at FROM agent;
DROP TABLE agent;
ALTER TABLE agent_of_project RENAME TO agent;
CREATE UNIQUE INDEX agent_by_session ON agent (session) WHERE session IS NOT NULL;
CREATE INDEX agent_that_asks ON agent (question) WHERE question IS NOT NULL;
CREATE INDEX agent_by_run ON agent (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX agent_with_process ON agent (project_id, address) WHERE pid IS NOT NULL;
CREATE INDEX agent_by_starter ON agent (project_id, started_by) WHERE started_by IS NOT NULL;
CREATE INDEX agent_by_branch ON agent (project_id, branch, name);
";

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRow {
    /// Its id.
    pub id: ProjectId,
    /// Its place: git's common folder, or the folder itself outside git.
    pub place: String,
    /// The name in its agents' addresses; nothing if it is the name of its folder.
    pub name: Option<String>,
    /// Whether its id was written at its place.
    pub kept: bool,
    /// When it was made.
    pub created_at: Timestamp,
}

/// How much there is in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProjectCounts {
    /// Its runs, those of sub-agents left out.
    pub runs: u64,
    /// Those of them that can still go on.
    pub open_runs: u64,
    /// Its tasks, those that were removed left out.
    pub tasks: u64,
    /// Those of them that are open.
    pub open_tasks: u64,
    /// When something last happened in it.
    pub last_activity: Timestamp,
}

/// A project that is at another place now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation<'a> {
    /// The project, as it was.
    pub project: &'a ProjectRow,
    /// Where it is now.
    pub place: &'a str,
    /// The name in its agents' addresses from now on.
    pub name: Option<&'a str>,
    /// Whether its id is written at its new place.
    pub kept: bool,
    /// Folders of its runs and agents, and where these are now.
    pub folders: &'a [(String, String)],
}

/// What Bugle needs of a store for projects.
pub trait ProjectStore {
    /// The project at a place.
    fn known_project(&mut self, place: &str) -> Result<Option<ProjectRow>, StoreError>;
    /// The project with this id.
    fn project_by_id(&mut self, id: &ProjectId) -> Result<Option<ProjectRow>, StoreError>;
    /// Every project, by place.
    fn projects(&mut self) -> Result<Vec<ProjectRow>, StoreError>;
    /// How much there is in a project.
    fn project_counts(&mut self, project: &ProjectRow) -> Result<ProjectCounts, StoreError>;
    /// Whether a mailbox of a project has this project's name in its address.
    fn is_addressed_as(&mut self, project: &ProjectId, name: &str) -> Result<bool, StoreError>;
    /// The folders that runs and agents of a project work in.
    fn folders_of(&mut self, project: &ProjectId) -> Result<Vec<String>, StoreError>;
    /// Has the runs and agents of a project work in other folders.
    fn move_folders(&mut self, project: &ProjectId, folders: &[(String, String)]) -> Result<(), StoreError>;
    /// Notes that a project's id is written at a place, if it is still there.
    fn note_kept(&mut self, project: &ProjectId, place: &str) -> Result<(), StoreError>;
    /// Moves a project. False if it is no longer where it was, or another one is at its new place; then nothing was written.
    fn move_project(&mut self, moved: &Relocation<'_>) -> Result<bool, StoreError>;
}

const COLUMNS: &str = "id, place, name, kept, created_at";

fn project_row(row: &Row) -> Result<ProjectRow, StoreError> {
    Ok(ProjectRow {
        id: ProjectId(row.text(0)?),
        place: row.text(1)?,
        name: row.optional_text(2)?,
        kept: row.int(3)? != 0,
        created_at: Timestamp(row.int(4)?),
    })
}

fn found<S: Sql>(sql: &mut S, rest: &str, parameters: &[Value]) -> Result<Vec<ProjectRow>, StoreError> {
    let statement = format!("SELECT {COLUMNS} FROM project {rest}");
    sql.query(&statement, parameters)?
        .iter()
        .map(project_row)
        .collect()
}

fn count(row: &Row, column: usize) -> Result<u64, StoreError> {
    u64::try_from(row.int(column)?).map_err(|error| StoreError::Unreadable(error.to_string()))
}

impl<S: Sql> ProjectStore for SqlStore<S> {
    fn known_project(&mut self, place: &str) -> Result<Option<ProjectRow>, StoreError> {
        Ok(found(&mut self.sql, "WHERE place = $1", &[place.into()])?.pop())
    }

    fn project_by_id(&mut self, id: &ProjectId) -> Result<Option<ProjectRow>, StoreError> {
        Ok(found(&mut self.sql, "WHERE id = $1", &[id.0.as_str().into()])?.pop())
    }

    fn projects(&mut self) -> Result<Vec<ProjectRow>, StoreError> {
        found(&mut self.sql, "ORDER BY place", &[])
    }

    fn project_counts(&mut self, project: &ProjectRow) -> Result<ProjectCounts, StoreError> {
        let rows = self.sql.query(
            "SELECT (SELECT COUNT(*) FROM run WHERE project_id = $1 AND parent IS NULL), \
             (SELECT COUNT(*) FROM run WHERE project_id = $1 AND parent IS NULL \
              AND status IN ('active', 'waiting', 'paused')), \
             (SELECT COUNT(*) FROM task WHERE project_id = $1 AND removed IS NULL), \
             (SELECT COUNT(*) FROM task WHERE project_id = $1 AND is_open = 1), \
             (SELECT COALESCE(MAX(changed_at), 0) FROM run WHERE project_id = $1), \
             (SELECT COALESCE(MAX(said_at), 0) FROM message WHERE project_id = $1), \
             (SELECT COALESCE(MAX(changed_at), 0) FROM agent WHERE project_id = $1), \
             (SELECT COALESCE(MAX(happened_at), 0) FROM task_event JOIN task ON task.id = task_event.task_id \
              WHERE task.project_id = $1)",
            &[project.id.0.as_str().into()],
        )?;
        let row = rows
            .first()
            .ok_or_else(|| StoreError::Unreadable("nothing was counted".to_owned()))?;
        let mut last_activity = project.created_at;
        for column in 4..8 {
            last_activity = last_activity.max(Timestamp(row.int(column)?));
        }
        Ok(ProjectCounts {
            runs: count(row, 0)?,
            open_runs: count(row, 1)?,
            tasks: count(row, 2)?,
            open_tasks: count(row, 3)?,
            last_activity,
        })
    }

    fn is_addressed_as(&mut self, project: &ProjectId, name: &str) -> Result<bool, StoreError> {
        // An address is `project:branch:name`, and `;` is the character behind `:`.
        let rows = self.sql.query(
            "SELECT 1 FROM mailbox WHERE project_id = $1 AND agent >= $2 AND agent < $3 LIMIT 1",
            &[
                project.0.as_str().into(),
                format!("{name}:").as_str().into(),
                format!("{name};").as_str().into(),
            ],
        )?;
        Ok(!rows.is_empty())
    }

    fn folders_of(&mut self, project: &ProjectId) -> Result<Vec<String>, StoreError> {
        let rows = self.sql.query(
            "SELECT directory FROM run WHERE project_id = $1 \
             UNION SELECT directory FROM agent WHERE project_id = $1 ORDER BY 1",
            &[project.0.as_str().into()],
        )?;
        rows.iter().map(|row| row.text(0)).collect()
    }

    fn move_folders(&mut self, project: &ProjectId, folders: &[(String, String)]) -> Result<(), StoreError> {
        transaction(&mut self.sql, |sql| move_folders(sql, project, folders))
    }

    fn note_kept(&mut self, project: &ProjectId, place: &str) -> Result<(), StoreError> {
        self.sql
            .execute(
                "UPDATE project SET kept = 1 WHERE id = $1 AND place = $2",
                &[project.0.as_str().into(), place.into()],
            )
            .map(|_| ())
    }

    fn move_project(&mut self, moved: &Relocation<'_>) -> Result<bool, StoreError> {
        let project = moved.project;
        transaction(&mut self.sql, |sql| {
            let changed = sql.execute(
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
                move_folders(sql, &project.id, moved.folders)?;
            }
            Ok(changed > 0)
        })
    }
}

/// Two folders may change places, so each is marked first and gets its new name then.
fn move_folders<S: Sql>(
    sql: &mut S,
    project: &ProjectId,
    folders: &[(String, String)],
) -> Result<(), StoreError> {
    let marked = |index: usize| format!("\u{1}{index}");
    for table in ["run", "agent"] {
        let statement = format!("UPDATE {table} SET directory = $3 WHERE project_id = $1 AND directory = $2");
        let mut rename = |from: &str, to: &str| {
            sql.execute(&statement, &[project.0.as_str().into(), from.into(), to.into()])
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
