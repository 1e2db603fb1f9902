//! Moves the store to another database, with all history, and makes Bugle use it. Does not change the source.

use bugle_core::message::AgentAddress;
use bugle_core::reply::{StoreMove, StoreSwitch};
use bugle_core::rights::Action;
use bugle_store::{Store, StoreError};

use super::settings_file::{line, set_store};
use crate::context::VariableSource;
use crate::store_location::{SETTINGS_FILE, URL_VARIABLE};
use crate::supervisor_process::{StartedBy, SupervisorLock};
use crate::{App, AppError, Context, StoreLocation, fs_util, permissions, projects, verify};

/// The target that selects the file in Bugle's home.
const FILE_TARGET: &str = "sqlite";
/// Maximum number of passes that copy concurrent changes.
const MAX_PASSES: usize = 5;

/// Moves the store to `target`: a Postgres URL, or `sqlite` for the database file in Bugle's home. Continues an
/// interrupted move.
pub fn move_store(
    app: &mut App,
    variables: VariableSource<'_>,
    target: &str,
    report: &mut dyn FnMut(&str),
) -> Result<StoreMove, AppError> {
    let ctx = app.context.clone();
    permissions::permit(
        &mut app.store,
        &ctx,
        Action::ChangeStore,
        &["store", "move", target],
    )?;
    let location = target_location(&ctx, variables, target)?;
    fs_util::create_private_dir(&ctx.bugle_home)?;
    // No supervisor may start agents on a store that is about to be replaced.
    let _lock = SupervisorLock::take(&ctx.bugle_home, StartedBy::Hand)?;
    refuse_busy(&mut app.store, &ctx)?;
    let machine = location.machine()?;
    let mut copy = location.open_copy()?;
    app.store.expect_slow_statements()?;
    let is_finished = match copy.begin_copy() {
        Ok(()) => false,
        // An earlier move may have been killed just before it changed the settings.
        Err(error @ StoreError::NoCopy { .. }) => {
            if !app.store.is_copied_to(&mut copy, &machine).unwrap_or(false) {
                return Err(not_empty(&location, &mut copy, error));
            }
            true
        }
        Err(error) => return Err(error.into()),
    };
    for _ in 0..MAX_PASSES {
        let mut rows = 0;
        let mut faults = 0;
        if !is_finished {
            rows = copy_rows(&mut app.store, &mut copy, report)?;
            report("Verifying the copy ...");
            faults = verified(&mut app.store, &mut copy)?;
        }
        report("Comparing both stores ...");
        let settings = ctx.bugle_home.join(SETTINGS_FILE);
        let name = copy.name();
        // Blocks all writers: nothing changes between the comparison and the switch.
        let switched = app.store.transaction(|source| {
            source.forbid_retry();
            refuse_busy(source, &ctx)?;
            if is_finished {
                if !source.is_copied_to(&mut copy, &machine)? {
                    return Ok(None);
                }
            } else {
                if source.first_difference(&mut copy)?.is_some() {
                    return Ok(None);
                }
                copy.finish_copy(source.machine(), &machine)?;
            }
            Ok::<_, AppError>(Some(set_store(&settings, location.url())))
        })?;
        if let Some(switched) = switched {
            let overrides = variables(URL_VARIABLE).is_some_and(|value| !value.is_empty());
            let conflicts = if location.is_shared() {
                // If this fails, the next command in each project records the project's remote.
                projects::record_all(&mut copy.on_machine(machine), &ctx).unwrap_or_default()
            } else {
                Vec::new()
            };
            return Ok(StoreMove {
                source: app.store.name(),
                target: name,
                copied: (!is_finished).then_some(rows),
                faults,
                switch: StoreSwitch {
                    settings: settings.display().to_string(),
                    line: location.url().map(line),
                    error: switched.err().map(|error| error.to_string()),
                },
                overriding_variable: overrides.then(|| URL_VARIABLE.to_owned()),
                conflicts,
            });
        }
        copy.begin_copy()?;
    }
    Err(AppError::Failed {
        what: "the store was not moved: other processes keep changing it".to_owned(),
        hints: vec!["Stop the agents and other bugle processes, then run the same command again.".to_owned()],
    })
}

fn target_location(
    ctx: &Context,
    variables: VariableSource<'_>,
    target: &str,
) -> Result<StoreLocation, AppError> {
    if target == FILE_TARGET {
        return Ok(StoreLocation::in_home(&ctx.bugle_home));
    }
    if !Store::is_url(target) {
        return Err(AppError::Usage {
            what: format!("cannot move the store to `{target}`"),
            hints: vec![
                "Give a database URL, such as postgres://user@host/database, or `sqlite` for the database file in Bugle's home."
                    .to_owned(),
            ],
        });
    }
    if Store::has_password(target) {
        return Err(AppError::Usage {
            what: "the URL contains a password, which other users can see in the process list".to_owned(),
            hints: vec!["Remove the password from the URL. Put it in ~/.pgpass instead.".to_owned()],
        });
    }
    StoreLocation::server(variables, &ctx.bugle_home, target.to_owned())
}

/// Refuses to move a store with running agents, whose processes would keep using the old store.
fn refuse_busy(store: &mut Store, ctx: &Context) -> Result<(), AppError> {
    let running = store
        .agents_with_process()?
        .into_iter()
        .map(|agent| agent.address);
    let deliveries = store.open_deliveries()?.into_iter();
    let mut busy: Vec<AgentAddress> = running.chain(deliveries.map(|delivery| delivery.agent)).collect();
    busy.sort();
    busy.dedup();
    if busy.is_empty() {
        return Ok(());
    }
    let stop = |agent: &AgentAddress| {
        let command = ctx.command(&["agent", "kill", &agent.to_string()]);
        format!("To stop {agent}: {command}")
    };
    Err(AppError::Usage {
        what: "agents are running; the store was not moved".to_owned(),
        hints: busy.iter().map(stop).collect(),
    })
}

fn not_empty(location: &StoreLocation, copy: &mut Store, error: StoreError) -> AppError {
    let StoreLocation::File(_) = location else {
        return error.into();
    };
    AppError::Failed {
        what: error.to_string(),
        hints: vec![format!(
            "Nothing was changed. Rename {} and its -wal file, then run the same command again.",
            copy.name()
        )],
    }
}

/// Copies all rows from one snapshot; returns their number.
fn copy_rows(source: &mut Store, copy: &mut Store, report: &mut dyn FnMut(&str)) -> Result<u64, AppError> {
    source.begin_snapshot()?;
    let copied = copy.copy_from(source, report);
    let ended = source.end_snapshot();
    let rows = copied?.iter().map(|table| table.rows).sum();
    ended?;
    copy.check_copy()?;
    Ok(rows)
}

/// The number of errors in the copy. The source must have the same errors.
fn verified(source: &mut Store, copy: &mut Store) -> Result<usize, AppError> {
    let faults = verify::verify(copy)?.faults;
    if let Some(first) = faults.first()
        && verify::verify(source)?.faults != faults
    {
        return Err(AppError::Failed {
            what: format!("the copy has an error that its source does not have: {first}"),
            hints: vec!["Bugle still uses the source store. Run the same command again.".to_owned()],
        });
    }
    Ok(faults.len())
}
