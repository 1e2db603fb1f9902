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
