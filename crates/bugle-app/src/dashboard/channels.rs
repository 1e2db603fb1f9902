//! A channel's page: the messages of a branch.

use bugle_core::message::Home;
use bugle_core::reply::SaidMessage;
use bugle_store::Store;
use serde::Serialize;

use crate::messages::view;
use crate::{AppError, Context, addresses, projects};

/// Maximum number of messages on a page.
const MESSAGES_PER_PAGE: u32 = 50;
/// Maximum number of names that the form suggests.
const MAX_NAMES: usize = 50;

/// A page of a channel's messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChannelPage {
    /// Branches with messages.
    pub channels: Vec<BranchChannel>,
    /// The branch shown.
    pub branch: String,
    /// The messages, oldest first.
    pub messages: Vec<SaidMessage>,
    /// The position of the first message shown; `None` if there are no earlier messages.
    pub earlier: Option<u64>,
    /// Whether there are later messages.
    pub later: bool,
    /// The agents that the user can mention.
    pub known: Vec<String>,
}

/// A branch with messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BranchChannel {
    /// The branch; `-` if there is none.
    pub branch: String,
    /// The time of the latest message, in milliseconds since 1970.
    pub last_at: i64,
}

/// The latest messages of a branch, or the latest before a position. By default, the branch with the latest message.
pub fn channel_page(
    store: &mut Store,
    ctx: &Context,
    branch: Option<&str>,
    before: Option<u64>,
) -> Result<ChannelPage, AppError> {
    let Some(project) = projects::project(store, ctx)? else {
        return Ok(ChannelPage {
            channels: Vec::new(),
            branch: addresses::home(ctx).branch().to_owned(),
            messages: Vec::new(),
            earlier: None,
            later: false,
            known: Vec::new(),
        });
    };
    let channels = store.channels(&project)?;
    let latest = channels.iter().max_by_key(|channel| channel.last_at);
    let branch = match (branch, latest) {
        (Some(branch), _) => branch.to_owned(),
        (None, Some(latest)) => latest.branch.clone(),
        (None, None) => addresses::home(ctx).branch().to_owned(),
    };
    let home = Home::new(&addresses::own_name(ctx), Some(&branch));
    let mut rows = store.channel_page(&project, &branch, before, MESSAGES_PER_PAGE + 1)?;
    let surplus = rows.len().saturating_sub(MESSAGES_PER_PAGE as usize);
    rows.drain(..surplus);
    let known = store.correspondents(&project)?;
    Ok(ChannelPage {
        channels: channels
            .into_iter()
            .map(|channel| BranchChannel {
                branch: channel.branch,
                last_at: channel.last_at.0,
            })
            .collect(),
        earlier: rows.first().filter(|_| surplus > 0).map(|row| row.seq),
        messages: rows.iter().map(|row| view(row, &home)).collect(),
        later: before.is_some(),
        known: known
            .iter()
            .filter(|address| !address.is_human() && !address.is_bugle())
            .take(MAX_NAMES)
            .map(|address| address.seen_from(&home))
            .collect(),
        branch,
    })
}
