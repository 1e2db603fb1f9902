//! Closes connections that do not send a complete request header in time, so that they do not pile up.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Sleep, sleep};

/// The time limit between connecting and the end of the first request's header.
const LONGEST: Duration = Duration::from_secs(10);
/// The byte sequence that ends a header.
const END: &[u8] = b"\r\n\r\n";

/// A listener whose connections time out if they send no request.
pub(crate) struct TimeoutListener(pub TcpListener);

/// A connection with a time limit for its first header.
pub(crate) struct Connection {
    stream: TcpStream,
    /// The timer; `None` once the header is complete.
    until: Option<Pin<Box<Sleep>>>,
    /// The number of bytes of [`END`] matched so far.
    ending: usize,
}

impl Listener for TimeoutListener {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.0).await;
        let connection = Connection {
            stream,
            until: Some(Box::pin(sleep(LONGEST))),
            ending: 0,
        };
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl Connection {
    /// Looks for the end of the first header.
    fn read(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.ending = match END.get(self.ending) {
                Some(expected) if expected == byte => self.ending + 1,
                _ => usize::from(END.first() == Some(byte)),
            };
            if self.ending == END.len() {
                self.until = None;
                return;
            }
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if self.until.is_some() {
            self.read(buffer.filled().get(before..).unwrap_or_default());
        }
        if let Some(until) = &mut self.until
            && until.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
