//! The supervisor's event loop: sleeps until another process writes to the store or an agent's process ends, then
//! checks all agents and starts a runner for each agent with a pending prompt. All state is in the store, so after
//! `kill -9` the next supervisor continues where this one stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;
use std::time::Duration;

use bugle_app::{
    App, AppError, Context, MAX_RUNNER_STARTS, ShortClock, StartedBy, SupervisedAgent, SupervisorLock, Tick,
    check_agents_can_sign_in, hosts, supervisor,
};
use bugle_core::id::Timestamp;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::Instant;

use super::file_events::FileEvents;
use super::store_events::StoreEvents;
use crate::shutdown;

/// Maximum number of passes in a row before the supervisor sleeps.
const MOST_PASSES: usize = 50;

/// Delays between checks after a write. The file watcher may report a write before the commit is visible to readers,
/// so one check is not enough.
const AFTER_A_WRITE: [Duration; 5] = [
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(3),
];

/// Maximum number of consecutive store errors before the supervisor exits, and the delay after each.
const MOST_FAULTS: u32 = 60;
const AFTER_A_FAULT: Duration = Duration::from_secs(1);

/// Supervisor options.
pub struct SupervisorOptions<'a> {
    /// The context.
    pub context: Context,
    /// Whether to exit when idle.
    pub once: bool,
    /// How the supervisor was started.
    pub by: StartedBy,
    /// Formats a time.
    pub clock: ShortClock<'a>,
    /// Prints a line about a supervisor action.
    pub report: &'a dyn Fn(&str) -> Result<(), AppError>,
}

/// An agent's project and name.
type Key = (String, String);

/// Supervises all agents until shutdown.
pub fn run_supervisor(options: &SupervisorOptions<'_>) -> Result<(), AppError> {
    let mut app = App::open(options.context.clone())?;
    check_agents_can_sign_in(&options.context)?;
    let home = &options.context.bugle_home;
    let mut lock = Some(SupervisorLock::take(home, options.by)?);
    hosts::renew_lease(&mut app.store, &app.context)?;
    crate::serve::block_on(async {
        // Start watching before the first tick, so that no write is missed.
        let mut changes = StoreEvents::watch(&options.context)?;
        let mut wanted = FileEvents::watch(home, SupervisorLock::WANTED)?;
        let (send, mut ended) = mpsc::unbounded_channel();
        let mut processes = ProcessTable {
            ended: send,
            runners: BTreeMap::new(),
            watched: BTreeSet::new(),
            tries: BTreeMap::new(),
        };
        (options.report)("The supervisor is running.")?;
        let mut seen = supervisor::data_version(&mut app.store)?;
        let mut faults = 0;
        let mut heartbeat = Instant::now() + hosts::HEARTBEAT;
        // A signal that arrives during a tick is handled after the tick.
        let asked = shutdown::requested();
        tokio::pin!(asked);
        loop {
            // The supervisor survives a store that is briefly busy or unreadable.
            let next = match processes.look(&mut app, options) {
                Ok(next) => {
                    faults = 0;
                    next
                }
                Err(error) if faults < MOST_FAULTS => {
                    faults += 1;
                    (options.report)(&format!("The store is unavailable, retrying: {error}."))?;
                    Some(AFTER_A_FAULT)
                }
                Err(error) => return Err(error),
            };
            // If another process wrote during the tick, the data version has changed and the next tick starts at once.
            let mut written = has_changed(&mut app, &mut seen).unwrap_or_default();
            let may_end = options.once && processes.is_idle() && next.is_none() && !written;
            if may_end && !(options.by == StartedBy::Demand && must_stay(&mut app)) {
                // Processes that write to the store start no supervisor while this one holds the lock. So release the
                // lock first, then check for writes again.
                drop(lock.take());
                if !has_changed(&mut app, &mut seen).unwrap_or_default() {
                    return Ok(());
                }
                match SupervisorLock::take(home, options.by) {
                    Ok(taken) => lock = Some(taken),
                    // Another supervisor is running now.
                    Err(_) => return Ok(()),
                }
                continue;
            }
            let due = next.map(|next| Instant::now() + next);
            let mut rechecks = [].iter();
            let mut recheck_at = None;
            while !written {
                tokio::select! {
                    () = changes.next() => {
                        written = has_changed(&mut app, &mut seen).unwrap_or(true);
                        rechecks = AFTER_A_WRITE.iter();
                        recheck_at = rechecks.next().map(|wait| Instant::now() + *wait);
                    }
                    () = until(recheck_at) => {
                        written = has_changed(&mut app, &mut seen).unwrap_or(true);
                        recheck_at = rechecks.next().map(|wait| Instant::now() + *wait);
                    }
                    key = ended.recv() => {
                        processes.process_ended(key);
                        written = true;
                    }
                    () = until(due) => written = true,
                    () = until(Some(heartbeat)) => {
                        heartbeat = Instant::now() + hosts::HEARTBEAT;
                        if let Err(error) = hosts::renew_lease(&mut app.store, &app.context) {
                            (options.report)(&format!("Cannot renew the supervisor's lease: {error}."))?;
                        }
                    }
                    () = wanted.next(), if options.by == StartedBy::Demand => {
                        // The user has started another supervisor. It continues with the state in the store, and the
                        // agents are not affected.
                        return Ok(());
                    }
                    () = &mut asked => {
                        (options.report)("Stopping the supervisor and the agents it started.")?;
                        return processes.stop_all(&mut app);
                    }
                }
            }
        }
    })
}

/// Whether an idle supervisor must keep running.
fn must_stay(app: &mut App) -> bool {
    hosts::must_stay(&mut app.store, &app.context).unwrap_or_default()
}

/// Whether another process wrote to the store since the last call.
fn has_changed(app: &mut App, seen: &mut i64) -> Result<bool, AppError> {
    let now = supervisor::data_version(&mut app.store)?;
    let changed = now != *seen;
    *seen = now;
    Ok(changed)
}

/// Waits until a time, or forever if no time is given.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// The supervisor's agent processes.
struct ProcessTable {
    ended: UnboundedSender<Key>,
    /// Runners that this supervisor started.
    runners: BTreeMap<Key, (Child, SupervisedAgent)>,
    /// Agents whose process was started elsewhere. The supervisor only waits for that process to exit.
    watched: BTreeSet<Key>,
    /// The number of runners started for each agent's unclaimed prompt.
    tries: BTreeMap<Key, u32>,
}

impl ProcessTable {
    /// Repeats passes until nothing changes. Returns the delay before the next pass is due, if any.
    fn look(&mut self, app: &mut App, options: &SupervisorOptions<'_>) -> Result<Option<Duration>, AppError> {
        for _ in 0..MOST_PASSES {
            self.reap();
            let pass = supervisor::supervise(&mut app.store, &app.context, options.clock)?;
            for note in &pass.notes {
                (options.report)(note)?;
            }
            self.start(app, &pass)?;
            self.watch(&pass);
            if !pass.moved {
                return Ok(pass.next.map(|next| wait(app.context.now(), next)));
            }
        }
        // If the passes never settle, wait a second before trying again.
        Ok(Some(Duration::from_secs(1)))
    }

    fn start(&mut self, app: &mut App, pass: &Tick) -> Result<(), AppError> {
        for waiting in &pass.to_start {
            let key = key(waiting);
            if self.runners.contains_key(&key) {
                continue;
            }
            let tries = self.tries.entry(key.clone()).or_default();
            *tries += 1;
            if *tries > MAX_RUNNER_STARTS {
                self.tries.remove(&key);
                supervisor::abandon_delivery(
                    &mut app.store,
                    &app.context,
                    waiting,
                    "the agent's runner process keeps exiting before it claims the prompt",
                )?;
                continue;
            }
            match supervisor::start_runner(&app.context, waiting) {
                Ok(child) => {
                    self.wait_for(&key, child.id());
                    self.runners.insert(key, (child, waiting.clone()));
                }
                Err(error) => {
                    self.tries.remove(&key);
                    supervisor::abandon_delivery(&mut app.store, &app.context, waiting, &error.to_string())?;
                }
            }
        }
        Ok(())
    }

    fn watch(&mut self, pass: &Tick) {
        for running in &pass.running {
            let key = key(running);
            self.tries.remove(&key);
            if let Some(process) = running.process
                && !self.runners.contains_key(&key)
                && self.watched.insert(key.clone())
            {
                let ended = self.ended.clone();
                std::thread::spawn(move || {
                    supervisor::wait_for(process);
                    ended.send(key)
                });
            }
        }
    }

    fn wait_for(&self, key: &Key, pid: u32) {
        let (key, ended) = (key.clone(), self.ended.clone());
        std::thread::spawn(move || {
            supervisor::wait_for_child(pid);
            ended.send(key)
        });
    }

    fn process_ended(&mut self, key: Option<Key>) {
        if let Some(key) = key {
            self.watched.remove(&key);
        }
    }

    /// Reaps exited child processes.
    fn reap(&mut self) {
        self.runners
            .retain(|_, (child, _)| !matches!(child.try_wait(), Ok(Some(_)) | Err(_)));
    }

    fn is_idle(&mut self) -> bool {
        self.reap();
        self.runners.is_empty() && self.watched.is_empty()
    }

    fn stop_all(mut self, app: &mut App) -> Result<(), AppError> {
        self.reap();
        for (child, watched) in self.runners.values_mut() {
            supervisor::stop_with_supervisor(&mut app.store, &app.context, watched)?;
            // Ignore errors: the process has already exited.
            let _ = child.wait();
        }
        Ok(())
    }
}

fn key(watched: &SupervisedAgent) -> Key {
    (watched.project.0.clone(), watched.agent.to_string())
}

/// The duration until a time.
fn wait(now: Timestamp, due: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(due.0.saturating_sub(now.0)).unwrap_or_default())
}
