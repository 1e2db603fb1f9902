//! What everything that stays up shares: a runtime, and a server that only this machine reaches and that ends when it is
//! asked to.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use bugle_app::AppError;
use tokio::net::TcpListener;

use crate::end;
use crate::first_request::Prompt;

/// Runs something asynchronous to its end. What is still at work behind it is not waited for: it either commits or it
/// never happened.
pub(crate) fn run<T>(work: impl Future<Output = Result<T, AppError>>) -> Result<T, AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::System(format!("the server cannot start: {error}")))?;
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}

/// Serves on the loopback address until the process is asked to end. `prepare` is given the port that it is, tells
/// whoever waits for it, and says what is served.
pub(crate) fn on_loopback(
    port: u16,
    prepare: impl FnOnce(u16) -> Result<Router, AppError>,
) -> Result<(), AppError> {
    run(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            .await
            .map_err(|error| AppError::Usage {
                what: format!("port {port} cannot be used: {error}"),
                hints: vec!["`--port` chooses another one, `--port 0` any that is free.".to_owned()],
            })?;
        let broken = |error: std::io::Error| AppError::System(format!("the server broke off: {error}"));
        let port = listener.local_addr().map_err(broken)?.port();
        // Whoever is told that it is ready may ask it to end at once.
        let asked_to_end = end::asked();
        let served = axum::serve(Prompt(listener), prepare(port)?);
        tokio::select! {
            served = async { served.await } => served.map_err(broken),
            () = asked_to_end => Ok(()),
        }
    })
}
