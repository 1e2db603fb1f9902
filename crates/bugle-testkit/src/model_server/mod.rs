//! A scripted model server for real clients. It implements enough of the clients' protocols (see [`Protocol`]) over
//! HTTP/1.1. The model is a closure from a request to a reply, so it sees only the client's request.
//!
//! The server listens on a Unix domain socket, because a real client runs in its own network namespace and cannot
//! reach a port outside of it. Inside the namespace, [`crate::clients`] relays a port to the socket.
//!
//! ```no_run
//! use bugle_testkit::model_server::{ModelServer, Reply};
//!
//! let mut spoken = false;
//! let server = ModelServer::start("/tmp/example/model.sock".as_ref(), move |request| {
//!     if request.asks_for_summary() {
//!         return Reply::text("<summary>Nothing was done.</summary>");
//!     }
//!     if std::mem::replace(&mut spoken, true) {
//!         return Reply::text(format!("It said: {}", request.last_tool_result().unwrap_or_default()));
//!     }
//!     Reply::shell("bugle skill list")
//! })?;
//! // ... a client does its work ...
//! let exchanges = server.finish();
//! assert!(exchanges[0].request.shown().contains("what the user asked"));
//! # Ok::<(), std::io::Error>(())
//! ```

mod chat;
mod generate;
mod http;
mod log;
mod messages;
mod reply;
mod request;
mod responses;
#[cfg(test)]
mod tests;

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use http::Response;
use serde_json::json;

pub use log::{Exchange, Log};
pub use reply::{Call, Reply, turns};
pub use request::{Protocol, Request, Said, Speaker};

/// A connection's read timeout: far longer than a client needs. It keeps threads from waiting forever.
const SILENCE: Duration = Duration::from_mins(2);

type Model = Box<dyn FnMut(&Request) -> Reply + Send>;

/// State shared by a server's connections.
struct Shared {
    model: Mutex<Model>,
    log: Log,
}

/// A running server. [`ModelServer::finish`] stops it.
#[derive(Debug)]
pub struct ModelServer {
    socket: PathBuf,
    log: Log,
    listener: JoinHandle<()>,
}

impl ModelServer {
    /// Starts a server on this socket. The socket's folder must exist.
    ///
    /// Requests are answered one at a time, so a model that blocks delays all other requests. If the model panics, for
    /// example in an assertion, the client gets an error and [`ModelServer::finish`] panics too.
    pub fn start(socket: &Path, model: impl FnMut(&Request) -> Reply + Send + 'static) -> io::Result<Self> {
        let listener = UnixListener::bind(socket)?;
        let log = Log::default();
        let shared = Arc::new(Shared {
            model: Mutex::new(Box::new(model)),
            log: log.clone(),
        });
        let listener = std::thread::spawn(move || {
            for connection in listener.incoming() {
                if shared.log.is_closed() {
                    break;
                }
                let shared = Arc::clone(&shared);
                // Ignore errors: a client may disconnect in the middle of a response.
                std::thread::spawn(move || connection.and_then(|connection| shared.serve(connection)));
            }
        });
        Ok(Self {
            socket: socket.to_owned(),
            log,
            listener,
        })
    }

    /// The server's log.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Stops the server and returns its exchanges. Panics if the model panicked.
    pub fn finish(self) -> Vec<Exchange> {
        self.log.close();
        // Connect once to wake the listener.
        drop(UnixStream::connect(&self.socket));
        drop(self.listener.join());
        if let Some(panic) = self.log.take_panic() {
            resume_unwind(panic);
        }
        self.log.exchanges()
    }
}

impl Shared {
    fn serve(&self, mut connection: UnixStream) -> io::Result<()> {
        connection.set_read_timeout(Some(SILENCE))?;
        let request = http::read_request(&connection)?;
        self.answer(request).write(&mut connection)
    }

    /// Answers one request at a time, in log order.
    fn answer(&self, request: Request) -> Response {
        let mut model = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let number = self.log.len() + 1;
        let request = Request { number, ..request };
        let (reply, response) = match request.protocol {
            None => (None, unscripted(&request)),
            Some(protocol) => match catch_unwind(AssertUnwindSafe(|| model(&request))) {
                Ok(reply) => {
                    let response = encode(protocol, &request, &reply);
                    (Some(reply), response)
                }
                Err(panic) => {
                    self.log.keep_panic(panic);
                    (None, Response::failure(500, "the scripted model panicked"))
                }
            },
        };
        self.log.push(Exchange { request, reply });
        response
    }
}

fn encode(protocol: Protocol, request: &Request, reply: &Reply) -> Response {
    if let Some(status) = reply.status {
        return Response::failure(status, "error from the scripted model");
    }
    let streamed = request.body["stream"] == true;
    match protocol {
        Protocol::Messages => messages::encode(request, reply, streamed),
        Protocol::Responses => responses::encode(request, reply, streamed),
        Protocol::Chat => chat::encode(request, reply, streamed),
        Protocol::Generate => generate::encode(request, reply),
    }
}

/// The answer to a request that is not for the model.
fn unscripted(request: &Request) -> Response {
    // About four characters per token.
    let tokens = request.body.to_string().len() / 4 + 1;
    if request.path.ends_with("/count_tokens") {
        return Response::json(&json!({ "input_tokens": tokens }));
    }
    if request.path.ends_with(":countTokens") {
        return Response::json(&json!({ "totalTokens": tokens }));
    }
    Response::failure(404, "the scripted model server does not serve this path")
}
