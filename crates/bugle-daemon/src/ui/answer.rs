//! What a request is answered with.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use bugle_app::{AppError, Exit};
use bugle_render::graph::Graph;
use bugle_render::page::{Confirmation, Content, Frame, Pages, StepText, Trouble, View};
use bugle_wire::{
    AgentLine, AgentLook, AskView, ChannelLook, CheckedSkill, NowView, PlanLook, ProjectName, RunLook,
    RunsView, SkillDetail, SkillList, WakeupLook, WakeupsLook,
};

/// What a page shows, as it was gathered.
#[derive(Debug)]
pub(super) enum Shown {
    Now(NowView),
    Runs(RunsView),
    Run(Box<RunLook>, Graph, Option<String>),
    Confirm(Confirmation, Option<AskView>),
    Trouble(Trouble),
    Plan(Box<PlanLook>),
    Channels(ChannelLook),
    Agents(Vec<AgentLine>),
    Agent(Box<AgentLook>),
    WakeUps(WakeupsLook),
    WakeUp(WakeupLook),
    Skills(SkillList),
    Skill(Box<SkillDetail>, Option<Graph>, Vec<StepText>, CheckedSkill),
}

impl Shown {
    fn content(&self) -> Content<'_> {
        match self {
            Self::Now(view) => Content::Now(view),
            Self::Runs(view) => Content::Runs(view),
            Self::Run(view, graph, told) => Content::Run(view, graph, told.as_deref()),
            Self::Confirm(confirm, ask) => Content::Confirm(confirm, ask.as_ref()),
            Self::Trouble(trouble) => Content::Trouble(trouble),
            Self::Plan(view) => Content::Plan(view),
            Self::Channels(view) => Content::Channels(view),
            Self::Agents(agents) => Content::Agents(agents),
            Self::Agent(view) => Content::Agent(view),
            Self::WakeUps(view) => Content::WakeUps(view),
            Self::WakeUp(view) => Content::WakeUp(view),
            Self::Skills(view) => Content::Skills(view),
            Self::Skill(view, graph, texts, checked) => Content::Skill(view, graph.as_ref(), texts, checked),
        }
    }
}

/// What a request is answered with.
#[derive(Debug)]
pub(super) enum Answer {
    /// A page.
    Page(Box<Sheet>),
    /// What was asked for is done, and this is where to look.
    GoTo(String),
}

/// A page that is to be made.
#[derive(Debug)]
pub(super) struct Sheet {
    status: StatusCode,
    view: Option<View>,
    title: String,
    project: Option<ProjectName>,
    projects: Vec<ProjectName>,
    notice: Option<String>,
    shown: Shown,
}

impl Sheet {
    pub(super) fn new(view: View, title: impl Into<String>, shown: Shown) -> Self {
        Self {
            status: StatusCode::OK,
            view: Some(view),
            title: title.into(),
            project: None,
            projects: Vec::new(),
            notice: None,
            shown,
        }
    }

    /// About one project of several.
    pub(super) fn of_project(mut self, project: Option<ProjectName>, projects: Vec<ProjectName>) -> Self {
        self.project = project;
        self.projects = projects;
        self
    }

    /// Says what was just done.
    pub(super) fn noticed(mut self, notice: Option<String>) -> Self {
        self.notice = notice;
        self
    }
}

impl From<Sheet> for Answer {
    fn from(sheet: Sheet) -> Self {
        Self::Page(Box::new(sheet))
    }
}

impl Answer {
    /// A page that says what is wrong.
    pub(super) fn trouble(status: StatusCode, trouble: Trouble) -> Self {
        Self::Page(Box::new(Sheet {
            status,
            view: None,
            title: trouble.heading.clone(),
            project: None,
            projects: Vec::new(),
            notice: None,
            shown: Shown::Trouble(trouble),
        }))
    }

    /// The same for what went wrong in a use case.
    pub(super) fn failed(error: &AppError, back: &str) -> Self {
        let view = error.view();
        let way = ("Go back", back.to_owned());
        if let AppError::Refused(refusal) = error {
            // What is empty was left so in a form; the file that agents write it to is of no use here.
            let mut details = match refusal.code.as_str() {
                "empty" => Vec::new(),
                _ => refusal.details.clone(),
            };
            details.push(refusal.remedy.clone());
            let trouble = Trouble {
                heading: "The rules do not allow this".to_owned(),
                details: std::iter::once(refusal.message.clone()).chain(details).collect(),
                hints: Vec::new(),
                ways: vec![way],
            };
            return Self::trouble(StatusCode::CONFLICT, trouble);
        }
        let is_store = matches!(error, AppError::Store(_) | AppError::File { .. });
        let (status, heading) = match error.exit() {
            _ if is_store => (StatusCode::SERVICE_UNAVAILABLE, "The store cannot be read"),
            Exit::NotFound => (StatusCode::NOT_FOUND, "There is no such thing"),
            Exit::Usage => (StatusCode::BAD_REQUEST, "That could not be done"),
            Exit::Refused => (StatusCode::CONFLICT, "The rules do not allow this"),
            Exit::Done | Exit::Failed => (StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong"),
        };
        let mut details = vec![view.message];
        if is_store {
            details.push("Nothing was changed. Once it is there again, this page shows it.".to_owned());
        }
        let trouble = Trouble {
            heading: heading.to_owned(),
            details,
            hints: view.hints,
            ways: vec![if is_store {
                ("Try again", back.to_owned())
            } else {
                way
            }],
        };
        Self::trouble(status, trouble)
    }

    /// The answer as it is sent.
    pub(super) fn written(&self, pages: &Pages) -> Response {
        let sheet = match self {
            Self::GoTo(to) => {
                return (StatusCode::SEE_OTHER, [(header::LOCATION, to.clone())]).into_response();
            }
            Self::Page(sheet) => sheet,
        };
        let frame = Frame {
            view: sheet.view,
            title: &sheet.title,
            project: sheet.project.as_ref(),
            projects: &sheet.projects,
            notice: sheet.notice.as_deref(),
        };
        match pages.show(&frame, &sheet.shown.content()) {
            Ok(page) => (
                sheet.status,
                [(header::CONTENT_TYPE, "text/html; charset=utf-8")],
                page,
            )
                .into_response(),
            Err(error) => plain(&error.to_string()),
        }
    }
}

/// The answer where none could be made.
pub(super) fn broken() -> Response {
    plain("the request broke off, and may have had an effect")
}

fn plain(what: &str) -> Response {
    let text = format!("Something went wrong: {what}\n");
    (
        StatusCode::INTERNAL_SERVER_ERROR,
        [(header::CONTENT_TYPE, "text/plain; charset=utf-8")],
        text,
    )
        .into_response()
}
