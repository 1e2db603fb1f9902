//! The page: what a person sees in a browser on this machine, brought up to date by what changes in the store.
//!
//! Like the other doors it keeps nothing and decides nothing: every request opens the store, looks or acts through
//! `bugle-app`, and answers with what `bugle-render` makes of it.

mod acts;
mod answer;
mod assets;
mod confirm;
mod guard;
mod live;
mod request;
mod views;

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use bugle_app::{App, AppError, Lineage, LinkFile, PassingSecret, Place, permit_at};
use bugle_core::rights::Action;
use bugle_render::page::Pages;

use crate::mcp::Surroundings;
use crate::serve::on_loopback;
use answer::Answer;
use guard::{Guard, Link};
use live::Watcher;
use request::Asked;

/// The port that the page is served at unless another one is asked for.
pub const PAGE_PORT: u16 = 7718;

/// How many words are kept for pages that are still to be seen.
const MOST_WORDS: usize = 64;

/// What every request needs.
pub(super) struct Desk {
    place: Place,
    pages: Pages,
    watcher: Watcher,
    /// What people are told on the next page that they see, each with a number.
    words: Mutex<VecDeque<(u64, String)>>,
}

impl Desk {
    /// Keeps words for the next page that somebody sees; says under which number.
    fn tell(&self, words: String) -> u64 {
        let mut kept = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let number = kept.back().map_or(1, |(last, _)| last + 1);
        kept.push_back((number, words));
        if kept.len() > MOST_WORDS {
            kept.pop_front();
        }
        number
    }

    /// The words that were kept under a number.
    fn told(&self, number: u64) -> Option<String> {
        let kept = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(own, _)| *own == number);
        found.map(|(_, words)| words.clone())
    }

    /// The store, opened anew. One that is gone is not made anew by looking at it.
    fn open(&self) -> Result<App, AppError> {
        let file = self.place.database();
        if !file.is_file() {
            return Err(AppError::File {
                what: "cannot find the store",
                path: file,
                source: std::io::ErrorKind::NotFound.into(),
            });
        }
        App::open(self.place.clone())
    }
}

type Shared = Arc<Desk>;

/// How the page can be opened.
#[derive(Debug)]
pub struct PageLink<'a> {
    /// The link, which works once.
    pub link: &'a str,
    /// A file that leads a browser to it.
    pub file: Option<&'a Path>,
}

/// Serves the page until the process is asked to end. `ready` is given the link once it works; `with_file` says whether it
/// needs a file that leads to it.
pub fn serve_page(
    around: &Surroundings,
    port: u16,
    with_file: bool,
    ready: impl FnOnce(&PageLink<'_>) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let place = person(&around.directory)?;
    // What is wrong with the store is said at once, and one that is new is made once.
    drop(App::open(place.clone())?);
    let pages = Pages::new(around.clock).map_err(|error| AppError::System(error.to_string()))?;
    on_loopback(port, |port| {
        let desk = Desk {
            watcher: Watcher::start(&place)?,
            place,
            pages,
            words: Mutex::default(),
        };
        let token = PassingSecret::new()?;
        let link = format!("http://{}:{port}/?token={}", Ipv4Addr::LOCALHOST, token.reveal());
        let file = with_file
            .then(|| LinkFile::write(&desk.place, port, &link))
            .transpose()?;
        ready(&PageLink {
            link: &link,
            file: file.as_ref().map(LinkFile::path),
        })?;
        Ok(routes(desk, Guard::new(Link { token, file }, port)?))
    })
}

/// Where this is, seen by the person in front of the browser. An agent may not start the page: its link lets the
/// holder act as that person.
fn person(directory: &Path) -> Result<Place, AppError> {
    let place = Place::find(&|name| std::env::var_os(name), directory, true)?;
    permit_at(&place, Action::ServePage, &["ui"])?;
    Ok(Place {
        lineage: Lineage::Person,
        ..place
    })
}

fn routes(desk: Desk, guard: Guard) -> Router {
    let desk = Arc::new(desk);
    let guard = Arc::new(guard);
    Router::new()
        .route("/", get(views::now))
        .route("/runs", get(views::runs))
        .route("/runs/{run}", get(views::one_run))
        .route("/runs/{run}/{act}", get(confirm::confirm).post(acts::carry_out))
        .route("/plan", get(views::plan))
        .route("/channels", get(views::channels))
        .route("/say", post(acts::say))
        .route("/answer", post(acts::answer))
        .route("/read", post(acts::read))
        .route("/agents", get(views::agents))
        .route("/agent", get(views::agent))
        .route("/wakeups", get(views::wakeups))
        .route("/wakeups/{wakeup}", get(views::wakeup))
        .route("/skills", get(views::skills))
        .route("/skill", get(views::skill))
        .route("/events", get(live::events))
        .route("/style.css", get(assets::style))
        .route("/live.js", get(assets::script))
        .route("/icon.svg", get(assets::icon))
        .fallback(views::nothing_there)
        .with_state(Arc::clone(&desk))
        .layer(from_fn_with_state((guard, desk), guard::let_in))
}

/// Answers a request on a thread of its own: the use cases read files and wait for the database.
async fn at_work(
    desk: Shared,
    asked: Asked,
    work: impl FnOnce(&Desk, &Asked) -> Result<Answer, AppError> + Send + 'static,
) -> axum::response::Response {
    let ended = tokio::task::spawn_blocking(move || {
        let answer = work(&desk, &asked).unwrap_or_else(|error| Answer::failed(&error, asked.way_back()));
        answer.written(&desk.pages)
    })
    .await;
    ended.unwrap_or_else(|_| answer::broken())
}
