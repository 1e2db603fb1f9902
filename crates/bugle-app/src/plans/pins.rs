//! The skills that a task tree has pinned.

use bugle_core::id::TaskId;
use bugle_core::reply::{PinView, PinsUpgraded};
use bugle_store::Store;

use super::select::root_of;
use crate::tasks::{InstalledSkill, TaskScope, name_of, pin_view, plan_name, version_label};
use crate::{AppError, Context, tasks};

/// Pins the installed version of each skill that a task tree uses.
pub fn upgrade_skills(store: &mut Store, ctx: &Context, scope: &TaskScope) -> Result<PinsUpgraded, AppError> {
    let root = root_of(store, ctx, scope)?;
    let row = tasks::task_row(store, ctx, &root)?;
    let plan = tasks::plan_above(store, &row, &[])?;
    let mut lines = Vec::new();
    for pin in store.skill_pins(&root)? {
        let Some(installed) = InstalledSkill::find(ctx, &pin.skill) else {
            lines.push(format!(
                "{}: not installed, still pinned to {}",
                pin.skill,
                pin.hash.short()
            ));
            continue;
        };
        if installed.hash == pin.hash {
            lines.push(format!("{}: unchanged, {}", pin.skill, pin.hash.short()));
            continue;
        }
        let newer = store.transaction(|tx| {
            let newer = installed.store_files(tx, ctx, &pin.skill)?;
            tx.pin_skill(&root, &newer, true)?;
            Ok::<_, AppError>(newer)
        })?;
        lines.push(format!(
            "{}: updated {} to {} ({})",
            pin.skill,
            version_label(pin.version.as_ref(), &pin.hash),
            version_label(newer.version.as_ref(), &newer.hash),
            newer.source
        ));
    }
    if lines.is_empty() {
        lines.push("No skill has been used for these tasks yet, so there is nothing to update.".to_owned());
    }
    Ok(PinsUpgraded {
        task: name_of(&row.task),
        plan: plan.as_ref().map(plan_name),
        lines,
        pins: pin_views(store, &root)?,
    })
}

/// The skills that a task tree has pinned.
pub(super) fn pin_views(store: &mut Store, root: &TaskId) -> Result<Vec<PinView>, AppError> {
    let pins = store.skill_pins(root)?;
    Ok(pins.iter().map(pin_view).collect())
}
