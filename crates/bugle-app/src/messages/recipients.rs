//! A message's recipients: resolves mentions to mailboxes.

use std::collections::HashSet;

use bugle_core::agent::{AgentLookup, find_agent};
use bugle_core::message::{Addressee, AgentAddress, Home};
use bugle_store::{MessageRow, ProjectId, ProjectRow, Receiver, Store};

use crate::agents::{Me, current_name};
use crate::{AppError, Context, addresses};

/// An unknown agent in a mention, and the most similar known name.
pub(super) struct UnknownAgent {
    pub address: AgentAddress,
    pub near: Option<String>,
}

/// A mention in a message.
pub(super) struct Mentioned {
    pub addressee: Addressee,
    /// Whether the mention counts as code if no agent has that name.
    pub may_be_code: bool,
}

/// A message's recipients.
#[derive(Default)]
pub(super) struct Recipients {
    /// The mailboxes that receive the message.
    pub to: Vec<Receiver>,
    /// The recipients that are not known agents yet.
    pub unknown: Vec<UnknownAgent>,
    /// Mentions that count as code and are not delivered.
    pub code: Vec<AgentAddress>,
}

/// The recipients, without duplicates and without the sender.
pub(super) fn resolve(
    store: &mut Store,
    me: &Me,
    project: &ProjectId,
    mentioned: &[Mentioned],
) -> Result<Recipients, AppError> {
    let mut recipients = Recipients::default();
    if mentioned.is_empty() {
        return Ok(recipients);
    }
    let own_known = store.correspondents(project)?;
    let mut seen = HashSet::from([me.address.clone()]);
    for Mentioned {
        addressee,
        may_be_code,
    } in mentioned
    {
        match addressee {
            Addressee::All => {
                let agents = own_known
                    .iter()
                    .filter(|agent| !agent.is_human() && !agent.is_bugle());
                for agent in agents.filter(|agent| seen.insert((*agent).clone())) {
                    recipients.to.push(receiver(project.clone(), agent.clone()));
                }
            }
            Addressee::One(agent) => {
                let own = agent.project() == me.home.project();
                let home_project = project_of(store, me, project, agent)?;
                let agent = current_name(store, &home_project, agent)?;
                if !seen.insert(agent.clone()) {
                    continue;
                }
                let their_known = if own {
                    Vec::new()
                } else {
                    store.correspondents(&home_project)?
                };
                let known = if own { &own_known } else { &their_known };
                if !known.contains(&agent) && !agent.is_human() {
                    if *may_be_code {
                        recipients.code.push(agent);
                        continue;
                    }
                    recipients.unknown.push(unknown_agent(&agent, known, &me.home));
                }
                recipients.to.push(receiver(home_project, agent));
            }
        }
    }
    Ok(recipients)
}

/// Adds the agent that asked, unless it is already a recipient.
pub(super) fn add_asker(
    store: &mut Store,
    me: &Me,
    project: &ProjectId,
    question: &MessageRow,
    to: &mut Vec<Receiver>,
) -> Result<(), AppError> {
    let project = project_of(store, me, project, &question.sender)?;
    let asker = current_name(store, &project, &question.sender)?;
    if asker != me.address && to.iter().all(|receiver| receiver.agent != asker) {
        to.push(receiver(project, asker));
    }
    Ok(())
}

fn receiver(project: ProjectId, agent: AgentAddress) -> Receiver {
    Receiver {
        project,
        agent,
        wakes: true,
    }
}

/// An unknown agent with the most similar known name.
fn unknown_agent(address: &AgentAddress, known: &[AgentAddress], home: &Home) -> UnknownAgent {
    let elsewhere = known.iter().find(|other| other.name() == address.name());
    let same_branch = known
        .iter()
        .filter(|other| other.branch() == address.branch() && !other.is_human());
    let near = match (
        elsewhere,
        find_agent(address.name(), same_branch.map(AgentAddress::name)),
    ) {
        (Some(elsewhere), _) => Some(elsewhere.seen_from(home)),
        (None, AgentLookup::One(name) | AgentLookup::Unknown(Some(name))) => Some(name.to_owned()),
        (None, AgentLookup::Several(names)) => Some(names.join(" or ")),
        (None, AgentLookup::Unknown(None)) => None,
    };
    UnknownAgent {
        address: address.clone(),
        near,
    }
}

/// Refuses a question that reaches only unknown agents: the sender would wait forever.
pub(super) fn refuse_unknown(recipients: &Recipients, ctx: &Context, home: &Home) -> Result<(), AppError> {
    let Recipients { to, unknown, code } = recipients;
    if to.len() > unknown.len() {
        return Ok(());
    }
    let names: Vec<String> = unknown
        .iter()
        .map(|unknown_agent| &unknown_agent.address)
        .chain(code)
        .map(|address| format!("@{}", address.seen_from(home)))
        .collect();
    if names.is_empty() {
        return Err(AppError::NotFound {
            what: "the question mentions only you; nothing was posted".to_owned(),
            hints: Vec::new(),
        });
    }
    let near = unknown
        .iter()
        .filter_map(|unknown_agent| unknown_agent.near.as_ref());
    let mut hints: Vec<String> = near.map(|near| format!("Did you mean @{near}?")).collect();
    hints.push(if ctx.interface.is_mcp() {
        "To ask the user, mention @human.".to_owned()
    } else {
        let list = ctx.command(&["agent", "list", "--all"]);
        format!("`{list}` lists the agents. To ask the user, mention @human.")
    });
    let here = unknown
        .iter()
        .map(|unknown_agent| &unknown_agent.address)
        .filter(|address| address.home() == *home);
    hints.extend(here.map(|address| register_hint(ctx, address.name())));
    Err(AppError::NotFound {
        what: format!("there is no agent {}; nothing was posted", names.join(" or ")),
        hints,
    })
}

/// A hint on how to register an agent with this name. Omits the full command in an agent's session, where the command
/// would rename that agent.
fn register_hint(ctx: &Context, name: &str) -> String {
    if ctx.interface.is_mcp() {
        return format!("{name} registers with its first call of read_inbox that passes its name as `as`.");
    }
    if ctx.session.is_some() || ctx.acting_as.is_some() {
        return format!("To register, {name} must run `bugle agent register {name}` in its own session.");
    }
    format!(
        "`{}` registers {name}.",
        ctx.command(&["agent", "register", name])
    )
}

/// The project to which an address refers, from the sender's point of view.
fn project_of(
    store: &mut Store,
    me: &Me,
    project: &ProjectId,
    address: &AgentAddress,
) -> Result<ProjectId, AppError> {
    if address.project() == me.home.project() {
        return Ok(project.clone());
    }
    project_by_name(store, address)
}

/// The project of an agent outside the sender's project.
fn project_by_name(store: &mut Store, agent: &AgentAddress) -> Result<ProjectId, AppError> {
    let all = store.projects()?;
    let is_called =
        |row: &ProjectRow| Home::new(&addresses::name_of_project(row), None).project() == agent.project();
    let mut found: Vec<ProjectRow> = all.iter().filter(|row| is_called(row)).cloned().collect();
    if found.is_empty() {
        // After a merge, a project's agents keep the old project name in their addresses.
        for row in all {
            if store.is_addressed_as(&row.id, agent.project())? {
                found.push(row);
            }
        }
    }
    if found.len() > 1 {
        return Err(AppError::Usage {
            what: format!(
                "several projects are named `{}`; nothing was posted",
                agent.project()
            ),
            hints: found.into_iter().map(|row| row.place).collect(),
        });
    }
    found.pop().map(|row| row.id).ok_or_else(|| AppError::NotFound {
        what: format!("there is no project `{}`; nothing was posted", agent.project()),
        hints: vec![format!(
            "If you did not mean @{agent} as a mention, put it in backticks."
        )],
    })
}
