//! Seeing to it that somebody looks after agents that there is something to do about.

use bugle_skill::SupervisorStart;
use bugle_store::{LaunchStore as _, Receiver};

use super::lock::SupervisorLock;
use super::process;
use crate::settings::Settings;
use crate::{App, AppError};

impl App {
    /// Starts a supervisor if none is up. If it may not or cannot be started, says what the person can do instead.
    pub fn have_supervisor(&self) -> Option<String> {
        if SupervisorLock::is_held(&self.place.bugle_home) {
            return None;
        }
        let start = self.place.command(&["up"]);
        let wakes = |why: &str| Some(format!("{why}. `{start}` wakes agents that are spoken to."));
        if Settings::load(&self.place).supervisor == Some(SupervisorStart::ByHand) {
            return wakes("No supervisor is up");
        }
        if process::is_confined() {
            return wakes(
                "No supervisor is up, and one that is started in this sandbox could start no client",
            );
        }
        match process::start_supervisor(&self.place) {
            Ok(mut child) => {
                // Whoever speaks may live on: what has ended is to be forgotten by the system.
                std::thread::spawn(move || child.wait());
                None
            }
            Err(error) => wakes(&format!("No supervisor could be started: {error}")),
        }
    }

    /// The same, if one of those who were spoken to is an agent that Bugle starts.
    pub(crate) fn have_supervisor_for(&mut self, receivers: &[Receiver]) -> Result<Option<String>, AppError> {
        for receiver in receivers {
            if receiver.wakes && self.store.launch(&receiver.project, &receiver.agent)?.is_some() {
                return Ok(self.have_supervisor());
            }
        }
        Ok(None)
    }
}
