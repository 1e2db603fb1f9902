//! Shutdown signals.

/// Starts listening for signals at once. The future resolves when the process receives a termination signal.
#[cfg(unix)]
pub(crate) fn requested() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async {
        // Without a handler, the signal kills the process, which is also correct.
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

/// Resolves when the process is interrupted.
#[cfg(not(unix))]
pub(crate) async fn requested() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Ignores termination signals from now on, so that a signal to a process group does not end the group's leader.
#[cfg(unix)]
pub(crate) fn ignore_signals() -> Result<(), bugle_app::AppError> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ] {
        // The handlers stay registered for the lifetime of the process.
        drop(
            signal(kind).map_err(|error| {
                bugle_app::AppError::System(format!("cannot listen for signals: {error}"))
            })?,
        );
    }
    Ok(())
}

/// Ignores termination signals from now on.
#[cfg(not(unix))]
pub(crate) fn ignore_signals() -> Result<(), bugle_app::AppError> {
    Ok(())
}
