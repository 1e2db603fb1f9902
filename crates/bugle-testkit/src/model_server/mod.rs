//! A model server whose answers a test writes: the Messages of Claude Code and the Responses of Codex over
//! HTTP/1.1, enough of both for real clients. The model is a closure from a request to a reply, so it can act on nothing
//! but what a client sent.
//!
//! The server listens on a Unix-domain socket. A real client runs in a network of its own, which a file's name crosses
//! and a port does not; [`crate::clients`] puts a port in front of the socket over there.
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

/// For how long a connection may say nothing: far beyond what a client needs, so that no thread stays for ever.
const SILENCE: Duration = Duration::from_mins(2);

type Model = Box<dyn FnMut(&Request) -> Reply + Send>;

/// What all connections of a server share.
struct Shared {
    model: Mutex<Model>,
    log: Log,
}

/// A server at work. It ends with [`ModelServer::finish`].
#[derive(Debug)]
pub struct ModelServer {
    socket: PathBuf,
    log: Log,
    listener: JoinHandle<()>,
}

impl ModelServer {
    /// Listens on this socket, whose folder must exist.
    ///
    /// Requests are answered one at a time, so a model that waits makes all others wait. When the model panics, because
    /// it asserts something, the client gets an error and [`ModelServer::finish`] panics in its turn.
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
                // A client that goes away in the middle of an answer is not the server's trouble.
                std::thread::spawn(move || connection.and_then(|connection| shared.serve(connection)));
            }
        });
        Ok(Self {
            socket: socket.to_owned(),
            log,
            listener,
        })
    }

    /// What was asked and answered, while it goes on.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Ends the server, and says what was asked and answered. Panics if the model did.
    pub fn finish(self) -> Vec<Exchange> {
        self.log.close();
        // The listener wakes only for a connection.
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

    /// One request at a time, in the order in which they are logged.
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
                    (None, Response::failure(500, "the model of the test panicked"))
                }
            },
        };
        self.log.push(Exchange { request, reply });
        response
    }
}

fn encode(protocol: Protocol, request: &Request, reply: &Reply) -> Response {
    if let Some(status) = reply.status {
        return Response::failure(status, "the model of the test refuses");
    }
    let streamed = request.body["stream"] == true;
    match protocol {
        Protocol::Messages => messages::encode(&request.body, reply, streamed),
        Protocol::Responses => responses::encode(&request.body, reply, streamed),
    }
}

/// What a client asks besides the model's own words.
fn unscripted(request: &Request) -> Response {
    if request.path.ends_with("/count_tokens") {
        // About four letters to a token.
        let tokens = request.body.to_string().len() / 4 + 1;
        return Response::json(&json!({ "input_tokens": tokens }));
    }
    Response::failure(404, "the model server of the tests has nothing there")
}
