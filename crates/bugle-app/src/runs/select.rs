//! Selects the run that a command applies to: by id or id prefix, by visit, or by session and project.

use std::path::Path;

use bugle_core::did_you_mean::nearest;
use bugle_core::id::{BadId, ChildToken, MessageId, RunId, VisitNumber, VisitToken};
use bugle_store::{RunFilter, RunRow, Scope, Store};

use crate::resolve_id::resolve_prefix;
use crate::{AppError, Context, projects};

/// Maximum number of runs listed in an error when several match.
const MAX_LISTED: usize = 10;

/// Maximum number of runs to read when several may match: one more than are listed.
pub(crate) const MAX_MATCHES: u32 = 11;

/// Maximum number of ids compared with an unknown id.
const MAX_COMPARED: u32 = 200;

/// The run that a command applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunSelector {
    /// The current session's run, else the current project's.
    Here,
    /// The run with this id or id prefix.
    Run(RunId),
    /// The run to which this visit belongs.
    Visit(VisitToken),
}

impl RunSelector {
    /// Parses a command-line argument.
    pub fn parse(text: Option<&str>) -> Result<Self, AppError> {
        let Some(text) = text else { return Ok(Self::Here) };
        let is_message = text.parse::<MessageId>().is_ok();
        let hint = is_message.then(|| format!("{text} is a message. `bugle answer {text}` answers it."));
        let bad = |error: BadId| AppError::Usage {
            what: error.to_string(),
            hints: hint.into_iter().collect(),
        };
        if text.contains('#') {
            return text.parse().map(Self::Visit).map_err(bad);
        }
        text.parse().map(Self::Run).map_err(bad)
    }

    /// The visit, if the selector names one.
    pub fn visit(&self) -> Option<VisitNumber> {
        match self {
            Self::Visit(token) => Some(token.visit),
            Self::Here | Self::Run(_) => None,
        }
    }
}

/// Parses a visit token.
pub fn visit_token(text: &str) -> Result<VisitToken, AppError> {
    text.parse().map_err(|bad: BadId| {
        let run = text
            .parse::<RunId>()
            .map(|run| format!(" {run}"))
            .unwrap_or_default();
        AppError::Usage {
            what: bad.to_string(),
            hints: vec![format!("`bugle step{run}` prints the current visit token.")],
        }
    })
}

/// Parses a sub-agent token.
pub fn child_token(text: &str) -> Result<ChildToken, AppError> {
    text.parse().map_err(|bad: BadId| AppError::Usage {
        what: bad.to_string(),
        hints: vec!["`bugle step` prints the commands that start a step's sub-agents.".to_owned()],
    })
}

/// The row of the selected run; writes nothing. A run from another machine continues in this machine's clone.
pub(crate) fn select(store: &mut Store, ctx: &Context, selector: &RunSelector) -> Result<RunRow, AppError> {
    let row = match selector {
        RunSelector::Run(id) => by_prefix(store, ctx, id)?,
        RunSelector::Visit(token) => by_prefix(store, ctx, &token.run)?,
        RunSelector::Here => here(store, ctx)?,
    };
    if row.machine != *store.machine() {
        let directory = projects::folder_here(store, ctx, &row.project)?;
        return Ok(match directory {
            Some(directory) => RunRow { directory, ..row },
            None => row,
        });
    }
    let directory = Path::new(&row.directory);
    if directory == ctx.root || directory.is_dir() {
        return Ok(row);
    }
    // The run's folder no longer exists. The project may have moved here, even if the store does not have the new
    // location yet.
    let moved = projects::moved_directory(store, ctx, &row.project, &row.directory)?;
    Ok(match moved {
        Some(directory) => RunRow { directory, ..row },
        None => row,
    })
}

fn by_prefix(store: &mut Store, ctx: &Context, id: &RunId) -> Result<RunRow, AppError> {
    let rows = store.runs_by_prefix(id.as_str())?;
    let hint = if rows.is_empty() {
        similar_run(store, ctx, id)?
    } else {
        None
    };
    let hint = hint.unwrap_or_else(|| {
        // MCP has no tool that lists the runs of all projects.
        let scope = if ctx.interface.is_mcp() { "--open" } else { "--all" };
        format!("`{}` lists the runs.", ctx.command(&["run", "list", scope]))
    });
    resolve_prefix(
        rows,
        id.as_str(),
        ("run", "runs"),
        |row| (row.id.to_string(), row.skill.clone()),
        hint,
    )
}

/// A hint with the most similar run id in this project.
fn similar_run(store: &mut Store, ctx: &Context, id: &RunId) -> Result<Option<String>, AppError> {
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(None);
    };
    let rows = store.runs(&RunFilter {
        scope: Scope::Project(project),
        open_only: false,
        limit: MAX_COMPARED,
    })?;
    let near = nearest(id.as_str(), rows.iter().map(|row| row.id.as_str()));
    Ok(near.map(|near| format!("Did you mean {near}?")))
}

fn here(store: &mut Store, ctx: &Context) -> Result<RunRow, AppError> {
    let filter = |scope| RunFilter {
        scope,
        open_only: true,
        limit: MAX_MATCHES,
    };
    if let Some(session) = ctx.session.clone() {
        let rows = store.runs(&filter(Scope::Session(session)))?;
        if let Some(latest) = rows.into_iter().next() {
            return Ok(latest);
        }
    }
    let mut rows = match projects::project(store, ctx)? {
        Some(project) => store.runs(&filter(Scope::Project(project)))?,
        None => Vec::new(),
    };
    match rows.len() {
        1 => Ok(rows.remove(0)),
        0 => Err(AppError::NotFound {
            what: "no run is open in this project".to_owned(),
            hints: [
                Some(format!(
                    "`{}` lists the skills you can start.",
                    ctx.command(&["skill", "list"])
                )),
                (!ctx.interface.is_mcp()).then(|| {
                    let list = ctx.command(&["run", "list", "--all"]);
                    format!("`{list}` lists the runs in all projects.")
                }),
            ]
            .into_iter()
            .flatten()
            .collect(),
        }),
        _ => Err(AppError::Usage {
            what: "several runs are open in this project; pass the id of one of them".to_owned(),
            hints: rows
                .iter()
                .take(MAX_LISTED)
                .map(|row| format!("{}  ({})", ctx.command(&["step", row.id.as_str()]), row.skill))
                .chain((rows.len() > MAX_LISTED).then(|| {
                    format!(
                        "`{}` lists all open runs.",
                        ctx.command(&["run", "list", "--open"])
                    )
                }))
                .collect(),
        }),
    }
}
