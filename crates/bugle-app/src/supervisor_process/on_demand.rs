//! Starts a supervisor on demand.

use bugle_skill::SupervisorStart;
use bugle_store::{Receiver, Store};

use super::hosts::host_of;
use super::lock::SupervisorLock;
use super::process;
use crate::settings::Settings;
use crate::store_password::check_agents_can_sign_in;
use crate::{AppError, Context};

/// Starts a supervisor if none is running. If Bugle may not start one or the start fails, returns a notice that says
/// what the user can do.
pub fn ensure_supervisor(ctx: &Context) -> Option<String> {
    if SupervisorLock::is_held(&ctx.bugle_home) {
        return None;
    }
    let start = ctx.command(&["up"]);
    let wakes = |why: &str| Some(format!("{why}. To wake agents, run `{start}`."));
    if Settings::load(ctx).supervisor == Some(SupervisorStart::ByHand) {
        return wakes("No supervisor is running");
    }
    if process::is_sandboxed() {
        return wakes("No supervisor is running, and one started in this sandbox could not start clients");
    }
    if let Err(error) = check_agents_can_sign_in(ctx) {
        return Some(format!("No supervisor is running: {error}."));
    }
    match process::start_supervisor(ctx) {
        Ok(mut child) => {
            // Reap the child in case this process outlives it.
            std::thread::spawn(move || child.wait());
            None
        }
        Err(error) => wakes(&format!("Cannot start a supervisor: {error}")),
    }
}

/// Starts a supervisor if Bugle must wake one of the recipients.
pub(crate) fn ensure_supervisor_for(
    store: &mut Store,
    ctx: &Context,
    receivers: &[Receiver],
) -> Result<Option<String>, AppError> {
    for receiver in receivers {
        if !receiver.wakes || store.delivery(&receiver.project, &receiver.agent)?.is_none() {
            continue;
        }
        let host = match store.agent(&receiver.project, &receiver.agent)? {
            Some(row) if ctx.store.is_shared() => host_of(store, &row)?,
            _ => None,
        };
        match host {
            None => return Ok(ensure_supervisor(ctx)),
            // The supervisor of the agent's machine wakes the agent.
            Some(host) if host.is_gone() => {
                return Ok(Some(format!("@{} is waiting: {}.", receiver.agent, host.note())));
            }
            Some(_) => {}
        }
    }
    Ok(None)
}
