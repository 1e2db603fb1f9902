//! One function for each view: what is asked for becomes one look, and the look a page.

use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use bugle_app::{App, AppError, RunSelector, check_skills, draw_skill, preview, read_skill};
use bugle_render::page::{StepText, Trouble, View};
use bugle_render::{Format, step};
use bugle_wire::{CheckedSkill, ProjectName};

use super::answer::{Answer, Sheet, Shown};
use super::request::Asked;
use super::{Desk, Shared, acts, at_work};

fn asked(parts: Vec<String>, query: Option<String>) -> Asked {
    Asked::of(parts, &query.unwrap_or_default())
}

/// The store in the project that is asked for, and the others that could be.
fn in_project(desk: &Desk, asked: &Asked) -> Result<(App, Option<ProjectName>, Vec<ProjectName>), AppError> {
    let mut app = desk.open()?;
    let project = app.enter_project(asked.get("project"))?;
    let projects = app.projects()?;
    Ok((app, project, projects))
}

pub(super) async fn now(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let view = desk.open()?.look_at_now()?;
        let unread: u64 = view
            .unread
            .iter()
            .map(|mail| mail.messages.len() as u64 + mail.more)
            .sum();
        let needs = view.questions.len() + view.stopped.len() + view.troubled.len();
        let needs = needs as u64 + unread;
        let title = if needs > 0 {
            format!("({needs}) Now")
        } else {
            "Now".to_owned()
        };
        Ok(Sheet::new(View::Now, title, Shown::Now(view))
            .noticed(acts::notice(desk, asked, None))
            .into())
    })
    .await
}

pub(super) async fn runs(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let view = desk.open()?.look_at_runs(asked.get("behind"))?;
        Ok(Sheet::new(View::Runs, "Runs", Shown::Runs(view)).into())
    })
    .await
}

pub(super) async fn one_run(
    State(desk): State<Shared>,
    Path(run): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    at_work(desk, asked(vec![run], query), |desk, asked| {
        let selector = RunSelector::parse(Some(asked.part(0)))?;
        let picture = desk.open()?.look_at_run(&selector, asked.number("before"))?;
        let position = &picture.look.detail.summary.position;
        let title = format!("{} {} ({})", position.skill, position.run, position.status);
        let told = picture
            .look
            .step
            .as_ref()
            .map(|view| step::step(view, Format::Text));
        let notice = acts::notice(desk, asked, Some(&position.status));
        let shown = Shown::Run(Box::new(picture.look), picture.graph, told);
        Ok(Sheet::new(View::Runs, title, shown).noticed(notice).into())
    })
    .await
}

pub(super) async fn plan(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let (mut app, project, projects) = in_project(desk, asked)?;
        let view = app.look_at_plan(asked.get("plan"), asked.get("behind"))?;
        let title = match &view.plan {
            Some(plan) => format!("Plan: {}", plan.title),
            None => "Plan".to_owned(),
        };
        Ok(Sheet::new(View::Plan, title, Shown::Plan(Box::new(view)))
            .of_project(project, projects)
            .into())
    })
    .await
}

pub(super) async fn channels(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let (mut app, project, projects) = in_project(desk, asked)?;
        let view = app.look_at_channel(asked.get("branch"), asked.number("before"))?;
        let title = format!("Channels: {}", view.branch);
        Ok(Sheet::new(View::Channels, title, Shown::Channels(view))
            .of_project(project, projects)
            .noticed(acts::notice(desk, asked, None))
            .into())
    })
    .await
}

pub(super) async fn agents(State(desk): State<Shared>) -> Response {
    at_work(desk, Asked::default(), |desk, _| {
        let view = desk.open()?.look_at_agents()?;
        Ok(Sheet::new(View::Agents, "Agents", Shown::Agents(view)).into())
    })
    .await
}

pub(super) async fn agent(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let (mut app, project, _) = in_project(desk, asked)?;
        let view = app.look_at_agent(asked.get("address").unwrap_or_default())?;
        let title = format!("{} ({})", view.detail.agent.name, view.detail.agent.status);
        Ok(Sheet::new(View::Agents, title, Shown::Agent(Box::new(view)))
            .of_project(project, Vec::new())
            .noticed(acts::notice(desk, asked, None))
            .into())
    })
    .await
}

pub(super) async fn wakeups(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let (mut app, project, projects) = in_project(desk, asked)?;
        let view = app.look_at_wakeups(asked.get("behind"))?;
        Ok(Sheet::new(View::WakeUps, "Wake-ups", Shown::WakeUps(view))
            .of_project(project, projects)
            .into())
    })
    .await
}

pub(super) async fn wakeup(State(desk): State<Shared>, Path(wakeup): Path<String>) -> Response {
    at_work(desk, asked(vec![wakeup], None), |desk, asked| {
        let view = desk.open()?.look_at_wakeup(asked.part(0))?;
        let title = format!("Wake-up {}", view.detail.wakeup.id);
        Ok(Sheet::new(View::WakeUps, title, Shown::WakeUp(view)).into())
    })
    .await
}

pub(super) async fn skills(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let (mut app, project, projects) = in_project(desk, asked)?;
        let view = app.skills()?;
        Ok(Sheet::new(View::Skills, "Skills", Shown::Skills(view))
            .of_project(project, projects)
            .into())
    })
    .await
}

pub(super) async fn skill(State(desk): State<Shared>, RawQuery(query): RawQuery) -> Response {
    at_work(desk, asked(Vec::new(), query), |desk, asked| {
        let (mut app, project, _) = in_project(desk, asked)?;
        let name = asked.get("name").unwrap_or_default();
        if name.contains(['/', '\\', '.']) {
            // Names come from the list; what a path leads to is nobody's business here.
            return Err(AppError::NotFound {
                what: format!("there is no skill `{name}`"),
                hints: Vec::new(),
            });
        }
        let view = app.skill(name)?;
        let graph = draw_skill(&app.place, name)?;
        let report = check_skills(&app.place, Some(name), false)?;
        let checked = report.skills.into_iter().next().unwrap_or_else(|| CheckedSkill {
            name: name.to_owned(),
            path: None,
            problems: Vec::new(),
        });
        let package = read_skill(&app.place, name)?;
        let texts: Vec<StepText> = view
            .steps
            .iter()
            .map(|own| {
                let told = preview(&app.place, &package, None, Some(&own.id));
                StepText {
                    id: own.id.clone(),
                    text: told.as_ref().ok().map(|view| step::step(view, Format::Text)),
                    trouble: told.err().map(|error| error.to_string()),
                }
            })
            .collect();
        let title = format!("Skill {}", view.entry.name);
        let shown = Shown::Skill(Box::new(view), graph, texts, checked);
        Ok(Sheet::new(View::Skills, title, shown)
            .of_project(project, Vec::new())
            .into())
    })
    .await
}

pub(super) async fn nothing_there(State(desk): State<Shared>) -> Response {
    let trouble = Trouble {
        heading: "There is no such page".to_owned(),
        details: Vec::new(),
        hints: Vec::new(),
        ways: vec![("Go to what needs you", "/".to_owned())],
    };
    Answer::trouble(StatusCode::NOT_FOUND, trouble).written(&desk.pages)
}
