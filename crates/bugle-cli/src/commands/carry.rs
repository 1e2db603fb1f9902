//! `bugle carry PROJECT AGENT`: an agent's runner process. Only Bugle itself starts this command.

use std::ffi::OsString;

use bugle_app::{AppError, Context};
use bugle_daemon::run_agent;

pub(crate) fn run(words: &[OsString]) -> Result<(), AppError> {
    let [project, agent] = words else {
        return Err(AppError::Usage {
            what: "`bugle carry` is an internal command".to_owned(),
            hints: Vec::new(),
        });
    };
    let here = std::env::current_dir().map_err(|source| AppError::File {
        what: "cannot find",
        path: ".".into(),
        source,
    })?;
    let ctx = Context::find(&|name| std::env::var_os(name), &here, false)?;
    run_agent(ctx, &project.to_string_lossy(), &agent.to_string_lossy())
}
