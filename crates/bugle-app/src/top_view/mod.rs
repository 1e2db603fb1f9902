//! Data for `bugle top`: channels with their agents, items that need the user, and a channel's activity.

mod activity;

use activity::branch_of;
pub use activity::{Activity, ActivityKind, ActivityStream, channel_activity};

use bugle_core::agent::AgentStatus;
use bugle_core::engine::RunStatus;
use bugle_core::id::VisitToken;
use bugle_core::reply::{AgentBranch, AgentSummary, AskView};
use bugle_store::{ProjectId, ProjectRow, Store};

use crate::dashboard::ask_of;
use crate::messages::ChannelName;
use crate::{AgentScope, AppError, Context, addresses, agent_list, attention, projects};

/// All channels, and the items that need the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopView {
    /// The channels: the current channel, then the other channels of its project, then other projects' channels.
    pub channels: Vec<ChannelView>,
    /// The items that need the user: questions first, then stopped runs, agents and unread messages.
    pub needs: Vec<AttentionItem>,
}

/// A channel and its agents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelView {
    /// The channel's name.
    pub name: ChannelName,
    /// The channel's agents, without archived ones.
    pub agents: Vec<AgentSummary>,
    /// The number of archived agents.
    pub archived: usize,
}

/// Why an item needs the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AttentionKind {
    /// An agent asked the user a question.
    Question,
    /// A run is waiting for a decision.
    Decision,
    /// A run was paused.
    Pause,
    /// An agent is blocked, but not by a question to the user.
    Blocked,
    /// An agent failed.
    Failure,
    /// A message to the user is unread.
    Unread,
}

/// The question that a waiting run asks the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunQuestion {
    /// The visit that asks.
    pub visit: VisitToken,
    /// The possible answers; empty if any text answers the question.
    pub choices: Vec<String>,
}

/// An item that needs the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttentionItem {
    /// Why the item needs the user.
    pub kind: AttentionKind,
    /// The channel to which the item belongs.
    pub channel: ChannelName,
    /// The id of the question, run or message, or the address of the agent.
    pub id: String,
    /// The name of the agent or sender, or the run's skill.
    pub who: String,
    /// The question, step, task or message.
    pub text: String,
    /// The waiting run's question, if the user can answer it here.
    pub asked: Option<RunQuestion>,
    /// The command that shows or handles the item.
    pub command: String,
}

/// The channels of all projects, and the items that need the user.
pub fn top_view(store: &mut Store, ctx: &Context) -> Result<TopView, AppError> {
    let places = store.projects()?;
    let here = own_channel(store, ctx)?;
    let mut channels = all_channels(store, ctx, &places, &here)?;
    channels.sort_by_cached_key(|channel| {
        let name = &channel.name;
        (name.place != here.place, *name != here, name.clone())
    });
    let needs = attention_items(store, ctx, &places)?;
    Ok(TopView { channels, needs })
}

/// The channel of the current folder.
fn own_channel(store: &mut Store, ctx: &Context) -> Result<ChannelName, AppError> {
    Ok(ChannelName {
        project: projects::current_project_name(store, ctx)?,
        place: ctx.project.clone(),
        branch: addresses::home(ctx).branch().to_owned(),
    })
}

fn all_channels(
    store: &mut Store,
    ctx: &Context,
    places: &[ProjectRow],
    own: &ChannelName,
) -> Result<Vec<ChannelView>, AppError> {
    let mut channels: Vec<ChannelView> = Vec::new();
    for branch in agent_list::agents(store, ctx, AgentScope::All)?.branches {
        let AgentBranch {
            project,
            place,
            branch,
            mut agents,
        } = branch;
        let all = agents.len();
        agents.retain(|agent| agent.status != bugle_core::agent::AgentStatus::Archived);
        channels.push(ChannelView {
            archived: all - agents.len(),
            name: ChannelName {
                project,
                place,
                branch,
            },
            agents,
        });
    }
    let mut names = vec![own.clone()];
    for project in places {
        for branch in store.branches(&project.id)? {
            names.push(ChannelName {
                project: addresses::name_of_project(project),
                place: project.place.clone(),
                branch,
            });
        }
    }
    for name in names {
        if channels.iter().all(|channel| channel.name != name) {
            channels.push(ChannelView {
                name,
                agents: Vec::new(),
                archived: 0,
            });
        }
    }
    Ok(channels)
}

fn attention_items(
    store: &mut Store,
    ctx: &Context,
    places: &[ProjectRow],
) -> Result<Vec<AttentionItem>, AppError> {
    let agents = store.agents(None)?;
    let found = attention::attention(store, &agents)?;
    let channel = |project: &ProjectId, branch: &str| {
        let project = places.iter().find(|row| row.id == *project)?;
        Some(ChannelName {
            project: addresses::name_of_project(project),
            place: project.place.clone(),
            branch: branch.to_owned(),
        })
    };
    let questions = found.questions.iter().filter_map(|(project, asked)| {
        Some(AttentionItem {
            kind: AttentionKind::Question,
            channel: channel(project, asked.sender.branch())?,
            who: asked.sender.name().to_owned(),
            text: asked.text.clone(),
            asked: None,
            command: ctx.command(&["answer", asked.id.as_str(), "-"]),
            id: asked.id.to_string(),
        })
    });
    let asks: Vec<Option<AskView>> = found
        .stopped
        .iter()
        .map(|row| match row.status {
            RunStatus::Waiting => ask_of(store, ctx, row),
            _ => None,
        })
        .collect();
    let runs = found.stopped.iter().zip(asks).filter_map(|(row, ask)| {
        let id = row.id.as_str();
        let (kind, command) = match row.status {
            RunStatus::Paused => (AttentionKind::Pause, ctx.command(&["run", "resume", id])),
            _ => (AttentionKind::Decision, ctx.command(&["step", id])),
        };
        Some(AttentionItem {
            kind,
            channel: channel(&row.project, &branch_of(ctx, row, &agents))?,
            id: row.id.to_string(),
            who: row.skill.clone(),
            asked: row.visit.zip(ask.as_ref()).map(|(visit, ask)| RunQuestion {
                visit: VisitToken {
                    run: row.id.clone(),
                    visit,
                },
                choices: ask.choices.iter().map(|choice| choice.answer.clone()).collect(),
            }),
            text: ask.map_or_else(|| row.step.clone().unwrap_or_default(), |ask| ask.question),
            command,
        })
    });
    let troubled = found.troubled.iter().filter_map(|agent| {
        let address = agent.address.to_string();
        Some(AttentionItem {
            kind: match agent.state.status {
                AgentStatus::Blocked => AttentionKind::Blocked,
                _ => AttentionKind::Failure,
            },
            channel: channel(&agent.project, agent.address.branch())?,
            who: agent.address.name().to_owned(),
            text: agent.task.clone().unwrap_or_default(),
            asked: None,
            command: ctx.command(&["agent", "show", &address]),
            id: address,
        })
    });
    let unread = found.unread.iter().filter_map(|mail| {
        let first = mail.messages.first()?;
        let others = mail.messages.len() as u64 - 1 + mail.more;
        Some(AttentionItem {
            kind: AttentionKind::Unread,
            channel: channel(&mail.project, first.sender.branch())?,
            id: first.id.to_string(),
            who: first.sender.name().to_owned(),
            text: match others {
                0 => first.text.clone(),
                others => format!("(and {others} more) {}", first.text),
            },
            asked: None,
            command: inbox_of(ctx, &mail.project, places),
        })
    });
    Ok(questions.chain(runs).chain(troubled).chain(unread).collect())
}

/// The command that shows the user's inbox in a project.
fn inbox_of(ctx: &Context, project: &ProjectId, places: &[ProjectRow]) -> String {
    match places.iter().find(|row| row.id == *project) {
        Some(row) if row.place != ctx.project => {
            ctx.command(&["-C", row.place.trim_end_matches("/.git"), "inbox"])
        }
        _ => ctx.command(&["inbox"]),
    }
}
