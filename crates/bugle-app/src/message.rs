//! The use cases of messages: saying something to those who are mentioned in it, and reading what was said.

use std::collections::HashSet;
use std::path::Path;

use bugle_core::id::{Actor, MessageId};
use bugle_core::message::{Addressee, AgentAddress, BadAddress, Home, Mention, mentions};
use bugle_store::{MessageFilter, MessageRow, MessageStore, NewMessage, ProjectId, TaskStore as _, Unread};
use bugle_wire::{MessageList, SaidMessage, SaidView};

use crate::task::ID_TRIES;
use crate::{App, AppError, Place};

/// How long a message may be.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;
/// How many unread messages are shown at once.
const MOST_UNREAD: u32 = 50;

/// Which messages are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageRequest {
    /// Those for this agent.
    pub to: Option<String>,
    /// Those from this agent.
    pub from: Option<String>,
    /// How many at most: the last ones.
    pub last: u32,
}

/// What a project is called: its folder's name, also if git's folder lies in it.
pub(crate) fn project_name(place: &str) -> String {
    let place = Path::new(place);
    let folder = if place.file_name().is_some_and(|name| name == ".git") {
        place.parent().unwrap_or(place)
    } else {
        place
    };
    folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// The project and branch of a place.
pub(crate) fn home(place: &Place) -> Home {
    Home::new(&project_name(&place.project), place.branch().as_deref())
}

fn bad_address(bad: &BadAddress) -> AppError {
    AppError::Usage {
        what: bad.to_string(),
        hints: Vec::new(),
    }
}

/// The agent that is called so here; the `@` may be said or not.
fn named(name: &str, home: &Home) -> Result<AgentAddress, AppError> {
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

/// Who acts here: whoever it is said to be, else the session, else the person.
pub(crate) fn speaker(place: &Place, name: Option<&str>, home: &Home) -> Result<AgentAddress, AppError> {
    let found = match (name, &place.actor) {
        (Some(name), _) => return named(name, home),
        (None, Actor::Agent(session)) => AgentAddress::of_session(&session.0, home),
        (None, Actor::Person(_)) => Some(AgentAddress::human(home)),
        (None, Actor::Program) => None,
    };
    found.ok_or_else(|| AppError::Usage {
        what: "nothing here says who you are: there is no session and no terminal".to_owned(),
        hints: vec!["Give your name: `--as NAME` to speak, `--for NAME` to read.".to_owned()],
    })
}

/// A message as somebody sees it who is there.
fn view(row: &MessageRow, home: &Home) -> SaidMessage {
    SaidMessage {
        id: row.id.to_string(),
        at: row.at.0,
        from: row.sender.to_string(),
        from_here: row.sender.seen_from(home),
        to: row.to.iter().map(ToString::to_string).collect(),
        to_here: row.to.iter().map(|to| to.seen_from(home)).collect(),
        text: row.text.clone(),
    }
}

fn unread_list(unread: &Unread, agent: &AgentAddress, home: &Home) -> MessageList {
    MessageList {
        messages: unread.rows.iter().map(|row| view(&row.message, home)).collect(),
        unread_by: Some(agent.to_string()),
        more_unread: unread.more,
        earlier: false,
    }
}

impl App {
    /// Says something, to everybody who is mentioned in it.
    pub fn say(&mut self, text: &str, name: Option<&str>) -> Result<SaidView, AppError> {
        if text.trim().is_empty() || text.len() > MAX_MESSAGE_BYTES {
            return Err(AppError::Usage {
                what: format!("a message has 1 to {MAX_MESSAGE_BYTES} bytes, and more than spaces"),
                hints: vec!["Say in which file the rest is.".to_owned()],
            });
        }
        let home = home(&self.place);
        let sender = speaker(&self.place, name, &home)?;
        let mentioned: Vec<Addressee> = mentions(text)
            .iter()
            .map(|mention| mention.resolve(&home).map_err(|bad| bad_address(&bad)))
            .collect::<Result<_, _>>()?;
        let project = self.made_project()?;
        let at = crate::now();
        for _ in 0..ID_TRIES {
            let id = MessageId::from_random(crate::random()?);
            let said = self.store.together(|store| {
                let (to, unheard_of) = receivers(store, &project, &home, &sender, &mentioned)?;
                let message = NewMessage {
                    id: &id,
                    project: &project,
                    sender: &sender,
                    text,
                    at,
                    to: &to,
                };
                let posted = store.post(&message)?;
                Ok::<_, AppError>(posted.map(|row| (row, unheard_of)))
            })?;
            if let Some((row, unheard_of)) = said {
                return Ok(SaidView {
                    message: view(&row, &home),
                    unheard_of: unheard_of.iter().map(|agent| agent.seen_from(&home)).collect(),
                });
            }
        }
        Err(AppError::System("no new id could be found".to_owned()))
    }

    /// The last messages of this project that fit, in order.
    pub fn messages(&mut self, request: &MessageRequest) -> Result<MessageList, AppError> {
        let home = home(&self.place);
        let agent = |name: &Option<String>| name.as_deref().map(|name| named(name, &home)).transpose();
        let (to, from) = (agent(&request.to)?, agent(&request.from)?);
        let mut rows = match self.project()? {
            Some(project) => {
                let filter = MessageFilter {
                    to: to.as_ref(),
                    from: from.as_ref(),
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
        })
    }

    /// What an agent of this project, or else whoever acts, has not read: the oldest first, and how many more there are.
    /// If they are taken, nobody is given them again.
    pub fn unread_messages(&mut self, name: Option<&str>, take: bool) -> Result<MessageList, AppError> {
        let home = home(&self.place);
        let agent = speaker(&self.place, name, &home)?;
        let Some(project) = self.project()? else {
            return Ok(unread_list(&Unread::default(), &agent, &home));
        };
        let unread = if take {
            let now = crate::now();
            self.store.together(|store| {
                let unread = store.unread(&project, &agent, MOST_UNREAD)?;
                if let Some(last) = unread.rows.last() {
                    store.take(&project, &agent, last.place, now)?;
                }
                Ok::<_, AppError>(unread)
            })?
        } else {
            self.store.unread(&project, &agent, MOST_UNREAD)?
        };
        Ok(unread_list(&unread, &agent, &home))
    }
}

/// Those who get a message, each once and never the sender; and those of them who are new here.
type Receivers = (Vec<(ProjectId, AgentAddress)>, Vec<AgentAddress>);

fn receivers(
    store: &mut impl MessageStore,
    project: &ProjectId,
    home: &Home,
    sender: &AgentAddress,
    mentioned: &[Addressee],
) -> Result<Receivers, AppError> {
    if mentioned.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let here = store.correspondents(project)?;
    let mut seen = HashSet::from([sender.clone()]);
    let mut to = Vec::new();
    let mut unheard_of = Vec::new();
    for addressee in mentioned {
        match addressee {
            Addressee::All => {
                let agents = here.iter().filter(|agent| !agent.is_human());
                for agent in agents.filter(|agent| seen.insert((*agent).clone())) {
                    to.push((project.clone(), agent.clone()));
                }
            }
            Addressee::One(agent) if !seen.insert(agent.clone()) => {}
            Addressee::One(agent) => {
                let own = agent.project() == home.project();
                let place = if own {
                    project.clone()
                } else {
                    project_called(store, agent)?
                };
                let known = if own {
                    here.contains(agent)
                } else {
                    store.correspondents(&place)?.contains(agent)
                };
                if !known {
                    unheard_of.push(agent.clone());
                }
                to.push((place, agent.clone()));
            }
        }
    }
    Ok((to, unheard_of))
}

/// The project that an agent elsewhere belongs to.
fn project_called(store: &mut impl MessageStore, agent: &AgentAddress) -> Result<ProjectId, AppError> {
    let mut found: Vec<(ProjectId, String)> = store.places()?;
    found.retain(|(_, place)| Home::new(&project_name(place), None).project() == agent.project());
    if found.len() > 1 {
        return Err(AppError::Usage {
            what: format!(
                "several projects are called `{}`; nothing was said",
                agent.project()
            ),
            hints: found.into_iter().map(|(_, place)| place).collect(),
        });
    }
    found
        .pop()
        .map(|(project, _)| project)
        .ok_or_else(|| AppError::NotFound {
            what: format!("there is no project `{}`; nothing was said", agent.project()),
            hints: vec![format!(
                "If nobody is meant by @{agent}, put it between backticks."
            )],
        })
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
