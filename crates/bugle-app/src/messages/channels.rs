//! Channels: people and agents post messages on a project's branch.

use bugle_core::message::{AgentAddress, Home};
use bugle_store::Store;

use crate::agents::Me;
use crate::{AppError, Context};

/// A channel: a branch of a project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChannelName {
    /// The name of the project.
    pub project: String,
    /// The path that identifies the project, because two projects can have the same name.
    pub place: String,
    /// The branch; `-` if there is none.
    pub branch: String,
}

pub(crate) fn channel_home(channel: &ChannelName) -> Home {
    Home::new(&channel.project, Some(&channel.branch))
}

/// The user as a participant in a channel.
pub(crate) fn person_in(store: &mut Store, ctx: &Context, channel: &ChannelName) -> Result<Me, AppError> {
    let home = channel_home(channel);
    let project = store.find_project(&channel.place)?;
    if project.is_none() && channel.place != ctx.project {
        return Err(AppError::NotFound {
            what: format!("there is no project {} at {}", channel.project, channel.place),
            hints: Vec::new(),
        });
    }
    Ok(Me {
        project,
        address: AgentAddress::human(&home),
        home,
        row: None,
    })
}
