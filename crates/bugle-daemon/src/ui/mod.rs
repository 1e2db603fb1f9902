//! The dashboard in a browser on this machine. It caches nothing: every request opens the store, calls a use case in
//! `bugle-app` and renders the result.

mod actions;
mod assets;
mod auth;
mod confirm;
mod live;
mod pages;
mod params;
mod reply;
mod state;
mod store_watcher;
mod timeline_item;

use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;

use auth::{Authenticator, Link};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use bugle_app::{
    App, AppError, Context, EphemeralSecret, Lineage, LinkFile, MAX_INPUT_BYTES, permit_at, projects,
};
use bugle_core::rights::Action;
use bugle_render::page::Pages;
use state::AppState;

use crate::mcp::ServerOptions;
use crate::serve::serve_on_loopback;

/// The dashboard's default port.
pub const PAGE_PORT: u16 = 7718;

/// How to open the dashboard.
#[derive(Debug)]
pub struct PageLink<'a> {
    /// The single-use link.
    pub link: &'a str,
    /// A file that redirects a browser to the link.
    pub file: Option<&'a Path>,
}

/// Serves the dashboard until shutdown. Calls `ready` with the link once the server accepts requests. If `with_file`
/// is set, also writes a file that redirects to the link.
pub fn serve_page(
    options: &ServerOptions,
    port: u16,
    with_file: bool,
    ready: impl FnOnce(&PageLink<'_>) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let context = person(&options.directory)?;
    // Report an unusable store now, and create a missing one.
    let mut app = App::open(context.clone())?;
    projects::follow_move(&mut app.store, &app.context)?;
    drop(app);
    let pages = Pages::new(options.clock).map_err(|error| AppError::System(error.to_string()))?;
    serve_on_loopback(port, |port| {
        let state = AppState::new(context, pages)?;
        let token = EphemeralSecret::new(&state.context)?;
        let link = format!("http://{}:{port}/?token={}", Ipv4Addr::LOCALHOST, token.reveal());
        let file = with_file
            .then(|| LinkFile::write(&state.context, port, &link))
            .transpose()?;
        ready(&PageLink {
            link: &link,
            file: file.as_ref().map(LinkFile::path),
        })?;
        let authenticator = Authenticator::new(&state.context, Link { token, file }, port)?;
        Ok(routes(state, authenticator))
    })
}

/// The context of the user in the browser. An agent must not start the dashboard: the link would let it act as the
/// user.
fn person(directory: &Path) -> Result<Context, AppError> {
    let mut context = Context::find(&|name| std::env::var_os(name), directory, true)?;
    permit_at(&context, Action::ServePage, &["ui"])?;
    context.lineage = Lineage::Person;
    Ok(context)
}

fn routes(state: AppState, authenticator: Authenticator) -> Router {
    let state = Arc::new(state);
    let authenticator = Arc::new(authenticator);
    Router::new()
        .route("/", get(pages::now))
        .route("/runs", get(pages::runs))
        .route("/runs/{run}", get(pages::run))
        .route(
            "/runs/{run}/{action}",
            get(confirm::confirm).post(actions::execute),
        )
        .route("/plan", get(pages::plan))
        .route("/channels", get(pages::channels))
        .route("/say", post(actions::say))
        .route("/answer", post(actions::answer))
        .route("/read", post(actions::read))
        .route("/agents", get(pages::agents))
        .route("/agent", get(pages::agent))
        .route("/wakeups", get(pages::wakeups))
        .route("/wakeups/{wakeup}", get(pages::wakeup))
        .route("/skills", get(pages::skills))
        .route("/skill", get(pages::skill))
        .route("/events", get(live::events))
        .route("/style.css", get(assets::style))
        .route("/live.js", get(assets::script))
        .route("/icon.svg", get(assets::icon))
        .fallback(pages::not_found)
        .layer(DefaultBodyLimit::max(MAX_INPUT_BYTES))
        .with_state(Arc::clone(&state))
        .layer(from_fn_with_state((authenticator, state), auth::authenticate))
}
