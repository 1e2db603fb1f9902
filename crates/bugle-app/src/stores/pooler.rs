//! A pooler on the user's machine: prints its configuration, checks the running pooler, and measures the time it
//! saves.

use std::time::Duration;

use bugle_core::reply::PoolerCheck;
use bugle_render::pooler::PoolerConfig;
use bugle_store::{ServerProbe, StoreError};

use super::settings_file::line;
use crate::store_location::{SETTINGS_FILE, ServerUrl};
use crate::{AppError, Context, StoreLocation};

/// The port in the name of the pooler's socket.
const PORT: u16 = 6432;
/// How long a notification may take.
const MAX_NOTIFICATION_TIME: Duration = Duration::from_secs(2);
/// Number of measurements per route.
const ROUNDS: usize = 5;

/// The two routes to the server: direct, and through the pooler.
struct Routes {
    /// Directly to the server, if its address is known.
    direct: Option<ServerProbe>,
    /// Through the pooler, if there is one.
    pooled: Option<(ServerProbe, ServerUrl)>,
}

/// The median times to connect and read one row, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConnectionTimes {
    pub(crate) direct: Option<u64>,
    pub(crate) pooled: Option<u64>,
}

/// The configuration for a pooler on this machine in front of the store's server.
pub fn pooler_config(ctx: &Context) -> Result<PoolerConfig, AppError> {
    let server = server(ctx)?;
    let direct = match server.direct() {
        Some(direct) => direct,
        None => server.clone(),
    };
    let address = direct.probe()?.address();
    let folder = folder(ctx);
    Ok(PoolerConfig {
        settings: vec![
            line(&pooler_url(&folder, &address.user, &address.database)),
            format!("listen: {}", direct.printable()?),
        ],
        settings_file: ctx.bugle_home.join(SETTINGS_FILE).display().to_string(),
        print: ctx.command(&["store", "pooler"]),
        check: ctx.command(&["store", "pooler", "--check"]),
        host: address.host,
        port: address.port,
        database: address.database,
        user: address.user,
        sslmode: address.sslmode.to_owned(),
        authorities: address.authorities.map(|file| file.display().to_string()),
        folder,
        pooler_port: PORT,
    })
}

/// Checks the running pooler.
pub fn check_pooler(ctx: &Context) -> Result<PoolerCheck, AppError> {
    let server = server(ctx)?;
    let Routes { pooled, .. } = routes(ctx, server)?;
    let Some((probe, pooler)) = pooled else {
        return Err(AppError::Failed {
            what: format!("{} is not a pooler in transaction mode", server.probe()?.name()),
            hints: vec![format!(
                "To print a configuration for PgBouncer: {}",
                ctx.command(&["store", "pooler"])
            )],
        });
    };
    let time = probe.connect_and_read()?;
    let mut store = pooler.open()?;
    store.transaction(|tx| tx.schema().map(drop))?;
    let notifications_from = match server.direct() {
        Some(direct) => {
            let mut listener = direct.listen()?;
            probe.notify()?;
            if !listener.wait(MAX_NOTIFICATION_TIME)? {
                return Err(AppError::Failed {
                    what: "notifications do not arrive: `listen` in the settings points to a different database than \
                           the pooler"
                        .to_owned(),
                    hints: Vec::new(),
                });
            }
            Some(direct.probe()?.name().to_owned())
        }
        None => None,
    };
    Ok(PoolerCheck {
        pooler: probe.name().to_owned(),
        micros: micros(time),
        notifications_from,
    })
}

/// Measures both routes to the server in turn; `None` if the store is a file or the server cannot be reached.
pub(crate) fn connection_times(ctx: &Context) -> Option<ConnectionTimes> {
    let Routes { direct, pooled } = routes(ctx, server(ctx).ok()?).ok()?;
    let pooled = pooled.map(|(probe, _)| probe);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        for (probe, times) in [&direct, &pooled].into_iter().zip(&mut times) {
            if let Some(probe) = probe {
                times.push(micros(probe.connect_and_read().ok()?));
            }
        }
    }
    let [direct, pooled] = times.map(|mut times| {
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    });
    Some(ConnectionTimes { direct, pooled })
}

fn server(ctx: &Context) -> Result<&ServerUrl, AppError> {
    match &ctx.store {
        StoreLocation::Server(server) => Ok(server),
        StoreLocation::File(file) => Err(AppError::Usage {
            what: format!("the store is the file {}, which needs no pooler", file.display()),
            hints: Vec::new(),
        }),
    }
}

/// Finds the routes to the server. If connections share server processes, the store's URL leads to a pooler. Otherwise,
/// looks for a pooler at the location that `pooler_config` prints.
fn routes(ctx: &Context, server: &ServerUrl) -> Result<Routes, StoreError> {
    let probe = server.probe()?;
    if probe.shares_connections()? {
        let direct = match server.direct() {
            Some(direct) => Some(direct.probe()?),
            None => None,
        };
        return Ok(Routes {
            direct,
            pooled: Some((probe, server.clone())),
        });
    }
    let address = probe.address();
    let usual = server.at(pooler_url(&folder(ctx), &address.user, &address.database));
    let pooled = usual
        .probe()
        .ok()
        .filter(|pooler| pooler.shares_connections().unwrap_or(false));
    Ok(Routes {
        direct: Some(probe),
        pooled: pooled.map(|pooler| (pooler, usual)),
    })
}

/// The folder for the pooler's files.
fn folder(ctx: &Context) -> String {
    ctx.bugle_home.join("pooler").display().to_string()
}

/// The URL of the pooler's socket.
fn pooler_url(folder: &str, user: &str, database: &str) -> String {
    format!(
        "postgres://{}@/{}?host={}&port={PORT}",
        encoded(user),
        encoded(database),
        encoded(folder)
    )
}

/// Percent-encodes a part of a URL.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
