//! How a server is told to end. What differs by system is here.

/// Listens from now on, and waits until the system or a person asks the process to end.
#[cfg(unix)]
pub(crate) fn asked() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async {
        // A process that cannot listen for a signal is ended by it, which is what is wanted.
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

/// Waits until the system or a person asks the process to end.
#[cfg(not(unix))]
pub(crate) async fn asked() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// From now on this process is not ended by what it is asked for: whoever leads a group hears what is meant for the others.
#[cfg(unix)]
pub(crate) fn outlive_requests() -> Result<(), bugle_app::AppError> {
    use tokio::signal::unix::{SignalKind, signal};
    for kind in [
        SignalKind::terminate(),
        SignalKind::interrupt(),
        SignalKind::hangup(),
    ] {
        // To have asked for it once is enough for as long as the process lives.
        drop(signal(kind).map_err(|error| {
            bugle_app::AppError::System(format!("signals cannot be listened for: {error}"))
        })?);
    }
    Ok(())
}

/// From now on this process is not ended by what it is asked for.
#[cfg(not(unix))]
pub(crate) fn outlive_requests() -> Result<(), bugle_app::AppError> {
    Ok(())
}
