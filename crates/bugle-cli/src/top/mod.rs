//! `bugle top`: channels with their agents, one channel's activity, and a line for typing a message.
//!
//! `model.rs` (state) and `view.rs` (drawing) are pure. This module connects them to the terminal and the store. The
//! event loop sleeps until a key press or a store change wakes it.

mod channel_list;
mod event;
mod input;
mod keys;
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

use bugle_app::messages::ChannelName;
use bugle_app::top_view::ActivityStream;
use bugle_app::{
    App, AppError, Context, Exit, RunSelector, StoreLocation, StoreWatcher, messages, projects, runs,
    top_view,
};
use bugle_core::id::{Timestamp, VisitToken};
use bugle_core::reply::SaidView;
use event::{Effect, Event};
use model::Model;
use scene::Scene;
use terminal::Screen;

/// The maximum number of entries to show.
const LAST: u32 = 500;
/// The maximum delay before the view notices a store change that the file watcher did not report.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// The minimum time between two updates.
const PAUSE: Duration = Duration::from_millis(100);
/// The time between two attempts to open a missing store.
const RETRY: Duration = Duration::from_secs(1);

/// A reason for the event loop to wake up.
#[derive(Debug)]
enum Wake {
    /// An event for the model.
    Event(Event),
    /// The process received a termination signal.
    End,
}

/// Shows the view until the user quits.
pub(crate) fn show(ctx: &Context, mouse: bool, colour: bool) -> Result<Exit, AppError> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let hint = |words: &[&str], what: &str| format!("`{}` {what}", ctx.command(words));
        return Err(AppError::Usage {
            what: "bugle top needs a terminal".to_owned(),
            hints: vec![
                hint(&["agent", "list"], "lists agents."),
                hint(&["message", "channel"], "shows the messages on a branch."),
                hint(&["ui"], "opens the dashboard in a browser."),
            ],
        });
    }
    // Report store errors before taking over the terminal.
    let mut app = App::open(ctx.clone())?;
    projects::follow_move(&mut app.store, &app.context)?;
    drop(app);
    let changes = StoreWatcher::of(ctx)?;
    let (send, wakes) = mpsc::channel();
    let mut screen = Screen::take(mouse).map_err(|error| terminal_error(&error))?;
    terminal::listen_for_end(send.clone()).map_err(|error| terminal_error(&error))?;
    let keys = send.clone();
    std::thread::spawn(move || terminal::listen(&keys));
    let watched = ctx.clone();
    std::thread::spawn(move || watch(changes, &watched, &send));
    let model = Model::new(screen.size, colour);
    event_loop(ctx, model, &mut screen, &wakes).map_err(|error| terminal_error(&error))?;
    Ok(Exit::Done)
}

fn terminal_error(error: &io::Error) -> AppError {
    AppError::System(format!("cannot use the terminal: {error}"))
}

fn event_loop(
    ctx: &Context,
    mut model: Model,
    screen: &mut Screen,
    wakes: &Receiver<Wake>,
) -> io::Result<()> {
    let mut events = vec![Event::Changed];
    loop {
        // Load only once after several changes.
        let mut load = false;
        for event in events {
            let mut effect = model.update(event);
            // Sending a message or an answer can cause one more request, to load the scene. Loading causes none, so the
            // loop ends.
            while let Some(wanted) = effect.take() {
                match wanted {
                    Effect::Quit => return Ok(()),
                    Effect::Load => load = true,
                    Effect::Say { text, question } => {
                        effect = model.update(say(ctx, &model, &text, question.as_deref()));
                    }
                    Effect::Decide { visit, answer, why } => {
                        effect = model.update(decide(ctx, visit, answer, why));
                    }
                }
            }
        }
        if load {
            let loaded = loaded(ctx, model.channel.as_ref());
            model.update(loaded);
        }
        screen.draw(&model)?;
        let Ok(first) = wakes.recv() else {
            return Ok(());
        };
        events = Vec::new();
        for wake in std::iter::once(first).chain(wakes.try_iter()) {
            match wake {
                Wake::Event(event) => events.push(event),
                Wake::End => return Ok(()),
            }
        }
    }
}

/// Sends an event whenever the store has changed, until the receiver is gone.
fn watch(mut changes: StoreWatcher, ctx: &Context, send: &Sender<Wake>) {
    let mut gone = false;
    loop {
        let event = if gone {
            std::thread::sleep(RETRY);
            // Opening a missing store would create it.
            let Some(again) = ctx.store.may_exist().then(|| StoreWatcher::of(ctx)) else {
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
        if send.send(Wake::Event(event)).is_err() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Opens the store, but never creates it. Called for every access, so that the view notices a replaced file.
fn open(ctx: &Context) -> Result<App, AppError> {
    match &ctx.store {
        StoreLocation::File(file) if !file.exists() => Err(AppError::System(format!(
            "the store {} is missing",
            file.display()
        ))),
        _ => App::open(ctx.clone()),
    }
}

fn loaded(ctx: &Context, chosen: Option<&ChannelName>) -> Event {
    let scene = || -> Result<Scene, AppError> {
        let mut app = open(ctx)?;
        let view = top_view::top_view(&mut app.store, &app.context)?;
        let known = |name: &&ChannelName| view.channels.iter().any(|channel| channel.name == **name);
        let first = view.channels.first().map(|channel| channel.name.clone());
        let stream = match chosen.filter(known).cloned().or(first) {
            Some(channel) => top_view::channel_activity(&mut app.store, &app.context, &channel, LAST)?,
            None => ActivityStream {
                entries: Vec::new(),
                earlier: false,
            },
        };
        Ok(scene::scene(view, stream, clock))
    };
    match scene() {
        Ok(scene) => Event::Loaded(Box::new(scene)),
        Err(error) => Event::Unreadable(error.to_string()),
    }
}

fn say(ctx: &Context, model: &Model, text: &str, question: Option<&str>) -> Event {
    let Some(channel) = &model.channel else {
        return Event::Unsaid("No channel is selected.".to_owned());
    };
    match open(ctx)
        .and_then(|mut app| messages::say_in(&mut app.store, &app.context, channel, text, question))
    {
        Ok(said) => Event::Said(new_names(&said)),
        Err(error) => unsaid(&error),
    }
}

fn decide(ctx: &Context, visit: VisitToken, answer: String, why: Option<String>) -> Event {
    let decided = open(ctx).and_then(|mut app| {
        let selector = RunSelector::Visit(visit);
        runs::decide(&mut app.store, &app.context, &selector, Some(answer), why)
    });
    match decided {
        Ok(decided) => Event::Said(Some(decided.sentence(ctx))),
        Err(error) => unsaid(&error),
    }
}

fn unsaid(error: &AppError) -> Event {
    let view = error.view();
    let words: Vec<String> = std::iter::once(view.message).chain(view.hints).collect();
    Event::Unsaid(words.join(" "))
}

/// A notice about new names in a message.
fn new_names(said: &SaidView) -> Option<String> {
    if said.unheard_of.is_empty() {
        return None;
    }
    let mut text = format!("Unknown agents: {}.", said.unheard_of.join(", "));
    if !said.near.is_empty() {
        text.push_str(&format!(" Did you mean {}?", said.near.join(", ")));
    }
    Some(text)
}

/// Day and time in the local time zone.
fn clock(time: Timestamp) -> (String, String) {
    jiff::Timestamp::from_millisecond(time.0).map_or_else(
        |_| (time.0.to_string(), String::new()),
        |at| {
            let at = at.to_zoned(jiff::tz::TimeZone::system());
            (
                at.strftime("%Y-%m-%d").to_string(),
                at.strftime("%H:%M").to_string(),
            )
        },
    )
}
