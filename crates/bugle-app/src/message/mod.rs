//! The use cases of messages: saying something to those who are mentioned in it, and reading what was said.

mod inbox;
mod notify;
mod say;
mod speaking;

use bugle_core::id::{BadId, MessageId};
use bugle_core::message::{Addressee, AgentAddress, BadAddress, Home, Mention};
use bugle_store::{MessageFilter, MessageRow, MessageStore as _, ProjectId, TaskStore as _, Unread};
use bugle_wire::{MessageList, OpenQuestion, SaidMessage};

pub use inbox::InboxRequest;
pub use say::MAX_MESSAGE_BYTES;

use crate::agent::Me;
use crate::place::project_folder;
use crate::prefix::meant;
use crate::{App, AppError, Place};

/// How many unread messages are shown at once.
const MOST_UNREAD: u32 = 50;

/// A list of messages with more text than this is written outside a transaction. A pipe takes as much at once.
const MOST_BYTES_IN_TRANSACTION: usize = 32 * 1024;

/// Proof of which unread messages an answer holds. They count as read when [`App::mark_read`] gets it, after the answer
/// was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "without it the messages stay unread"]
pub struct Receipt {
    pub(crate) project: ProjectId,
    pub(crate) agent: AgentAddress,
    pub(crate) up_to: u64,
}

/// Which messages are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRequest {
    /// Those for this agent.
    pub to: Option<String>,
    /// Those from this agent.
    pub from: Option<String>,
    /// Those of this branch's channel.
    pub branch: Option<String>,
    /// How many at most: the last ones.
    pub last: u32,
}

/// What a project is called: its folder's name, also if git's folder lies in it.
pub(crate) fn project_name(place: &str) -> String {
    project_folder(place)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What the project of a place is called in addresses, as far as it is known.
pub(crate) fn own_name(place: &Place) -> String {
    place
        .called
        .clone()
        .unwrap_or_else(|| project_name(&place.project))
}

/// The project and branch of a place.
pub(crate) fn home(place: &Place) -> Home {
    Home::new(&own_name(place), place.branch().as_deref())
}

fn bad_address(bad: &BadAddress) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    }
}

/// The agent that is called so here; the `@` may be said or not.
pub(crate) fn named(name: &str, home: &Home) -> Result<AgentAddress, AppError> {
    let name = name.strip_prefix('@').unwrap_or(name);
    let mention = Mention::parse(name).map_err(|bad| bad_address(&bad))?;
    match mention.resolve(home).map_err(|bad| bad_address(&bad))? {
        Addressee::One(address) => Ok(address),
        Addressee::All => Err(AppError::Usage {
            what: format!("`{name}` stands for everybody, and is nobody's name"),
            hints: Vec::new(),
        }),
    }
}

/// A message as somebody sees it who is there.
pub(crate) fn view(row: &MessageRow, home: &Home) -> SaidMessage {
    SaidMessage {
        id: row.id.to_string(),
        at: row.at.0,
        from: row.sender.to_string(),
        from_here: row.sender.seen_from(home),
        to: row.to.iter().map(ToString::to_string).collect(),
        to_here: row.to.iter().map(|to| to.seen_from(home)).collect(),
        text: row.text.clone(),
        kind: row.kind.as_str().to_owned(),
        answers: row.answers.as_ref().map(ToString::to_string),
        open: row.is_open,
    }
}

fn unread_list(unread: &Unread, agent: &AgentAddress, home: &Home) -> MessageList {
    MessageList {
        messages: unread.rows.iter().map(|row| view(&row.message, home)).collect(),
        unread_by: Some(agent.to_string()),
        more_unread: unread.more,
        earlier: false,
        questions: Vec::new(),
    }
}

impl App {
    /// The last messages of this project that fit, in order.
    pub fn messages(&mut self, request: &MessageRequest) -> Result<MessageList, AppError> {
        let to = self.addressed(request.to.as_deref())?;
        let from = self.addressed(request.from.as_deref())?;
        let (project, home) = self.own_project()?;
        let mut rows = match project {
            Some(project) => {
                let filter = MessageFilter {
                    to: to.as_ref(),
                    from: from.as_ref(),
                    branch: request.branch.as_deref(),
                    taken: None,
                    // One more than is shown tells whether there are earlier ones.
                    last: request.last.saturating_add(1),
                };
                self.store.messages(&project, &filter)?
            }
            None => Vec::new(),
        };
        let surplus = rows.len().saturating_sub(request.last as usize);
        rows.drain(..surplus);
        Ok(MessageList {
            messages: rows.iter().map(|row| view(row, &home)).collect(),
            unread_by: None,
            more_unread: 0,
            earlier: surplus > 0,
            questions: Vec::new(),
        })
    }

    /// One message, whoever it was for and whether they have read it or not.
    pub fn message(&mut self, id: &str) -> Result<MessageList, AppError> {
        let id: MessageId = id.parse().map_err(|bad: BadId| AppError::Usage {
            what: bad.to_string(),
            hints: Vec::new(),
        })?;
        let (_, home) = self.own_project()?;
        let row = meant(
            self.store.messages_by_prefix(id.as_str())?,
            id.as_str(),
            ("message", "messages"),
            |row| (row.id.to_string(), row.sender.to_string()),
            format!("`{}` lists the last ones.", self.place.command(&["messages"])),
        )?;
        Ok(MessageList {
            messages: vec![view(&row, &home)],
            unread_by: None,
            more_unread: 0,
            earlier: false,
            questions: Vec::new(),
        })
    }

    /// What was said on a branch, or else on one's own.
    pub fn channel(&mut self, branch: Option<&str>, last: u32) -> Result<MessageList, AppError> {
        let (_, home) = self.own_project()?;
        self.messages(&MessageRequest {
            branch: Some(branch.unwrap_or(home.branch()).to_owned()),
            last,
            ..MessageRequest::default()
        })
    }

    /// The unread messages of an agent of this project, or else of the agent that acts: the oldest first, and how many more
    /// there are. They stay unread until the receipt is used.
    pub fn unread_messages(
        &mut self,
        name: Option<&str>,
    ) -> Result<(MessageList, Option<Receipt>), AppError> {
        let me = self.me(name)?;
        let Some(project) = me.project.clone() else {
            return Ok((unread_list(&Unread::default(), &me.address, &me.home), None));
        };
        let unread = self.store.unread(&project, &me.address, MOST_UNREAD)?;
        let receipt = unread.rows.last().map(|last| Receipt {
            project,
            agent: me.address.clone(),
            up_to: last.place,
        });
        let mut list = unread_list(&unread, &me.address, &me.home);
        list.questions = self.questions_to(&me, &unread)?;
        Ok((list, receipt))
    }

    /// What an agent was asked, has read and has not answered, the oldest first.
    pub(super) fn questions_to(&mut self, me: &Me, unread: &Unread) -> Result<Vec<OpenQuestion>, AppError> {
        let Some(project) = &me.project else {
            return Ok(Vec::new());
        };
        let mut questions = self.store.open_questions(project, &me.address)?;
        questions.retain(|question| unread.rows.iter().all(|row| row.message.id != question.id));
        let open = |question: &MessageRow| OpenQuestion {
            message: view(question, &me.home),
            answer_with: self.place.command(&["answer", question.id.as_str(), "-"]),
        };
        Ok(questions.iter().rev().map(open).collect())
    }

    /// Writes the unread messages with `say`, then marks them as read: if they could not be written, they stay unread.
    pub fn take_messages(
        &mut self,
        name: Option<&str>,
        say: &mut dyn FnMut(&MessageList) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let me = self.me(name)?;
        let questions = self.questions_to(&me, &Unread::default())?;
        self.deliver(&me, &mut |unread| {
            let mut list = unread_list(unread, &me.address, &me.home);
            let is_unread = |id: &str| unread.rows.iter().any(|row| row.message.id.as_str() == id);
            let open = questions.iter().filter(|open| !is_unread(&open.message.id));
            list.questions = open.cloned().collect();
            say(&list)
        })
    }

    /// Gives an agent's unread messages to `say` and marks them as read, in one transaction: two readers never get the same
    /// message, and a message whose reader got nothing stays unread. A long list is written before the transaction,
    /// because a slow reader would keep every other process from writing; two readers may then see the same list.
    fn deliver(
        &mut self,
        me: &Me,
        say: &mut dyn FnMut(&Unread) -> Result<(), AppError>,
    ) -> Result<(), AppError> {
        let Some(project) = &me.project else {
            return say(&Unread::default());
        };
        let ahead = self.store.unread(project, &me.address, MOST_UNREAD)?;
        let Some(last) = ahead.rows.last() else {
            return say(&ahead);
        };
        let now = crate::now();
        let size: usize = ahead.rows.iter().map(|row| row.message.text.len()).sum();
        if size > MOST_BYTES_IN_TRANSACTION {
            say(&ahead)?;
            self.store.take(project, &me.address, last.place, now)?;
            return Ok(());
        }
        self.store.together(|store| {
            let unread = store.unread(project, &me.address, MOST_UNREAD)?;
            if let Some(last) = unread.rows.last() {
                store.take(project, &me.address, last.place, now)?;
            }
            say(&unread)
        })
    }

    /// Marks messages as read that were sent.
    pub fn mark_read(&mut self, receipt: &Receipt) -> Result<(), AppError> {
        self.store
            .take(&receipt.project, &receipt.agent, receipt.up_to, crate::now())?;
        Ok(())
    }

    /// The agent that is called so here, under its name of today.
    fn addressed(&mut self, name: Option<&str>) -> Result<Option<AgentAddress>, AppError> {
        match name {
            Some(name) => self.me(Some(name)).map(|me| Some(me.address)),
            None => Ok(None),
        }
    }

    /// The project and home of whoever acts, also if nothing says who that is.
    fn own_project(&mut self) -> Result<(Option<ProjectId>, Home), AppError> {
        match self.me(None) {
            Ok(me) => Ok((me.project, me.home)),
            Err(AppError::Usage { .. }) => Ok((self.project()?, home(&self.place))),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_called_like_its_folder() {
        for (place, name) in [
            ("/work/shop/.git", "shop"),
            ("/work/shop", "shop"),
            ("/work/shop.git", "shop.git"),
            ("/", ""),
        ] {
            assert_eq!(project_name(place), name);
        }
    }
}
