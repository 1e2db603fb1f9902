//! Hash chains: each stored event carries a hash over itself and the hash before it, so a row that was changed, swapped or
//! removed behind the program's back no longer fits. It takes one row to continue a chain, however long it is.

use sha2::{Digest as _, Sha256};

use crate::StoreError;
use crate::sql::{Row, Sql};

/// What a chain begins with.
pub(crate) const START: &str = "";

/// A hash in the making.
#[derive(Debug)]
pub(crate) struct Link(Sha256);

impl Link {
    /// Continues the chain that ends with `before`. `kind` keeps links of different chains apart.
    pub(crate) fn after(before: &str, kind: &str) -> Self {
        Self(Sha256::new()).text(kind).text(before)
    }

    /// Adds a text. Its length goes first, so that no two lists of texts look the same.
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
        self
    }

    /// Adds a text that may be missing.
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

/// A chain that the whole store has one of: its length and its last hash are one row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StoreChain {
    /// What was said.
    Messages,
    /// What was trusted, and what no longer is.
    Trust,
}

impl StoreChain {
    fn name(self) -> &'static str {
        match self {
            Self::Messages => "message",
            Self::Trust => "trust",
        }
    }

    /// How long it is, and its last hash.
    pub(crate) fn end<S: Sql>(self, sql: &mut S) -> Result<(i64, String), StoreError> {
        let rows = sql.query(
            "SELECT length, head FROM chain WHERE name = $1",
            &[self.name().into()],
        )?;
        match rows.first() {
            Some(row) => Ok((row.int(0)?, row.text(1)?)),
            None => Ok((0, START.to_owned())),
        }
    }

    /// Moves its end on.
    pub(crate) fn set_end<S: Sql>(self, sql: &mut S, length: i64, head: &str) -> Result<(), StoreError> {
        sql.execute(
            "INSERT INTO chain (name, length, head) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO UPDATE SET length = $2, head = $3",
            &[self.name().into(), length.into(), head.into()],
        )
        .map(|_| ())
    }
}

/// An event as it is stored, in a run's or a task's chain.
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
    /// Its link in the chain of a run: with the version of the rules that produced it and the event that the same command
    /// began with, where these are known.
    pub(crate) fn in_run(&self, before: &str, rules: Option<i64>, batch: Option<i64>) -> String {
        let link = self.link(before, "event");
        link.number(rules.unwrap_or(-1)).number(batch.unwrap_or(-1)).end()
    }

    /// Its link in the chain of a task.
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

/// The link of a message, from the columns of [`MESSAGE_COLUMNS`]. Neither its project nor its place there is part of it:
/// these change when projects are merged.
pub(crate) fn message_link(before: &str, row: &Row) -> Result<String, StoreError> {
    Ok(Link::after(before, "message")
        .number(row.int(0)?)
        .text(&row.text(1)?)
        .text(&row.text(2)?)
        .text(&row.text(3)?)
        .number(row.int(4)?)
        .text(&row.text(5)?)
        .optional(row.optional_text(6)?.as_deref())
        .number(row.int(7)?)
        .end())
}

/// What a message's link covers: its number among all messages of the store, and what never changes about it.
pub(crate) const MESSAGE_COLUMNS: &str = "link, id, sender, body, said_at, kind, answers, receivers";

/// The link of a decision about trust, from the columns of [`TRUST_COLUMNS`].
pub(crate) fn trust_link(before: &str, row: &Row) -> Result<String, StoreError> {
    Ok(Link::after(before, "trust")
        .number(row.int(0)?)
        .number(row.int(1)?)
        .text(&row.text(2)?)
        .text(&row.text(3)?)
        .text(&row.text(4)?)
        .number(row.int(5)?)
        .end())
}

/// What a link about trust covers.
pub(crate) const TRUST_COLUMNS: &str = "seq, happened_at, actor, pin, skill, given";

/// Binds a compiled form to the pin that it was made of. It is no link of a chain: a compiled form may be made again.
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
    fn a_link_depends_on_everything_in_it_and_on_where_it_was_cut() {
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
