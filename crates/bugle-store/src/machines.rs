//! Machines that share a store. Each has an id in its Bugle home, and rows about sessions, processes and folders
//! contain that id.

use crate::row::Row;
use crate::{MachineId, Store, StoreError};

/// A machine that uses the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineRow {
    /// The machine's id.
    pub id: MachineId,
    /// The machine's host name.
    pub name: String,
    /// The time since the machine's supervisor last reported, in milliseconds on the database's clock.
    pub age: i64,
}

fn machine_row(row: &Row) -> Result<MachineRow, StoreError> {
    Ok(MachineRow {
        id: MachineId::from_stored(row.text("id")?),
        name: row.text("name")?,
        age: row.int("age")?,
    })
}

impl Store {
    /// Whether several machines use the store.
    pub(crate) fn is_shared(&self) -> bool {
        self.machine != MachineId::default()
    }

    /// Records this machine's name, if the store does not know the machine.
    pub fn introduce_machine(&mut self, name: &str) -> Result<(), StoreError> {
        let now = self.connection.engine().clock();
        let statement = format!(
            "INSERT INTO machine (id, name, seen_at) VALUES ($1, $2, {now}) ON CONFLICT (id) DO NOTHING"
        );
        self.connection
            .write(&statement, &[self.machine.as_str().into(), name.into()])
    }

    /// Renews this machine's lease and returns `None`.
    ///
    /// Another host may have a copy of this Bugle home, and so the same machine id. If that host has reported in the
    /// last `lease` milliseconds, changes nothing and returns the host's name.
    ///
    /// The statement does not count as a change, so it wakes no other process.
    pub fn renew_lease(&mut self, name: &str, lease: i64) -> Result<Option<String>, StoreError> {
        let now = self.connection.engine().clock();
        let statement = format!(
            "INSERT INTO machine (id, name, seen_at) VALUES ($1, $2, {now}) ON CONFLICT (id) DO UPDATE \
             SET name = $2, seen_at = {now} WHERE machine.name = $2 OR machine.seen_at < {now} - $3 RETURNING id"
        );
        let parameters = [self.machine.as_str().into(), name.into(), lease.into()];
        if !self.connection.query(&statement, &parameters)?.is_empty() {
            return Ok(None);
        }
        let holder = self.connection.query(
            "SELECT name FROM machine WHERE id = $1",
            &[self.machine.as_str().into()],
        )?;
        holder.first().map(|row| row.text("name")).transpose()
    }

    /// A machine that uses the store.
    pub fn machine_row(&mut self, id: &MachineId) -> Result<Option<MachineRow>, StoreError> {
        let now = self.connection.engine().clock();
        let statement = format!("SELECT id, name, {now} - seen_at AS age FROM machine WHERE id = $1");
        let rows = self.connection.query(&statement, &[id.as_str().into()])?;
        rows.first().map(machine_row).transpose()
    }

    /// Whether messages may wake an agent on this machine: an agent that Bugle started.
    pub fn has_agents_here(&mut self) -> Result<bool, StoreError> {
        let rows = self.connection.query(
            "SELECT 1 FROM launch JOIN agent ON agent.project_id = launch.project_id AND agent.address = launch.agent \
             WHERE agent.machine = $1 AND agent.renamed IS NULL AND agent.status <> 'archived' LIMIT 1",
            &[self.machine.as_str().into()],
        )?;
        Ok(!rows.is_empty())
    }
}
