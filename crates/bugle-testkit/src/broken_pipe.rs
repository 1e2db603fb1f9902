//! Waits until a pipe is broken.
//!
//! A process that another test forks at the same moment has a copy of every open pipe until it calls `exec`. So
//! closing the only reader does not break a pipe at once.

use std::io::{Error, PipeWriter, Result};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Waits until no process has the pipe's read end open.
pub fn wait_until_broken(writer: &PipeWriter) -> Result<()> {
    let limit = Timespec {
        tv_sec: 30,
        tv_nsec: 0,
    };
    let mut watched = [PollFd::new(writer, PollFlags::empty())];
    // If the pipe has no reader, `poll` reports an error regardless of the requested events.
    poll(&mut watched, Some(&limit))?;
    if watched[0].revents().contains(PollFlags::ERR) {
        return Ok(());
    }
    Err(Error::other("the pipe still has a reader"))
}
