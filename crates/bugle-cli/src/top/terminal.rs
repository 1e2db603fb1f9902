//! Takes over the terminal, restores it on every exit, and reads its events.

use std::io::{self, BufWriter, Stdout};
use std::sync::Once;
use std::sync::mpsc::Sender;
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, KeyCode,
    KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute, queue, terminal};
use ratatui::layout::Rect;
use ratatui::{TerminalOptions, Viewport};

use super::event::{Event, Key};
use super::model::Model;
use super::{Wake, view};

/// The exit code of a program that panicked.
const PANICKED: i32 = 101;

/// Lines to scroll per mouse wheel step.
const WHEEL: isize = 3;

type Terminal = ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// The terminal while the view uses it. Restores the terminal on drop.
pub(super) struct Screen {
    terminal: Terminal,
    /// The size at the last draw.
    pub(super) size: (u16, u16),
}

impl Screen {
    /// Takes over the terminal.
    pub(super) fn take(mouse: bool) -> io::Result<Self> {
        enable_raw_mode()?;
        restore_terminal_on_panic();
        let begun = begin(mouse);
        if begun.is_err() {
            restore_terminal();
        }
        let (terminal, size) = begun?;
        Ok(Self { terminal, size })
    }

    /// Draws all changes at once.
    pub(super) fn draw(&mut self, model: &Model) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        if self.size != model.size {
            let (width, height) = model.size;
            self.terminal.resize(Rect::new(0, 0, width, height))?;
            self.size = model.size;
        }
        self.terminal.draw(|frame| {
            if let Some(cursor) = view::draw(model, frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        })?;
        execute!(self.terminal.backend_mut(), EndSynchronizedUpdate)
    }
}

fn begin(mouse: bool) -> io::Result<(Terminal, (u16, u16))> {
    let mut out = BufWriter::new(io::stdout());
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
    if mouse {
        execute!(out, EnableMouseCapture)?;
    }
    // From this point on, the terminal reports size changes. Read the size only now, so that no change is missed.
    event::poll(Duration::ZERO)?;
    let size = terminal::size()?;
    // Use the size in the model, so that nothing is drawn outside the screen while it shrinks.
    let viewport = Viewport::Fixed(Rect::new(0, 0, size.0, size.1));
    let terminal = Terminal::with_options(CrosstermBackend::new(out), TerminalOptions { viewport })?;
    Ok((terminal, size))
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Restores the terminal. Errors are ignored: the terminal may be gone.
fn restore_terminal() {
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
}

/// Restores the terminal before a panic prints its message. A panic in any thread ends the process, because the view
/// would no longer update.
fn restore_terminal_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore_terminal();
            before(panic);
            std::process::exit(PANICKED);
        }));
    });
}

/// Sends keys, mouse events and sizes until the receiver or the terminal is gone.
pub(super) fn listen(send: &Sender<Wake>) {
    loop {
        let Ok(read) = event::read() else {
            let _ = send.send(Wake::End);
            return;
        };
        if let Some(event) = translate(read)
            && send.send(Wake::Event(event)).is_err()
        {
            return;
        }
    }
}

/// Sends [`Wake::End`] when the process receives a termination signal.
#[cfg(unix)]
pub(super) fn listen_for_end(send: Sender<Wake>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if send.send(Wake::End).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// On other systems, the signal ends the process directly.
#[cfg(not(unix))]
pub(super) fn listen_for_end(_send: Sender<Wake>) -> io::Result<()> {
    Ok(())
}

/// Converts a terminal event to a view event, if there is one.
fn translate(event: event::Event) -> Option<Event> {
    match event {
        event::Event::Key(key) if key.kind != KeyEventKind::Release => key_of(key).map(Event::Key),
        event::Event::Paste(text) => Some(Event::Pasted(text)),
        event::Event::Mouse(MouseEvent {
            kind, column, row, ..
        }) => match kind {
            MouseEventKind::Down(MouseButton::Left) => Some(Event::Clicked(column, row)),
            MouseEventKind::ScrollUp => Some(Event::Wheeled(WHEEL)),
            MouseEventKind::ScrollDown => Some(Event::Wheeled(-WHEEL)),
            _ => None,
        },
        event::Event::Resize(width, height) => Some(Event::Resized(width, height)),
        _ => None,
    }
}

fn key_of(key: KeyEvent) -> Option<Key> {
    let held = |modifier| key.modifiers.contains(modifier);
    Some(match key.code {
        KeyCode::Char(letter) if held(KeyModifiers::CONTROL) => Key::Control(letter.to_ascii_lowercase()),
        KeyCode::Char(_) if held(KeyModifiers::ALT) => return None,
        KeyCode::Char(letter) => Key::Letter(letter),
        KeyCode::Enter if held(KeyModifiers::ALT) => Key::LineFeed,
        KeyCode::Enter => Key::Enter,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Esc => Key::Escape,
        KeyCode::F(1) => Key::F1,
        _ => return None,
    })
}
