//! Lists and revokes trust in skills.

use bugle_core::id::Actor;
use bugle_core::reply::{Author, TrustEntry, TrustList};
use bugle_core::rights::Action;
use bugle_store::{Store, TrustRow};

use crate::skill_check::check_found;
use crate::{AppError, Context, catalogue, permissions, pinning};

/// All trusted skill versions, and whether each is the installed version.
pub fn trusted(store: &mut Store, ctx: &Context) -> Result<TrustList, AppError> {
    let rows = store.trusted()?;
    let mut installed: Option<(String, Option<String>)> = None;
    let mut entries = Vec::new();
    for row in rows {
        // Rows are sorted by name, so each skill is read only once.
        if installed.as_ref().is_none_or(|(name, _)| *name != row.skill) {
            let version = catalogue::find(ctx, &row.skill)
                .map(|found| pinning::version(&check_found(ctx, found)).to_string());
            installed = Some((row.skill.clone(), version));
        }
        let version = installed.as_ref().and_then(|(_, version)| version.as_deref());
        entries.push(TrustEntry {
            is_current: version == Some(row.pin.as_str()),
            is_automatic: is_automatic(&row),
            by: Author::from(&row.by),
            person: row.person,
            pin: row.pin.short().to_owned(),
            at: row.at,
            skill: row.skill,
        });
    }
    Ok(TrustList { trusted: entries })
}

/// Revokes trust in all versions of a skill, by name, or in one version, by pin prefix. Returns the revoked versions.
pub fn revoke_trust(store: &mut Store, ctx: &Context, wanted: &str) -> Result<Vec<String>, AppError> {
    let by = permissions::permit(store, ctx, Action::RevokeTrust, &["trust", "revoke", wanted])?;
    let matches = |row: &TrustRow| {
        row.skill == wanted || (wanted.len() >= MIN_PIN_LENGTH && row.pin.as_str().starts_with(wanted))
    };
    let mut matching = store.trusted()?;
    matching.retain(matches);
    if matching.is_empty() {
        return Err(AppError::NotFound {
            what: format!("there is no trusted skill or version `{wanted}`"),
            hints: vec![format!(
                "`{}` lists the trusted skills.",
                ctx.command(&["trust", "list"])
            )],
        });
    }
    if matching.iter().all(is_automatic) {
        return Err(AppError::Usage {
            what: format!(
                "`{wanted}` is always trusted: it is built in, from a plugin, or in your own folder"
            ),
            hints: vec![
                "To stop trusting a skill from a plugin or your own folder, remove the skill.".to_owned(),
            ],
        });
    }
    matching.retain(|row| !is_automatic(row));
    let mut revoked = Vec::new();
    for row in matching {
        if store.revoke_trust(&row.pin, &row.skill, &by, ctx.now())? {
            revoked.push(format!("{} {}", row.skill, row.pin.short()));
        }
    }
    Ok(revoked)
}

/// The minimum length of a pin prefix.
const MIN_PIN_LENGTH: usize = 6;

/// Whether Bugle trusted the skill without asking, because the user installed it or it is built in.
fn is_automatic(row: &TrustRow) -> bool {
    row.by == Actor::Program
}
