//! The runtime, and a server on loopback that ends at shutdown.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use bugle_app::AppError;
use tokio::net::TcpListener;

use crate::header_timeout::TimeoutListener;
use crate::shutdown;

/// Runs a future to its end. Blocking work that is still running is not awaited: it either commits or never happened.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, AppError>>) -> Result<T, AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::System(format!("the server cannot start: {error}")))?;
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}

/// Serves on loopback until shutdown. `prepare` receives the port and returns the routes.
pub(crate) fn serve_on_loopback(
    port: u16,
    prepare: impl FnOnce(u16) -> Result<Router, AppError>,
) -> Result<(), AppError> {
    block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            .await
            .map_err(|error| AppError::Usage {
                what: format!("port {port} cannot be used: {error}"),
                hints: vec!["`--port` chooses another one, `--port 0` any that is free.".to_owned()],
            })?;
        let broken = |error: std::io::Error| AppError::System(format!("the server broke off: {error}"));
        let port = listener.local_addr().map_err(broken)?.port();
        // Listen for signals before reporting ready: a caller may shut it down at once.
        let shutdown_requested = shutdown::requested();
        let served = axum::serve(TimeoutListener(listener), prepare(port)?);
        tokio::select! {
            served = async { served.await } => served.map_err(broken),
            () = shutdown_requested => Ok(()),
        }
    })
}
