//! The people who share a store, and their roles. The server enforces the roles; see `postgres/rights.sql`.

use std::collections::BTreeMap;

use bugle_core::id::{RunId, TaskId, Timestamp};
use bugle_core::team::TeamRole;

use crate::row::{Row, Value};
use crate::write_scope::WriteScope;
use crate::{ProjectId, Store, StoreError};

/// A person with rights in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRow {
    /// The database role.
    pub person: String,
    /// The person's name.
    pub name: String,
    /// The person's role.
    pub role: TeamRole,
    /// The person's projects; `None` for all projects.
    pub projects: Option<Vec<ProjectId>>,
    /// When the person was added.
    pub added_at: Timestamp,
}

fn member_row(row: &Row) -> Result<MemberRow, StoreError> {
    let unreadable = || StoreError::Unreadable("a member has an invalid role".to_owned());
    Ok(MemberRow {
        person: row.text("person")?,
        name: row.text("name")?,
        role: row.text("role")?.parse().map_err(|()| unreadable())?,
        projects: (!row.flag("every_project")?).then(Vec::new),
        added_at: Timestamp(row.int("added_at")?),
    })
}

impl Store {
    /// Creates the groups and grants their rights. Records the caller as the first lead.
    pub fn init_team(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.connection.transaction_in(WriteScope::Store, |db| {
            db.engine().init_rights()?;
            db.write(
                "INSERT INTO member (person, name, role, every_project, added_at) \
                 SELECT session_user, session_user, 'lead', 1, $1 ON CONFLICT (person) DO NOTHING",
                &[now.0.into()],
            )
        })
    }

    /// The caller's database role; `None` in a `SQLite` store.
    pub fn person(&mut self) -> Result<Option<String>, StoreError> {
        if !self.is_shared() {
            return Ok(None);
        }
        let rows = self
            .connection
            .query("SELECT CAST(session_user AS TEXT) AS person", &[])?;
        rows.first().map(|row| row.text("person")).transpose()
    }

    /// The name of the person for whom each event of a run was recorded, by the event's number. Empty in a
    /// `SQLite` store.
    pub fn people_of_run(&mut self, run: &RunId) -> Result<BTreeMap<u64, String>, StoreError> {
        if !self.is_shared() {
            return Ok(BTreeMap::new());
        }
        let rows = self.connection.query(
            "SELECT event.seq, COALESCE(member.name, event.person) AS name FROM event \
             LEFT JOIN member ON member.person = event.person \
             WHERE event.run_id = $1 AND event.person IS NOT NULL ORDER BY event.seq",
            &[run.as_str().into()],
        )?;
        rows.iter()
            .map(|row| Ok((row.unsigned("seq")?, row.text("name")?)))
            .collect()
    }

    /// The name of the person for whom each event of a task was recorded, by the event's number. Empty in a
    /// `SQLite` store.
    pub fn people_of_task(&mut self, task: &TaskId) -> Result<BTreeMap<u64, String>, StoreError> {
        if !self.is_shared() {
            return Ok(BTreeMap::new());
        }
        let rows = self.connection.query(
            "SELECT task_event.seq, COALESCE(member.name, task_event.person) AS name FROM task_event \
             LEFT JOIN member ON member.person = task_event.person \
             WHERE task_event.task_id = $1 AND task_event.person IS NOT NULL ORDER BY task_event.seq",
            &[task.as_str().into()],
        )?;
        rows.iter()
            .map(|row| Ok((row.unsigned("seq")?, row.text("name")?)))
            .collect()
    }

    /// The name of the person for whom each of these runs was started. Empty in a `SQLite` store.
    pub fn people_who_started(&mut self, runs: &[RunId]) -> Result<BTreeMap<String, String>, StoreError> {
        if !self.is_shared() || runs.is_empty() {
            return Ok(BTreeMap::new());
        }
        let parameters: Vec<Value> = runs.iter().map(|run| run.as_str().into()).collect();
        let places: Vec<String> = (1..=runs.len()).map(|place| format!("${place}")).collect();
        let statement = format!(
            "SELECT event.run_id, COALESCE(member.name, event.person) AS name FROM event \
             LEFT JOIN member ON member.person = event.person \
             WHERE event.seq = 1 AND event.person IS NOT NULL AND event.run_id IN ({})",
            places.join(", ")
        );
        let rows = self.connection.query(&statement, &parameters)?;
        rows.iter()
            .map(|row| Ok((row.text("run_id")?, row.text("name")?)))
            .collect()
    }

    /// Sets the minimum role that can decide at a project's gates.
    pub fn set_decides(&mut self, project: &ProjectId, role: TeamRole) -> Result<(), StoreError> {
        self.connection.write(
            "UPDATE project SET decides = $2 WHERE id = $1",
            &[project.0.as_str().into(), role.as_str().into()],
        )
    }

    /// Whether the caller sees only some projects.
    pub fn is_limited_to_projects(&mut self) -> Result<bool, StoreError> {
        if !self.is_shared() {
            return Ok(false);
        }
        let rows = self.connection.query(
            "SELECT 1 FROM member WHERE person = session_user AND every_project = 0",
            &[],
        )?;
        Ok(!rows.is_empty())
    }

    /// Whether the store has been prepared for a team, so that the groups exist.
    pub fn is_team(&mut self) -> Result<bool, StoreError> {
        Ok(!self
            .connection
            .query("SELECT 1 FROM member LIMIT 1", &[])?
            .is_empty())
    }

    /// Adds a member or changes their role, and adds projects to their list. Returns whether the server created the database role.
    pub fn add_member(&mut self, member: &MemberRow) -> Result<bool, StoreError> {
        let projects: Vec<&str> = member
            .projects
            .iter()
            .flatten()
            .map(|project| project.0.as_str())
            .collect();
        self.call(
            "SELECT CASE WHEN bugle_add_member($1, $2, $3, $4, $5) THEN 1 ELSE 0 END AS done",
            &[
                member.person.as_str().into(),
                member.name.as_str().into(),
                member.role.as_str().into(),
                projects.join(" ").as_str().into(),
                member.added_at.0.into(),
            ],
        )
    }

    /// Removes a member. Returns false if the person is not a member.
    pub fn remove_member(&mut self, person: &str) -> Result<bool, StoreError> {
        self.call(
            "SELECT CASE WHEN bugle_remove_member($1) THEN 1 ELSE 0 END AS done",
            &[person.into()],
        )
    }

    fn call(&mut self, statement: &str, parameters: &[Value]) -> Result<bool, StoreError> {
        let rows = self.connection.query(statement, parameters)?;
        rows.first().map_or(Ok(false), |row| row.flag("done"))
    }

    /// All members, sorted by role and name.
    pub fn members(&mut self) -> Result<Vec<MemberRow>, StoreError> {
        let rows = self.connection.query(
            "SELECT person, name, role, every_project, added_at FROM member ORDER BY role, person",
            &[],
        )?;
        let mut members = rows.iter().map(member_row).collect::<Result<Vec<_>, _>>()?;
        let rows = self.connection.query(
            "SELECT person, project_id FROM member_project ORDER BY person, project_id",
            &[],
        )?;
        for row in &rows {
            let person = row.text("person")?;
            let member = members.iter_mut().find(|member| member.person == person);
            if let Some(projects) = member.and_then(|member| member.projects.as_mut()) {
                projects.push(ProjectId(row.text("project_id")?));
            }
        }
        Ok(members)
    }
}
