//! What the terminal view knows, and how it changes with keys and with the store. Nothing here touches a terminal.

use bugle_wire::ChannelName;

use super::input::Input;
use super::layout::Parts;
use super::scene::{Scene, title};
use super::stream;
use super::text::wrap;

/// What the keys go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pane {
    Channels,
    Stream,
    Input,
}

/// A key, as far as it means anything here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    Letter(char),
    /// Together with Control.
    Control(char),
    Enter,
    /// Enter together with Alt.
    LineFeed,
    Tab,
    BackTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Backspace,
    Delete,
    Escape,
    F1,
}

/// What happens to the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Key(Key),
    /// Text that comes all at once.
    Pasted(String),
    /// A mouse button, at a column and a row.
    Clicked(u16, u16),
    /// The wheel, so many lines towards the past.
    Wheeled(isize),
    Resized(u16, u16),
    /// The store has changed.
    Changed,
    /// What was asked for by [`Effect::Load`].
    Loaded(Box<Scene>),
    /// It could not be had, and why.
    Unreadable(String),
    /// What was asked for by [`Effect::Say`] is said; perhaps there is something to know about it.
    Said(Option<String>),
    /// It was not said, and why.
    Unsaid(String),
}

/// What the view asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    Quit,
    /// Everything that is shown, for the chosen channel.
    Load,
    /// Something is to be said in the chosen channel, perhaps as the answer to a question.
    Say {
        text: String,
        question: Option<String>,
    },
}

/// The state of the view.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub scene: Scene,
    pub chosen: Option<ChannelName>,
    pub focus: Pane,
    pub input: Input,
    /// The question that the input answers, and who asked it.
    pub answering: Option<(String, String)>,
    /// What was written and not said as the answer to other questions, or to none.
    drafts: Vec<(Option<String>, Input)>,
    /// The question that the stream is to be turned to once it is there.
    seeking: Option<String>,
    /// Which of the needs was last jumped to.
    pub need: Option<usize>,
    /// How many lines of the stream lie below what is shown.
    pub up: usize,
    pub help: bool,
    /// A line about what just happened.
    pub notice: Option<String>,
    /// Why nothing new is shown.
    pub trouble: Option<String>,
    pub size: (u16, u16),
    pub colour: bool,
}

impl Model {
    pub(super) fn new(size: (u16, u16), colour: bool) -> Self {
        Self {
            scene: Scene::default(),
            chosen: None,
            focus: Pane::Channels,
            input: Input::default(),
            answering: None,
            drafts: Vec::new(),
            seeking: None,
            need: None,
            up: 0,
            help: false,
            notice: None,
            trouble: None,
            size,
            colour,
        }
    }

    pub(super) fn parts(&self) -> Option<Parts> {
        let needs = self.need_lines().len();
        Parts::of(self.size, self.focus, u16::try_from(needs).unwrap_or(u16::MAX))
    }

    /// What needs a person: the first of it in a line, or all of the one that was jumped to.
    pub(super) fn need_lines(&self) -> Vec<String> {
        let needs = &self.scene.needs;
        let at = self.need.unwrap_or(0);
        let Some(need) = needs.get(at) else {
            return vec!["Nothing needs you.".to_owned()];
        };
        let which = match needs.len() {
            1 => "! (n) ".to_owned(),
            count => format!("! {} of {count} (n) ", at + 1),
        };
        let line = format!("{which}{}: {}", title(&need.channel), need.text);
        match self.need {
            Some(_) => wrap(&line, usize::from(self.size.0)),
            None => vec![line],
        }
    }

    /// The place of the chosen channel in the list.
    pub(super) fn chosen_at(&self) -> usize {
        let chosen = self.chosen.as_ref();
        let mut channels = self.scene.channels.iter();
        channels
            .position(|channel| Some(&channel.name) == chosen)
            .unwrap_or(0)
    }

    /// What happens, and what is to be done about it.
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
            Event::Loaded(scene) => self.take(*scene),
            Event::Unreadable(why) => self.trouble = Some(why),
            Event::Said(notice) => {
                self.input.clear();
                if self.answering.is_some() {
                    // From here the next thing is one key away.
                    self.focus = Pane::Stream;
                    self.answer(None);
                }
                self.up = 0;
                self.notice = notice;
                return Some(Effect::Load);
            }
            Event::Unsaid(why) => self.notice = Some(why),
        }
        None
    }

    fn key(&mut self, key: Key) -> Option<Effect> {
        if key == Key::Control('c') {
            return Some(Effect::Quit);
        }
        if std::mem::take(&mut self.help) {
            return None;
        }
        self.notice = None;
        match key {
            Key::F1 => self.help = true,
            Key::Tab => self.focus = self.turned(true),
            Key::BackTab => self.focus = self.turned(false),
            Key::Escape => return self.escape(),
            Key::PageUp if self.focus != Pane::Channels => self.scroll(self.page()),
            Key::PageDown if self.focus != Pane::Channels => self.scroll(-self.page()),
            _ if self.focus == Pane::Input => return self.write(key),
            Key::Letter('?') => self.help = true,
            Key::Letter('q') => return self.leave(),
            Key::Letter('n') => return self.jump(),
            Key::Letter('i') | Key::Enter => self.focus = Pane::Input,
            _ if self.focus == Pane::Stream => self.read(key),
            _ => return self.choose(key),
        }
        None
    }

    fn turned(&self, forward: bool) -> Pane {
        match (self.focus, forward) {
            (Pane::Channels, true) | (Pane::Input, false) => Pane::Stream,
            (Pane::Stream, true) | (Pane::Channels, false) => Pane::Input,
            (Pane::Input, true) | (Pane::Stream, false) => Pane::Channels,
        }
    }

    fn escape(&mut self) -> Option<Effect> {
        if self.focus == Pane::Input && self.answering.is_some() {
            self.focus = Pane::Stream;
            return None;
        }
        if self.answering.is_some() {
            self.answer(None);
            self.need = None;
            return None;
        }
        self.leave()
    }

    /// What is written from here on answers this question, or none. What was written for another one waits with that.
    fn answer(&mut self, question: Option<(String, String)>) {
        let key = |answering: &Option<(String, String)>| answering.as_ref().map(|(id, _)| id.clone());
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

    /// What somebody has written is not lost by one key.
    fn leave(&mut self) -> Option<Effect> {
        if self.input.is_empty() && self.drafts.is_empty() {
            return Some(Effect::Quit);
        }
        self.notice =
            Some("There is something that you have not said: Ctrl-C leaves all the same.".to_owned());
        None
    }

    fn write(&mut self, key: Key) -> Option<Effect> {
        match key {
            Key::Letter(letter) => self.input.insert(letter.encode_utf8(&mut [0; 4])),
            Key::LineFeed => self.input.insert("\n"),
            Key::Backspace => self.input.backspace(),
            Key::Delete => self.input.delete(),
            Key::Left => self.input.left(),
            Key::Right => self.input.right(),
            Key::Home | Key::Control('a') => self.input.home(),
            Key::End | Key::Control('e') => self.input.end(),
            Key::Control('u') => self.input.clear(),
            Key::Control('w') => self.input.delete_word(),
            Key::Up => self.scroll(1),
            Key::Down => self.scroll(-1),
            Key::Enter if !self.input.text().trim().is_empty() => {
                return Some(Effect::Say {
                    text: self.input.text().to_owned(),
                    question: self.answering.as_ref().map(|(id, _)| id.clone()),
                });
            }
            _ => {}
        }
        None
    }

    fn read(&mut self, key: Key) {
        match key {
            Key::Up | Key::Letter('k') => self.scroll(1),
            Key::Down | Key::Letter('j') => self.scroll(-1),
            Key::Home => self.scroll(isize::MAX),
            Key::End => self.up = 0,
            _ => {}
        }
    }

    fn choose(&mut self, key: Key) -> Option<Effect> {
        let at = self.chosen_at();
        let last = self.scene.channels.len().saturating_sub(1);
        let page = usize::try_from(self.page()).unwrap_or(1);
        let to = match key {
            Key::Up | Key::Letter('k') => at.saturating_sub(1),
            Key::Down | Key::Letter('j') => at + 1,
            Key::PageUp => at.saturating_sub(page),
            Key::PageDown => at + page,
            Key::Home => 0,
            Key::End => last,
            _ => return None,
        };
        let name = self.scene.channels.get(to.min(last))?.name.clone();
        self.turn_to(name)
    }

    /// Shows another channel.
    fn turn_to(&mut self, name: ChannelName) -> Option<Effect> {
        if self.chosen.as_ref() == Some(&name) {
            return None;
        }
        self.chosen = Some(name);
        self.answer(None);
        self.scene.entries.clear();
        self.up = 0;
        Some(Effect::Load)
    }

    /// Goes to the next thing that needs a person.
    fn jump(&mut self) -> Option<Effect> {
        let count = self.scene.needs.len();
        if count == 0 {
            self.notice = Some("Nothing needs you.".to_owned());
            return None;
        }
        let at = self.need.map_or(0, |before| (before + 1) % count);
        let need = self.scene.needs.get(at)?.clone();
        self.need = Some(at);
        let effect = self.turn_to(need.channel);
        self.focus = Pane::Stream;
        self.seeking = need.question.as_ref().map(|(id, _)| id.clone());
        if need.question.is_none() {
            self.notice = Some(need.command);
        }
        self.answer(need.question);
        if effect.is_none() {
            self.seek();
        }
        effect
    }

    /// Turns the stream to the question that is sought, as far as it is there: its beginning is in sight.
    fn seek(&mut self) {
        let Some(stream) = self.parts().and_then(|parts| parts.stream) else {
            return;
        };
        let Some(sought) = self.seeking.take() else { return };
        let width = usize::from(stream.width);
        let below = stream::lines_from(&self.scene, &sought, width);
        self.up = below.saturating_sub(usize::from(stream.height.saturating_sub(1)));
    }

    fn click(&mut self, column: u16, row: u16) -> Option<Effect> {
        if std::mem::take(&mut self.help) {
            return None;
        }
        let parts = self.parts()?;
        let at = ratatui::layout::Position::new(column, row);
        if parts.needs.contains(at) {
            return self.jump();
        }
        if parts.input.contains(at) {
            self.focus = Pane::Input;
        } else if parts.stream.is_some_and(|stream| stream.contains(at)) {
            self.focus = Pane::Stream;
        } else if let Some(channels) = parts.channels
            && channels.contains(at)
        {
            self.focus = Pane::Channels;
            let name = stream::channel_at(self, channels, row)?.name.clone();
            return self.turn_to(name);
        }
        None
    }

    /// How many lines a page is.
    fn page(&self) -> isize {
        let height = self.parts().map_or(1, |parts| parts.input.y.saturating_sub(3));
        isize::try_from(height.max(1)).unwrap_or(1)
    }

    /// Moves so many lines towards the past.
    fn scroll(&mut self, lines: isize) {
        let Some(stream) = self.parts().and_then(|parts| parts.stream) else {
            return;
        };
        let height = usize::from(stream.height.saturating_sub(1));
        let all = stream::lines(&self.scene, usize::from(stream.width)).len();
        let most = all.saturating_sub(height);
        self.up = self.up.saturating_add_signed(lines).min(most);
    }

    fn take(&mut self, scene: Scene) {
        self.trouble = None;
        if self.up > 0
            && let Some(stream) = self.parts().and_then(|parts| parts.stream)
        {
            // What is being read stays where it is, whatever comes below it.
            self.up += stream::lines_after(&self.scene, &scene, usize::from(stream.width));
        }
        if let Some(at) = self.need {
            // What was gone to stays the same; if it is dealt with, the next one comes next.
            let same = self
                .scene
                .needs
                .get(at)
                .and_then(|old| scene.needs.iter().position(|new| new == old));
            self.need = same.or(at.checked_sub(1)).filter(|at| *at < scene.needs.len());
        }
        self.scene = scene;
        let known = |name: &ChannelName| self.scene.channels.iter().any(|channel| channel.name == *name);
        if !self.chosen.as_ref().is_some_and(known) {
            self.chosen = self.scene.channels.first().map(|channel| channel.name.clone());
        }
        self.seek();
        self.scroll(0);
    }

    /// What stands before the input.
    pub(super) fn prompt(&self) -> String {
        match (&self.answering, &self.chosen) {
            (Some((_, who)), _) => format!("answer {who}>"),
            (None, Some(name)) => format!("{}>", title(name)),
            (None, None) => ">".to_owned(),
        }
    }
}
