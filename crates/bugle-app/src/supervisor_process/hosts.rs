//! The machines of agents in a shared store. The supervisor of each machine renews the machine's lease.

use std::time::Duration;

use bugle_store::{AgentRow, MachineRow, Store};

use crate::machine::host_name;
use crate::{AppError, Context};

/// How often a supervisor renews its machine's lease.
pub const HEARTBEAT: Duration = Duration::from_secs(20);
/// How long a lease lasts, in milliseconds. An older lease means that the machine is gone.
const LEASE: i64 = 60_000;

/// Another machine, on which an agent runs.
pub(crate) struct Host(MachineRow);

impl Host {
    /// Whether the machine's supervisor has stopped reporting.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.age > LEASE
    }

    /// A note about the agent's machine.
    pub(crate) fn note(&self) -> String {
        let name = &self.0.name;
        if self.is_gone() {
            format!("host {name} not seen for {}", duration(self.0.age / 1000))
        } else {
            format!("on {name}")
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }
}

/// A duration in its largest unit.
fn duration(seconds: i64) -> String {
    match seconds {
        ..=119 => format!("{seconds} s"),
        120..=7_199 => format!("{} min", seconds / 60),
        7_200..=172_799 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// The machine of an agent that Bugle started on another machine; `None` if the agent is on this machine or is not
/// bound to a machine.
pub(crate) fn host_of(store: &mut Store, row: &AgentRow) -> Result<Option<Host>, AppError> {
    if row.machine == *store.machine() || row.machine.as_str().is_empty() || row.log.is_none() {
        return Ok(None);
    }
    Ok(store.machine_row(&row.machine)?.map(Host))
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
        format!("Run the command on {}.", host.name())
    };
    Err(AppError::Usage {
        what: format!("@{} is on another machine: {}", row.address, host.note()),
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

/// Whether an on-demand supervisor must keep running although it is idle: only the supervisor of this machine can wake
/// its agents when another machine sends them a message.
pub fn must_stay(store: &mut Store, ctx: &Context) -> Result<bool, AppError> {
    Ok(ctx.store.is_shared() && store.has_agents_here()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_one_unit() {
        for (seconds, text) in [
            (61, "61 s"),
            (600, "10 min"),
            (90_000, "25 h"),
            (864_000, "10 days"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }
}
