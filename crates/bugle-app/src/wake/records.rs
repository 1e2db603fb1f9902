//! Wake-ups that were given: kept small, listed, shown, compared.

use bugle_core::id::WakeupId;
use bugle_core::wake::{Picked, Takeover};
use bugle_store::{MessageStore as _, WakeupRow};
use bugle_wire::{RecoveryView, WakeupDetail, WakeupDiff, WakeupList, WakeupSummary};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use crate::prefix::meant;
use crate::{App, AppError};

/// How hard it is tried to make a text small, of 10: the rest is not worth the time.
const EFFORT: u8 = 6;
/// No wake-up is larger than this.
const LARGEST: usize = 16 * 1024 * 1024;

/// What a wake-up held, as it is kept with it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Held {
    /// Its parts.
    Parts(Vec<Picked>),
    /// Those of a replacement: from whom it took over what.
    Takeover {
        parts: Vec<Picked>,
        replaces: String,
        work: Vec<String>,
    },
}

impl Held {
    pub(super) fn new(parts: &[Picked], recovery: Option<&RecoveryView>) -> Self {
        let parts = parts.to_vec();
        match recovery {
            None => Self::Parts(parts),
            Some(recovery) => Self::Takeover {
                parts,
                replaces: recovery.agent.clone(),
                work: recovery.work.iter().map(|work| work.id.clone()).collect(),
            },
        }
    }

    fn parts(&self) -> &[Picked] {
        match self {
            Self::Parts(parts) | Self::Takeover { parts, .. } => parts,
        }
    }
}

/// The work that was taken over with a wake-up, from whom and when; nothing if it was not for a replacement.
pub(super) fn takeover(row: &WakeupRow) -> Option<(Vec<String>, Takeover)> {
    match serde_json::from_str(&row.parts).ok()? {
        Held::Parts(_) => None,
        Held::Takeover { replaces, work, .. } => Some((
            work,
            Takeover {
                from: replaces,
                at: row.at,
            },
        )),
    }
}

/// A text as it is kept.
pub(crate) fn packed(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), EFFORT)
}

/// A text as it was kept.
pub(crate) fn unpacked(bytes: &[u8]) -> Option<String> {
    let bytes = decompress_to_vec_with_limit(bytes, LARGEST).ok()?;
    String::from_utf8(bytes).ok()
}

impl App {
    /// The latest wake-ups of this project, the latest first.
    pub fn wakeups(&mut self, agent: Option<&str>, limit: u32) -> Result<WakeupList, AppError> {
        let agent = agent.map(|name| format!("@{}", name.trim_start_matches('@')));
        let rows = match self.project()? {
            Some(project) => self.store.wakeups(&project, agent.as_deref(), limit)?,
            None => Vec::new(),
        };
        Ok(WakeupList {
            wakeups: rows.iter().map(summary).collect(),
        })
    }

    /// A wake-up with its text.
    pub fn show_wakeup(&mut self, id: &str) -> Result<WakeupDetail, AppError> {
        let row = self.wakeup_row(id)?;
        let text = self.wakeup_text(&row)?;
        let held: Held = serde_json::from_str(&row.parts)
            .map_err(|error| bugle_store::StoreError::Unreadable(format!("a wake-up: {error}")))?;
        Ok(WakeupDetail {
            wakeup: summary(&row),
            parts: held.parts().iter().map(super::part_view).collect(),
            text,
        })
    }

    /// What one wake-up says and another does not, line by line.
    pub fn compare_wakeups(&mut self, from: &str, to: &str) -> Result<WakeupDiff, AppError> {
        let (from, to) = (self.wakeup_row(from)?, self.wakeup_row(to)?);
        let (before, after) = (self.wakeup_text(&from)?, self.wakeup_text(&to)?);
        Ok(WakeupDiff {
            from: summary(&from),
            to: summary(&to),
            lines: bugle_core::wake::compare(&before, &after)
                .into_iter()
                .map(|(sign, line)| format!("{sign} {line}"))
                .collect(),
        })
    }

    pub(crate) fn wakeup_row(&mut self, id: &str) -> Result<WakeupRow, AppError> {
        let id: WakeupId = id.parse().map_err(|bad: bugle_core::id::BadId| AppError::Usage {
            what: bad.to_string(),
            hints: Vec::new(),
        })?;
        let rows = self.store.wakeups_by_prefix(id.as_str())?;
        let hint = format!("`{}` lists the ones there are.", self.place.command(&["wakeups"]));
        meant(
            rows,
            id.as_str(),
            ("wake-up", "wake-ups"),
            |row| (row.id.to_string(), row.reason.as_str().to_owned()),
            hint,
        )
    }

    fn wakeup_text(&mut self, row: &WakeupRow) -> Result<String, AppError> {
        let unreadable = || bugle_store::StoreError::Unreadable(format!("the text of wake-up {}", row.id));
        let bytes = self.store.wakeup_content(&row.id)?.ok_or_else(unreadable)?;
        Ok(unpacked(&bytes).ok_or_else(unreadable)?)
    }
}

pub(crate) fn summary(row: &WakeupRow) -> WakeupSummary {
    WakeupSummary {
        id: row.id.to_string(),
        agent: row.agent.clone(),
        reason: row.reason.as_str().to_owned(),
        at: row.at.0,
        size: row.size,
        limit: row.budget.limit,
        unit: row.budget.unit.as_str().to_owned(),
        hash: row.hash.to_string(),
    }
}
