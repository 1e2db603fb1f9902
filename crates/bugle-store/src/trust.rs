//! Grants, lists and revokes trust in pinned skills.

use bugle_core::id::{Actor, ContentHash, Timestamp};

use crate::Store;
use crate::StoreError;
use crate::schema::link_trust;

/// A trusted skill: Bugle may run its commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRow {
    /// The skill's content hash.
    pub pin: ContentHash,
    /// The skill's name.
    pub skill: String,
    /// The actor that granted trust: Bugle itself for built-in skills and skills that the user installed.
    pub by: Actor,
    /// The name of the person who granted trust; `None` in a `SQLite` store.
    pub person: Option<String>,
    /// When the skill was trusted.
    pub at: Timestamp,
}

impl Store {
    /// Grants trust: Bugle may run the pinned skill's commands.
    pub fn trust(
        &mut self,
        pin: &ContentHash,
        skill: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if self.is_trusted(pin)? {
            return Ok(());
        }
        if *by == Actor::Program && self.is_shared() {
            return self.trust_here(pin, skill, now);
        }
        let by = serde_json::to_string(by).map_err(|error| StoreError::Unreadable(error.to_string()))?;
        self.connection.transaction(|db| {
            let made = db.execute(
                "INSERT INTO trust (pin, skill, given_by, given_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
                &[pin.as_str().into(), skill.into(), by.as_str().into(), now.0.into()],
            )?;
            if made > 0 {
                link_trust(db, pin.as_str(), skill, (now.0, &by), true)?;
            }
            Ok(())
        })
    }

    /// Grants trust on this machine only, for this person: the person installed the skill, or it is built in.
    fn trust_here(&mut self, pin: &ContentHash, skill: &str, now: Timestamp) -> Result<(), StoreError> {
        self.connection.write(
            "INSERT INTO machine_trust (machine, person, pin, skill, given_at) \
                 VALUES ($1, session_user, $2, $3, $4) ON CONFLICT DO NOTHING",
            &[
                self.machine.as_str().into(),
                pin.as_str().into(),
                skill.into(),
                now.0.into(),
            ],
        )
    }

    /// Whether a pinned skill is trusted, by a decision or on this machine.
    pub fn is_trusted(&mut self, pin: &ContentHash) -> Result<bool, StoreError> {
        let rows = if self.is_shared() {
            self.connection.query(
                "SELECT 1 FROM trust WHERE pin = $1 UNION ALL \
                 SELECT 1 FROM machine_trust WHERE machine = $2 AND person = session_user AND pin = $1",
                &[pin.as_str().into(), self.machine.as_str().into()],
            )?
        } else {
            self.connection
                .query("SELECT 1 FROM trust WHERE pin = $1", &[pin.as_str().into()])?
        };
        Ok(!rows.is_empty())
    }

    /// All trusted skills, sorted by name, most recently trusted first.
    pub fn trusted(&mut self) -> Result<Vec<TrustRow>, StoreError> {
        let on_this_machine = if self.is_shared() {
            "UNION ALL SELECT pin, skill, '\"program\"', given_at, NULL FROM machine_trust \
             WHERE machine = $1 AND person = session_user"
        } else {
            "WHERE $1 = ''"
        };
        let statement = format!(
            "SELECT pin, skill, given_by, given_at, CASE WHEN person IS NOT NULL THEN \
             COALESCE((SELECT member.name FROM member WHERE member.person = trust.person), person) END AS person_name \
             FROM trust {on_this_machine} ORDER BY skill, given_at DESC, pin"
        );
        let rows = self
            .connection
            .query(&statement, &[self.machine.as_str().into()])?;
        rows.iter()
            .map(|row| {
                let by = serde_json::from_str(&row.text("given_by")?)
                    .map_err(|error| StoreError::Unreadable(error.to_string()))?;
                Ok(TrustRow {
                    pin: ContentHash::from_stored(row.text("pin")?),
                    skill: row.text("skill")?,
                    by,
                    person: row.optional_text("person_name")?,
                    at: Timestamp(row.int("given_at")?),
                })
            })
            .collect()
    }

    /// Revokes trust in a pinned skill and records who did it. Returns false if the skill was not trusted.
    pub fn revoke_trust(
        &mut self,
        pin: &ContentHash,
        skill: &str,
        by: &Actor,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let by = serde_json::to_string(by).map_err(|error| StoreError::Unreadable(error.to_string()))?;
        self.connection.transaction(|db| {
            let gone = db.execute("DELETE FROM trust WHERE pin = $1", &[pin.as_str().into()])?;
            if gone > 0 {
                link_trust(db, pin.as_str(), skill, (now.0, &by), false)?;
            }
            Ok(gone > 0)
        })
    }
}
