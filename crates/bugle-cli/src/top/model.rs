//! The state of the terminal view, and how events change it. Pure: uses neither the terminal nor the store.

use bugle_app::messages::ChannelName;
use bugle_render::text::cut_in_middle;

use super::event::{Effect, Event, Pane};
use super::input::Input;
use super::layout::Parts;
use super::scene::{Question, Scene, title};
use super::stream;
use super::text::{columns, wrap};

/// The state of the view.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub scene: Scene,
    pub channel: Option<ChannelName>,
    pub focus: Pane,
    pub input: Input,
    /// The question that the input answers.
    pub answering: Option<Question>,
    /// Unsent text, by the question that the text answers.
    pub drafts: Vec<(Option<String>, Input)>,
    /// The question to scroll to once it is loaded.
    seeking: Option<String>,
    /// The index of the last selected need.
    pub selected_need: Option<usize>,
    /// The number of stream lines below the visible ones.
    pub scroll_offset: usize,
    pub help: bool,
    /// The result of the last action.
    pub notice: Option<String>,
    /// Why the store cannot be read.
    pub error: Option<String>,
    pub size: (u16, u16),
    pub colour: bool,
}

impl Model {
    pub(super) fn new(size: (u16, u16), colour: bool) -> Self {
        Self {
            scene: Scene::default(),
            channel: None,
            focus: Pane::Channels,
            input: Input::default(),
            answering: None,
            drafts: Vec::new(),
            seeking: None,
            selected_need: None,
            scroll_offset: 0,
            help: false,
            notice: None,
            error: None,
            size,
            colour,
        }
    }

    pub(super) fn parts(&self) -> Option<Parts> {
        let needs = self.need_lines().len();
        Parts::of(self.size, self.focus, u16::try_from(needs).unwrap_or(u16::MAX))
    }

    /// The lines about needs: the first need on one line, or the selected need in full.
    pub(super) fn need_lines(&self) -> Vec<String> {
        let needs = &self.scene.needs;
        let at = self.selected_need.unwrap_or(0);
        let Some(need) = needs.get(at) else {
            return vec!["Nothing needs you.".to_owned()];
        };
        let which = match needs.len() {
            1 => "! (n) ".to_owned(),
            count => format!("! {} of {count} (n) ", at + 1),
        };
        let head = format!("{which}{}: ", title(&need.channel));
        let width = usize::from(self.size.0);
        if self.selected_need.is_some() {
            return wrap(&format!("{head}{}", need.text), width);
        }
        let room = width.saturating_sub(columns(&head));
        vec![format!("{head}{}", cut_in_middle(&need.text, room))]
    }

    /// The index of the selected channel.
    pub(super) fn channel_index(&self) -> usize {
        let chosen = self.channel.as_ref();
        let mut channels = self.scene.channels.iter();
        channels
            .position(|channel| Some(&channel.name) == chosen)
            .unwrap_or(0)
    }

    /// Applies an event; returns the requests to the event loop.
    pub(super) fn update(&mut self, event: Event) -> Option<Effect> {
        match event {
            Event::Key(key) => return self.key(key),
            Event::Pasted(text) => {
                if self.focus == Pane::Input && !self.help {
                    self.input.insert(&text.replace("\r\n", "\n").replace('\r', "\n"));
                }
            }
            Event::Clicked(column, row) => return self.click(column, row),
            Event::Wheeled(lines) => self.scroll(lines),
            Event::Resized(width, height) => {
                self.size = (width, height);
                self.scroll(0);
            }
            Event::Changed => return Some(Effect::Load),
            Event::Loaded(scene) => self.set_scene(*scene),
            Event::Unreadable(why) => self.error = Some(why),
            Event::Said(notice) => {
                self.input.clear();
                if self.answering.is_some() {
                    // With the stream focused, one key press selects the next need.
                    self.focus = Pane::Stream;
                    self.set_question(None);
                }
                self.scroll_offset = 0;
                self.notice = notice;
                return Some(Effect::Load);
            }
            Event::Unsaid(why) => self.notice = Some(why),
        }
        None
    }

    /// Sets the question that the input answers. Text typed for another question is kept as that question's draft.
    pub(super) fn set_question(&mut self, question: Option<Question>) {
        let key = |answering: &Option<Question>| answering.as_ref().map(Question::key);
        let (before, now) = (key(&self.answering), key(&question));
        self.answering = question;
        if before == now {
            return;
        }
        let written = std::mem::take(&mut self.input);
        if !written.is_empty() {
            self.drafts.push((before, written));
        }
        if let Some(at) = self.drafts.iter().position(|(own, _)| *own == now) {
            self.input = self.drafts.swap_remove(at).1;
        }
    }

    /// Shows a channel.
    pub(super) fn show_channel(&mut self, name: ChannelName) -> Option<Effect> {
        if self.channel.as_ref() == Some(&name) {
            return None;
        }
        self.channel = Some(name);
        self.set_question(None);
        self.scene.entries.clear();
        self.scroll_offset = 0;
        Some(Effect::Load)
    }

    /// Selects the next need.
    pub(super) fn select_next_need(&mut self) -> Option<Effect> {
        let count = self.scene.needs.len();
        if count == 0 {
            self.notice = Some("Nothing needs you.".to_owned());
            return None;
        }
        let at = self.selected_need.map_or(0, |before| (before + 1) % count);
        let need = self.scene.needs.get(at)?.clone();
        self.selected_need = Some(at);
        let effect = self.show_channel(need.channel);
        self.focus = Pane::Stream;
        self.seeking = need.question.as_ref().map(Question::key);
        if need.question.is_none() {
            self.notice = Some(need.command);
        }
        self.set_question(need.question);
        if effect.is_none() {
            self.scroll_to_question();
        }
        effect
    }

    /// Scrolls to the first line of the question in `seeking`.
    fn scroll_to_question(&mut self) {
        let Some(stream) = self.parts().and_then(|parts| parts.stream) else {
            return;
        };
        let Some(sought) = self.seeking.take() else { return };
        let width = usize::from(stream.width);
        let below = stream::lines_from(&self.scene, &sought, width);
        self.scroll_offset = below.saturating_sub(usize::from(stream.height.saturating_sub(1)));
    }

    /// Scrolls towards older entries; a negative number scrolls towards newer ones.
    pub(super) fn scroll(&mut self, lines: isize) {
        let Some(stream) = self.parts().and_then(|parts| parts.stream) else {
            return;
        };
        let height = usize::from(stream.height.saturating_sub(1));
        let all = stream::lines(&self.scene, usize::from(stream.width)).len();
        let most = all.saturating_sub(height);
        self.scroll_offset = self.scroll_offset.saturating_add_signed(lines).min(most);
    }

    fn set_scene(&mut self, scene: Scene) {
        self.error = None;
        if self.scroll_offset > 0
            && let Some(stream) = self.parts().and_then(|parts| parts.stream)
        {
            // Keep the visible lines in place.
            self.scroll_offset += stream::lines_after(&self.scene, &scene, usize::from(stream.width));
        }
        if let Some(at) = self.selected_need {
            // Keep the same need selected. If that need is gone, `n` selects the need that took its place.
            let same = self
                .scene
                .needs
                .get(at)
                .and_then(|old| scene.needs.iter().position(|new| new == old));
            self.selected_need = same.or(at.checked_sub(1)).filter(|at| *at < scene.needs.len());
        }
        self.scene = scene;
        let known = |name: &ChannelName| self.scene.channels.iter().any(|channel| channel.name == *name);
        if !self.channel.as_ref().is_some_and(known) {
            self.channel = self.scene.channels.first().map(|channel| channel.name.clone());
        }
        self.scroll_to_question();
        self.scroll(0);
    }

    /// The prompt before the input.
    pub(super) fn prompt(&self) -> String {
        match (&self.answering, &self.channel) {
            (Some(question), _) => format!("answer {}>", question.asker()),
            (None, Some(name)) => format!("{}>", title(name)),
            (None, None) => ">".to_owned(),
        }
    }
}
