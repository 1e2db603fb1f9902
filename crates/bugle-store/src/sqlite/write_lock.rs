//! Takes the write lock: waits in the queue of writers, and not at all for a lock that is known to be stuck.

use std::time::{Duration, Instant};

use super::wait::Patience;
use super::{Sqlite, stall, write_queue};
use crate::StoreError;

/// How often a waiting writer checks whether the queue has moved. It counts these rounds instead of reading the time: on
/// a busy machine, the process that holds the lock is as slow as the processes that wait for it.
const ROUND: Duration = Duration::from_millis(10);

impl Sqlite {
    pub(crate) fn begin_write(&mut self) -> Result<(), StoreError> {
        self.with_write_lock(Self::take_write_lock)
    }

    /// Runs a statement that takes the write lock. For a hook, remembers whether the lock is stuck.
    pub(super) fn with_write_lock<T>(
        &mut self,
        run: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.heed_stall()?;
        let done = run(self);
        match &done {
            Ok(_) => stall::clear(&self.file),
            Err(StoreError::Locked(_)) if self.patience == Patience::Brief => {
                return Err(StoreError::StillLocked(self.name()));
            }
            Err(StoreError::Locked(_)) if self.patience == Patience::Short => stall::record(&self.file),
            Err(_) => {}
        }
        done
    }

    fn take_write_lock(&mut self) -> Result<(), StoreError> {
        let mut first_place = self.first_in_queue();
        if first_place.is_none() && self.patience == Patience::Brief {
            // If another process got the lock in the meantime, the queue moves again and waiting is worthwhile.
            self.heed_stall()?;
            if self.patience == Patience::Short {
                first_place = self.first_in_queue();
            }
        }
        let first_place = first_place.ok_or_else(|| StoreError::Locked(self.name()))?;
        // Another hook may have waited in vain while this one was in the queue.
        self.heed_stall()?;
        // A read transaction cannot always be upgraded, so take the write lock at once.
        self.batch("BEGIN IMMEDIATE")?;
        drop(first_place);
        Ok(())
    }

    /// For a hook: waits only briefly while the lock is known to be stuck.
    fn heed_stall(&mut self) -> Result<(), StoreError> {
        let patience = match self.patience {
            Patience::Short | Patience::Brief if stall::is_recorded(&self.file) => Patience::Brief,
            Patience::Short | Patience::Brief => Patience::Short,
            Patience::Usual | Patience::Migration => return Ok(()),
        };
        if patience == self.patience {
            return Ok(());
        }
        self.set_patience(patience)
    }

    /// Waits to become first in the writers' queue, as long as the queue moves and there is time left.
    fn first_in_queue(&self) -> Option<write_queue::FirstPlace> {
        let stamp = || self.log().map(|log| (log.len(), log.modified().ok()));
        let mut seen = stamp();
        let end = match self.patience {
            Patience::Short => self.opened + self.patience.longest(),
            Patience::Usual | Patience::Brief | Patience::Migration => {
                Instant::now() + self.patience.longest()
            }
        };
        let round = ROUND.min(self.patience.still());
        let (mut waited, mut moved_at) = (Duration::ZERO, Instant::now());
        write_queue::wait(&self.file, round, || {
            waited += round;
            let now = stamp();
            if now != seen {
                (waited, moved_at) = (Duration::ZERO, Instant::now());
            }
            seen = now;
            let moves = waited < self.patience.still() && moved_at.elapsed() < self.patience.at_most();
            moves && Instant::now() < end
        })
    }
}
