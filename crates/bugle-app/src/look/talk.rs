//! What was said on the branches of a project.

use bugle_core::message::Home;
use bugle_store::{LookStore as _, MessageStore as _};
use bugle_wire::{BranchChannel, ChannelLook};

use crate::message::{home, own_name, view};
use crate::{App, AppError};

/// How many messages are shown at a time.
const MESSAGES_ON_A_PAGE: u32 = 50;
/// How many names are offered to whoever writes.
const MOST_NAMES: usize = 50;

impl App {
    /// What was said on a branch, or else on the one where something was said last: the last messages, or the last before
    /// a place.
    pub fn look_at_channel(
        &mut self,
        branch: Option<&str>,
        before: Option<u64>,
    ) -> Result<ChannelLook, AppError> {
        let Some(project) = self.project()? else {
            return Ok(ChannelLook {
                channels: Vec::new(),
                branch: home(&self.place).branch().to_owned(),
                messages: Vec::new(),
                earlier: None,
                later: false,
                known: Vec::new(),
            });
        };
        let channels = self.store.channels(&project)?;
        let latest = channels.iter().max_by_key(|channel| channel.last_at);
        let branch = match (branch, latest) {
            (Some(branch), _) => branch.to_owned(),
            (None, Some(latest)) => latest.branch.clone(),
            (None, None) => home(&self.place).branch().to_owned(),
        };
        let there = Home::new(&own_name(&self.place), Some(&branch));
        let mut rows = self
            .store
            .channel_page(&project, &branch, before, MESSAGES_ON_A_PAGE + 1)?;
        let surplus = rows.len().saturating_sub(MESSAGES_ON_A_PAGE as usize);
        rows.drain(..surplus);
        let known = self.store.correspondents(&project)?;
        Ok(ChannelLook {
            channels: channels
                .into_iter()
                .map(|channel| BranchChannel {
                    branch: channel.branch,
                    last_at: channel.last_at.0,
                })
                .collect(),
            earlier: rows.first().filter(|_| surplus > 0).map(|row| row.seq),
            messages: rows.iter().map(|row| view(row, &there)).collect(),
            later: before.is_some(),
            known: known
                .iter()
                .filter(|address| !address.is_human() && !address.is_bugle())
                .take(MOST_NAMES)
                .map(|address| address.seen_from(&there))
                .collect(),
            branch,
        })
    }
}
