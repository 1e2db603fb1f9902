//! Scripts that mount file systems.

use super::sandbox::{Answer, Sandbox, answer};

/// Runs a script that can mount file systems, if that is possible here.
pub(crate) fn where_mounting_is_possible(sandbox: &Sandbox, script: &str) -> Option<Answer> {
    let unshare = [["--mount"].as_slice(), &["--mount", "--map-root-user"]];
    let possible = unshare.into_iter().find(|flags| {
        let mut probe = sandbox.command("unshare", sandbox.root());
        let probe = probe.args(*flags).args(["mount", "-t", "tmpfs", "none", "/mnt"]);
        probe.output().is_ok_and(|output| output.status.success())
    })?;
    let mut command = sandbox.command("unshare", &sandbox.project());
    Some(answer(command.args(possible).args(["sh", "-eu", "-c", script])))
}
