//! Postgres: one connection to a server that many processes on many machines share.
//!
//! The connection keeps no state between transactions, so that it works through a pooler in transaction mode: no named
//! statements, no session settings, no session locks. Each statement costs at most one round trip: it carries its
//! parameters' types, and `BEGIN` is sent together with the first statement.

mod address;
mod channel_binding;
mod copy;
mod defaults;
mod errors;
mod limits;
mod link;
mod listener;
mod locks;
mod password_command;
mod password_file;
mod probe;
mod rights;
mod schema;
mod service_file;
mod tls;
mod transaction;
mod url;
mod values;

use std::sync::Arc;

use tokio_postgres::{Client, Error};

pub use self::defaults::ConnectionDefaults;
pub use self::listener::CommitListener;
pub use self::password_command::PasswordCommand;
pub use self::probe::{ServerAddress, ServerProbe};
pub(crate) use self::schema::definition;
pub(crate) use self::url::{has_password, is_url, without_password};

use self::address::Address;
use self::limits::Limits;
use self::link::Link;
use self::schema::COMMIT;
use self::values::{read, typed};
use crate::row::{Row, Value};
use crate::sqlite::Patience;
use crate::statement_log::LoggedStatement;
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

/// A connection to a Postgres database.
pub(crate) struct Postgres {
    address: Address,
    limits: Limits,
    /// `None` after the connection was lost. The next transaction reconnects.
    link: Option<Link>,
    transaction: Progress,
    /// Whether the transaction has changed anything.
    has_changes: bool,
    /// The number of commits by this connection that changed something.
    own_commits: i64,
    /// The durability of commits.
    durability: Durability,
    /// The executed statements, if a test logs them.
    log: Option<Vec<LoggedStatement>>,
}

/// The state of the transaction.
#[derive(Debug)]
enum Progress {
    /// No transaction.
    None,
    /// The next statement sends this batch, which begins the transaction.
    Asked(String),
    Open,
    /// An error ended the transaction. The server waits for the rollback.
    Failed,
}

/// Statements that are sent together.
#[derive(Clone, Copy)]
struct Flight<'a> {
    before: Option<&'a str>,
    statement: &'a str,
    parameters: &'a [Value],
    wants_rows: bool,
    /// Whether to commit after the statement.
    commits: bool,
}

/// The answer to a statement.
enum Answer {
    Changed(u64),
    Rows(Vec<tokio_postgres::Row>),
}

/// Why there is no answer.
enum NoAnswer {
    /// The server took too long.
    TimedOut,
    /// The server or the driver reported an error.
    Error(Error),
    /// An error that is ready for the user.
    Explained(StoreError),
}

impl NoAnswer {
    /// Whether the connection is gone.
    fn is_lost(&self) -> bool {
        match self {
            Self::TimedOut => true,
            Self::Error(error) => errors::is_lost(error),
            Self::Explained(_) => false,
        }
    }
}

impl std::fmt::Debug for Postgres {
    /// Omits the address, which contains the password.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Postgres")
            .field("name", &self.address.name)
            .field("transaction", &self.transaction)
            .finish_non_exhaustive()
    }
}

impl Postgres {
    pub(crate) fn connect(
        url: &str,
        defaults: &dyn ConnectionDefaults,
        durability: Durability,
        patience: Patience,
    ) -> Result<Self, StoreError> {
        let address = Address::find(url, defaults)?;
        let limits = Limits::of(patience);
        let link = Some(Link::open(&address, &limits, None)?);
        Ok(Self {
            address,
            limits,
            link,
            transaction: Progress::None,
            has_changes: false,
            own_commits: 0,
            durability,
            log: None,
        })
    }

    pub(super) fn set_patience(&mut self, patience: Patience) {
        self.limits = Limits::of(patience);
    }

    pub(super) fn name(&self) -> String {
        self.address.name.clone()
    }

    pub(super) fn failure(&self, why: &str) -> StoreError {
        StoreError::Engine {
            database: self.name(),
            why: why.to_owned(),
        }
    }

    fn explain(&self, none: NoAnswer) -> StoreError {
        match none {
            NoAnswer::Explained(error) => error,
            NoAnswer::TimedOut => StoreError::TimedOut(self.name()),
            NoAnswer::Error(error) => errors::of_statement(&self.address.name, &error),
        }
    }

    /// The connection, and whether it is new.
    fn link(&mut self) -> Result<(&Link, bool), StoreError> {
        let is_new = self.link.is_none();
        if is_new && matches!(self.transaction, Progress::Open | Progress::Failed) {
            return Err(self.transaction_failed());
        }
        if is_new {
            self.link = Some(Link::open(&self.address, &self.limits, None)?);
        }
        match &self.link {
            Some(link) => Ok((link, is_new)),
            None => Err(self.explain(NoAnswer::TimedOut)),
        }
    }

    /// Sends a flight. If the connection was lost and nothing can have been committed, reconnects and sends the flight once
    /// more. `repeat_transaction` repeats transactions that are already open.
    fn send(&mut self, flight: Flight<'_>) -> Result<Answer, NoAnswer> {
        let limit = self.limits.statement();
        let may_repeat = !matches!(self.transaction, Progress::Open) && !flight.commits;
        loop {
            let (link, is_new) = self.link().map_err(NoAnswer::Explained)?;
            let sent = link.run(limit, |client| fly(client, flight));
            let none = match sent {
                Some(Ok(answer)) => return Ok(answer),
                Some(Err(error)) => NoAnswer::Error(error),
                None => NoAnswer::TimedOut,
            };
            let is_lost = none.is_lost();
            if is_lost {
                self.link = None;
            }
            if is_new || !is_lost || !may_repeat || matches!(none, NoAnswer::TimedOut) {
                return Err(none);
            }
        }
    }

    fn run(&mut self, statement: &str, parameters: &[Value], wants_rows: bool) -> Result<Answer, NoAnswer> {
        // A statement outside a transaction commits immediately, but still waits for the locks of other transactions.
        let alone = (!wants_rows).then(|| self.begin_statements(WriteScope::Rows));
        let before = match &self.transaction {
            Progress::Failed => return Err(NoAnswer::Explained(self.transaction_failed())),
            Progress::Asked(begin) => Some(begin.clone()),
            Progress::None => alone,
            Progress::Open => None,
        };
        let commits = matches!(self.transaction, Progress::None) && !wants_rows;
        let answer = self.send(Flight {
            before: before.as_deref(),
            statement,
            parameters,
            wants_rows,
            commits,
        });
        if let Ok(Answer::Changed(rows)) = &answer {
            self.has_changes |= *rows > 0;
            self.own_commits += i64::from(commits);
        }
        match (&self.transaction, &answer) {
            // The statements before the `COMMIT` fail in the aborted transaction, so the server does not execute it.
            (Progress::None, Err(_)) if commits => {
                self.transaction = Progress::Failed;
                self.rollback();
            }
            (Progress::None, _) => {}
            (_, Ok(_)) => self.transaction = Progress::Open,
            (_, Err(_)) => self.transaction = Progress::Failed,
        }
        if let Some(log) = &mut self.log {
            log.push(LoggedStatement::new(statement, parameters, 0));
        }
        match answer {
            Err(none) if commits && none.is_lost() => {
                Err(NoAnswer::Explained(StoreError::CommitUnknown(self.name())))
            }
            other => other,
        }
    }

    pub(super) fn transaction_failed(&self) -> StoreError {
        self.failure("an error ended the transaction and rolled back all its changes")
    }

    pub(super) fn execute(&mut self, statement: &str, parameters: &[Value]) -> Result<usize, StoreError> {
        match self.run(statement, parameters, false) {
            Ok(Answer::Changed(rows)) => Ok(usize::try_from(rows).unwrap_or(usize::MAX)),
            Ok(Answer::Rows(rows)) => Ok(rows.len()),
            Err(none) => Err(self.explain(none)),
        }
    }

    pub(super) fn query(&mut self, statement: &str, parameters: &[Value]) -> Result<Vec<Row>, StoreError> {
        match self.run(statement, parameters, true) {
            Ok(Answer::Rows(rows)) => read(&rows),
            Ok(Answer::Changed(_)) => Ok(Vec::new()),
            Err(none) => Err(self.explain(none)),
        }
    }

    /// Runs several statements without parameters, inside a transaction.
    pub(super) fn batch(&mut self, statements: &str) -> Result<(), StoreError> {
        let all = match &self.transaction {
            Progress::Asked(begin) => format!("{begin}; {statements}"),
            _ => statements.to_owned(),
        };
        let limit = self.limits.statement();
        let (link, _) = self.link()?;
        let done = link.run(limit, |client| async move { client.batch_execute(&all).await });
        let none = match done {
            Some(Ok(())) => {
                self.transaction = Progress::Open;
                self.has_changes = true;
                return Ok(());
            }
            Some(Err(error)) => NoAnswer::Error(error),
            None => NoAnswer::TimedOut,
        };
        if none.is_lost() {
            self.link = None;
        }
        self.transaction = Progress::Failed;
        Err(self.explain(none))
    }

    pub(super) fn start_statement_log(&mut self) {
        self.log = Some(Vec::new());
    }

    pub(super) fn end_statement_log(&mut self) -> Vec<LoggedStatement> {
        self.log.take().unwrap_or_default()
    }
}

/// Sends all statements without waiting in between, then waits for all answers.
async fn fly(client: Arc<Client>, flight: Flight<'_>) -> Result<Answer, Error> {
    let parameters: Vec<_> = flight.parameters.iter().map(typed).collect();
    let batch = async |statements: Option<&str>| match statements {
        Some(statements) => client.batch_execute(statements).await,
        None => Ok(()),
    };
    let statement = async {
        if flight.wants_rows {
            let rows = client.query_typed(flight.statement, &parameters).await?;
            Ok(Answer::Rows(rows))
        } else {
            let changed = client.execute_typed(flight.statement, &parameters).await?;
            Ok(Answer::Changed(changed))
        }
    };
    let commit = flight.commits.then_some(COMMIT);
    let (before, answer, after) = tokio::join!(batch(flight.before), statement, batch(commit));
    before?;
    let answer = answer?;
    after?;
    Ok(answer)
}
