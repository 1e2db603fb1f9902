//! Saying, asking and answering.

use bugle_core::id::{Actor, MessageId};
use bugle_core::message::{AgentAddress, MessageKind, is_placeholder, mentions};
use bugle_store::{AgentStore as _, MessageRow, MessageStore as _, ProjectId, TaskStore as _};
use bugle_wire::{ChannelName, SaidView};

use super::speaking::{Mentioned, Reached, Speaking, Words, told};
use super::{bad_address, view};
use crate::agent::Me;
use crate::prefix::meant;
use crate::task::ID_TRIES;
use crate::{App, AppError};

/// How long a message may be.
pub const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

fn checked(text: &str) -> Result<(), AppError> {
    if text.trim().is_empty() {
        return Err(AppError::Usage {
            what: "a message has more than spaces".to_owned(),
            hints: Vec::new(),
        });
    }
    if text.len() > MAX_MESSAGE_BYTES {
        return Err(AppError::Usage {
            what: format!("a message has at most {MAX_MESSAGE_BYTES} bytes"),
            hints: vec!["Say in which file the rest is.".to_owned()],
        });
    }
    if text.contains('\0') {
        return Err(AppError::Usage {
            what: "a message is text, and this has bytes in it that are none".to_owned(),
            hints: vec!["Say in which file it is.".to_owned()],
        });
    }
    Ok(())
}

impl App {
    /// Says something, to everybody who is mentioned in it.
    pub fn say(&mut self, text: &str, name: Option<&str>) -> Result<SaidView, AppError> {
        self.speak(
            &Words {
                text,
                kind: MessageKind::Say,
                answers: None,
            },
            name,
        )
    }

    /// Asks those who are mentioned. Whoever asks is blocked until one of them answers.
    pub fn ask(&mut self, text: &str, name: Option<&str>) -> Result<SaidView, AppError> {
        if mentions(text).is_empty() {
            return Err(AppError::Usage {
                what: "nobody is asked: a question mentions somebody".to_owned(),
                hints: vec!["`@human` in it asks the person who looks after this.".to_owned()],
            });
        }
        self.speak(
            &Words {
                text,
                kind: MessageKind::Ask,
                answers: None,
            },
            name,
        )
    }

    /// Answers a question: the one that is named, else the only one that is open.
    pub fn answer(
        &mut self,
        question: Option<&str>,
        text: &str,
        name: Option<&str>,
    ) -> Result<SaidView, AppError> {
        let is_question = question.is_none() && text.trim().parse::<MessageId>().is_ok();
        if is_question || is_placeholder(text) {
            return Err(AppError::Usage {
                what: "the answer is missing; nothing was said".to_owned(),
                hints: vec![
                    "The words stand behind the id of the question; `-` there is the standard input."
                        .to_owned(),
                ],
            });
        }
        let me = self.me(name)?;
        let question = self.question_meant(&me, question)?;
        self.speak(
            &Words {
                text,
                kind: MessageKind::Answer,
                answers: Some(&question),
            },
            name,
        )
    }

    fn question_meant(&mut self, me: &Me, id: Option<&str>) -> Result<MessageRow, AppError> {
        let hint = format!("`{}` shows what you were asked.", self.place.command(&["inbox"]));
        match id {
            Some(id) => self.question_called(me, id, &hint),
            None => self.only_question(me, hint),
        }
    }

    fn only_question(&mut self, me: &Me, hint: String) -> Result<MessageRow, AppError> {
        let mut open = match &me.project {
            Some(project) => self.store.open_questions(project, &me.address)?,
            None => Vec::new(),
        };
        match open.len() {
            1 => Ok(open.remove(0)),
            0 => Err(AppError::NotFound {
                what: format!(
                    "nothing that @{} was asked is open",
                    me.address.seen_from(&me.home)
                ),
                hints: vec![hint],
            }),
            _ => Err(AppError::Usage {
                what: "several questions are open; say which one you answer".to_owned(),
                hints: open
                    .iter()
                    .map(|row| self.place.command(&["answer", row.id.as_str(), "-"]))
                    .collect(),
            }),
        }
    }

    fn question_called(&mut self, me: &Me, id: &str, hint: &str) -> Result<MessageRow, AppError> {
        let refused = |what: String| AppError::Usage {
            what,
            hints: vec![hint.to_owned()],
        };
        let id: MessageId = id
            .parse()
            .map_err(|bad: bugle_core::id::BadId| refused(bad.to_string()))?;
        let asked = meant(
            self.store.messages_by_prefix(id.as_str())?,
            id.as_str(),
            ("message", "messages"),
            |row| (row.id.to_string(), row.sender.to_string()),
            hint.to_owned(),
        )?;
        if asked.kind != MessageKind::Ask {
            return Err(refused(format!("{} asks nothing", asked.id)));
        }
        let open = match &me.project {
            Some(project) => self.store.is_asked(project, &me.address, &asked.id)?,
            None => false,
        };
        if open {
            return Ok(asked);
        }
        Err(refused(if asked.to.contains(&me.address) {
            format!("{} is answered already", asked.id)
        } else {
            format!("{} was not asked of you", asked.id)
        }))
    }

    /// Says something in the channel of a branch of this project, as the person.
    pub fn say_on(&mut self, branch: &str, text: &str) -> Result<SaidView, AppError> {
        let channel = ChannelName {
            project: self.project_name()?,
            place: self.place.project.clone(),
            branch: branch.to_owned(),
        };
        self.say_in(&channel, text, None)
    }

    /// Says something in a channel as the person, or answers a question there: who is mentioned by name alone is looked
    /// for in that channel.
    pub fn say_in(
        &mut self,
        channel: &ChannelName,
        text: &str,
        question: Option<&str>,
    ) -> Result<SaidView, AppError> {
        checked(text)?;
        let me = self.person_in(channel)?;
        let asked = match question {
            Some(question) => Some(self.question_meant(&me, Some(question))?),
            None => None,
        };
        let kind = if asked.is_some() {
            MessageKind::Answer
        } else {
            MessageKind::Say
        };
        let words = Words {
            text,
            kind,
            answers: asked.as_ref(),
        };
        self.spoken(&words, &me)
    }

    fn speak(&mut self, words: &Words<'_>, name: Option<&str>) -> Result<SaidView, AppError> {
        checked(words.text)?;
        self.kept_project()?;
        // Whoever speaks from a session is an agent from then on.
        if let (None, Actor::Agent(session)) = (name, self.place.actor.clone())
            && AgentAddress::of_session(&session.0, &super::home(&self.place)).is_some()
        {
            self.agent_of(&session, None)?;
        }
        let me = self.me(name)?;
        self.spoken(words, &me)
    }

    fn spoken(&mut self, words: &Words<'_>, me: &Me) -> Result<SaidView, AppError> {
        let project = match &me.project {
            Some(project) => project.clone(),
            None => self.made_project()?,
        };
        let mentioned: Vec<Mentioned> = mentions(words.text)
            .iter()
            .map(|mention| {
                Ok(Mentioned {
                    who: mention.resolve(&me.home).map_err(|bad| bad_address(&bad))?,
                    may_be_code: mention.may_be_code(),
                })
            })
            .collect::<Result<_, AppError>>()?;
        let directory = self.place.root.to_string_lossy().into_owned();
        let at = crate::now();
        for _ in 0..ID_TRIES {
            let (id, notice) = (
                MessageId::from_random(crate::random()?),
                MessageId::from_random(crate::random()?),
            );
            let said = self.store.together(|store| {
                let mut speaking = Speaking {
                    store,
                    me,
                    project: &project,
                    at,
                };
                speaking.post(words, &mentioned, [&id, &notice], &directory)
            })?;
            if let Some(posted) = said {
                for message in std::iter::once(&posted.message).chain(&posted.notice) {
                    self.notify(message);
                }
                let Reached { to, strangers, code } = &posted.reached;
                return Ok(SaidView {
                    message: view(&posted.message, &me.home),
                    notice: self.have_supervisor_for(to)?,
                    near: strangers
                        .iter()
                        .filter_map(|stranger| stranger.near.clone())
                        .collect(),
                    unheard_of: strangers
                        .iter()
                        .map(|stranger| stranger.address.seen_from(&me.home))
                        .collect(),
                    taken_for_code: code.iter().map(|word| word.seen_from(&me.home)).collect(),
                });
            }
        }
        Err(AppError::System("no new id could be found".to_owned()))
    }

    /// Bugle itself tells a person something; if `once` is given, only the first time that it is.
    pub(crate) fn tell_person(
        &mut self,
        project: &ProjectId,
        person: &AgentAddress,
        text: &str,
        once: Option<&str>,
    ) -> Result<(), AppError> {
        let at = crate::now();
        let id = MessageId::from_random(crate::random()?);
        let message = self.store.together(|store| {
            if let Some(once) = once
                && !store.is_news(project, once, at)?
            {
                return Ok(None);
            }
            told(store, project, person, text, &id, at)?
                .map(Some)
                .ok_or_else(|| AppError::System("no new id could be found".to_owned()))
        })?;
        if let Some(message) = message {
            self.notify(&message);
        }
        Ok(())
    }
}
