//! Recorded wake-ups: compresses, lists, shows and compares them.

use bugle_core::id::WakeupId;
use bugle_core::reply::{
    RecoveryView, WakeNotice, WakePart, WakePartChange, WakeView, WakeupDetail, WakeupDiff, WakeupList,
    WakeupSummary,
};
use bugle_core::wake::{Part, PartResult, Picked, Takeover};
use bugle_store::{ProjectId, Store, WakeupRow};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use serde::{Deserialize, Serialize};

use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context, agents, projects};

/// The compression level, from 0 to 10. Higher levels take much longer and save little space.
const COMPRESSION_LEVEL: u8 = 6;
/// Maximum size of a decompressed wake-up.
const MAX_WAKEUP_BYTES: usize = 16 * 1024 * 1024;

/// The stored facts about a wake-up, besides its text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum RecordedParts {
    /// Only the parts.
    Parts(Vec<Picked>),
    /// The parts with other facts.
    Detailed(DetailedParts),
}

/// The stored parts of a wake-up that has a template, notices or a takeover.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct DetailedParts {
    parts: Vec<Picked>,
    /// The agent that the woken agent replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
    /// The work that a replacement took over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    work: Vec<String>,
    /// The template's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    template: Option<String>,
    /// Notices about the wake-up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    notices: Vec<WakeNotice>,
}

impl RecordedParts {
    pub(super) fn new(parts: &[Picked], recovery: Option<&RecoveryView>, view: &WakeView) -> Self {
        let parts = parts.to_vec();
        if recovery.is_none() && view.template.is_none() && view.notices.is_empty() {
            return Self::Parts(parts);
        }
        let work = recovery.iter().flat_map(|recovery| &recovery.work);
        Self::Detailed(DetailedParts {
            parts,
            replaces: recovery.map(|recovery| recovery.agent.clone()),
            work: work.map(|work| work.item.id()).collect(),
            template: view.template.clone(),
            notices: view.notices.clone(),
        })
    }

    fn read(row: &WakeupRow) -> Result<DetailedParts, AppError> {
        let recorded: Self = serde_json::from_str(&row.parts)
            .map_err(|error| bugle_store::StoreError::Unreadable(format!("a wake-up: {error}")))?;
        Ok(recorded.detailed())
    }

    fn detailed(self) -> DetailedParts {
        match self {
            Self::Parts(parts) => DetailedParts {
                parts,
                ..DetailedParts::default()
            },
            Self::Detailed(detailed) => detailed,
        }
    }
}

/// The parts that were cut or left out of the agent's last full wake-up.
pub(super) fn given_in_part(
    store: &mut Store,
    project: &ProjectId,
    agent: &str,
) -> Result<Vec<Part>, AppError> {
    let Some(row) = store.last_full_wakeup(project, agent)? else {
        return Ok(Vec::new());
    };
    let parts = RecordedParts::read(&row)?.parts.into_iter();
    let in_part = parts.filter(|picked| matches!(picked.verdict, PartResult::Cut | PartResult::LeftOut));
    Ok(in_part.map(|picked| picked.part).collect())
}

/// The work that a replacement took over, with the replaced agent and the time; `None` if the woken agent was not a
/// replacement.
pub(super) fn takeover(row: &WakeupRow) -> Option<(Vec<String>, Takeover)> {
    let recorded = RecordedParts::read(row).ok()?;
    let takeover = Takeover {
        from: recorded.replaces?,
        at: row.at,
    };
    Some((recorded.work, takeover))
}

/// Compresses text for the store.
pub(crate) fn compress(text: &str) -> Vec<u8> {
    compress_to_vec(text.as_bytes(), COMPRESSION_LEVEL)
}

/// Decompresses text from the store.
pub(crate) fn decompress(bytes: &[u8]) -> Option<String> {
    let bytes = decompress_to_vec_with_limit(bytes, MAX_WAKEUP_BYTES).ok()?;
    String::from_utf8(bytes).ok()
}

/// This project's recent wake-ups, latest first: those of one agent, or of all. An agent without wake-ups must exist.
pub fn wakeups(
    store: &mut Store,
    ctx: &Context,
    agent: Option<&str>,
    limit: u32,
) -> Result<WakeupList, AppError> {
    let project = projects::project(store, ctx)?;
    let mut agent = agent.map(|name| format!("@{}", name.trim_start_matches('@')));
    let recorded = |store: &mut Store, agent: Option<&str>| match &project {
        Some(project) => store.wakeups(project, agent, limit),
        None => Ok(Vec::new()),
    };
    let mut rows = recorded(store, agent.as_deref())?;
    if let (Some(name), []) = (&mut agent, rows.as_slice()) {
        let found = agents::resolve_agent(store, ctx, name)?;
        *name = format!("@{}", found.address.name());
        rows = recorded(store, Some(name))?;
    }
    Ok(WakeupList {
        agent,
        wakeups: rows.iter().map(summary).collect(),
    })
}

/// A wake-up with its text.
pub fn show_wakeup(store: &mut Store, ctx: &Context, id: &str) -> Result<WakeupDetail, AppError> {
    let row = wakeup_row(store, ctx, id)?;
    let text = wakeup_text(store, &row)?;
    let recorded = RecordedParts::read(&row)?;
    Ok(WakeupDetail {
        wakeup: summary(&row),
        parts: recorded.parts.iter().map(part_view).collect(),
        template: recorded.template,
        notices: recorded.notices,
        text,
    })
}

/// The line diff of two wake-ups.
pub fn compare_wakeups(
    store: &mut Store,
    ctx: &Context,
    from: &str,
    to: &str,
) -> Result<WakeupDiff, AppError> {
    let (from, to) = (wakeup_row(store, ctx, from)?, wakeup_row(store, ctx, to)?);
    let (before, after) = (wakeup_text(store, &from)?, wakeup_text(store, &to)?);
    let parts = RecordedParts::read(&from)?
        .parts
        .iter()
        .zip(&RecordedParts::read(&to)?.parts)
        .filter(|(before, after)| before != after)
        .map(|(before, after)| WakePartChange {
            before: part_view(before),
            after: part_view(after),
        })
        .collect();
    Ok(WakeupDiff {
        from: summary(&from),
        to: summary(&to),
        parts,
        lines: bugle_render::wake::diff_lines(&before, &after),
    })
}

pub(crate) fn wakeup_row(store: &mut Store, ctx: &Context, id: &str) -> Result<WakeupRow, AppError> {
    let id: WakeupId = id.parse().map_err(|bad: bugle_core::id::BadId| AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    })?;
    let rows = store.wakeups_by_prefix(id.as_str())?;
    let hint = format!("`{}` lists the wake-ups.", ctx.command(&["wakeup", "list"]));
    resolve_prefix(
        rows,
        id.as_str(),
        ("wake-up", "wake-ups"),
        |row| (row.id.to_string(), row.reason.as_str().to_owned()),
        hint,
    )
}

fn wakeup_text(store: &mut Store, row: &WakeupRow) -> Result<String, AppError> {
    let unreadable = || bugle_store::StoreError::Unreadable(format!("the text of wake-up {}", row.id));
    let bytes = store.wakeup_content(&row.id)?.ok_or_else(unreadable)?;
    Ok(decompress(&bytes).ok_or_else(unreadable)?)
}

pub(crate) fn summary(row: &WakeupRow) -> WakeupSummary {
    WakeupSummary {
        id: row.id.clone(),
        agent: row.agent.clone(),
        reason: row.reason,
        at: row.at,
        size: row.size,
        limit: row.budget.limit,
        unit: row.budget.unit.as_str().to_owned(),
        hash: row.hash.to_string(),
    }
}

pub(super) fn part_view(picked: &Picked) -> WakePart {
    WakePart {
        part: picked.part,
        verdict: picked.verdict,
        detail: picked.detail,
        size: picked.size,
        whole: picked.whole,
        needs: picked.needs,
        command: picked.command.clone(),
        stage: picked.stage.clone(),
    }
}
