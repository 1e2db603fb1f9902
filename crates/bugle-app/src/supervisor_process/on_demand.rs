//! Starts a supervisor on demand.

use bugle_core::reply::SupervisorNotice;
use bugle_skill::SupervisorStart;
use bugle_store::{Receiver, Store};

use super::hosts::host_of;
use super::lock::SupervisorLock;
use super::process;
use crate::settings::Settings;
use crate::store_password::check_agents_can_sign_in;
use crate::{AppError, Context};

/// Starts a supervisor if none is running. If Bugle may not start one or the start fails, returns a notice with advice
/// for the user.
pub fn ensure_supervisor(ctx: &Context) -> Option<SupervisorNotice> {
    if SupervisorLock::is_held(&ctx.bugle_home) {
        return None;
    }
    let start = ctx.command(&["up"]);
    if Settings::load(ctx).supervisor == Some(SupervisorStart::ByHand) {
        return Some(SupervisorNotice::NotRunning { start });
    }
    if process::is_sandboxed() {
        return Some(SupervisorNotice::Sandboxed { start });
    }
    if let Err(error) = check_agents_can_sign_in(ctx) {
        return Some(SupervisorNotice::CannotSignIn {
            error: error.to_string(),
        });
    }
    match process::start_supervisor(ctx) {
        Ok(mut child) => {
            // Reap the child in case this process outlives it.
            std::thread::spawn(move || child.wait());
            None
        }
        Err(error) => Some(SupervisorNotice::CannotStart {
            error: error.to_string(),
            start,
        }),
    }
}

/// Starts a supervisor if Bugle must wake one of the recipients.
pub(crate) fn ensure_supervisor_for(
    store: &mut Store,
    ctx: &Context,
    receivers: &[Receiver],
) -> Result<Option<SupervisorNotice>, AppError> {
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
                return Ok(Some(SupervisorNotice::HostGone {
                    agent: receiver.agent.to_string(),
                    host,
                }));
            }
            Some(_) => {}
        }
    }
    Ok(None)
}
