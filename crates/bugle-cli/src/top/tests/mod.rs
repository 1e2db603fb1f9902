//! Tests the view without a terminal: presses keys and checks screens.

mod fixture;

use bugle_app::top_view::{ActivityStream, AttentionKind, RunQuestion, TopView};
use bugle_core::id::VisitToken;
use bugle_core::message::MessageKind;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Style};

use super::event::{Effect, Event, Key, Pane};
use super::model::Model;
use super::scene::scene;

use fixture::*;

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
fn a_screen_below_the_minimum_size_says_so() {
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
fn an_empty_channel_says_so() {
    let view = TopView {
        channels: vec![channel(name("shop", "main"), Vec::new(), 0)],
        needs: Vec::new(),
    };
    let stream = ActivityStream {
        entries: Vec::new(),
        earlier: false,
    };
    let mut model = Model::new((60, 12), false);
    model.update(Event::Loaded(Box::new(scene(view, stream, clock))));
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
                model.scroll_offset = 3;
                drawn(&model);
                model.help = true;
                drawn(&model);
            }
        }
    }
}

#[test]
fn colours_can_be_off() {
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
fn quitting_needs_an_empty_input() {
    for key in [Key::Escape, Key::Letter('q'), Key::Control('c')] {
        assert_eq!(press(&mut model(80, 24), &[key]), [Effect::Quit]);
    }
    let mut model = model(80, 24);
    press(&mut model, &[Key::Letter('i')]);
    write(&mut model, "q");
    assert_eq!(press(&mut model, &[Key::Escape]), []);
    assert!(model.notice.as_ref().unwrap().contains("unsent text"));
    assert_eq!(press(&mut model, &[Key::Tab, Key::Letter('q')]), []);
    assert_eq!(model.input.text(), "q");
    assert_eq!(press(&mut model, &[Key::Control('c')]), [Effect::Quit]);
}

#[test]
fn typed_text_is_kept_until_it_is_sent() {
    let mut model = model(80, 24);
    press(&mut model, &[Key::Enter]);
    assert_eq!(press(&mut model, &[Key::Enter]), [], "there is nothing to send");
    write(&mut model, "/go @impl?");
    let said = press(&mut model, &[Key::Enter]);
    let text = "/go @impl?".to_owned();
    assert_eq!(said, [Effect::Say { text, question: None }]);
    model.update(Event::Unsaid("there is no store".to_owned()));
    assert_eq!(model.input.text(), "/go @impl?");
    assert_eq!(model.update(Event::Said(None)), Some(Effect::Load));
    assert!(model.input.is_empty());
    press(&mut model, &[Key::Letter('a'), Key::LineFeed]);
    model.update(Event::Pasted("b\r\nc\rd".to_owned()));
    assert_eq!(model.input.text(), "a\nb\nc\nd");
}

#[test]
fn n_cycles_through_what_needs_the_user() {
    let mut model = model(80, 24);
    assert_eq!(
        press(&mut model, &[Key::Letter('n')]),
        [],
        "the question's channel is already loaded"
    );
    assert_eq!(model.prompt(), "answer reviewer>");
    assert_eq!(press(&mut model, &[Key::Letter('n')]), [Effect::Load]);
    assert_eq!(model.channel, Some(name("shop", "feature/日本語")));
    assert_eq!(model.notice.as_deref(), Some("bugle step r-7f3a1c"));
    assert_eq!(
        model.need_lines()[0],
        "! 2 of 3 (n) shop:feature/日本語: run m-8 of planner is waiting at review"
    );
    press(&mut model, &[Key::Letter('n'), Key::Letter('n')]);
    assert_eq!(model.selected_need, Some(0), "the selection wraps around");
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
    assert_eq!(model.selected_need, Some(0), "the next item is not skipped");
    assert!(
        model.need_lines()[0].contains("1 of 2"),
        "{:?}",
        model.need_lines()
    );
}

#[test]
fn a_waiting_run_is_answered_and_not_the_channel() {
    let visit: VisitToken = "r-7f3a1c#5".parse().unwrap();
    let ask = |choices: &[&str]| {
        let mut item = need(AttentionKind::Decision, "main", "planner", "Publish now?");
        item.id = "r-7f3a1c".to_owned();
        item.asked = Some(RunQuestion {
            visit: visit.clone(),
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
        });
        let view = TopView {
            channels: vec![channel(name("shop", "main"), Vec::new(), 0)],
            needs: vec![item],
        };
        let stream = ActivityStream {
            entries: Vec::new(),
            earlier: false,
        };
        let mut model = Model::new((120, 24), false);
        model.update(Event::Loaded(Box::new(scene(view, stream, clock))));
        press(&mut model, &[Key::Letter('n'), Key::Enter]);
        model
    };
    let sent = |choices: &[&str], text: &str| {
        let mut model = ask(choices);
        write(&mut model, text);
        press(&mut model, &[Key::Enter])
    };
    let decided = |answer: &str, why: Option<&str>| {
        vec![Effect::Decide {
            visit: visit.clone(),
            answer: answer.to_owned(),
            why: why.map(str::to_owned),
        }]
    };
    let model = ask(&["yes", "no"]);
    assert_eq!(model.prompt(), "answer r-7f3a1c>");
    assert_eq!(
        model.need_lines(),
        ["! (n) shop:main: run r-7f3a1c of planner asks: Publish now? Answers: yes, no."]
    );
    assert_eq!(sent(&["yes", "no"], "yes"), decided("yes", None));
    assert_eq!(
        sent(&["accept", "abort"], "accept: we ship today"),
        decided("accept", Some("we ship today"))
    );
    assert_eq!(sent(&["no"], "nonsense"), decided("nonsense", None));
    assert_eq!(sent(&[], "the blue one"), decided("the blue one", None));
}

#[test]
fn a_draft_is_kept_with_its_question() {
    let mut model = model(80, 24);
    press(&mut model, &[Key::Letter('n'), Key::Enter]);
    write(&mut model, "no");
    assert_eq!(press(&mut model, &[Key::Escape]), []);
    assert_eq!(model.focus, Pane::Stream);
    press(&mut model, &[Key::Letter('n'), Key::Enter]);
    assert!(model.input.is_empty(), "a draft belongs to one question");
    assert_eq!(press(&mut model, &[Key::Escape]), [], "the draft is kept");
    press(&mut model, &[Key::Tab, Key::Letter('n'), Key::Letter('n')]);
    assert_eq!((model.selected_need, model.input.text()), (Some(0), "no"));
    press(&mut model, &[Key::Enter, Key::Control('u'), Key::Escape]);
    assert_eq!(
        press(&mut model, &[Key::Escape]),
        [],
        "Escape leaves the question"
    );
    assert_eq!(model.prompt(), "shop:main>");
    assert_eq!(press(&mut model, &[Key::Escape]), [Effect::Quit]);
}

#[test]
fn a_question_is_read_whole_before_it_is_answered() {
    let mut scene = busy_day();
    let long = "@human should I drop the old table, or does another service still read from it?";
    let question = TopView {
        channels: Vec::new(),
        needs: vec![need(AttentionKind::Question, "main", "reviewer", long)],
    };
    let asked = ActivityStream {
        entries: vec![said(8, "reviewer", MessageKind::Ask, long)],
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
fn keys_and_mouse_select_channels() {
    let mut model = model(80, 24);
    assert_eq!(press(&mut model, &[Key::Up]), []);
    assert_eq!(press(&mut model, &[Key::Down]), [Effect::Load]);
    assert_eq!(press(&mut model, &[Key::End]), [Effect::Load]);
    assert_eq!(press(&mut model, &[Key::PageDown]), []);
    assert_eq!(model.channel, Some(name("api", "main")));
    // Below the needs and the heading are the first channel, its agents and the number of archived agents.
    assert_eq!(model.update(Event::Clicked(3, 7)), Some(Effect::Load));
    assert_eq!(model.channel, Some(name("shop", "feature/日本語")));
    assert_eq!(model.update(Event::Clicked(3, 18)), None);
    model.update(Event::Clicked(60, 5));
    assert_eq!(model.focus, Pane::Stream);
    model.update(Event::Clicked(5, 22));
    assert_eq!(model.focus, Pane::Input);
}

#[test]
fn visible_lines_stay_in_place() {
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
    entry.text = "two lines of text, because the text is longer than the pane width".to_owned();
    entry.day = "day 2".to_owned();
    later.entries.push(entry);
    model.update(Event::Loaded(Box::new(later)));
    assert_eq!(rows(&drawn(&model)), rows(&before));
    press(&mut model, &[Key::End]);
    assert_eq!(model.scroll_offset, 0);
    press(&mut model, &[Key::Home]);
    assert!(drawn(&model).to_string().contains("(earlier messages: "));
    let top = model.scroll_offset;
    model.update(Event::Wheeled(3));
    assert_eq!(model.scroll_offset, top, "the stream is already at the top");
    model.update(Event::Resized(120, 60));
    assert_eq!(model.scroll_offset, 0, "all entries fit now");
}

#[test]
fn a_load_error_is_shown_and_the_old_data_stays() {
    let mut model = model(80, 24);
    model.update(Event::Unreadable("the store is gone".to_owned()));
    let text = drawn(&model).to_string();
    assert!(text.contains("Cannot refresh: the store is gone"), "{text}");
    assert!(text.contains("reviewer"), "{text}");
    assert_eq!(model.update(Event::Changed), Some(Effect::Load));
    model.update(Event::Loaded(Box::default()));
    assert_eq!((model.error, model.channel), (None, None));
}
