//! Finds an agent by name.

use bugle_core::agent::{AgentLookup, find_agent};
use bugle_core::message::{AgentAddress, Home};
use bugle_store::{AgentRow, Store};

use crate::{AppError, Context, addresses, projects};

/// Resolves a name, a name prefix or an address to an agent.
pub fn resolve_agent(store: &mut Store, ctx: &Context, called: &str) -> Result<AgentRow, AppError> {
    let here = projects::project(store, ctx)?;
    let me = addresses::home(ctx);
    let word = called.trim_start_matches('@').to_owned();
    let none = |hint: Option<String>| AppError::NotFound {
        what: format!("there is no agent {word}"),
        hints: hint.into_iter().collect(),
    };
    let rows = match here {
        Some(project) if word.matches(':').count() < 2 => store.agents(Some(&project))?,
        _ => store.agents(None)?,
    };
    // A bare name is enough on the caller's branch, and on any branch if the name is unique.
    let written = |row: &AgentRow| spelling(&row.address, &me, &word);
    let known: Vec<String> = rows.iter().map(&written).collect();
    let listed = ctx.command(&["agent", "list", "--all"]);
    match find_agent(&word.to_ascii_lowercase(), known.iter().map(String::as_str)) {
        AgentLookup::One(name) => {
            let same: Vec<&AgentRow> = rows
                .iter()
                .zip(&known)
                .filter(|(_, known)| *known == name)
                .map(|(row, _)| row)
                .collect();
            match same.as_slice() {
                [row] => Ok((*row).clone()),
                [] => Err(none(None)),
                _ => Err(AppError::Usage {
                    what: format!(
                        "several projects have an agent {word}; run the command in one of these folders"
                    ),
                    hints: same.iter().map(|row| row.directory.clone()).collect(),
                }),
            }
        }
        AgentLookup::Several(names) => Err(AppError::Usage {
            what: format!("{word} matches several agents"),
            hints: names.into_iter().map(str::to_owned).collect(),
        }),
        AgentLookup::Unknown(near) => {
            let mut elsewhere: Vec<&AgentRow> = rows
                .iter()
                .filter(|row| row.address.name().eq_ignore_ascii_case(&word))
                .collect();
            match (elsewhere.len(), near) {
                (1, _) => Ok(elsewhere.remove(0).clone()),
                (0, near) => Err(none(Some(near.map_or_else(
                    || format!("`{listed}` lists the agents."),
                    |near| format!("Did you mean {near}? `{listed}` lists the agents."),
                )))),
                (_, _) => Err(AppError::Usage {
                    what: format!("several branches have an agent {word}"),
                    hints: elsewhere.iter().map(|row| row.address.seen_from(&me)).collect(),
                }),
            }
        }
    }
}

/// An address, shortened to the number of parts in `word`.
pub(crate) fn spelling(address: &AgentAddress, home: &Home, word: &str) -> String {
    match word.matches(':').count() {
        0 => address.seen_from(home),
        1 => format!("{}:{}", address.branch(), address.name()),
        _ => address.to_string(),
    }
}
