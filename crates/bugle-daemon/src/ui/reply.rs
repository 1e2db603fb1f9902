//! The reply to a request: a page or a redirect.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bugle_app::dashboard::ProjectName;
use bugle_app::{AppError, Exit};
use bugle_render::page::{Content, ErrorPage, Frame, Pages, ProjectLink, Template, View};
use bugle_render::refused_text;

use super::params::Params;
use super::state::{AppState, SharedState};

/// The reply to a request.
#[derive(Debug)]
pub(super) enum Reply {
    Page(Box<Page>),
    /// Redirects to this address after an action.
    Redirect(String),
}

/// A page to render.
#[derive(Debug)]
pub(super) struct Page {
    status: StatusCode,
    frame: Frame,
    content: Content,
}

impl Page {
    pub(super) fn new(view: View, title: impl Into<String>, content: Content) -> Self {
        Self {
            status: StatusCode::OK,
            frame: Frame {
                view: Some(view),
                title: title.into(),
                ..Frame::default()
            },
            content,
        }
    }

    /// An error page.
    pub(super) fn error(status: StatusCode, error: &ErrorPage) -> Self {
        Self {
            status,
            frame: Frame {
                title: error.heading.clone(),
                ..Frame::default()
            },
            content: Content::new(Template::Error).with("error", error),
        }
    }

    /// Shows the current project and a list of other projects.
    pub(super) fn in_project(mut self, project: Option<ProjectName>, projects: Vec<ProjectName>) -> Self {
        self.frame.project = project.map(link);
        self.frame.projects = projects.into_iter().map(link).collect();
        self
    }

    /// Shows a notice above the content.
    pub(super) fn with_notice(mut self, notice: Option<String>) -> Self {
        self.frame.notice = notice;
        self
    }

    pub(super) fn into_response(self, pages: &Pages) -> Response {
        match pages.render(&self.frame, &self.content) {
            Ok(page) => (
                self.status,
                [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
                page,
            )
                .into_response(),
            Err(error) => internal_error(&error.to_string()),
        }
    }
}

fn link(project: ProjectName) -> ProjectLink {
    let ProjectName { id, name, place } = project;
    ProjectLink { id, name, place }
}

impl From<Page> for Reply {
    fn from(page: Page) -> Self {
        Self::Page(Box::new(page))
    }
}

impl Reply {
    /// The error page for a use case's error.
    fn from_error(error: &AppError, back: &str) -> Self {
        let (status, page) = error_page(error, back);
        Page::error(status, &page).into()
    }

    fn into_response(self, pages: &Pages) -> Response {
        match self {
            Self::Redirect(to) => (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response(),
            Self::Page(page) => page.into_response(pages),
        }
    }
}

fn error_page(error: &AppError, back: &str) -> (StatusCode, ErrorPage) {
    let way = ("Go back", back.to_owned());
    if let AppError::Refused(refused) = error {
        let refusal = refused_text::view(refused);
        let mut details = vec![refusal.message.clone()];
        // For an empty text, the error's details name a file to write the text to. That hint is for agents, so the
        // page omits it.
        if refusal.code != "empty" {
            details.extend(refusal.details.iter().cloned());
        }
        details.push(refusal.remedy.clone());
        let page = ErrorPage {
            heading: "Bugle refused this action".to_owned(),
            details,
            hints: Vec::new(),
            ways: vec![way],
        };
        return (StatusCode::CONFLICT, page);
    }
    let view = error.view();
    if matches!(
        error,
        AppError::Store(_) | AppError::StoreUrl { .. } | AppError::File { .. }
    ) {
        let page = ErrorPage {
            heading: "The store cannot be read".to_owned(),
            details: vec![
                view.message,
                "Nothing was changed. Try again when the store is readable.".to_owned(),
            ],
            hints: view.hints,
            ways: vec![("Try again", back.to_owned())],
        };
        return (StatusCode::SERVICE_UNAVAILABLE, page);
    }
    let (status, heading) = match error.exit() {
        Exit::NotFound => (StatusCode::NOT_FOUND, "Not found"),
        Exit::Usage => (StatusCode::BAD_REQUEST, "Invalid request"),
        Exit::Refused => (StatusCode::CONFLICT, "Bugle refused this action"),
        Exit::Done | Exit::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "The request failed"),
    };
    let page = ErrorPage {
        heading: heading.to_owned(),
        details: vec![view.message],
        hints: view.hints,
        ways: vec![way],
    };
    (status, page)
}

/// Handles a request on a blocking thread, because use cases read files and wait for the database.
pub(super) async fn respond<R: Into<Reply>>(
    state: SharedState,
    params: Params,
    handle: impl FnOnce(&AppState, &Params) -> Result<R, AppError> + Send + 'static,
) -> Response {
    let ended = tokio::task::spawn_blocking(move || {
        let reply = match handle(&state, &params) {
            Ok(reply) => reply.into(),
            Err(error) => Reply::from_error(&error, params.back()),
        };
        reply.into_response(&state.pages)
    })
    .await;
    ended.unwrap_or_else(|_| internal_error("the request crashed and may have made some changes"))
}

fn internal_error(what: &str) -> Response {
    let text = format!("Internal error: {what}\n");
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        text,
    )
        .into_response()
}
