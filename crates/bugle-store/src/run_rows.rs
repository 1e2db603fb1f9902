//! A run's row.

use bugle_core::engine::RunStatus;
use bugle_core::id::{ChildToken, ContentHash, RunId, SessionId, Timestamp, VisitNumber, VisitToken};

use crate::StoreError;
use crate::machine_id::MachineId;
use crate::projects::ProjectId;
use crate::row::Row;

/// A run without its events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// The run's id.
    pub id: RunId,
    /// The run's project.
    pub project: ProjectId,
    /// The machine on which an agent works on the run.
    pub machine: MachineId,
    /// The run's folder on that machine.
    pub directory: String,
    /// The session that the run belongs to.
    pub session: Option<SessionId>,
    /// The run's skill.
    pub skill: String,
    /// The hash of the pinned skill.
    pub pin: ContentHash,
    /// The run's status.
    pub status: RunStatus,
    /// The current step.
    pub step: Option<String>,
    /// The current visit.
    pub visit: Option<VisitNumber>,
    /// The number of events.
    pub version: u64,
    /// When the run started.
    pub started_at: Timestamp,
    /// When the run last changed.
    pub changed_at: Timestamp,
    /// The sub-agent's slot in the parent run; `None` for a main run.
    pub child: Option<ChildToken>,
}

pub(crate) const RUN_COLUMNS: &str = "id, project_id, directory, session, skill, pin, status, step, visit, version, started_at, \
    changed_at, parent, parent_visit, slot, machine";

/// The condition for an open run, exactly as in the index of open runs.
pub(crate) const OPEN: &str = "status IN ('active', 'waiting', 'paused')";

pub(crate) fn run_row(row: &Row) -> Result<RunRow, StoreError> {
    let unreadable = |what: &str| StoreError::Unreadable(format!("a run has an invalid {what}"));
    let visit = row
        .optional_int("visit")?
        .map(|visit| {
            u32::try_from(visit)
                .map(VisitNumber)
                .map_err(|_| unreadable("visit"))
        })
        .transpose()?;
    let child = match row.optional_text("parent")? {
        None => None,
        Some(parent) => Some(ChildToken {
            parent: VisitToken {
                run: RunId::parse(&parent).map_err(|_| unreadable("parent"))?,
                visit: VisitNumber(row.count("parent_visit")?),
            },
            slot: row.count("slot")?,
        }),
    };
    Ok(RunRow {
        id: RunId::parse(&row.text("id")?).map_err(|_| unreadable("id"))?,
        project: ProjectId(row.text("project_id")?),
        machine: MachineId::from_stored(row.text("machine")?),
        directory: row.text("directory")?,
        session: row.optional_text("session")?.map(SessionId),
        skill: row.text("skill")?,
        pin: ContentHash::from_stored(row.text("pin")?),
        status: row.text("status")?.parse().map_err(|()| unreadable("status"))?,
        step: row.optional_text("step")?,
        visit,
        version: row.unsigned("version")?,
        started_at: Timestamp(row.int("started_at")?),
        changed_at: Timestamp(row.int("changed_at")?),
        child,
    })
}
