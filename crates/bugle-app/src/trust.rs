//! Trust in skills: what was given, and revoking it.

use bugle_core::id::Actor;
use bugle_core::rights::Action;
use bugle_store::{TrustRow, TrustStore as _};
use bugle_wire::{TrustEntry, TrustList};

use crate::checked::check_found;
use crate::{App, AppError, catalogue, pin};

impl App {
    /// Every trusted version of every skill, and whether it is the version that is installed here now.
    pub fn trusted(&mut self) -> Result<TrustList, AppError> {
        let rows = self.store.trusted()?;
        let mut installed: Option<(String, Option<String>)> = None;
        let mut entries = Vec::new();
        for row in rows {
            // Rows come by name, so that each skill is read once.
            if installed.as_ref().is_none_or(|(name, _)| *name != row.skill) {
                let version = catalogue::find(&self.place, &row.skill)
                    .map(|found| pin::version(&check_found(&self.place, found)).to_string());
                installed = Some((row.skill.clone(), version));
            }
            let version = installed.as_ref().and_then(|(_, version)| version.as_deref());
            entries.push(TrustEntry {
                is_current: version == Some(row.pin.as_str()),
                is_automatic: is_automatic(&row),
                by: row.by.to_string(),
                pin: row.pin.short().to_owned(),
                at: row.at.0,
                skill: row.skill,
            });
        }
        Ok(TrustList { trusted: entries })
    }

    /// Revokes the trust in a skill, by its name, or in one version of it, by the beginning of its pin. Says which versions
    /// these were.
    pub fn revoke_trust(&mut self, wanted: &str) -> Result<Vec<String>, AppError> {
        let by = self.permit(Action::RevokeTrust, &["trust", "revoke", wanted])?;
        let is_meant = |row: &TrustRow| {
            row.skill == wanted || (wanted.len() >= SHORTEST_PIN && row.pin.as_str().starts_with(wanted))
        };
        let mut meant = self.store.trusted()?;
        meant.retain(is_meant);
        if meant.is_empty() {
            return Err(AppError::NotFound {
                what: format!("no skill or version `{wanted}` is trusted"),
                hints: vec![format!(
                    "`{}` lists them.",
                    self.place.command(&["trust", "list"])
                )],
            });
        }
        if meant.iter().all(is_automatic) {
            return Err(AppError::Usage {
                what: format!(
                    "`{wanted}` is trusted because it is built in, comes from a plugin or is in your own folder"
                ),
                hints: vec!["Trust in such a skill ends when it is removed from there.".to_owned()],
            });
        }
        meant.retain(|row| !is_automatic(row));
        let mut revoked = Vec::new();
        for row in meant {
            if self.store.revoke_trust(&row.pin, &row.skill, &by, crate::now())? {
                revoked.push(format!("{} {}", row.skill, row.pin.short()));
            }
        }
        Ok(revoked)
    }
}

/// The fewest characters that name a version.
const SHORTEST_PIN: usize = 6;

/// Whether nobody said so: the user installed the skill, or it is built in.
fn is_automatic(row: &TrustRow) -> bool {
    row.by == Actor::Program
}
