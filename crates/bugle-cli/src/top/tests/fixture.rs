//! A scene with every kind of entry, and helpers that press keys and draw screens.

use bugle_app::messages::ChannelName;
use bugle_app::top_view::{
    Activity, ActivityKind, ActivityStream, AttentionItem, AttentionKind, ChannelView, TopView,
};
use bugle_core::agent::AgentStatus;
use bugle_core::engine;
use bugle_core::id::{ContentHash, Timestamp, VisitNumber};
use bugle_core::message::MessageKind;
use bugle_core::outcome::Outcome;
use bugle_core::reply::{AgentSummary, Change, RunChange, SaidMessage, WakeupSummary};
use bugle_core::wake::WakeReason;
use bugle_core::workflow::Decider;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::top::event::{Effect, Event, Key};
use crate::top::model::Model;
use crate::top::scene::{Scene, scene};
use crate::top::view;

pub(super) fn name(project: &str, branch: &str) -> ChannelName {
    ChannelName {
        project: project.to_owned(),
        place: format!("/work/{project}"),
        branch: branch.to_owned(),
    }
}

pub(super) fn agent(name: &str, status: AgentStatus, unread: u64) -> AgentSummary {
    AgentSummary {
        address: format!("shop:main:{name}"),
        name: name.to_owned(),
        status,
        session_ended: false,
        client: None,
        role: None,
        task: None,
        host: None,
        unread,
        changed_at: Timestamp(0),
    }
}

pub(super) fn channel(name: ChannelName, agents: Vec<AgentSummary>, archived: usize) -> ChannelView {
    ChannelView {
        name,
        agents,
        archived,
    }
}

pub(super) fn said(minute: i64, from: &str, kind: MessageKind, text: &str) -> Activity {
    Activity {
        at: Timestamp(minute * 60_000),
        what: ActivityKind::Message(SaidMessage {
            id: format!("m-{minute}").parse().unwrap(),
            at: Timestamp(minute * 60_000),
            from: format!("shop:main:{from}"),
            from_here: from.to_owned(),
            person: None,
            to: vec!["shop:main:impl".to_owned()],
            to_here: vec!["impl".to_owned()],
            text: text.to_owned(),
            kind,
            answers: None,
            open: kind == MessageKind::Ask,
        }),
    }
}

pub(super) fn run(minute: i64, step: &str, event: engine::Event) -> Activity {
    Activity {
        at: Timestamp(minute * 60_000),
        what: ActivityKind::RunEvent {
            run: "r-7f3a1c".to_owned(),
            skill: "planner".to_owned(),
            seq: minute.unsigned_abs(),
            change: Change::Run(Box::new(RunChange {
                step: Some(step.parse().unwrap()),
                ..RunChange::from(event)
            })),
            person: None,
        },
    }
}

pub(super) fn woken(minute: i64) -> Activity {
    Activity {
        at: Timestamp(minute * 60_000),
        what: ActivityKind::Wakeup(WakeupSummary {
            id: format!("w-{minute}").parse().unwrap(),
            agent: "@impl".to_owned(),
            reason: WakeReason::Compact,
            at: Timestamp(minute * 60_000),
            size: 8_120,
            limit: 9_000,
            unit: "UTF-16 units".to_owned(),
            hash: String::new(),
        }),
    }
}

pub(super) fn need(kind: AttentionKind, branch: &str, who: &str, text: &str) -> AttentionItem {
    AttentionItem {
        kind,
        channel: name("shop", branch),
        id: "m-8".to_owned(),
        who: who.to_owned(),
        text: text.to_owned(),
        asked: None,
        command: "bugle step r-7f3a1c".to_owned(),
    }
}

/// Formats a timestamp as a day number and a time.
pub(super) fn clock(time: Timestamp) -> (String, String) {
    let minutes = time.0 / 60_000;
    (
        format!("day {}", minutes / 1_440),
        format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60),
    )
}

/// The end of the first visit.
fn ended() -> engine::Event {
    engine::Event::Ended {
        visit: VisitNumber(1),
        outcome: Outcome::Ok,
        result: None,
        reason: None,
        evidence: Vec::new(),
        merged: None,
        also_found: Vec::new(),
        exhausted: false,
        no_progress: false,
        tree: None,
    }
}

pub(super) fn busy_day() -> Scene {
    let view = TopView {
        channels: vec![
            channel(
                name("shop", "main"),
                vec![
                    agent("impl", AgentStatus::Busy, 3),
                    agent("reviewer", AgentStatus::Blocked, 0),
                    agent("a-name-that-is-longer-than-any-column", AgentStatus::Failed, 12),
                ],
                2,
            ),
            channel(
                name("shop", "feature/日本語"),
                vec![agent("docs", AgentStatus::Complete, 0)],
                0,
            ),
            channel(name("api", "main"), vec![agent("impl", AgentStatus::Idle, 0)], 0),
        ],
        needs: vec![
            need(
                AttentionKind::Question,
                "main",
                "reviewer",
                "@human should I drop\nthe old table?",
            ),
            need(AttentionKind::Decision, "feature/日本語", "planner", "review"),
            need(AttentionKind::Failure, "main", "impl", ""),
        ],
    };
    let stream = ActivityStream {
        earlier: true,
        entries: vec![
            said(
                1_300,
                "impl",
                MessageKind::Say,
                "@reviewer the spec is ready: docs/spec.md, please check whether the column names make sense",
            ),
            run(
                1_301,
                "explore",
                engine::Event::Started {
                    decides: Decider::Project,
                    skill: "planner".parse().unwrap(),
                    pin: ContentHash::from_stored(String::new()),
                    params: serde_json::Map::new(),
                    origin: engine::Origin::Fresh,
                },
            ),
            run(
                1_302,
                "explore",
                engine::Event::Entered {
                    visit: VisitNumber(1),
                    step: "explore".parse().unwrap(),
                    after: None,
                    files: None,
                },
            ),
            run(1_310, "explore", ended()),
            run(
                1_311,
                "review",
                engine::Event::Judged {
                    visit: VisitNumber(2),
                    result: serde_json::Value::Null,
                    tree: None,
                },
            ),
            woken(1_430),
            said(
                1_441,
                "reviewer",
                MessageKind::Ask,
                "@human should I drop\nthe old table?",
            ),
            said(1_442, "human", MessageKind::Answer, "No. Rename it."),
            said(
                1_443,
                "impl",
                MessageKind::Say,
                "hostile \u{1b}[2J\u{7} \u{202e}txt.exe\u{202c} 日本語のとても長い文章がここにあります e\u{301}\u{301}",
            ),
            said(1_444, "bugle", MessageKind::Say, "@impl has reached a limit"),
        ],
    };
    scene(view, stream, clock)
}

pub(super) fn model(width: u16, height: u16) -> Model {
    let mut model = Model::new((width, height), false);
    assert_eq!(model.update(Event::Loaded(Box::new(busy_day()))), None);
    model
}

pub(super) fn drawn(model: &Model) -> TestBackend {
    let (width, height) = model.size;
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal
        .draw(|frame| {
            if let Some(cursor) = view::draw(model, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        })
        .unwrap();
    terminal.backend().clone()
}

pub(super) fn press(model: &mut Model, keys: &[Key]) -> Vec<Effect> {
    keys.iter()
        .filter_map(|key| model.update(Event::Key(*key)))
        .collect()
}

pub(super) fn write(model: &mut Model, text: &str) {
    for letter in text.chars() {
        assert_eq!(model.update(Event::Key(Key::Letter(letter))), None);
    }
}
