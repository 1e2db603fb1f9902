//! MCP over stdio, for the client that started the process. Only protocol messages are written to stdout.

use bugle_app::{AppError, mcp_caller};
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;

use super::ServerOptions;
use super::long_lines::{LONGEST_LINE, LongLine, watched};
use super::outbox::Outbox;
use super::server::Server;
use crate::serve::block_on;
use crate::shutdown;

/// Serves the client on stdio until the client disconnects or the process receives a termination signal.
pub fn serve_stdio(options: ServerOptions) -> Result<(), AppError> {
    block_on(async {
        tokio::select! {
            served = serve(options) => served,
            () = shutdown::requested() => Ok(()),
        }
    })
}

async fn serve(options: ServerOptions) -> Result<(), AppError> {
    let (input, output) = stdio_pipes();
    let (input, long_lines) = watched(input);
    let outbox = Outbox::default();
    let transport = Patient {
        inner: AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_LINE),
        greeted: false,
        outbox: outbox.clone(),
        long_lines,
        refusals: JoinSet::new(),
    };
    let server = Server {
        options,
        outbox: Some(outbox),
        may_elicit: mcp_caller::is_started_by_client(),
    };
    let broken =
        |error: &dyn std::fmt::Display| AppError::System(format!("cannot serve the client: {error}"));
    match serve_server(server, transport).await {
        Ok(running) => match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(broken(&error)),
        },
        // The client disconnected before its first request.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(broken(&error)),
    }
}

/// A transport that ignores everything but requests until `initialize`, because an early notification must not end the
/// connection.
struct Patient<T> {
    inner: T,
    greeted: bool,
    outbox: Outbox,
    /// Requests that the transport dropped because they are too long.
    long_lines: UnboundedReceiver<LongLine>,
    /// Tasks that are sending error replies to the dropped requests.
    refusals: JoinSet<()>,
}

impl<T: Transport<RoleServer>> Patient<T> {
    /// Rejects a request that is too long. A separate task sends the reply, because `receive` can be cancelled.
    fn refuse(&mut self, line: &LongLine) {
        while self.refusals.try_join_next().is_some() {}
        let refusal = JsonRpcMessage::error(line.error(), line.id.clone());
        let sending = self.inner.send(refusal);
        self.refusals.spawn(async move { drop(sending.await) });
    }

    /// The next message; `None` once the input has ended and every long line is rejected.
    async fn next(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            tokio::select! {
                message = self.inner.receive() => {
                    if message.is_some() {
                        return message;
                    }
                    break;
                }
                Some(line) = self.long_lines.recv() => self.refuse(&line),
            }
        }
        while let Ok(line) = self.long_lines.try_recv() {
            self.refuse(&line);
        }
        while self.refusals.join_next().await.is_some() {}
        None
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sent = match &message {
            JsonRpcMessage::Response(response) => self.outbox.take(&response.id),
            _ => None,
        };
        let sending = self.inner.send(message);
        let outbox = self.outbox.clone();
        async move {
            let Some(sent) = sent else {
                return sending.await;
            };
            let _marking = outbox.settled().await;
            sending.await?;
            drop(tokio::task::spawn_blocking(move || sent.mark()).await);
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.next().await?;
            if let JsonRpcMessage::Request(request) = &message {
                self.greeted |= matches!(request.request, ClientRequest::InitializeRequest(_));
                return Some(message);
            }
            if self.greeted {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
