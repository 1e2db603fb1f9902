//! A proxy on loopback that delays everything, like a remote server.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    reason = "a bench without its proxy fails here"
)]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The size of a piece that the proxy passes on.
const PIECE: usize = 64 * 1024;

/// Starts a proxy in front of a server on this machine; returns its port. Each round trip takes `round_trip` longer.
pub fn delayed(server: SocketAddr, round_trip: Duration) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(upstream) = TcpStream::connect(server) else {
                continue;
            };
            let both = client
                .try_clone()
                .and_then(|one| Ok((one, upstream.try_clone()?)));
            let Ok((back_to, back_from)) = both else { continue };
            pass_on(client, upstream, round_trip / 2);
            pass_on(back_from, back_to, round_trip / 2);
        }
    });
    port
}

/// Passes on incoming data, each piece after the delay. Pieces in transit do not delay each other.
fn pass_on(mut from: TcpStream, mut to: TcpStream, delay: Duration) {
    let _ = to.set_nodelay(true);
    let (send, pieces) = mpsc::channel::<(Instant, Vec<u8>)>();
    thread::spawn(move || {
        let mut piece = vec![0; PIECE];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            let due = Instant::now() + delay;
            if send.send((due, piece[..length].to_vec())).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || {
        for (due, piece) in pieces {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if to.write_all(&piece).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    });
}
