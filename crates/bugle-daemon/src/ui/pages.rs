//! One handler per page: runs a query in `bugle_app::dashboard` and renders a template.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use bugle_app::dashboard::{ProjectName, skill_graph};
use bugle_app::{App, AppError, RunSelector, check_skills, dashboard, preview, read_skill, skills};
use bugle_core::reply::{CheckedSkill, SkillDetail, TaskPosition};
use bugle_render::page::{Content, ErrorPage, StepText, Template, View};
use bugle_render::{Format, step, task_text, timeline_text};

use super::actions;
use super::params::Params;
use super::reply::{Page, respond};
use super::state::{AppState, SharedState};
use super::timeline_item::TimelineItem;

/// The open store, in the project that the request names.
struct InProject {
    app: App,
    project: Option<ProjectName>,
    projects: Vec<ProjectName>,
}

impl InProject {
    fn open(state: &AppState, params: &Params) -> Result<Self, AppError> {
        let mut app = state.open()?;
        let project = dashboard::enter_project(&mut app.store, &mut app.context, params.get("project"))?;
        let projects = dashboard::projects(&mut app.store)?;
        Ok(Self {
            app,
            project,
            projects,
        })
    }
}

pub(super) async fn now(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut app = state.open()?;
        let page = dashboard::now_page(&mut app.store, &app.context)?;
        let title = match page.attention_count() {
            0 => "Now".to_owned(),
            count => format!("({count}) Now"),
        };
        let content = Content::view(Template::Now, &page);
        Ok(Page::new(View::Now, title, content).with_notice(actions::notice(state, params, None)))
    })
    .await
}

pub(super) async fn runs(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut app = state.open()?;
        let page = dashboard::runs_page(&mut app.store, &app.context, params.get("behind"))?;
        let content = Content::view(Template::Runs, &page);
        Ok(Page::new(View::Runs, "Runs", content))
    })
    .await
}

pub(super) async fn run(
    State(state): State<SharedState>,
    Path(run): Path<String>,
    Query(params): Query<Params>,
) -> Response {
    respond(state, params, move |state, params| {
        let selector = RunSelector::parse(Some(&run))?;
        let mut app = state.open()?;
        let page = dashboard::run_page(&mut app.store, &app.context, &selector, params.number("before"))?;
        let position = &page.detail.summary.position;
        let title = format!("{} {} ({})", position.skill, position.run, position.status);
        let step_text = page.step.as_ref().map(|view| step::step(view, Format::Text));
        let content = Content::view(Template::Run, &page)
            .with("step_text", &step_text)
            .with("origin", &timeline_text::origin(&page.detail.origin))
            .with(
                "timeline",
                &page
                    .detail
                    .timeline
                    .iter()
                    .map(TimelineItem::from)
                    .collect::<Vec<_>>(),
            )
            .with_graph(Some(&page.graph));
        let notice = actions::notice(state, params, Some(position.status));
        Ok(Page::new(View::Runs, title, content).with_notice(notice))
    })
    .await
}

pub(super) async fn plan(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut here = InProject::open(state, params)?;
        let page = dashboard::plan_page(
            &mut here.app.store,
            &here.app.context,
            params.get("plan"),
            params.get("behind"),
        )?;
        let title = match &page.plan {
            Some(plan) => format!("Plan: {}", plan.title),
            None => "Plans".to_owned(),
        };
        let position = page.position.as_ref();
        let because = |at: &TaskPosition| task_text::because(&at.skill.reason, at.skill.skill.is_some());
        let content = Content::view(Template::Plan, &page)
            .with("sentence", &position.map(task_text::position))
            .with("because", &position.map(because));
        Ok(Page::new(View::Plan, title, content).in_project(here.project, here.projects))
    })
    .await
}

pub(super) async fn channels(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut here = InProject::open(state, params)?;
        let page = dashboard::channel_page(
            &mut here.app.store,
            &here.app.context,
            params.get("branch"),
            params.number("before"),
        )?;
        let title = format!("Messages: {}", page.branch);
        let content = Content::view(Template::Channels, &page);
        Ok(Page::new(View::Channels, title, content)
            .in_project(here.project, here.projects)
            .with_notice(actions::notice(state, params, None)))
    })
    .await
}

pub(super) async fn agents(State(state): State<SharedState>) -> Response {
    respond(state, Params::default(), |state, _| {
        let mut app = state.open()?;
        let agents = dashboard::agents_page(&mut app.store)?;
        let content = Content::new(Template::Agents).with("agents", &agents);
        Ok(Page::new(View::Agents, "Agents", content))
    })
    .await
}

pub(super) async fn agent(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut here = InProject::open(state, params)?;
        let page = dashboard::agent_page(
            &mut here.app.store,
            &here.app.context,
            params.get("address").unwrap_or_default(),
        )?;
        let title = format!("{} ({})", page.detail.agent.name, page.detail.agent.status);
        let content = Content::view(Template::Agent, &page);
        Ok(Page::new(View::Agents, title, content)
            .in_project(here.project, Vec::new())
            .with_notice(actions::notice(state, params, None)))
    })
    .await
}

pub(super) async fn wakeups(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut here = InProject::open(state, params)?;
        let page = dashboard::wakeups_page(&mut here.app.store, &here.app.context, params.get("behind"))?;
        let content = Content::view(Template::WakeUps, &page);
        Ok(Page::new(View::WakeUps, "Wake-ups", content).in_project(here.project, here.projects))
    })
    .await
}

pub(super) async fn wakeup(State(state): State<SharedState>, Path(wakeup): Path<String>) -> Response {
    respond(state, Params::default(), move |state, _| {
        let mut app = state.open()?;
        let page = dashboard::wakeup_page(&mut app.store, &app.context, &wakeup)?;
        let title = format!("Wake-up {}", page.detail.wakeup.id);
        let content = Content::view(Template::WakeUp, &page);
        Ok(Page::new(View::WakeUps, title, content))
    })
    .await
}

pub(super) async fn skills(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut here = InProject::open(state, params)?;
        let content = Content::view(
            Template::Skills,
            &skills::skills(&mut here.app.store, &here.app.context)?,
        );
        Ok(Page::new(View::Skills, "Skills", content).in_project(here.project, here.projects))
    })
    .await
}

pub(super) async fn skill(State(state): State<SharedState>, Query(params): Query<Params>) -> Response {
    respond(state, params, |state, params| {
        let mut here = InProject::open(state, params)?;
        let name = params.get("name").unwrap_or_default();
        if name.contains(['/', '\\', '.']) {
            // The dashboard looks skills up by name only. It never opens a path.
            return Err(AppError::NotFound {
                what: format!("there is no skill `{name}`"),
                hints: Vec::new(),
            });
        }
        let view = skills::skill(&mut here.app.store, &here.app.context, name)?;
        let content = Content::view(Template::Skill, &view)
            .with_graph(skill_graph(&here.app.context, name)?.as_ref())
            .with("texts", &step_texts(&here.app, &view)?)
            .with("checked", &checked(&here.app, name)?);
        let title = format!("Skill {}", view.entry.name);
        Ok(Page::new(View::Skills, title, content).in_project(here.project, Vec::new()))
    })
    .await
}

/// The text of each step of a skill, with sample values.
fn step_texts(app: &App, skill: &SkillDetail) -> Result<Vec<StepText>, AppError> {
    let package = read_skill(&app.context, &skill.entry.name)?;
    let texts = skill.steps.iter().map(|own| {
        let previewed = preview(&app.context, &package, None, Some(&own.id));
        StepText {
            id: own.id.clone(),
            text: previewed.as_ref().ok().map(|view| step::step(view, Format::Text)),
            error: previewed.err().map(|error| error.to_string()),
        }
    });
    Ok(texts.collect())
}

fn checked(app: &App, name: &str) -> Result<CheckedSkill, AppError> {
    let report = check_skills(None, &app.context, Some(name), false)?;
    Ok(report.skills.into_iter().next().unwrap_or_else(|| CheckedSkill {
        name: name.to_owned(),
        path: None,
        problems: Vec::new(),
        trust: None,
    }))
}

pub(super) async fn not_found(State(state): State<SharedState>) -> Response {
    let error = ErrorPage {
        heading: "Page not found".to_owned(),
        details: Vec::new(),
        hints: Vec::new(),
        ways: vec![("Open the dashboard", "/".to_owned())],
    };
    Page::error(StatusCode::NOT_FOUND, &error).into_response(&state.pages)
}
