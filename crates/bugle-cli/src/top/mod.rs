//! `bugle top`: the terminal view. Channels with their agents, what is said and done in one of them, and a line to say
//! something oneself.
//!
//! `model.rs` is what it knows and how that changes, `view.rs` how it looks; both are pure. Here they meet the terminal,
//! and the store through the use cases. It sleeps until a key or a change of the store wakes it.

mod input;
mod layout;
mod model;
mod scene;
mod stream;
mod terminal;
mod text;
mod view;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use bugle_app::{App, AppError, Changes, Exit, Place};
use bugle_wire::{ChannelName, SaidView};

use model::{Effect, Event, Model};
use scene::Scene;
use terminal::Screen;

/// How much of what was said and done is shown.
const LAST: u32 = 500;
/// How long a change of the store may go unnoticed where the system does not tell of it.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How long nothing new is shown after something was: many write at once, and nobody reads that fast.
const PAUSE: Duration = Duration::from_millis(100);
/// How long it takes to look again for a store that is gone.
const RETRY: Duration = Duration::from_secs(1);

/// What wakes the view.
#[derive(Debug)]
enum Happening {
    /// Something that the model knows what to do about.
    Here(Event),
    /// The process is to end.
    End,
}

/// Shows the view until it is left.
pub(crate) fn top(place: &Place, mouse: bool, colour: bool) -> Result<Exit, AppError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let instead = |words: &[&str], what: &str| format!("`{}` {what}", place.command(words));
        return Err(AppError::Usage {
            what: "bugle top needs a terminal, and this is none".to_owned(),
            hints: vec![
                instead(&["agents"], "lists the agents,"),
                instead(&["channel"], "shows what was said on a branch,"),
                instead(&["ui"], "shows all of it on a page."),
            ],
        });
    }
    // Whatever is wrong with the store is said before the terminal is taken over.
    drop(App::open(place.clone())?);
    let changes = Changes::of(place)?;
    let (send, happenings) = mpsc::channel();
    let mut screen = Screen::take(mouse).map_err(|error| lost(&error))?;
    terminal::listen_for_end(send.clone()).map_err(|error| lost(&error))?;
    let keys = send.clone();
    std::thread::spawn(move || terminal::listen(&keys));
    let watched = place.clone();
    std::thread::spawn(move || watch(changes, &watched, &send));
    let model = Model::new(screen.size, colour);
    show(place, model, &mut screen, &happenings).map_err(|error| lost(&error))?;
    Ok(Exit::Done)
}

fn lost(error: &io::Error) -> AppError {
    AppError::System(format!("the terminal cannot be used: {error}"))
}

fn show(
    place: &Place,
    mut model: Model,
    screen: &mut Screen,
    happenings: &Receiver<Happening>,
) -> io::Result<()> {
    let mut events = vec![Event::Changed];
    loop {
        // Several changes at once are loaded once.
        let mut load = false;
        for event in events {
            let mut effect = model.update(event);
            // Saying something asks for what is new, and that for nothing more.
            while let Some(wanted) = effect.take() {
                match wanted {
                    Effect::Quit => return Ok(()),
                    Effect::Load => load = true,
                    Effect::Say { text, question } => {
                        effect = model.update(say(place, &model, &text, question.as_deref()));
                    }
                }
            }
        }
        if load {
            let loaded = loaded(place, model.chosen.as_ref());
            model.update(loaded);
        }
        screen.draw(&model)?;
        let Ok(first) = happenings.recv() else {
            return Ok(());
        };
        events = Vec::new();
        for happening in std::iter::once(first).chain(happenings.try_iter()) {
            match happening {
                Happening::Here(event) => events.push(event),
                Happening::End => return Ok(()),
            }
        }
    }
}

/// Tells whenever the store has changed, until nobody listens.
fn watch(mut changes: Changes, place: &Place, send: &Sender<Happening>) {
    let mut gone = false;
    loop {
        let event = if gone {
            std::thread::sleep(RETRY);
            // One that is gone is not made anew by looking for it.
            let Some(again) = place.database().exists().then(|| Changes::of(place)) else {
                continue;
            };
            let Ok(again) = again else { continue };
            changes = again;
            gone = false;
            Event::Changed
        } else {
            match changes.wait(LONGEST_WAIT) {
                Ok(false) => continue,
                Ok(true) => Event::Changed,
                Err(error) => {
                    gone = true;
                    Event::Unreadable(error.to_string())
                }
            }
        };
        if send.send(Happening::Here(event)).is_err() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// The store, unless it is gone. It is opened each time, so that another file in its place is seen.
fn open(place: &Place) -> Result<App, AppError> {
    let file = place.database();
    if file.exists() {
        App::open(place.clone())
    } else {
        Err(AppError::System(format!("the store {} is gone", file.display())))
    }
}

fn loaded(place: &Place, chosen: Option<&ChannelName>) -> Event {
    let scene = || -> Result<Scene, AppError> {
        let mut app = open(place)?;
        let overview = app.overview()?;
        let known = |name: &&ChannelName| overview.channels.iter().any(|channel| channel.name == **name);
        let first = overview.channels.first().map(|channel| channel.name.clone());
        let stream = match chosen.filter(known).cloned().or(first) {
            Some(channel) => app.stream(&channel, LAST)?,
            None => bugle_wire::Stream {
                entries: Vec::new(),
                earlier: false,
            },
        };
        Ok(scene::scene(overview, stream, clock))
    };
    match scene() {
        Ok(scene) => Event::Loaded(Box::new(scene)),
        Err(error) => Event::Unreadable(error.to_string()),
    }
}

fn say(place: &Place, model: &Model, text: &str, question: Option<&str>) -> Event {
    let Some(channel) = &model.chosen else {
        return Event::Unsaid("There is no channel to say it in.".to_owned());
    };
    match open(place).and_then(|mut app| app.say_in(channel, text, question)) {
        Ok(said) => Event::Said(heard_by(&said)),
        Err(error) => {
            let view = error.view();
            let words: Vec<String> = std::iter::once(view.message).chain(view.hints).collect();
            Event::Unsaid(words.join(" "))
        }
    }
}

/// What whoever spoke should know.
fn heard_by(said: &SaidView) -> Option<String> {
    if said.unheard_of.is_empty() {
        return None;
    }
    let mut text = format!("Nobody has heard of {} before.", said.unheard_of.join(", "));
    if !said.near.is_empty() {
        text.push_str(&format!(" Is {} meant?", said.near.join(", ")));
    }
    Some(text)
}

/// A moment, where this is.
fn clock(milliseconds: i64) -> (String, String) {
    jiff::Timestamp::from_millisecond(milliseconds).map_or_else(
        |_| (milliseconds.to_string(), String::new()),
        |at| {
            let at = at.to_zoned(jiff::tz::TimeZone::system());
            (
                at.strftime("%Y-%m-%d").to_string(),
                at.strftime("%H:%M").to_string(),
            )
        },
    )
}
