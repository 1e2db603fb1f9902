//! The skills that a task tree has pinned.

use bugle_core::id::TaskId;
use bugle_core::reply::{PinUpgrade, PinView, PinsUpgraded, TaskName};
use bugle_store::Store;

use super::select::root_of;
use crate::tasks::{InstalledSkill, TaskScope, pin_view, pinned_version, plan_name};
use crate::{AppError, Context, tasks};

/// Pins the installed version of each skill that a task tree uses.
pub fn upgrade_skills(store: &mut Store, ctx: &Context, scope: &TaskScope) -> Result<PinsUpgraded, AppError> {
    let root = root_of(store, ctx, scope)?;
    let row = tasks::task_row(store, ctx, &root)?;
    let plan = tasks::plan_above(store, &row, &[])?;
    let mut upgrades = Vec::new();
    for pin in store.skill_pins(&root)? {
        let Some(installed) = InstalledSkill::find(ctx, &pin.skill) else {
            upgrades.push(PinUpgrade::NotInstalled {
                pinned: pinned_version(&pin),
                skill: pin.skill,
            });
            continue;
        };
        if installed.hash == pin.hash {
            upgrades.push(PinUpgrade::Unchanged {
                pinned: pinned_version(&pin),
                skill: pin.skill,
            });
            continue;
        }
        let newer = store.transaction(|tx| {
            let newer = installed.store_files(tx, ctx, &pin.skill)?;
            tx.replace_pin(&root, &newer)?;
            Ok::<_, AppError>(newer)
        })?;
        upgrades.push(PinUpgrade::Updated {
            from: pinned_version(&pin),
            to: pinned_version(&newer),
            skill: pin.skill,
            source: newer.source,
        });
    }
    Ok(PinsUpgraded {
        task: TaskName::of(&row.task),
        plan: plan.as_ref().map(plan_name),
        upgrades,
        pins: pin_views(store, &root)?,
    })
}

/// The skills that a task tree has pinned.
pub(super) fn pin_views(store: &mut Store, root: &TaskId) -> Result<Vec<PinView>, AppError> {
    let pins = store.skill_pins(root)?;
    Ok(pins.iter().map(pin_view).collect())
}
