//! The supervisor: it sleeps until something is written into the store or a process ends, looks at all agents, and starts
//! carriers for those that have a prompt waiting. It holds nothing that is not in the store: after `kill -9`, the next one
//! goes on where this one was.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;
use std::time::Duration;

use bugle_app::{App, AppError, MOST_CARRIERS, Pass, Place, ShortClock, StartedBy, SupervisorLock, Watched};
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::Instant;

use super::changes::Changes;
use crate::end;

/// How many times in a row everything is looked at before the supervisor sleeps.
const MOST_PASSES: usize = 50;

/// The system says that a file was written before a reader of the store can see it: the writer waits for the disk first.
/// So it is looked at again a few times after a write, and then no more.
const AFTER_A_WRITE: [Duration; 5] = [
    Duration::from_millis(5),
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(500),
    Duration::from_secs(3),
];

/// How often in a row the store may fail it, and how long it waits each time.
const MOST_FAULTS: u32 = 60;
const AFTER_A_FAULT: Duration = Duration::from_secs(1);

/// How a supervisor is to work.
pub struct Supervision<'a> {
    /// Where, and with whose store.
    pub place: Place,
    /// Whether it ends when all is quiet.
    pub once: bool,
    /// Who started it.
    pub by: StartedBy,
    /// How moments are written.
    pub clock: ShortClock<'a>,
    /// What is to be told to whoever watches.
    pub tell: &'a dyn Fn(&str) -> Result<(), AppError>,
}

/// An agent, as a key.
type Key = (String, String);

/// Looks after all agents until it is asked to end.
pub fn up(how: &Supervision<'_>) -> Result<(), AppError> {
    let mut app = App::open(how.place.clone())?;
    let home = &how.place.bugle_home;
    let mut lock = Some(SupervisorLock::take(home, how.by)?);
    crate::serve::run(async {
        // From here on nothing is missed: what is written before the first look is seen by it.
        let mut changes = Changes::of(home, "bugle.db")?;
        let mut wanted = Changes::of(home, SupervisorLock::WANTED)?;
        let (send, mut ended) = mpsc::unbounded_channel();
        let mut charge = Charge {
            ended: send,
            carriers: BTreeMap::new(),
            watched: BTreeSet::new(),
            tries: BTreeMap::new(),
        };
        (how.tell)("The supervisor is up.")?;
        let mut seen = app.changes()?;
        let mut faults = 0;
        // What is asked for while it looks is heard afterwards.
        let asked = end::asked();
        tokio::pin!(asked);
        loop {
            // A store that is busy or cannot be read for a while is no reason to leave agents alone.
            let next = match charge.look(&mut app, how) {
                Ok(next) => {
                    faults = 0;
                    next
                }
                Err(error) if faults < MOST_FAULTS => {
                    faults += 1;
                    (how.tell)(&format!("The store cannot be used at the moment: {error}."))?;
                    Some(AFTER_A_FAULT)
                }
                Err(error) => return Err(error),
            };
            // A write of others that came during the look is another number now, and looked at at once. What cannot be
            // told now is told by the next look.
            let mut written = has_changed(&mut app, &mut seen).unwrap_or_default();
            if how.once && charge.is_idle() && next.is_none() && !written {
                // Whoever wrote while there was a supervisor started none: that is looked at once more, without the lock.
                drop(lock.take());
                if !has_changed(&mut app, &mut seen).unwrap_or_default() {
                    return Ok(());
                }
                match SupervisorLock::take(home, how.by) {
                    Ok(taken) => lock = Some(taken),
                    // Another one was started for it.
                    Err(_) => return Ok(()),
                }
                continue;
            }
            let due = next.map(|next| Instant::now() + next);
            let mut looks = [].iter();
            let mut look_at = None;
            while !written {
                tokio::select! {
                    () = changes.next() => {
                        written = has_changed(&mut app, &mut seen).unwrap_or(true);
                        looks = AFTER_A_WRITE.iter();
                        look_at = looks.next().map(|wait| Instant::now() + *wait);
                    }
                    () = until(look_at) => {
                        written = has_changed(&mut app, &mut seen).unwrap_or(true);
                        look_at = looks.next().map(|wait| Instant::now() + *wait);
                    }
                    key = ended.recv() => {
                        charge.is_over(key);
                        written = true;
                    }
                    () = until(due) => written = true,
                    () = wanted.next(), if how.by == StartedBy::Demand => {
                        // A person starts one: it goes on with what is in the store, and the agents do not notice.
                        return Ok(());
                    }
                    () = &mut asked => {
                        (how.tell)("The supervisor ends, and the agents that it started with it.")?;
                        return charge.end(&mut app);
                    }
                }
            }
        }
    })
}

/// Whether others have written into the store since it was last asked.
fn has_changed(app: &mut App, seen: &mut i64) -> Result<bool, AppError> {
    let now = app.changes()?;
    let changed = now != *seen;
    *seen = now;
    Ok(changed)
}

/// Waits until a moment; for ever if there is none.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// The processes that a supervisor waits for.
struct Charge {
    ended: UnboundedSender<Key>,
    /// Those that it started itself.
    carriers: BTreeMap<Key, (Child, Watched)>,
    /// Those that others started, which it only waits for.
    watched: BTreeSet<Key>,
    /// How often a carrier was started for a prompt that none has taken.
    tries: BTreeMap<Key, u32>,
}

impl Charge {
    /// Looks at everything until nothing more is to be done at once; says after which time to look again.
    fn look(&mut self, app: &mut App, how: &Supervision<'_>) -> Result<Option<Duration>, AppError> {
        for _ in 0..MOST_PASSES {
            self.reap();
            let pass = app.supervise(how.clock)?;
            for note in &pass.notes {
                (how.tell)(note)?;
            }
            self.start(app, &pass)?;
            self.watch(&pass);
            if !pass.moved {
                return Ok(pass.next.map(|next| wait(next.0)));
            }
        }
        // Whatever goes round in a circle does so at the pace of a clock, and not of a processor.
        Ok(Some(Duration::from_secs(1)))
    }

    fn start(&mut self, app: &mut App, pass: &Pass) -> Result<(), AppError> {
        for waiting in &pass.to_start {
            let key = key(waiting);
            if self.carriers.contains_key(&key) {
                continue;
            }
            let tries = self.tries.entry(key.clone()).or_default();
            *tries += 1;
            if *tries > MOST_CARRIERS {
                self.tries.remove(&key);
                app.not_carried(
                    waiting,
                    "was never started: the process that starts it ends at once",
                )?;
                continue;
            }
            match app.start_carrier(waiting) {
                Ok(child) => {
                    self.wait_for(&key, child.id());
                    self.carriers.insert(key, (child, waiting.clone()));
                }
                Err(error) => {
                    self.tries.remove(&key);
                    app.not_carried(waiting, &error.to_string())?;
                }
            }
        }
        Ok(())
    }

    fn watch(&mut self, pass: &Pass) {
        for running in &pass.running {
            let key = key(running);
            self.tries.remove(&key);
            if let Some(process) = running.process
                && !self.carriers.contains_key(&key)
                && self.watched.insert(key.clone())
            {
                let ended = self.ended.clone();
                std::thread::spawn(move || {
                    App::wait_for(process);
                    ended.send(key)
                });
            }
        }
    }

    fn wait_for(&self, key: &Key, pid: u32) {
        let (key, ended) = (key.clone(), self.ended.clone());
        std::thread::spawn(move || {
            App::wait_for_child(pid);
            ended.send(key)
        });
    }

    fn is_over(&mut self, key: Option<Key>) {
        if let Some(key) = key {
            self.watched.remove(&key);
        }
    }

    /// Asks those that ended for their exit codes, so that the system can forget them.
    fn reap(&mut self) {
        self.carriers
            .retain(|_, (child, _)| !matches!(child.try_wait(), Ok(Some(_)) | Err(_)));
    }

    fn is_idle(&mut self) -> bool {
        self.reap();
        self.carriers.is_empty() && self.watched.is_empty()
    }

    fn end(mut self, app: &mut App) -> Result<(), AppError> {
        self.reap();
        for (child, watched) in self.carriers.values_mut() {
            app.stop_with_supervisor(watched)?;
            // It has ended, or never began.
            let _ = child.wait();
        }
        Ok(())
    }
}

fn key(watched: &Watched) -> Key {
    (watched.project.0.clone(), watched.agent.to_string())
}

/// How long it is until a moment.
fn wait(moment: i64) -> Duration {
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let due = Duration::from_millis(u64::try_from(moment).unwrap_or_default());
    due.saturating_sub(now)
}
