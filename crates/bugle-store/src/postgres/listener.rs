//! Waits for commits by other processes, on a separate connection. A pooler in transaction mode drops notifications,
//! so callers must also check the data version from time to time.

use std::time::Duration;

use tokio::sync::mpsc::{self, UnboundedReceiver};

use super::address::Address;
use super::defaults::ConnectionDefaults;
use super::errors;
use super::limits::Limits;
use super::link::Link;
use crate::StoreError;
use crate::sqlite::Patience;

/// Waits for commits in a Postgres database.
#[derive(Debug)]
pub struct CommitListener {
    link: Link,
    name: String,
    heard: UnboundedReceiver<()>,
}

impl CommitListener {
    /// Connects to a database and listens. `defaults` completes the URL.
    pub fn open(url: &str, defaults: &dyn ConnectionDefaults) -> Result<Self, StoreError> {
        let address = Address::find(url, defaults)?;
        let limits = Limits::of(Patience::Usual);
        let (send, heard) = mpsc::unbounded_channel();
        let link = Link::open(&address, &limits, Some(&send))?;
        let listens = link.run(limits.statement(), |client| async move {
            client.batch_execute("LISTEN bugle_commit").await
        });
        let name = address.name;
        match listens {
            Some(Ok(())) => Ok(Self { link, name, heard }),
            Some(Err(error)) => Err(errors::of_statement(&name, &error)),
            None => Err(lost(name)),
        }
    }

    /// Waits for a commit; returns whether there was one. Several commits may count as one.
    pub fn wait(&mut self, limit: Duration) -> Result<bool, StoreError> {
        let Self { link, name, heard } = self;
        match link.run(limit, |_| heard.recv()) {
            None => Ok(false),
            Some(Some(())) => {
                while heard.try_recv().is_ok() {}
                Ok(true)
            }
            Some(None) => Err(lost(name.clone())),
        }
    }
}

fn lost(database: String) -> StoreError {
    StoreError::Lost {
        database,
        why: "the server closed the connection".to_owned(),
    }
}
