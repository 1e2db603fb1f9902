//! MCP over standard input and output, for the client that started the process. Nothing but the protocol is written
//! there.

use bugle_app::AppError;
use rmcp::RoleServer;
use rmcp::model::{ClientRequest, JsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage, serve_server};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio_pipes;

use super::Surroundings;
use super::outbox::Outbox;
use super::server::Server;
use crate::end;
use crate::serve::run;

/// Serves the client at the other end of standard input and output until it goes or the process is asked to end.
pub fn serve_stdio(around: Surroundings) -> Result<(), AppError> {
    run(async {
        tokio::select! {
            served = serve(around) => served,
            () = end::asked() => Ok(()),
        }
    })
}

async fn serve(around: Surroundings) -> Result<(), AppError> {
    let (input, output) = stdio_pipes();
    let outbox = Outbox::default();
    let transport = Patient {
        inner: AsyncRwTransport::new_server(input, output),
        greeted: false,
        outbox: outbox.clone(),
    };
    let server = Server {
        around,
        outbox: Some(outbox),
    };
    let broken =
        |error: &dyn std::fmt::Display| AppError::System(format!("the client cannot be served: {error}"));
    match serve_server(server, transport).await {
        Ok(running) => match running.waiting().await {
            Ok(_) => Ok(()),
            Err(error) => Err(broken(&error)),
        },
        // It went before it said anything; it owes nothing.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(broken(&error)),
    }
}

/// A connection on which nothing but requests is heard before the greeting: a notification that comes too early is not
/// worth ending the connection for.
struct Patient<T> {
    inner: T,
    greeted: bool,
    outbox: Outbox,
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
            let message = self.inner.receive().await?;
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
