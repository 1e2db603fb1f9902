//! The rights of viewers, members and leads, which the server enforces.

use super::Postgres;
use crate::{MissingRight, StoreError};

/// Makes the server record the person on new rows.
pub(super) const RECORD_PERSON: &str = include_str!("person.sql");

/// Stops the server from recording the person. `RECORD_PERSON` restarts the recording.
pub(super) const FORGET_PERSON: &str = "DO $$ DECLARE listed TEXT; BEGIN FOR listed IN SELECT event_object_table FROM \
    information_schema.triggers WHERE trigger_schema = current_schema() AND trigger_name = 'bugle_person' LOOP EXECUTE \
    format('DROP TRIGGER bugle_person ON %I', listed); END LOOP; END $$";

/// The grants and policies of the groups.
const RIGHTS: &str = include_str!("rights.sql");

impl Postgres {
    /// Creates the groups and grants their rights.
    pub(crate) fn init_rights(&mut self) -> Result<(), StoreError> {
        let groups = self.groups()?;
        self.check_can_create_groups(&groups)?;
        let mut statements = String::new();
        for group in ["viewer", "member", "lead"] {
            statements.push_str(&format!(
                "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{groups}_{group}') THEN \
                 CREATE ROLE \"{groups}_{group}\" NOLOGIN; END IF; END $$; "
            ));
        }
        statements.push_str(&format!(
            "GRANT \"{groups}_viewer\" TO \"{groups}_member\"; GRANT \"{groups}_member\" TO \"{groups}_lead\"; "
        ));
        self.batch(&statements)?;
        self.batch(&RIGHTS.replace("{groups}", &groups))
    }

    /// Refuses to create groups if the database role may not create roles.
    fn check_can_create_groups(&mut self, groups: &str) -> Result<(), StoreError> {
        let statement = format!(
            "SELECT CAST(current_user AS TEXT) AS person FROM pg_roles WHERE rolname = current_user \
             AND NOT rolcreaterole AND NOT rolsuper \
             AND NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{groups}_lead')"
        );
        match self.query(&statement, &[])?.first() {
            None => Ok(()),
            Some(row) => Err(StoreError::NoRights {
                database: self.name(),
                why: MissingRight::CreateRole(row.text("person")?),
            }),
        }
    }

    /// Grants the rights again, for tables that a migration has added. Does nothing if the groups do not exist.
    pub(super) fn renew_rights(&mut self) -> Result<(), StoreError> {
        let groups = self.groups()?;
        let statement = format!("SELECT 1 FROM pg_roles WHERE rolname = '{groups}_lead'");
        if self.query(&statement, &[])?.is_empty() {
            return Ok(());
        }
        self.batch(&RIGHTS.replace("{groups}", &groups))
    }

    /// The prefix of the groups' names: roles belong to the whole server, so the prefix names the database.
    fn groups(&mut self) -> Result<String, StoreError> {
        let rows = self.query("SELECT CAST(current_database() AS TEXT) AS name", &[])?;
        let name = rows.first().map_or(Ok(String::new()), |row| row.text("name"))?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        Ok(name.replace(|letter| !is_plain(letter), "_"))
    }
}
