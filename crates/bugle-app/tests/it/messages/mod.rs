//! Messages between agents.

mod delivery;
mod inbox;

use bugle_app::{AppError, MessageRequest, messages};
use bugle_core::reply::{MessageList, SaidMessage, SaidView};

use crate::project::Project;

/// More messages than any test posts.
const ALL: u32 = 1_000;

fn texts(messages: &[SaidMessage]) -> Vec<&str> {
    messages.iter().map(|message| message.text.as_str()).collect()
}

/// All messages to an agent.
fn to(name: &str) -> MessageRequest {
    MessageRequest {
        to: Some(name.to_owned()),
        ..last(ALL)
    }
}

/// The last messages.
fn last(number: u32) -> MessageRequest {
    MessageRequest {
        last: number,
        ..MessageRequest::default()
    }
}

impl Project {
    fn try_say(&mut self, from: &str, text: &str) -> Result<SaidView, AppError> {
        messages::say(&mut self.app.store, &self.app.context, text, Some(from))
    }

    /// Posts a message and returns its recipients, as addressed here.
    #[track_caller]
    fn say(&mut self, from: &str, text: &str) -> Vec<String> {
        let said = self.try_say(from, text).unwrap();
        assert_eq!(said.message.text, text);
        said.message.to_here
    }

    #[track_caller]
    fn listed(&mut self, request: &MessageRequest) -> MessageList {
        messages::messages(&mut self.app.store, &self.app.context, request).unwrap()
    }

    /// An agent's unread messages. They stay unread.
    #[track_caller]
    fn unread(&mut self, name: &str) -> Vec<String> {
        let (store, context) = (&mut self.app.store, &self.app.context);
        let (list, _unused) = messages::unread_messages(store, context, Some(name)).unwrap();
        list.messages.into_iter().map(|message| message.text).collect()
    }

    /// Returns an agent's unread messages and marks them as read.
    #[track_caller]
    fn take(&mut self, name: &str) -> MessageList {
        let (store, context) = (&mut self.app.store, &self.app.context);
        let mut taken = None;
        messages::take_messages(store, context, Some(name), &mut |list| {
            taken = Some(list.clone());
            Ok(())
        })
        .unwrap();
        taken.unwrap()
    }
}
