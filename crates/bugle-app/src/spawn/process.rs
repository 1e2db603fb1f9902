//! Processes of the system: which one this is, whether one is there, and ending a group of them. What differs by system is
//! here.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bugle_core::agent::ProcessState;
use bugle_core::message::AgentAddress;
use bugle_store::{ProcessId, ProjectId};

use crate::{AppError, Place};

/// What a client tells its own processes about itself. To another client it would be a lie: that one is a session of its
/// own.
const OF_THE_CALLER: [&str; 8] = [
    "CLAUDECODE",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_PID",
    "CLAUDE_EFFORT",
    "AI_AGENT",
    "CODEX_SESSION_ID",
    "CODEX_THREAD_ID",
];

/// A request to a group of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request {
    /// Stop what you are doing.
    Interrupt,
    /// End.
    Terminate,
    /// Be gone.
    Kill,
}

/// Starts the process that carries an agent's prompt to its client. It leads a group of its own, so that it and all that
/// it starts outlive whoever starts it and can be ended together.
pub(super) fn start_carrier(
    place: &Place,
    project: &ProjectId,
    agent: &AgentAddress,
    directory: &str,
) -> Result<Child, AppError> {
    let program = std::env::current_exe()
        .map_err(|error| AppError::System(format!("the path of this program is not known: {error}")))?;
    let mut command = Command::new(program);
    command
        .args(["carry", &project.0, &agent.to_string()])
        .current_dir(directory)
        .env("BUGLE_AGENT", agent.to_string());
    on_its_own(&mut command, place)
        .spawn()
        .map_err(|error| AppError::System(format!("no process can be started for @{agent}: {error}")))
}

/// Starts a supervisor that ends when all is quiet.
pub(super) fn start_supervisor(place: &Place) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["up", "--on-demand"])
        .current_dir(&place.bugle_home)
        .env_remove("BUGLE_AGENT");
    on_its_own(&mut command, place).spawn()
}

/// Whether this process lives in a client's sandbox. What it starts would live there too.
pub(super) fn is_confined() -> bool {
    ["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED"]
        .iter()
        .any(|name| std::env::var_os(name).is_some())
}

/// A process that has nothing to do with whoever starts it but the store.
fn on_its_own<'a>(command: &'a mut Command, place: &Place) -> &'a mut Command {
    command
        .env("BUGLE_HOME", &place.bugle_home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    for name in OF_THE_CALLER {
        command.env_remove(name);
    }
    lead_a_group(command);
    command
}

#[cfg(unix)]
fn lead_a_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn lead_a_group(_: &mut Command) {}

/// This process.
pub(super) fn this_process() -> ProcessId {
    with_number(std::process::id())
}

/// The process that has a number now.
pub(super) fn with_number(pid: u32) -> ProcessId {
    ProcessId {
        pid,
        started: stat(pid).map_or(0, |(_, started)| started),
    }
}

/// Whether a process is there. One that has ended and was not asked for its exit code yet is not.
pub(super) fn state(process: ProcessId) -> ProcessState {
    match stat(process.pid) {
        Some((status, started)) if started == process.started && status != 'Z' => ProcessState::Alive,
        _ => ProcessState::Gone,
    }
}

/// The status of a process and when it was started, as the system counts.
#[cfg(target_os = "linux")]
fn stat(pid: u32) -> Option<(char, i64)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything; the rest follows the last bracket.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let status = fields.next()?.chars().next()?;
    let started = fields.nth(18)?.parse().ok()?;
    Some((status, started))
}

/// Without `/proc`, a number is all that there is to know a process by.
#[cfg(all(unix, not(target_os = "linux")))]
fn stat(pid: u32) -> Option<(char, i64)> {
    rustix::process::test_kill_process(group(pid)?).ok()?;
    Some(('R', 0))
}

#[cfg(not(unix))]
fn stat(_: u32) -> Option<(char, i64)> {
    None
}

#[cfg(unix)]
fn group(pid: u32) -> Option<rustix::process::Pid> {
    i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)
}

/// Asks all processes of a group for something. A group that is gone has nothing to be asked for.
#[cfg(unix)]
pub(super) fn ask_group(leader: ProcessId, request: Request) {
    use rustix::process::Signal;
    // The leader's number is not used again while one of its group is left; a new process with it is somebody else.
    if stat(leader.pid).is_some_and(|(_, started)| started != leader.started) {
        return;
    }
    let signal = match request {
        Request::Interrupt => Signal::INT,
        Request::Terminate => Signal::TERM,
        Request::Kill => Signal::KILL,
    };
    if let Some(group) = group(leader.pid) {
        // It fails only if nobody is left in it.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
pub(super) fn ask_group(_: ProcessId, _: Request) {}

/// Waits until a process is gone, for so long at most; says whether it is.
#[cfg(target_os = "linux")]
pub(super) fn wait_until_gone(process: ProcessId, longest: Option<Duration>) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{PidfdFlags, pidfd_open};
    if state(process) == ProcessState::Gone {
        return true;
    }
    let Some(Ok(handle)) = group(process.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
        return state(process) == ProcessState::Gone;
    };
    // Between the look and the handle, another process may have come by the same number.
    if state(process) == ProcessState::Gone {
        return true;
    }
    let longest = longest.and_then(|longest| Timespec::try_from(longest).ok());
    let mut watched = [PollFd::new(&handle, PollFlags::IN)];
    while let Err(error) = poll(&mut watched, longest.as_ref()) {
        if error != rustix::io::Errno::INTR {
            break;
        }
    }
    state(process) == ProcessState::Gone
}

/// Where a process cannot be waited for, it is looked at now and then.
#[cfg(not(target_os = "linux"))]
pub(super) fn wait_until_gone(process: ProcessId, longest: Option<Duration>) -> bool {
    const BETWEEN: Duration = Duration::from_millis(200);
    let begun = std::time::Instant::now();
    while state(process) == ProcessState::Alive {
        if longest.is_some_and(|longest| begun.elapsed() > longest) {
            return false;
        }
        std::thread::sleep(BETWEEN);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_there_until_it_is_not() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let process = with_number(child.id());
        assert_eq!(state(process), ProcessState::Alive);
        assert!(!wait_until_gone(process, Some(Duration::from_millis(1))));
        let other = ProcessId {
            started: process.started + 1,
            ..process
        };
        assert_eq!(state(other), ProcessState::Gone);
        child.kill().unwrap();
        assert!(wait_until_gone(process, Some(Duration::from_mins(1))));
        child.wait().unwrap();
        assert_eq!(state(process), ProcessState::Gone);
        assert_eq!(state(this_process()), ProcessState::Alive);
    }

    #[test]
    fn a_group_ends_together() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & wait"]);
        lead_a_group(&mut command);
        let mut child = command.spawn().unwrap();
        let leader = with_number(child.id());
        ask_group(leader, Request::Kill);
        assert!(!child.wait().unwrap().success());
        assert!(wait_until_gone(leader, None));
    }
}
