//! The async runtime and an HTTP server on the loopback interface.

use std::net::{Ipv4Addr, SocketAddr};

use axum::Router;
use bugle_app::AppError;
use tokio::net::TcpListener;

use crate::header_timeout::TimeoutListener;
use crate::shutdown;

/// Runs a future to completion. Does not wait for blocking tasks that are still running: each either commits or
/// changes nothing.
pub(crate) fn block_on<T>(work: impl Future<Output = Result<T, AppError>>) -> Result<T, AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| AppError::System(format!("cannot start the server: {error}")))?;
    let ended = runtime.block_on(work);
    runtime.shutdown_background();
    ended
}

/// Serves on the loopback interface until shutdown. `prepare` receives the port and returns the routes.
pub(crate) fn serve_on_loopback(
    port: u16,
    prepare: impl FnOnce(u16) -> Result<Router, AppError>,
) -> Result<(), AppError> {
    block_on(async {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
            .await
            .map_err(|error| AppError::Usage {
                what: format!("cannot listen on port {port}: {error}"),
                hints: vec![
                    "Choose another port with `--port`, or any free port with `--port 0`.".to_owned(),
                ],
            })?;
        let broken = |error: std::io::Error| AppError::System(format!("the server stopped: {error}"));
        let port = listener.local_addr().map_err(broken)?.port();
        // Listen for signals before reporting ready: the caller may shut the server down at once.
        let shutdown_requested = shutdown::requested();
        let served = axum::serve(TimeoutListener(listener), prepare(port)?);
        tokio::select! {
            served = async { served.await } => served.map_err(broken),
            () = shutdown_requested => Ok(()),
        }
    })
}
