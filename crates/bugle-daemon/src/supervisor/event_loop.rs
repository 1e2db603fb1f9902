//! The supervisor: sleeps until another process writes to the store or an agent's process ends, checks all agents, and
//! starts runners for those with a waiting prompt. All of its state is in the store: after `kill -9`, the next supervisor
//! continues.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;
use std::time::Duration;

use bugle_app::{
    App, AppError, Context, MAX_RUNNER_STARTS, ShortClock, StartedBy, SupervisedAgent, SupervisorLock, Tick,
    supervisor,
};
use bugle_core::id::Timestamp;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::Instant;

use super::file_events::FileEvents;
use super::store_events::StoreEvents;
use crate::shutdown;

/// The most passes in a row before the supervisor sleeps.
const MOST_PASSES: usize = 50;

/// The file watcher reports a write before readers of the store can see it, because the writer waits for the disk first.
/// So the supervisor checks again a few times after a write.
const AFTER_A_WRITE: [Duration; 5] = [
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(3),
];

/// The most store errors in a row that the supervisor survives, and how long it waits after each.
const MOST_FAULTS: u32 = 60;
const AFTER_A_FAULT: Duration = Duration::from_secs(1);

/// Options of a supervisor.
pub struct SupervisorOptions<'a> {
    /// The context.
    pub context: Context,
    /// Whether to exit when idle.
    pub once: bool,
    /// Who started the supervisor.
    pub by: StartedBy,
    /// Formats a time.
    pub clock: ShortClock<'a>,
    /// Prints a line about what the supervisor did.
    pub report: &'a dyn Fn(&str) -> Result<(), AppError>,
}

/// The project and the name of an agent.
type Key = (String, String);

/// Supervises all agents until shutdown.
pub fn run_supervisor(options: &SupervisorOptions<'_>) -> Result<(), AppError> {
    let mut app = App::open(options.context.clone())?;
    let home = &options.context.bugle_home;
    let mut lock = Some(SupervisorLock::take(home, options.by)?);
    crate::serve::block_on(async {
        // Watch first: the first tick sees what was written before it.
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
        // Signals during a tick are handled after it.
        let asked = shutdown::requested();
        tokio::pin!(asked);
        loop {
            // A store that is briefly busy or unreadable does not end the supervisor.
            let next = match processes.look(&mut app, options) {
                Ok(next) => {
                    faults = 0;
                    next
                }
                Err(error) if faults < MOST_FAULTS => {
                    faults += 1;
                    (options.report)(&format!("Retrying, because the store is unavailable: {error}."))?;
                    Some(AFTER_A_FAULT)
                }
                Err(error) => return Err(error),
            };
            // A write by another process during the tick changes the data version and starts the next tick at once.
            let mut written = has_changed(&mut app, &mut seen).unwrap_or_default();
            if options.once && processes.is_idle() && next.is_none() && !written {
                // A process that wrote while this supervisor held the lock started no other supervisor: check again.
                drop(lock.take());
                if !has_changed(&mut app, &mut seen).unwrap_or_default() {
                    return Ok(());
                }
                match SupervisorLock::take(home, options.by) {
                    Ok(taken) => lock = Some(taken),
                    // Another supervisor was started.
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
                    () = wanted.next(), if options.by == StartedBy::Demand => {
                        // The user started a supervisor: it continues from the store, and the agents do not notice.
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

/// Whether another process wrote to the store since the last call.
fn has_changed(app: &mut App, seen: &mut i64) -> Result<bool, AppError> {
    let now = supervisor::data_version(&mut app.store)?;
    let changed = now != *seen;
    *seen = now;
    Ok(changed)
}

/// Waits until a time; forever without one.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// The agent processes of a supervisor.
struct ProcessTable {
    ended: UnboundedSender<Key>,
    /// Started by this supervisor.
    runners: BTreeMap<Key, (Child, SupervisedAgent)>,
    /// Started by other processes; the supervisor only waits for them.
    watched: BTreeSet<Key>,
    /// How often a runner was started for a prompt that no runner has claimed.
    tries: BTreeMap<Key, u32>,
}

impl ProcessTable {
    /// Makes passes until nothing changes; returns how long to wait before the next one.
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
        // Passes that never settle are limited to one round per second.
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
                    "its runner process exits at once",
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

    /// Collects the exit codes of ended processes.
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
            // It has ended, or never started.
            let _ = child.wait();
        }
        Ok(())
    }
}

fn key(watched: &SupervisedAgent) -> Key {
    (watched.project.0.clone(), watched.agent.to_string())
}

/// How long it is until a time.
fn wait(now: Timestamp, due: Timestamp) -> Duration {
    Duration::from_millis(u64::try_from(due.0.saturating_sub(now.0)).unwrap_or_default())
}
