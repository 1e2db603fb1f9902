//! The view without a terminal: keys in, screens out.

use bugle_wire::{
    AgentSummary, ChannelName, ChannelView, Happening, Need, NeedKind, Overview, SaidMessage, Stream,
    StreamEntry, WakeupSummary,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Style};

use super::model::{Effect, Event, Key, Model, Pane};
use super::scene::{Scene, scene};
use super::view;

fn name(project: &str, branch: &str) -> ChannelName {
    ChannelName {
        project: project.to_owned(),
        place: format!("/work/{project}"),
        branch: branch.to_owned(),
    }
}

fn agent(name: &str, status: &str, unread: u64) -> AgentSummary {
    AgentSummary {
        address: format!("shop:main:{name}"),
        name: name.to_owned(),
        status: status.to_owned(),
        client: None,
        role: None,
        task: None,
        unread,
        changed_at: 0,
    }
}

fn channel(name: ChannelName, agents: Vec<AgentSummary>, archived: usize) -> ChannelView {
    ChannelView {
        name,
        agents,
        archived,
    }
}

fn said(minute: i64, from: &str, kind: &str, text: &str) -> StreamEntry {
    StreamEntry {
        at: minute * 60_000,
        what: Happening::Said(SaidMessage {
            id: format!("m-{minute}"),
            at: minute * 60_000,
            from: format!("shop:main:{from}"),
            from_here: from.to_owned(),
            to: vec!["shop:main:impl".to_owned()],
            to_here: vec!["impl".to_owned()],
            text: text.to_owned(),
            kind: kind.to_owned(),
            answers: None,
            open: kind == "ask",
        }),
    }
}

fn run(minute: i64, kind: &str, text: &str) -> StreamEntry {
    StreamEntry {
        at: minute * 60_000,
        what: Happening::Run {
            run: "r-7f3a1c".to_owned(),
            skill: "planner".to_owned(),
            seq: minute.unsigned_abs(),
            kind: kind.to_owned(),
            text: text.to_owned(),
        },
    }
}

fn woken(minute: i64) -> StreamEntry {
    StreamEntry {
        at: minute * 60_000,
        what: Happening::Woken(WakeupSummary {
            id: format!("w-{minute}"),
            agent: "@impl".to_owned(),
            reason: "compact".to_owned(),
            at: minute * 60_000,
            size: 8_120,
            limit: 9_000,
            unit: "UTF-16 units".to_owned(),
            hash: String::new(),
        }),
    }
}

fn need(kind: NeedKind, branch: &str, who: &str, text: &str) -> Need {
    Need {
        kind,
        channel: name("shop", branch),
        id: "m-8".to_owned(),
        who: who.to_owned(),
        text: text.to_owned(),
        command: "bugle step r-7f3a1c".to_owned(),
    }
}

/// A moment of which only the minute matters.
fn clock(milliseconds: i64) -> (String, String) {
    let minutes = milliseconds / 60_000;
    (
        format!("day {}", minutes / 1_440),
        format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60),
    )
}

fn busy_day() -> Scene {
    let overview = Overview {
        channels: vec![
            channel(
                name("shop", "main"),
                vec![
                    agent("impl", "busy", 3),
                    agent("reviewer", "blocked", 0),
                    agent("a-name-that-is-longer-than-any-column", "failed", 12),
                ],
                2,
            ),
            channel(
                name("shop", "feature/日本語"),
                vec![agent("docs", "complete", 0)],
                0,
            ),
            channel(name("api", "main"), vec![agent("impl", "idle", 0)], 0),
        ],
        needs: vec![
            need(
                NeedKind::Question,
                "main",
                "reviewer",
                "@human shall I drop\nthe old table?",
            ),
            need(NeedKind::Decision, "feature/日本語", "planner", "review"),
            need(NeedKind::Failure, "main", "impl", ""),
        ],
    };
    let stream = Stream {
        earlier: true,
        entries: vec![
            said(
                1_300,
                "impl",
                "say",
                "@reviewer the spec is ready: docs/spec.md, please look whether the names of the columns make sense",
            ),
            run(1_301, "started", "started planner"),
            run(1_302, "entered", "visit 1 entered explore"),
            run(1_310, "ended", "visit 1 of explore ended ok"),
            run(
                1_311,
                "judged",
                "visit 2 of review did not pass and waits for a decision",
            ),
            woken(1_430),
            said(1_441, "reviewer", "ask", "@human shall I drop\nthe old table?"),
            said(1_442, "human", "answer", "No. Rename it."),
            said(
                1_443,
                "impl",
                "say",
                "hostile \u{1b}[2J\u{7} \u{202e}txt.exe\u{202c} 日本語のとても長い文章がここにあります e\u{301}\u{301}",
            ),
            said(1_444, "bugle", "say", "@impl has reached a limit"),
        ],
    };
    scene(overview, stream, clock)
}

fn model(width: u16, height: u16) -> Model {
    let mut model = Model::new((width, height), false);
    assert_eq!(model.update(Event::Loaded(Box::new(busy_day()))), None);
    model
}

fn drawn(model: &Model) -> TestBackend {
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

fn press(model: &mut Model, keys: &[Key]) -> Vec<Effect> {
    keys.iter()
        .filter_map(|key| model.update(Event::Key(*key)))
        .collect()
}

fn write(model: &mut Model, text: &str) {
    for letter in text.chars() {
        assert_eq!(model.update(Event::Key(Key::Letter(letter))), None);
    }
}

#[test]
fn a_usual_screen() {
    let mut model = model(80, 24);
    model.focus = Pane::Input;
    write(&mut model, "@impl /go 日本");
    insta::assert_snapshot!(drawn(&model));
}

#[test]
fn a_large_screen() {
    insta::assert_snapshot!(drawn(&model(120, 40)));
}

#[test]
fn the_smallest_screen_shows_one_pane_at_a_time() {
    let mut model = model(40, 10);
    let channels = drawn(&model).to_string();
    press(&mut model, &[Key::Tab]);
    let stream = drawn(&model).to_string();
    press(&mut model, &[Key::F1]);
    let help = drawn(&model);
    insta::assert_snapshot!(format!("{channels}\n{stream}\n{help}"));
}

#[test]
fn a_smaller_one_says_so() {
    for (width, height) in [(39, 10), (40, 9), (12, 3), (1, 1), (0, 0)] {
        let screen = drawn(&model(width, height));
        let text: String = screen
            .buffer()
            .content
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect();
        assert!(!text.contains("Channels"), "{text}");
    }
    insta::assert_snapshot!(drawn(&model(30, 5)));
}

#[test]
fn a_store_with_nothing_in_it_is_explained() {
    let overview = Overview {
        channels: vec![channel(name("shop", "main"), Vec::new(), 0)],
        needs: Vec::new(),
    };
    let stream = Stream {
        entries: Vec::new(),
        earlier: false,
    };
    let mut model = Model::new((60, 12), false);
    model.update(Event::Loaded(Box::new(scene(overview, stream, clock))));
    insta::assert_snapshot!(drawn(&model));
}

#[test]
fn every_size_can_be_drawn() {
    for width in 0..130 {
        for height in [0, 1, 9, 10, 11, 30] {
            for focus in [Pane::Channels, Pane::Stream, Pane::Input] {
                let mut model = model(width, height);
                model.focus = focus;
                model
                    .input
                    .insert("日本語 and more than fits into a line, by far: 日本語日本語日本語");
                model.up = 3;
                drawn(&model);
                model.help = true;
                drawn(&model);
            }
        }
    }
}

#[test]
fn without_colours_there_are_none() {
    let mut model = model(80, 24);
    let plain = |style: Style| matches!(style.fg, None | Some(Color::Reset));
    assert!(
        drawn(&model)
            .buffer()
            .content
            .iter()
            .all(|cell| plain(cell.style()))
    );
    model.colour = true;
    assert!(
        !drawn(&model)
            .buffer()
            .content
            .iter()
            .all(|cell| plain(cell.style()))
    );
}

#[test]
fn one_leaves_when_nothing_is_unsaid() {
    for key in [Key::Escape, Key::Letter('q'), Key::Control('c')] {
        assert_eq!(press(&mut model(80, 24), &[key]), [Effect::Quit]);
    }
    let mut model = model(80, 24);
    press(&mut model, &[Key::Letter('i')]);
    write(&mut model, "q");
    assert_eq!(press(&mut model, &[Key::Escape]), []);
    assert!(model.notice.as_ref().unwrap().contains("not said"));
    assert_eq!(press(&mut model, &[Key::Tab, Key::Letter('q')]), []);
    assert_eq!(model.input.text(), "q");
    assert_eq!(press(&mut model, &[Key::Control('c')]), [Effect::Quit]);
}

#[test]
fn what_is_written_is_kept_until_it_is_said() {
    let mut model = model(80, 24);
    press(&mut model, &[Key::Enter]);
    assert_eq!(press(&mut model, &[Key::Enter]), [], "there is nothing to say");
    write(&mut model, "/go @impl?");
    let said = press(&mut model, &[Key::Enter]);
    let text = "/go @impl?".to_owned();
    assert_eq!(said, [Effect::Say { text, question: None }]);
    model.update(Event::Unsaid("nobody is there".to_owned()));
    assert_eq!(model.input.text(), "/go @impl?");
    assert_eq!(model.update(Event::Said(None)), Some(Effect::Load));
    assert!(model.input.is_empty());
    press(&mut model, &[Key::Letter('a'), Key::LineFeed]);
    model.update(Event::Pasted("b\r\nc\rd".to_owned()));
    assert_eq!(model.input.text(), "a\nb\nc\nd");
}

#[test]
fn a_key_goes_through_what_needs_a_person() {
    let mut model = model(80, 24);
    assert_eq!(press(&mut model, &[Key::Letter('n')]), [], "it is shown already");
    assert_eq!(model.prompt(), "answer reviewer>");
    assert_eq!(press(&mut model, &[Key::Letter('n')]), [Effect::Load]);
    assert_eq!(model.chosen, Some(name("shop", "feature/日本語")));
    assert_eq!(model.notice.as_deref(), Some("bugle step r-7f3a1c"));
    assert_eq!(
        model.need_lines()[0],
        "! 2 of 3 (n) shop:feature/日本語: run m-8 of planner waits at review"
    );
    press(&mut model, &[Key::Letter('n'), Key::Letter('n')]);
    assert_eq!(model.need, Some(0), "and from the first again");
    press(&mut model, &[Key::Enter]);
    write(&mut model, "no");
    let text = "no".to_owned();
    let question = Some("m-8".to_owned());
    assert_eq!(press(&mut model, &[Key::Enter]), [Effect::Say { text, question }]);
    model.update(Event::Said(None));
    assert_eq!(model.answering, None);
    let mut answered = busy_day();
    answered.needs.remove(0);
    model.update(Event::Loaded(Box::new(answered)));
    press(&mut model, &[Key::Letter('n')]);
    assert_eq!(model.need, Some(0), "the next one is not passed over");
    assert!(
        model.need_lines()[0].contains("1 of 2"),
        "{:?}",
        model.need_lines()
    );
}

#[test]
fn an_answer_that_was_begun_waits_with_its_question() {
    let mut model = model(80, 24);
    press(&mut model, &[Key::Letter('n'), Key::Enter]);
    write(&mut model, "no");
    assert_eq!(press(&mut model, &[Key::Escape]), []);
    assert_eq!(model.focus, Pane::Stream);
    press(&mut model, &[Key::Letter('n'), Key::Enter]);
    assert!(
        model.input.is_empty(),
        "what is written for one is said to no other"
    );
    assert_eq!(press(&mut model, &[Key::Escape]), [], "nothing of it is lost");
    press(&mut model, &[Key::Tab, Key::Letter('n'), Key::Letter('n')]);
    assert_eq!((model.need, model.input.text()), (Some(0), "no"));
    press(&mut model, &[Key::Enter, Key::Control('u'), Key::Escape]);
    assert_eq!(press(&mut model, &[Key::Escape]), [], "it is no answer any more");
    assert_eq!(model.prompt(), "shop:main>");
    assert_eq!(press(&mut model, &[Key::Escape]), [Effect::Quit]);
}

#[test]
fn a_question_is_read_whole_before_it_is_answered() {
    let mut scene = busy_day();
    let long = "@human shall I drop the old table, or is there somebody who still reads from it?";
    let question = Overview {
        channels: Vec::new(),
        needs: vec![need(NeedKind::Question, "main", "reviewer", long)],
    };
    let asked = Stream {
        entries: vec![said(8, "reviewer", "ask", long)],
        earlier: false,
    };
    let asked = super::scene::scene(question, asked, clock);
    scene.needs = asked.needs;
    scene.entries.splice(3..3, asked.entries);
    let mut model = Model::new((40, 10), false);
    model.update(Event::Loaded(Box::new(scene)));
    press(&mut model, &[Key::Letter('n'), Key::Enter]);
    insta::assert_snapshot!(drawn(&model));
}

#[test]
fn channels_are_chosen_with_keys_and_mouse() {
    let mut model = model(80, 24);
    assert_eq!(press(&mut model, &[Key::Up]), []);
    assert_eq!(press(&mut model, &[Key::Down]), [Effect::Load]);
    assert_eq!(press(&mut model, &[Key::End]), [Effect::Load]);
    assert_eq!(press(&mut model, &[Key::PageDown]), []);
    assert_eq!(model.chosen, Some(name("api", "main")));
    // Below the line of needs and the heading stand the first channel, its agents and those put aside.
    assert_eq!(model.update(Event::Clicked(3, 7)), Some(Effect::Load));
    assert_eq!(model.chosen, Some(name("shop", "feature/日本語")));
    assert_eq!(model.update(Event::Clicked(3, 18)), None);
    model.update(Event::Clicked(60, 5));
    assert_eq!(model.focus, Pane::Stream);
    model.update(Event::Clicked(5, 22));
    assert_eq!(model.focus, Pane::Input);
}

#[test]
fn what_is_read_stays_in_its_place() {
    let mut model = model(60, 10);
    model.focus = Pane::Stream;
    press(&mut model, &[Key::PageUp, Key::Up]);
    let before = drawn(&model);
    let rows = |screen: &TestBackend| {
        screen
            .to_string()
            .lines()
            .skip(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut later = model.scene.clone();
    let mut entry = later.entries.last().unwrap().clone();
    entry.key = "m-new".to_owned();
    entry.text = "a text of two lines, because it is longer than the pane is wide".to_owned();
    entry.day = "day 2".to_owned();
    later.entries.push(entry);
    model.update(Event::Loaded(Box::new(later)));
    assert_eq!(rows(&drawn(&model)), rows(&before));
    press(&mut model, &[Key::End]);
    assert_eq!(model.up, 0);
    press(&mut model, &[Key::Home]);
    assert!(
        drawn(&model)
            .to_string()
            .contains("(more was said and done before")
    );
    let top = model.up;
    model.update(Event::Wheeled(3));
    assert_eq!(model.up, top, "there is nothing above");
    model.update(Event::Resized(120, 60));
    assert_eq!(model.up, 0, "all of it fits now");
}

#[test]
fn what_cannot_be_shown_is_said_and_the_rest_stays() {
    let mut model = model(80, 24);
    model.update(Event::Unreadable("the store is gone".to_owned()));
    let text = drawn(&model).to_string();
    assert!(
        text.contains("Nothing new can be shown: the store is gone"),
        "{text}"
    );
    assert!(text.contains("reviewer"), "{text}");
    assert_eq!(model.update(Event::Changed), Some(Effect::Load));
    model.update(Event::Loaded(Box::default()));
    assert_eq!((model.trouble, model.chosen), (None, None));
}
