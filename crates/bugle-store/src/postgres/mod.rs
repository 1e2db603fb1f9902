//! Postgres: one connection to a server that many processes on many machines share.
//!
//! The connection keeps no state between transactions, so that it works through a pooler in transaction mode: no
//! named statements, no session settings, no session locks. Each statement costs at most one round trip: it carries
//! its parameters' types, `BEGIN` is sent together with the first statement, and writes whose row counts are not
//! needed are sent together with the next statement or with `COMMIT`.

mod address;
mod channel_binding;
mod copy;
mod defaults;
mod errors;
mod flight;
mod held;
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
mod statements;
mod tls;
mod transaction;
mod url;
mod values;

use tokio_postgres::Error;

pub use self::defaults::ConnectionDefaults;
pub use self::listener::CommitListener;
pub use self::password_command::PasswordCommand;
pub use self::probe::{ServerAddress, ServerProbe};
pub(crate) use self::schema::{VERSION, definition};
pub(crate) use self::url::{for_user, has_password, is_url, without_password};

use self::address::Address;
use self::flight::{Answer, FlightError, Part, Statement, fly};
use self::held::{Held, HeldOutcome};
use self::limits::Limits;
use self::link::Link;
use self::schema::COMMIT;
use crate::retry::MAX_ATTEMPTS;
use crate::row::Value;
use crate::sqlite::Patience;
use crate::statement_log::LoggedStatement;
use crate::write_scope::WriteScope;
use crate::{Durability, StoreError};

/// A connection to a Postgres database.
pub(crate) struct Postgres {
    address: Address,
    limits: Limits,
    /// The connection; `None` after it was lost. The next transaction reconnects.
    link: Option<Link>,
    transaction: Progress,
    /// Whether the transaction has changed anything.
    has_changes: bool,
    /// The transaction's writes that wait for the next flight, because their row counts are not needed.
    queue: Vec<Statement>,
    /// Deferred writes: the next flight commits them before its own statements.
    held: Held,
    /// Whether to defer writes.
    holds_back: bool,
    /// Whether a finished snapshot is still open on the server. The next flight closes it.
    closes_snapshot: bool,
    /// The number of round trips since the connection was opened.
    round_trips: u64,
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
    /// The next statement also sends `begin`, which begins the transaction.
    Asked {
        begin: String,
        /// Whether the transaction blocks only other writers of the same rows.
        scope_is_rows: bool,
    },
    Open,
    /// An error ended the transaction. The server waits for the rollback.
    Failed,
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

    /// Whether other transactions made the server roll back.
    fn is_contended(&self) -> bool {
        matches!(self, Self::Error(error) if errors::is_contended(error))
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
            queue: Vec::new(),
            held: Held::default(),
            holds_back: false,
            closes_snapshot: false,
            round_trips: 0,
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

    fn closed(&self) -> StoreError {
        StoreError::Lost {
            database: self.name(),
            why: "the server closed the connection".to_owned(),
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

    /// Sends a flight; returns the answers to its statements. If the connection was lost and nothing can have been
    /// committed, reconnects and sends the flight once more. `repeat_transaction` repeats transactions that are already
    /// open. Deferred writes that another transaction interrupted are sent again.
    fn send(&mut self, parts: &[Part<'_>], may_commit: bool) -> Result<Vec<Answer>, NoAnswer> {
        let may_repeat = !may_commit && !matches!(self.transaction, Progress::Open);
        let mut held = std::mem::take(&mut self.held);
        let mut first = std::mem::take(&mut self.closes_snapshot).then_some("COMMIT");
        let mut attempts = 0;
        loop {
            attempts += 1;
            let begin = self.begin_statements(WriteScope::Rows, held.durability());
            let mut flight: Vec<Part<'_>> = first.map(Part::Batch).into_iter().collect();
            held.add_to(&mut flight, &begin);
            let own = flight.len();
            flight.extend_from_slice(parts);
            let limit = self.limits.statement();
            let (link, is_new) = self.link().map_err(NoAnswer::Explained)?;
            let sent = link.run(limit, |client| fly(client, &flight));
            if let Some(Err(FlightError::NotSent)) = sent {
                self.link = None;
                if is_new || matches!(self.transaction, Progress::Open) {
                    return Err(NoAnswer::Explained(self.closed()));
                }
                // A finished snapshot was closed with its connection.
                first = None;
                continue;
            }
            self.round_trips += 1;
            self.log_flight(&flight);
            let (none, place) = match sent {
                Some(Ok(mut answers)) => {
                    self.own_commits += i64::from(!held.is_empty());
                    answers.drain(..held.len());
                    return Ok(answers);
                }
                Some(Err(FlightError::Part { place, error })) => (NoAnswer::Error(error), place),
                Some(Err(FlightError::NotSent)) | None => (NoAnswer::TimedOut, 0),
            };
            let is_lost = none.is_lost();
            if is_lost {
                self.link = None;
            }
            let is_repeatable = attempts < MAX_ATTEMPTS && !matches!(none, NoAnswer::TimedOut);
            let reconnects = is_repeatable && is_lost && !is_new;
            match held.outcome(&none, place, own) {
                HeldOutcome::Committed => {
                    self.own_commits += i64::from(!held.is_empty());
                    held = Held::default();
                    if !(reconnects && may_repeat) {
                        return Err(none);
                    }
                }
                HeldOutcome::NotCommitted if reconnects || is_repeatable && none.is_contended() => {}
                HeldOutcome::NotCommitted => {
                    if matches!(self.transaction, Progress::None) {
                        self.transaction = Progress::Failed;
                        self.rollback();
                    }
                    return Err(none);
                }
                HeldOutcome::Unknown => {
                    return Err(NoAnswer::Explained(StoreError::CommitUnknown(self.name())));
                }
            }
            first = (!is_lost).then_some("ROLLBACK");
        }
    }

    /// Sends the queued writes and these statements in one flight; returns the answers to these statements.
    fn run_all(&mut self, statements: &[Statement]) -> Result<Vec<Answer>, NoAnswer> {
        let reads = statements.iter().all(|statement| statement.wants_rows);
        let (before, after) = match &self.transaction {
            Progress::Failed => return Err(NoAnswer::Explained(self.transaction_failed())),
            Progress::Asked { begin, .. } => (Some(begin.clone()), None),
            // A statement outside a transaction commits immediately, but still waits for the locks of other
            // transactions.
            Progress::None if !reads => {
                let begin = self.begin_statements(WriteScope::Rows, self.durability);
                (Some(begin), Some(COMMIT))
            }
            Progress::None if statements.len() > 1 => {
                (Some(self.begin_snapshot_statements()), Some("COMMIT"))
            }
            Progress::None | Progress::Open => (None, None),
        };
        let commits = after.is_some() && !reads;
        let queue = std::mem::take(&mut self.queue);
        let all = queue.iter().chain(statements).map(Part::Statement);
        let parts: Vec<Part<'_>> = before
            .as_deref()
            .map(Part::Batch)
            .into_iter()
            .chain(all)
            .chain(after.map(Part::Batch))
            .collect();
        let mut answers = self.send(&parts, commits);
        if let Ok(answers) = &mut answers {
            let changed = |answer: &Answer| matches!(answer, Answer::Changed(rows) if *rows > 0);
            self.has_changes |= answers.iter().any(changed);
            self.own_commits += i64::from(commits);
            answers.drain(..queue.len());
        }
        match (&self.transaction, &answers) {
            // In an aborted transaction, the first statement of the `COMMIT` batch fails, so the server does not
            // execute `COMMIT` itself.
            (Progress::None, Err(_)) if after.is_some() => {
                self.transaction = Progress::Failed;
                self.rollback();
            }
            (Progress::None, _) => {}
            (_, Ok(_)) => self.transaction = Progress::Open,
            (_, Err(_)) => self.transaction = Progress::Failed,
        }
        match answers {
            Err(none) if commits && none.is_lost() => {
                Err(NoAnswer::Explained(StoreError::CommitUnknown(self.name())))
            }
            other => other,
        }
    }

    fn run(&mut self, statement: &str, parameters: &[Value], wants_rows: bool) -> Result<Answer, NoAnswer> {
        let answers = self.run_all(&[Statement::new(statement, parameters, wants_rows)])?;
        answers.into_iter().next().ok_or(NoAnswer::TimedOut)
    }

    fn log_flight(&mut self, flight: &[Part<'_>]) {
        let round_trip = self.round_trips;
        if let Some(log) = &mut self.log {
            log.extend(flight.iter().map(|part| {
                let sent = match part {
                    Part::Batch(text) => LoggedStatement::new(text, &[], 0),
                    Part::Statement(sent) => LoggedStatement::new(&sent.text, &sent.parameters, 0),
                };
                LoggedStatement { round_trip, ..sent }
            }));
        }
    }

    pub(super) fn transaction_failed(&self) -> StoreError {
        self.failure("an error ended the transaction and rolled back all its changes")
    }

    pub(super) fn start_statement_log(&mut self) {
        self.log = Some(Vec::new());
    }

    pub(super) fn end_statement_log(&mut self) -> Vec<LoggedStatement> {
        self.log.take().unwrap_or_default()
    }
}
