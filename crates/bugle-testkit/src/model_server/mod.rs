//! A scripted model server: enough of the Messages protocol of Claude Code and the Responses protocol of Codex for real
//! clients, over HTTP/1.1. The model is a closure from a request to a reply, so it only knows what a client sent.
//!
//! The server listens on a Unix-domain socket, because a real client runs in its own network namespace, where a socket file
//! is reachable and a port is not. There, [`crate::clients`] relays a port to the socket.
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

/// The read timeout of a connection: far more than a client needs, so that no thread stays forever.
const SILENCE: Duration = Duration::from_mins(2);

type Model = Box<dyn FnMut(&Request) -> Reply + Send>;

/// The shared state of a server's connections.
struct Shared {
    model: Mutex<Model>,
    log: Log,
}

/// A running server. [`ModelServer::finish`] ends it.
#[derive(Debug)]
pub struct ModelServer {
    socket: PathBuf,
    log: Log,
    listener: JoinHandle<()>,
}

impl ModelServer {
    /// Listens on this socket, whose folder must exist.
    ///
    /// Requests are answered one at a time, so a model that waits blocks all others. If the model panics, for example in an
    /// assertion, the client gets an error and [`ModelServer::finish`] panics too.
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
                // A client may disconnect in the middle of an answer.
                std::thread::spawn(move || connection.and_then(|connection| shared.serve(connection)));
            }
        });
        Ok(Self {
            socket: socket.to_owned(),
            log,
            listener,
        })
    }

    /// The log, while the server runs.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Ends the server and returns its exchanges. Panics if the model did.
    pub fn finish(self) -> Vec<Exchange> {
        self.log.close();
        // A connection wakes the listener.
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

    /// Answers one request at a time, in the order of the log.
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
        return Response::failure(status, "the scripted model refuses");
    }
    let streamed = request.body["stream"] == true;
    match protocol {
        Protocol::Messages => messages::encode(&request.body, reply, streamed),
        Protocol::Responses => responses::encode(&request.body, reply, streamed),
    }
}

/// The answer to a request that is not for the model.
fn unscripted(request: &Request) -> Response {
    if request.path.ends_with("/count_tokens") {
        // About four characters per token.
        let tokens = request.body.to_string().len() / 4 + 1;
        return Response::json(&json!({ "input_tokens": tokens }));
    }
    Response::failure(404, "the scripted model server has no such path")
}
