//! Probes a server or a pooler: its address, how long a connection takes, and whether clients share the server's
//! connections.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio_postgres::config::Host;

use super::address::{Address, port_of};
use super::defaults::ConnectionDefaults;
use super::errors;
use super::limits::Limits;
use super::link::Link;
use super::tls::Roots;
use crate::StoreError;
use crate::sqlite::Patience;

/// Maximum number of times to compare the server processes behind two connections. One comparison is not enough:
/// another client may be using the shared process at that moment.
const MAX_COMPARISONS: usize = 5;

/// A server's address, without the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    /// The host name, or the folder of a Unix socket.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The database.
    pub database: String,
    /// The user.
    pub user: String,
    /// The `sslmode`, as `libpq` spells it.
    pub sslmode: &'static str,
    /// The file with trusted CA certificates; `None` for the system's certificates.
    pub authorities: Option<PathBuf>,
}

/// A server or a pooler to probe.
pub struct ServerProbe(Address);

impl std::fmt::Debug for ServerProbe {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("ServerProbe").field(&self.0.name).finish()
    }
}

impl ServerProbe {
    /// Creates a probe for the server at a URL. `defaults` completes the URL.
    pub fn new(url: &str, defaults: &dyn ConnectionDefaults) -> Result<Self, StoreError> {
        Address::find(url, defaults).map(Self)
    }

    /// The server's name for messages, without the password.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The server's address.
    pub fn address(&self) -> ServerAddress {
        let config = &self.0.config;
        let user = config.get_user().unwrap_or_default().to_owned();
        ServerAddress {
            host: match config.get_hosts().first() {
                Some(Host::Tcp(host)) => host.clone(),
                #[cfg(unix)]
                Some(Host::Unix(folder)) => folder.display().to_string(),
                _ => String::new(),
            },
            port: port_of(config),
            database: config.get_dbname().unwrap_or(&user).to_owned(),
            user,
            sslmode: self.0.mode.as_str(),
            authorities: match &self.0.roots {
                Roots::System => None,
                Roots::File(file) => Some(file.clone()),
            },
        }
    }

    /// Connects, reads one row and disconnects; returns how long that took.
    pub fn connect_and_read(&self) -> Result<Duration, StoreError> {
        let start = Instant::now();
        let link = self.connect()?;
        self.query(&link, "SELECT version FROM bugle_schema")?;
        drop(link);
        Ok(start.elapsed())
    }

    /// Whether two open connections are served by the same server process, as with a pooler in transaction mode.
    pub fn shares_connections(&self) -> Result<bool, StoreError> {
        let links = [self.connect()?, self.connect()?];
        let mut seen: [Vec<i64>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..MAX_COMPARISONS {
            for (link, seen) in links.iter().zip(&mut seen) {
                seen.push(self.query(link, "SELECT pg_backend_pid()::bigint")?);
            }
            if seen[0].iter().any(|process| seen[1].contains(process)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Sends a notification to the processes that wait for commits.
    pub fn notify(&self) -> Result<(), StoreError> {
        let link = self.connect()?;
        let statement = "SELECT 1::bigint FROM (SELECT pg_notify('bugle_commit', '')) AS sent";
        self.query(&link, statement).map(drop)
    }

    fn connect(&self) -> Result<Link, StoreError> {
        Link::open(&self.0, &Limits::of(Patience::Usual), None)
    }

    /// The number that a statement returns.
    fn query(&self, link: &Link, statement: &str) -> Result<i64, StoreError> {
        let limit = Limits::of(Patience::Usual).statement();
        let answer = link.run(limit, |client| async move {
            let rows = client.query_typed(statement, &[]).await?;
            rows.first().map_or(Ok(0), |row| row.try_get(0))
        });
        match answer {
            Some(Ok(number)) => Ok(number),
            Some(Err(error)) => Err(errors::of_statement(&self.0.name, &error)),
            None => Err(StoreError::TimedOut(self.0.name.clone())),
        }
    }
}
