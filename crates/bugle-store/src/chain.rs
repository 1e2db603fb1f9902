//! Hash chains: each stored event carries a hash over its content and the previous hash. If a row is changed, moved or
//! removed outside Bugle, the hashes no longer match. Appending reads only the last row.

use sha2::{Digest as _, Sha256};

use crate::StoreError;
use crate::connection::Connection;
use crate::row::Row;

/// The previous hash of a chain's first link.
pub(crate) const START: &str = "";

/// Hasher for one link of a chain.
#[derive(Debug)]
pub(crate) struct Link(Sha256);

impl Link {
    /// Starts the link that follows the hash `before`. `kind` makes the hashes of different chains differ.
    pub(crate) fn after(before: &str, kind: &str) -> Self {
        Self(Sha256::new()).text(kind).text(before)
    }

    /// Adds a string, prefixed with its length so that field boundaries affect the hash.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
        self
    }

    /// Adds an optional string.
    pub(crate) fn optional(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.number(1).text(text),
            None => self.number(0),
        }
    }

    /// Adds a number.
    pub(crate) fn number(mut self, number: i64) -> Self {
        self.0.update(number.to_le_bytes());
        self
    }

    /// The hash, in hexadecimal.
    pub(crate) fn end(self) -> String {
        self.0
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// A store-wide chain. One row stores the chain's length and last hash.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StoreChain {
    /// All messages.
    Messages,
    /// All trust decisions.
    Trust,
}

impl StoreChain {
    fn name(self) -> &'static str {
        match self {
            Self::Messages => "message",
            Self::Trust => "trust",
        }
    }

    /// The chain's length and last hash.
    pub(crate) fn end(self, db: &mut Connection) -> Result<(i64, String), StoreError> {
        self.select_end(db, "")
    }

    /// Like [`Self::end`], but locks the chain until the transaction ends.
    pub(crate) fn locked_end(self, db: &mut Connection) -> Result<(i64, String), StoreError> {
        let lock = db.row_lock();
        self.select_end(db, lock)
    }

    fn select_end(self, db: &mut Connection, lock: &str) -> Result<(i64, String), StoreError> {
        let rows = db.query(
            &format!("SELECT length, head FROM chain WHERE name = $1{lock}"),
            &[self.name().into()],
        )?;
        match rows.first() {
            Some(row) => Ok((row.int("length")?, row.text("head")?)),
            None => Ok((0, START.to_owned())),
        }
    }

    /// Stores the chain's length and last hash.
    pub(crate) fn set_end(self, db: &mut Connection, length: i64, head: &str) -> Result<(), StoreError> {
        db.write(
            "INSERT INTO chain (name, length, head) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO UPDATE SET length = $2, head = $3",
            &[self.name().into(), length.into(), head.into()],
        )
    }
}

/// A stored run or task event.
#[derive(Debug)]
pub(crate) struct EventRow<'a> {
    /// The run or task.
    pub of: &'a str,
    pub seq: i64,
    pub at: i64,
    pub actor: &'a str,
    pub body: &'a str,
}

impl EventRow<'_> {
    /// The event's link in its run's chain. The link also covers the rules version and the number of the command's
    /// first event, if recorded.
    pub(crate) fn in_run(&self, before: &str, rules: Option<i64>, batch: Option<i64>) -> String {
        let link = self.link(before, "event");
        link.number(rules.unwrap_or(-1)).number(batch.unwrap_or(-1)).end()
    }

    /// The event's link in its task's chain.
    pub(crate) fn in_task(&self, before: &str) -> String {
        self.link(before, "task").end()
    }

    fn link(&self, before: &str, kind: &str) -> Link {
        Link::after(before, kind)
            .text(self.of)
            .number(self.seq)
            .number(self.at)
            .text(self.actor)
            .text(self.body)
    }
}

/// A message's link, computed from [`MESSAGE_COLUMNS`]. It does not cover the project and the sequence number, because
/// merging projects changes both.
pub(crate) fn message_link(before: &str, row: &Row) -> Result<String, StoreError> {
    Ok(Link::after(before, "message")
        .number(row.int("link")?)
        .text(&row.text("id")?)
        .text(&row.text("sender")?)
        .text(&row.text("body")?)
        .number(row.int("said_at")?)
        .text(&row.text("kind")?)
        .optional(row.optional_text("answers")?.as_deref())
        .number(row.int("receivers")?)
        .end())
}

/// The columns that a message's link covers. They never change.
pub(crate) const MESSAGE_COLUMNS: &str = "link, id, sender, body, said_at, kind, answers, receivers";

/// A trust decision's link, computed from [`TRUST_COLUMNS`].
pub(crate) fn trust_link(before: &str, row: &Row) -> Result<String, StoreError> {
    Ok(Link::after(before, "trust")
        .number(row.int("seq")?)
        .number(row.int("happened_at")?)
        .text(&row.text("actor")?)
        .text(&row.text("pin")?)
        .text(&row.text("skill")?)
        .number(row.int("given")?)
        .end())
}

/// The columns that a trust decision's link covers.
pub(crate) const TRUST_COLUMNS: &str = "seq, happened_at, actor, pin, skill, given";

/// Hash that binds a compiled form to its pin. It is not part of a chain, because a compiled form may be replaced.
pub(crate) fn compiled_hash(pin: &str, compiler: i64, body: &str) -> String {
    Link::after(START, "compiled")
        .text(pin)
        .number(compiler)
        .text(body)
        .end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_depends_on_every_field_and_on_the_boundaries_between_them() {
        let link = |before: &str, first: &str, second: &str| {
            Link::after(before, "event").text(first).text(second).end()
        };
        let usual = link("a", "b", "c");
        assert_eq!(usual, link("a", "b", "c"));
        for other in [
            link("x", "b", "c"),
            link("a", "bc", ""),
            link("a", "", "bc"),
            link("ab", "", "c"),
        ] {
            assert_ne!(usual, other);
        }
        assert_ne!(
            Link::after("a", "event").optional(None).end(),
            Link::after("a", "event").optional(Some("")).end()
        );
    }
}
