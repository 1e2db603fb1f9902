//! Messages between agents.

mod delivery;
mod exchanges;
mod inbox;
mod questions;
mod search;

use bugle_app::{AppError, InboxRequest, MessageRequest, messages};
use bugle_core::reply::{InboxView, MessageList, SaidMessage, SaidView};

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

/// A request for the latest messages.
fn last(number: u32) -> MessageRequest {
    MessageRequest {
        last: number,
        ..MessageRequest::default()
    }
}

/// A project in which `lead` has posted a message, and in which these sessions have begun a turn.
fn with_agents(sessions: &[&str]) -> Project {
    let mut project = Project::new();
    project.say("lead", "hello");
    for session in sessions {
        project.begin_session(session, "startup");
    }
    project
}

impl Project {
    fn try_say(&mut self, from: &str, text: &str) -> Result<SaidView, AppError> {
        messages::say(&mut self.app.store, &self.app.context, text, Some(from))
    }

    /// Posts a message and returns its recipients, with shortened addresses.
    #[track_caller]
    fn say(&mut self, from: &str, text: &str) -> Vec<String> {
        let said = self.try_say(from, text).unwrap();
        assert_eq!(said.message.text, text);
        said.message.to_here
    }

    /// Posts a message as this session's agent.
    #[track_caller]
    fn say_as(&mut self, session: &str, text: &str) -> SaidMessage {
        self.act_as(Some(session));
        let said = messages::say(&mut self.app.store, &self.app.context, text, None);
        said.unwrap().message
    }

    /// Asks as this session's agent.
    fn ask_as(&mut self, session: &str, text: &str) -> Result<SaidMessage, AppError> {
        self.act_as(Some(session));
        let asked = messages::ask(&mut self.app.store, &self.app.context, text, None);
        asked.map(|asked| asked.message)
    }

    /// Answers as this session's agent.
    fn answer_as(
        &mut self,
        session: &str,
        question: Option<&str>,
        text: &str,
    ) -> Result<SaidMessage, AppError> {
        self.act_as(Some(session));
        let (store, context) = (&mut self.app.store, &self.app.context);
        let answered = messages::answer(store, context, question, text, None);
        answered.map(|answered| answered.message)
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

    fn try_inbox(&mut self, request: &InboxRequest) -> Result<InboxView, AppError> {
        let mut shown = None;
        messages::inbox(&mut self.app.store, &self.app.context, request, &mut |inbox| {
            shown = Some(inbox.clone());
            Ok(())
        })?;
        Ok(shown.unwrap())
    }

    #[track_caller]
    fn inbox(&mut self, request: &InboxRequest) -> InboxView {
        self.try_inbox(request).unwrap()
    }
}
