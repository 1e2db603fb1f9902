//! The machines of agents in a shared store. The supervisor of each machine renews the machine's lease.

use std::time::Duration;

use bugle_core::reply::AgentHost;
use bugle_render::agent as agent_text;
use bugle_store::{AgentRow, Store};

use crate::machine::host_name;
use crate::{AppError, Context};

/// How often a supervisor renews its machine's lease.
pub const HEARTBEAT: Duration = Duration::from_secs(20);
/// How long a lease lasts, in milliseconds. An older lease means that the machine is gone.
const LEASE: i64 = 60_000;

/// The machine of an agent that Bugle started on another machine; `None` if the agent is on this machine or is not
/// bound to a machine.
pub(crate) fn host_of(store: &mut Store, row: &AgentRow) -> Result<Option<AgentHost>, AppError> {
    if row.machine == *store.machine() || row.machine.as_str().is_empty() || row.log.is_none() {
        return Ok(None);
    }
    Ok(store.machine_row(&row.machine)?.map(|machine| AgentHost {
        silent_seconds: (machine.age > LEASE).then_some(machine.age / 1000),
        name: machine.name,
    }))
}

/// Refuses an operation on an agent's process, log or folder if they are on another machine.
pub(crate) fn require_here(store: &mut Store, ctx: &Context, row: &AgentRow) -> Result<(), AppError> {
    let Some(host) = host_of(store, row)? else {
        return Ok(());
    };
    let name = row.address.seen_from(&row.address.home());
    let hint = if host.is_gone() {
        let recover = ctx.command(&["agent", "recover", &name]);
        format!("To restart the agent on this machine: {recover}")
    } else {
        format!("Run the command on {}.", host.name)
    };
    Err(AppError::Usage {
        what: format!(
            "@{} is on another machine: {}",
            row.address,
            agent_text::host(&host)
        ),
        hints: vec![hint],
    })
}

/// Renews this machine's lease in a shared store. An error means that another host has the same machine id.
pub fn renew_lease(store: &mut Store, ctx: &Context) -> Result<(), AppError> {
    if !ctx.store.is_shared() {
        return Ok(());
    }
    match store.renew_lease(&host_name(), LEASE)? {
        None => Ok(()),
        Some(holder) => Err(AppError::Usage {
            what: format!("a supervisor with this machine's id is running on host {holder}"),
            hints: vec![format!(
                "If {} was copied from that host, rename the file `machine` in it to get a new id.",
                ctx.bugle_home.display()
            )],
        }),
    }
}

/// Whether an idle on-demand supervisor must keep running. Other machines can send messages to agents on this machine,
/// and only this machine's supervisor can wake those agents.
pub fn must_stay(store: &mut Store, ctx: &Context) -> Result<bool, AppError> {
    Ok(ctx.store.is_shared() && store.has_agents_here()?)
}
