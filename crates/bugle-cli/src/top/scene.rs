//! The data that the view shows: sanitized text and formatted times, built from use-case answers.

use bugle_app::messages::ChannelName;
use bugle_app::top_view::{
    Activity, ActivityKind, ActivityStream, AttentionItem, AttentionKind, ChannelView, RunQuestion, TopView,
};
use bugle_core::agent::AgentStatus;
use bugle_core::count::counted;
use bugle_core::id::{Timestamp, VisitToken};
use bugle_core::message::MessageKind;
use bugle_core::reply::{SaidMessage, TimelineKind};
use bugle_render::{agent as agent_text, timeline_text};

use super::text::{inert, inert_line};

/// The maximum number of characters shown per entry.
const LONGEST_TEXT: usize = 4_000;

/// Formats a timestamp as a day and a time of day.
pub(super) type Clock = fn(Timestamp) -> (String, String);

/// Everything that the view shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scene {
    pub channels: Vec<Channel>,
    pub needs: Vec<NeedLine>,
    pub entries: Vec<Entry>,
    /// Whether there are earlier entries.
    pub earlier: bool,
}

/// A channel, and the lines below its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Channel {
    pub name: ChannelName,
    pub title: String,
    pub agents: Vec<AgentLine>,
    pub archived: usize,
}

/// An agent in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AgentLine {
    pub name: String,
    pub status: AgentStatus,
    /// The agent's machine, if it is not this one.
    pub host: Option<String>,
    pub unread: u64,
}

/// An item that needs the user, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NeedLine {
    pub channel: ChannelName,
    pub text: String,
    /// The question that the user can answer in the view.
    pub question: Option<Question>,
    /// The command that shows details.
    pub command: String,
}

/// A question that the user can answer in the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Question {
    /// An agent's question.
    Message { id: String, who: String },
    /// A waiting run's question. Without choices, any text is an answer.
    Run { visit: VisitToken, choices: Vec<String> },
}

impl Question {
    /// Identifies the question.
    pub(super) fn key(&self) -> String {
        match self {
            Self::Message { id, .. } => id.clone(),
            Self::Run { visit, .. } => visit.to_string(),
        }
    }

    /// The agent or run that asks.
    pub(super) fn asker(&self) -> &str {
        match self {
            Self::Message { who, .. } => who,
            Self::Run { visit, .. } => visit.run.as_str(),
        }
    }
}

/// A message or an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// Identifies the entry.
    pub key: String,
    pub day: String,
    pub time: String,
    pub tone: Tone,
    /// The sender or the run, before the text.
    pub head: String,
    pub text: String,
}

/// The kind of an entry, which determines its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    Said,
    Asked,
    Person,
    Bugle,
    /// A run made progress.
    Step,
    /// A run stopped or is waiting for a decision.
    Stop,
    Woken,
}

pub(super) fn scene(view: TopView, stream: ActivityStream, clock: Clock) -> Scene {
    Scene {
        channels: view.channels.into_iter().map(channel).collect(),
        needs: view.needs.into_iter().map(need).collect(),
        entries: stream
            .entries
            .into_iter()
            .map(|entry| shown(entry, clock))
            .collect(),
        earlier: stream.earlier,
    }
}

fn channel(view: ChannelView) -> Channel {
    let agents = view.agents.into_iter().map(|agent| AgentLine {
        name: inert_line(&agent.name),
        status: agent.status,
        host: agent
            .host
            .as_ref()
            .map(|host| inert_line(&agent_text::host(host))),
        unread: agent.unread,
    });
    Channel {
        title: title(&view.name),
        agents: agents.collect(),
        archived: view.archived,
        name: view.name,
    }
}

/// The title of a channel on the screen.
pub(super) fn title(name: &ChannelName) -> String {
    let project = if name.project.is_empty() {
        "/"
    } else {
        &name.project
    };
    inert_line(&format!("{project}:{}", name.branch))
}

fn need(need: AttentionItem) -> NeedLine {
    let who = inert_line(&need.who);
    let about = inert_line(&need.text);
    let (text, question) = match need.kind {
        AttentionKind::Question => (
            format!("{who} asks: {about}"),
            Some(Question::Message { id: need.id, who }),
        ),
        AttentionKind::Decision => match need.asked {
            Some(RunQuestion { visit, choices }) => (
                asked(&need.id, &who, &about, &choices),
                Some(Question::Run { visit, choices }),
            ),
            None => (format!("run {} of {who} is waiting at {about}", need.id), None),
        },
        AttentionKind::Pause => (format!("run {} of {who} is paused at {about}", need.id), None),
        AttentionKind::Blocked => (with_reason(format!("{who} is blocked"), &about), None),
        AttentionKind::Failure => (with_reason(format!("{who} failed"), &about), None),
        AttentionKind::Unread => (format!("unread message from {who}: {about}"), None),
    };
    NeedLine {
        channel: need.channel,
        text,
        question,
        command: inert_line(&need.command),
    }
}

/// A run's question, with the possible answers.
fn asked(run: &str, skill: &str, question: &str, choices: &[String]) -> String {
    let text = format!("run {run} of {skill} asks: {question}");
    if choices.is_empty() {
        return text;
    }
    let choices: Vec<String> = choices.iter().map(|choice| inert_line(choice)).collect();
    format!("{text} Answers: {}.", choices.join(", "))
}

fn with_reason(what: String, about: &str) -> String {
    if about.is_empty() {
        what
    } else {
        format!("{what}: {about}")
    }
}

fn shown(entry: Activity, clock: Clock) -> Entry {
    let (day, time) = clock(entry.at);
    let (key, tone, head, text) = match entry.what {
        ActivityKind::Message(message) => said(&message),
        ActivityKind::RunEvent {
            run,
            skill,
            seq,
            change,
            person,
        } => {
            let tone = match change.kind() {
                TimelineKind::Asked
                | TimelineKind::Judged
                | TimelineKind::LetGo
                | TimelineKind::Escalated
                | TimelineKind::Paused
                | TimelineKind::Cancelled => Tone::Stop,
                _ => Tone::Step,
            };
            let key = format!("{run}.{seq}");
            (
                key,
                tone,
                format!("{run} {}{}", inert_line(&skill), for_person(person.as_deref())),
                shortened(&timeline_text::change(&change)),
            )
        }
        ActivityKind::Wakeup(wakeup) => (
            wakeup.id.to_string(),
            Tone::Woken,
            inert_line(wakeup.agent.trim_start_matches('@')),
            format!(
                "woken ({}), {} of {} {}",
                wakeup.reason, wakeup.size, wakeup.limit, wakeup.unit
            ),
        ),
    };
    Entry {
        key,
        day,
        time,
        tone,
        head,
        text,
    }
}

/// The person on whose behalf an agent acted; only in a shared store.
fn for_person(person: Option<&str>) -> String {
    person.map_or_else(String::new, |person| format!(" for {}", inert_line(person)))
}

fn said(message: &SaidMessage) -> (String, Tone, String, String) {
    let sender = inert_line(&message.from_here);
    let person = for_person(message.person.as_deref());
    let tone = match (message.kind, sender.as_str()) {
        (MessageKind::Ask, _) => Tone::Asked,
        (_, "human") => Tone::Person,
        (_, "bugle") => Tone::Bugle,
        _ => Tone::Said,
    };
    let head = match message.kind {
        MessageKind::Ask => format!("{sender}{person} asks"),
        MessageKind::Answer => format!(
            "{sender}{person} answers {}",
            inert_line(&message.to_here.join(", "))
        ),
        MessageKind::Say => format!("{sender}{person}"),
    };
    (message.id.to_string(), tone, head, shortened(&message.text))
}

fn shortened(text: &str) -> String {
    let text = text.trim_end();
    let mut letters = text.char_indices();
    match letters.nth(LONGEST_TEXT) {
        None => inert(text),
        Some((end, _)) => format!(
            "{}\n... and {}",
            inert(&text[..end]),
            counted(text[end..].chars().count(), "more character")
        ),
    }
}
