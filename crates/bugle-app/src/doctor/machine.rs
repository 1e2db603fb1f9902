//! Checks that do not depend on the client: the store, the login shell, and the log of hook errors.

use std::path::Path;

use bugle_core::doctor::{Seen, ShellFinds, StoreSeen};

use super::MAX_HOOK_TIME;
use super::process::{login_shell, run};
use crate::context::VariableSource;
use crate::hook_log::log_file;
use crate::{App, Context, StoreLocation, hooks, stores, verify};

/// The maximum age of the hook errors that doctor reports, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// Whether the store is intact.
pub(super) fn store(ctx: &Context) -> StoreSeen {
    let opened = match &ctx.store {
        StoreLocation::File(_) => hooks::open(ctx.clone(), None),
        // On a server, the check can take longer than a hook's timeout, so open the store without that timeout.
        StoreLocation::Server(_) => App::open(ctx.clone()).map(Some),
    };
    let check = opened.and_then(|app| match app {
        Some(mut app) => verify::verify(&mut app.store).map(Some),
        None => Ok(None),
    });
    match check {
        Ok(None) => StoreSeen::Absent,
        Ok(Some(check)) => match check.faults.first() {
            Some(first) => StoreSeen::Faulty {
                first: first.clone(),
                count: check.faults.len(),
            },
            None => StoreSeen::Sound {
                runs: check.runs,
                tasks: check.tasks,
            },
        },
        Err(error) => {
            let hints = error.view().hints;
            let hint = hints
                .first()
                .map(|hint| hint.trim_start_matches("Nothing was changed. "));
            StoreSeen::Unusable {
                why: error.to_string(),
                remedy: hint.map(str::to_owned),
            }
        }
    }
}

/// The `bugle` program that a login shell finds.
pub(super) fn shell(variables: VariableSource<'_>) -> ShellFinds {
    let command = login_shell("command -v bugle", variables);
    let ran = match run(command, b"", MAX_HOOK_TIME) {
        Ok(ran) => ran,
        Err(why) => return ShellFinds::Unknown(why),
    };
    // A shell profile may print output first.
    let Some(found) = ran.out.lines().rev().find(|line| !line.trim().is_empty()) else {
        return ShellFinds::Nothing;
    };
    let canonical = Path::new(found.trim()).canonicalize();
    match (canonical, std::env::current_exe()) {
        _ if ran.code != Some(0) => ShellFinds::Nothing,
        (Ok(found), Ok(running)) if running.canonicalize().is_ok_and(|running| running == found) => {
            ShellFinds::This
        }
        _ => ShellFinds::Other(found.trim().to_owned()),
    }
}

/// How long a connection to the store's server takes, directly and through a pooler.
pub(super) fn connection(ctx: &Context) -> Option<Seen> {
    let times = stores::connection_times(ctx)?;
    Some(Seen::Connection {
        direct: times.direct,
        pooled: times.pooled,
    })
}

/// Hook errors in the last 24 hours.
pub(super) fn hook_errors(ctx: &Context) -> Option<Seen> {
    let log = std::fs::read(log_file(&ctx.bugle_home)).ok()?;
    let log = String::from_utf8_lossy(&log);
    let since = ctx.now().0 - DAY;
    let recent = log.lines().filter_map(|line| {
        let (at, error) = line.split_once(' ')?;
        (at.parse::<i64>().ok()? >= since).then_some(error)
    });
    let recent: Vec<&str> = recent.collect();
    recent.last().map(|last| Seen::HookErrors {
        count: recent.len(),
        last: (*last).to_owned(),
    })
}
