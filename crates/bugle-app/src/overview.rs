//! What somebody sees who looks on: all channels with their agents, what needs a person, and what goes on in a channel.

use std::path::Path;

use bugle_core::agent::AgentStatus;
use bugle_core::engine::{RunState, Status};
use bugle_core::message::{AgentAddress, Home};
use bugle_store::{
    AgentRow, AgentStore as _, MessageFilter, MessageStore as _, ProjectId, ProjectRow, ProjectStore as _,
    RunFilter, RunRow, Scope, Store as _,
};
use bugle_wire::{
    AgentBranch, ChannelName, ChannelView, Happening, Need, NeedKind, Overview, Stream, StreamEntry,
};

use crate::agent::Me;
use crate::message::{home, view};
use crate::needs::works_on;
use crate::project::called;
use crate::{AgentScope, App, AppError, run, wake};

/// The events of how many runs of a project are in the stream of a channel: of those that changed last.
const MOST_RUNS: u32 = 20;

fn channel_home(channel: &ChannelName) -> Home {
    Home::new(&channel.project, Some(&channel.branch))
}

impl App {
    /// The channels of all projects, and what needs a person.
    pub fn overview(&mut self) -> Result<Overview, AppError> {
        let places = self.store.projects()?;
        let here = self.own_channel()?;
        let mut channels = self.all_channels(&places, &here)?;
        channels.sort_by_cached_key(|channel| {
            let name = &channel.name;
            (name.place != here.place, *name != here, name.clone())
        });
        let needs = self.needs(&places)?;
        Ok(Overview { channels, needs })
    }

    /// The channel that belongs to this place.
    fn own_channel(&mut self) -> Result<ChannelName, AppError> {
        Ok(ChannelName {
            project: self.project_name()?,
            place: self.place.project.clone(),
            branch: home(&self.place).branch().to_owned(),
        })
    }

    fn all_channels(
        &mut self,
        places: &[ProjectRow],
        own: &ChannelName,
    ) -> Result<Vec<ChannelView>, AppError> {
        let mut channels: Vec<ChannelView> = Vec::new();
        for branch in self.agents(AgentScope::All)?.branches {
            let AgentBranch {
                project,
                place,
                branch,
                mut agents,
            } = branch;
            let all = agents.len();
            agents.retain(|agent| agent.status != AgentStatus::Archived.as_str());
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
            for branch in self.store.branches(&project.id)? {
                names.push(ChannelName {
                    project: called(project),
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

    fn needs(&mut self, places: &[ProjectRow]) -> Result<Vec<Need>, AppError> {
        let agents = self.store.agents(None)?;
        let found = self.what_needs_a_person(&agents)?;
        let channel = |project: &ProjectId, branch: &str| {
            let project = places.iter().find(|row| row.id == *project)?;
            Some(ChannelName {
                project: called(project),
                place: project.place.clone(),
                branch: branch.to_owned(),
            })
        };
        let questions = found.questions.iter().filter_map(|(project, asked)| {
            Some(Need {
                kind: NeedKind::Question,
                channel: channel(project, asked.sender.branch())?,
                who: asked.sender.name().to_owned(),
                text: asked.text.clone(),
                command: self.place.command(&["answer", asked.id.as_str(), "-"]),
                id: asked.id.to_string(),
            })
        });
        let runs = found.stopped.iter().filter_map(|row| {
            let (kind, word) = match row.status {
                Status::Paused => (NeedKind::Pause, "resume"),
                _ => (NeedKind::Decision, "step"),
            };
            Some(Need {
                kind,
                channel: channel(&row.project, &self.branch_of(row, &agents))?,
                id: row.id.to_string(),
                who: row.skill.clone(),
                text: row.step.clone().unwrap_or_default(),
                command: self.place.command(&[word, row.id.as_str()]),
            })
        });
        let troubled = found.troubled.iter().filter_map(|agent| {
            let address = agent.address.to_string();
            Some(Need {
                kind: match agent.standing.status {
                    AgentStatus::Blocked => NeedKind::Blocked,
                    _ => NeedKind::Failure,
                },
                channel: channel(&agent.project, agent.address.branch())?,
                who: agent.address.name().to_owned(),
                text: agent.task.clone().unwrap_or_default(),
                command: self.place.command(&["agent", "show", &address]),
                id: address,
            })
        });
        let unread = found.unread.iter().filter_map(|mail| {
            let first = mail.messages.first()?;
            let others = mail.messages.len() as u64 - 1 + mail.more;
            Some(Need {
                kind: NeedKind::Unread,
                channel: channel(&mail.project, first.sender.branch())?,
                id: first.id.to_string(),
                who: first.sender.name().to_owned(),
                text: match others {
                    0 => first.text.clone(),
                    others => format!("(and {others} more) {}", first.text),
                },
                command: self.inbox_of(&mail.project, places),
            })
        });
        Ok(questions.chain(runs).chain(troubled).chain(unread).collect())
    }

    /// The command with which the person reads what they were told in a project, and where to run it if not here.
    fn inbox_of(&self, project: &ProjectId, places: &[ProjectRow]) -> String {
        let command = self.place.command(&["inbox"]);
        match places.iter().find(|row| row.id == *project) {
            Some(row) if row.place != self.place.project => {
                format!("{command} in {}", row.place.trim_end_matches("/.git"))
            }
            _ => command,
        }
    }

    /// The branch whose channel tells of a run: that of the agent that works on it, else that of its folder.
    fn branch_of(&self, run: &RunRow, agents: &[AgentRow]) -> String {
        match agents.iter().find(|agent| works_on(agent, run)) {
            Some(agent) => agent.address.branch().to_owned(),
            None => home(&self.place.moved_to(Path::new(&run.directory)))
                .branch()
                .to_owned(),
        }
    }

    /// The latest of what was said and done in a channel, so many at most.
    pub fn stream(&mut self, channel: &ChannelName, last: u32) -> Result<Stream, AppError> {
        let mut entries = Vec::new();
        if let Some(project) = self.store.find_project(&channel.place)? {
            let last = last.saturating_add(1);
            let agents = self.store.agents(Some(&project))?;
            self.add_messages(&mut entries, &project, channel, last)?;
            self.add_runs(&mut entries, &project, channel, &agents)?;
            self.add_wakeups(&mut entries, &project, channel, (&agents, last))?;
        }
        // What happened in the same moment stays in the order in which it was found.
        entries.sort_by_key(|entry| entry.at);
        let surplus = entries.len().saturating_sub(last as usize);
        entries.drain(..surplus);
        Ok(Stream {
            entries,
            earlier: surplus > 0,
        })
    }

    fn add_messages(
        &mut self,
        entries: &mut Vec<StreamEntry>,
        project: &ProjectId,
        channel: &ChannelName,
        last: u32,
    ) -> Result<(), AppError> {
        let home = channel_home(channel);
        let filter = MessageFilter {
            branch: Some(&channel.branch),
            last,
            ..MessageFilter::default()
        };
        let said = self.store.messages(project, &filter)?;
        entries.extend(said.iter().map(|row| StreamEntry {
            at: row.at.0,
            what: Happening::Said(view(row, &home)),
        }));
        Ok(())
    }

    fn add_runs(
        &mut self,
        entries: &mut Vec<StreamEntry>,
        project: &ProjectId,
        channel: &ChannelName,
        agents: &[AgentRow],
    ) -> Result<(), AppError> {
        let rows = self.store.runs(&RunFilter {
            scope: Scope::Project(project.clone()),
            open_only: false,
            limit: MOST_RUNS,
        })?;
        for row in rows {
            if self.branch_of(&row, agents) != channel.branch {
                continue;
            }
            let Some(stored) = self.store.load(&row.id)? else {
                continue;
            };
            let state = RunState::replay(&row.id, &stored.events).map_err(bugle_store::StoreError::from)?;
            let timeline = run::timeline(&stored.events, &state).into_iter();
            entries.extend(timeline.map(|event| StreamEntry {
                at: event.at,
                what: Happening::Run {
                    run: row.id.to_string(),
                    skill: row.skill.clone(),
                    seq: event.seq,
                    kind: event.kind,
                    text: event.summary,
                },
            }));
        }
        Ok(())
    }

    fn add_wakeups(
        &mut self,
        entries: &mut Vec<StreamEntry>,
        project: &ProjectId,
        channel: &ChannelName,
        (agents, last): (&[AgentRow], u32),
    ) -> Result<(), AppError> {
        for row in self.store.wakeups(project, None, last)?.iter().rev() {
            // A wake-up knows its agent by name alone.
            let name = row.agent.trim_start_matches('@');
            let mut same = agents
                .iter()
                .filter(|agent| agent.address.name() == name)
                .peekable();
            let is_elsewhere =
                same.peek().is_some() && same.all(|agent| agent.address.branch() != channel.branch);
            if !is_elsewhere {
                entries.push(StreamEntry {
                    at: row.at.0,
                    what: Happening::Woken(wake::summary(row)),
                });
            }
        }
        Ok(())
    }

    /// The person, in a channel.
    pub(crate) fn person_in(&mut self, channel: &ChannelName) -> Result<Me, AppError> {
        let home = channel_home(channel);
        let project = self.store.find_project(&channel.place)?;
        if project.is_none() && channel.place != self.place.project {
            return Err(AppError::NotFound {
                what: format!("there is no project {} at {}", channel.project, channel.place),
                hints: Vec::new(),
            });
        }
        Ok(Me {
            project,
            address: AgentAddress::human(&home),
            home,
        })
    }
}
