//! A connection to the server, and the runtime that drives it.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls};

use super::address::Address;
use super::errors;
use super::limits::Limits;
use super::tls;
use crate::StoreError;

/// How long to wait for a clean close of the connection.
const FAREWELL: Duration = Duration::from_millis(100);

/// A connection. Its runtime runs only while a caller waits for it.
pub(super) struct Link {
    client: Option<Arc<Client>>,
    /// Moves bytes between the client and the socket.
    transport: Option<JoinHandle<()>>,
    runtime: Option<Runtime>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Link {
    /// Connects. Sends the server's notifications to `heard`.
    pub(super) fn open(
        address: &Address,
        limits: &Limits,
        heard: Option<&UnboundedSender<()>>,
    ) -> Result<Self, StoreError> {
        let unreachable = |why: String| StoreError::Unreachable {
            database: address.name.clone(),
            why,
        };
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unreachable(error.to_string()))?;
        let tls = tls::connector(address.mode, &address.roots).map_err(unreachable)?;
        let attempt = |config: Config| {
            let limit = limits.connect();
            let (tls, heard) = (tls.clone(), heard.cloned());
            let connected = wait(&runtime, async move {
                tokio::time::timeout(limit, connect(&config, tls, heard)).await
            });
            match connected {
                Err(_) => {
                    let why = format!("the server did not answer within {} ms", limit.as_millis());
                    Err(unreachable(why))
                }
                Ok(Err(error)) => {
                    let note = address.note.as_deref();
                    Err(errors::of_connecting(&address.name, note, &error))
                }
                Ok(Ok(connected)) => Ok(connected),
            }
        };
        let (client, transport) = if address.is_local() && address.password_command.is_some() {
            // First try without a password: a local socket usually needs none, and the command may be slow.
            match attempt(address.config.clone()) {
                Err(StoreError::SignIn { .. }) => attempt(address.with_password(limits)?)?,
                connected => connected?,
            }
        } else {
            attempt(address.with_password(limits)?)?
        };
        Ok(Self {
            client: Some(Arc::new(client)),
            transport: Some(transport),
            runtime: Some(runtime),
        })
    }

    /// Runs `work` with the client; `None` if it exceeds the limit or the connection is closed.
    pub(super) fn run<T, F>(&self, limit: Duration, work: impl FnOnce(Arc<Client>) -> F) -> Option<T>
    where
        T: Send,
        F: Future<Output = T> + Send,
    {
        let (client, runtime) = (self.client.as_ref()?, self.runtime.as_ref()?);
        let work = work(Arc::clone(client));
        wait(
            runtime,
            async move { tokio::time::timeout(limit, work).await.ok() },
        )
    }
}

async fn connect(
    config: &Config,
    tls: Option<tls::Connector>,
    heard: Option<UnboundedSender<()>>,
) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
    if let Some(tls) = tls {
        let (client, connection) = config.connect(tls).await?;
        return Ok((client, tokio::spawn(transport(connection, heard))));
    }
    let (client, connection) = config.connect(NoTls).await?;
    Ok((client, tokio::spawn(transport(connection, heard))))
}

/// Moves bytes until the connection ends, and forwards notifications. If the connection fails, each open request
/// returns the error.
async fn transport<S, T>(mut connection: Connection<S, T>, heard: Option<UnboundedSender<()>>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let (AsyncMessage::Notification(_), Some(heard)) = (message, &heard) {
            // The receiver is gone once the listener is dropped.
            let _ = heard.send(());
        }
    }
}

/// Blocks on a future. Uses a new thread if the current one belongs to another runtime, because that runtime's thread
/// must not block.
fn wait<T: Send>(runtime: &Runtime, future: impl Future<Output = T> + Send) -> T {
    if Handle::try_current().is_err() {
        return runtime.block_on(future);
    }
    let waited = std::thread::scope(|scope| scope.spawn(|| runtime.block_on(future)).join());
    waited.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

impl Drop for Link {
    fn drop(&mut self) {
        drop(self.client.take());
        let (Some(runtime), Some(transport)) = (self.runtime.take(), self.transport.take()) else {
            return;
        };
        // Without its client, the transport closes the connection and ends.
        drop(wait(&runtime, async move {
            tokio::time::timeout(FAREWELL, transport).await
        }));
        // Do not wait for name resolution, which may still be running.
        runtime.shutdown_background();
    }
}
