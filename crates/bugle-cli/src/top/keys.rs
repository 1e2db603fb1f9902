//! Applies key presses and mouse clicks to the model.

use super::channel_list;
use super::event::{Effect, Key, Pane};
use super::model::Model;
use super::scene::Question;

impl Model {
    pub(super) fn key(&mut self, key: Key) -> Option<Effect> {
        if key == Key::Control('c') {
            return Some(Effect::Quit);
        }
        if std::mem::take(&mut self.help) {
            return None;
        }
        self.notice = None;
        match key {
            Key::F1 => self.help = true,
            Key::Tab => self.focus = self.pane_after(true),
            Key::BackTab => self.focus = self.pane_after(false),
            Key::Escape => return self.escape(),
            Key::PageUp if self.focus != Pane::Channels => self.scroll(self.page()),
            Key::PageDown if self.focus != Pane::Channels => self.scroll(-self.page()),
            _ if self.focus == Pane::Input => return self.edit(key),
            Key::Letter('?') => self.help = true,
            Key::Letter('q') => return self.quit_if_sent(),
            Key::Letter('n') => return self.select_next_need(),
            Key::Letter('i') | Key::Enter => self.focus = Pane::Input,
            _ if self.focus == Pane::Stream => self.scroll_by_key(key),
            _ => return self.choose_channel(key),
        }
        None
    }

    fn pane_after(&self, forward: bool) -> Pane {
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
            self.set_question(None);
            self.selected_need = None;
            return None;
        }
        self.quit_if_sent()
    }

    /// Quits, unless there is unsent text.
    fn quit_if_sent(&mut self) -> Option<Effect> {
        if self.input.is_empty() && self.drafts.is_empty() {
            return Some(Effect::Quit);
        }
        self.notice = Some("You have unsent text. Ctrl-C quits anyway.".to_owned());
        None
    }

    fn edit(&mut self, key: Key) -> Option<Effect> {
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
                return Some(self.send());
            }
            _ => {}
        }
        None
    }

    /// Sends the input: to the waiting run or the agent that asked, otherwise to the channel.
    fn send(&self) -> Effect {
        let text = self.input.text().to_owned();
        match &self.answering {
            Some(Question::Run { visit, choices }) => {
                let (answer, why) = split_reason(&text, choices);
                Effect::Decide {
                    visit: visit.clone(),
                    answer,
                    why,
                }
            }
            Some(question) => Effect::Say {
                text,
                question: Some(question.key()),
            },
            None => Effect::Say { text, question: None },
        }
    }

    fn scroll_by_key(&mut self, key: Key) {
        match key {
            Key::Up | Key::Letter('k') => self.scroll(1),
            Key::Down | Key::Letter('j') => self.scroll(-1),
            Key::Home => self.scroll(isize::MAX),
            Key::End => self.scroll_offset = 0,
            _ => {}
        }
    }

    fn choose_channel(&mut self, key: Key) -> Option<Effect> {
        let at = self.channel_index();
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
        self.show_channel(name)
    }

    pub(super) fn click(&mut self, column: u16, row: u16) -> Option<Effect> {
        if std::mem::take(&mut self.help) {
            return None;
        }
        let parts = self.parts()?;
        let at = ratatui::layout::Position::new(column, row);
        if parts.needs.contains(at) {
            return self.select_next_need();
        }
        if parts.input.contains(at) {
            self.focus = Pane::Input;
        } else if parts.stream.is_some_and(|stream| stream.contains(at)) {
            self.focus = Pane::Stream;
        } else if let Some(channels) = parts.channels
            && channels.contains(at)
        {
            self.focus = Pane::Channels;
            let name = channel_list::channel_at(self, channels, row)?.name.clone();
            return self.show_channel(name);
        }
        None
    }

    /// The number of lines per page.
    fn page(&self) -> isize {
        let height = self.parts().map_or(1, |parts| parts.input.y.saturating_sub(3));
        isize::try_from(height.max(1)).unwrap_or(1)
    }
}

/// Splits `accept the deadline is today` into the choice and the reason. Without choices, the text is the answer.
fn split_reason(text: &str, choices: &[String]) -> (String, Option<String>) {
    let text = text.trim();
    let reason = |choice: &String| {
        let rest = text.strip_prefix(choice.as_str())?;
        let is_separated = rest.is_empty() || rest.starts_with([' ', '\n', ':', ',']);
        is_separated.then(|| rest.trim_start_matches([' ', '\n', ':', ',']))
    };
    let chosen = choices.iter().find_map(|choice| Some((choice, reason(choice)?)));
    match chosen {
        Some((choice, reason)) => (choice.clone(), (!reason.is_empty()).then(|| reason.to_owned())),
        None => (text.to_owned(), None),
    }
}
