//! Operating system processes: identifies a process, checks whether it is running, and signals its group. Contains all
//! platform-specific process code.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bugle_client::recognition::{own_variables, sandbox_hints};
use bugle_core::agent::ProcessState;
use bugle_core::message::AgentAddress;
use bugle_store::{ProcessId, ProjectId};

use crate::{AppError, Context};

/// A signal to a process group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupSignal {
    /// Interrupt the current turn.
    Interrupt,
    /// Ask the processes to exit.
    Terminate,
    /// Kill the processes immediately.
    Kill,
}

/// Starts the runner that delivers an agent's prompt to its client. The runner leads its own process group, so that it
/// outlives this process and can be killed together with its child processes.
pub(crate) fn start_runner(
    ctx: &Context,
    project: &ProjectId,
    agent: &AgentAddress,
    directory: &str,
) -> Result<Child, AppError> {
    let program = std::env::current_exe()
        .map_err(|error| AppError::System(format!("cannot locate the bugle executable: {error}")))?;
    let mut command = Command::new(program);
    command
        .args(["carry", &project.0, &agent.to_string()])
        .current_dir(directory)
        .env("BUGLE_AGENT", agent.to_string());
    detach(&mut command, ctx)
        .spawn()
        .map_err(|error| AppError::System(format!("cannot start a process for @{agent}: {error}")))
}

/// Starts a supervisor that exits when it is idle.
pub(crate) fn start_supervisor(ctx: &Context) -> std::io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(["up", "--on-demand"])
        .current_dir(&ctx.bugle_home)
        .env_remove("BUGLE_AGENT");
    detach(&mut command, ctx).spawn()
}

/// Whether this process runs in a client's sandbox. If so, its child processes run there too.
pub(crate) fn is_sandboxed() -> bool {
    sandbox_hints(|name| std::env::var_os(name).is_some()).is_some()
}

/// Detaches a command from this process: no input or output, its own process group, and no client environment
/// variables. Also removes the store's password, because an agent can read the environment of its runner.
fn detach<'a>(command: &'a mut Command, ctx: &Context) -> &'a mut Command {
    command
        .env("BUGLE_HOME", &ctx.bugle_home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    for name in own_variables() {
        command.env_remove(name);
    }
    ctx.store.hide_password(command);
    lead_group(command);
    command
}

#[cfg(unix)]
fn lead_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn lead_group(_: &mut Command) {}

/// This process.
pub(crate) fn this_process() -> ProcessId {
    process_with_pid(std::process::id())
}

/// The process that has this pid now.
pub(crate) fn process_with_pid(pid: u32) -> ProcessId {
    ProcessId {
        pid,
        started: stat(pid).map_or(0, |(_, started)| started),
    }
}

/// Whether a process is running. A zombie counts as ended.
pub(crate) fn state(process: ProcessId) -> ProcessState {
    match stat(process.pid) {
        Some((status, started)) if started == process.started && status != 'Z' => ProcessState::Alive,
        _ => ProcessState::Gone,
    }
}

/// The status of a process and its start time in clock ticks.
#[cfg(target_os = "linux")]
fn stat(pid: u32) -> Option<(char, i64)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program name may contain any character, so find the other fields after the last `)`.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let status = fields.next()?.chars().next()?;
    let started = fields.nth(18)?.parse().ok()?;
    Some((status, started))
}

/// Without `/proc`, a process is identified by its pid alone.
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

/// Signals all processes in a group, if the group still exists.
#[cfg(unix)]
pub(crate) fn signal_group(leader: ProcessId, signal: GroupSignal) {
    use rustix::process::Signal;
    // A pid is not reused while its process group exists. If the start time differs, the pid was reused, so the group
    // is gone.
    if stat(leader.pid).is_some_and(|(_, started)| started != leader.started) {
        return;
    }
    let signal = match signal {
        GroupSignal::Interrupt => Signal::INT,
        GroupSignal::Terminate => Signal::TERM,
        GroupSignal::Kill => Signal::KILL,
    };
    if let Some(group) = group(leader.pid) {
        // The call fails only if the group is empty.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
pub(crate) fn signal_group(_: ProcessId, _: GroupSignal) {}

/// Waits until a process has ended, for at most `longest`. Returns whether it has ended.
#[cfg(target_os = "linux")]
pub(crate) fn wait_until_gone(process: ProcessId, longest: Option<Duration>) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{PidfdFlags, pidfd_open};
    if state(process) == ProcessState::Gone {
        return true;
    }
    let Some(Ok(handle)) = group(process.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty())) else {
        return state(process) == ProcessState::Gone;
    };
    // The pid may have been reused before the handle was opened.
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

/// Polls on systems that cannot wait for a process.
#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_until_gone(process: ProcessId, longest: Option<Duration>) -> bool {
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
    fn a_process_is_alive_until_it_ends() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let process = process_with_pid(child.id());
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
    fn a_signal_ends_the_whole_group() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & wait"]);
        lead_group(&mut command);
        let mut child = command.spawn().unwrap();
        let leader = process_with_pid(child.id());
        signal_group(leader, GroupSignal::Kill);
        assert!(!child.wait().unwrap().success());
        assert!(wait_until_gone(leader, None));
    }
}
