//! The pages of `bugle ui`: templates in files beside this one, filled with what was looked at.
//!
//! Whatever is put into a page goes through [`escape`]: no template decides about that, and none can forget it.

mod escape;
mod words;

use std::collections::BTreeMap;

use bugle_wire::{
    AgentLine, AgentLook, AskView, ChannelLook, CheckedSkill, NowView, PlanLook, ProjectName, RunLook,
    RunsView, SkillDetail, SkillList, WakeupLook, WakeupsLook,
};
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value, context};
use serde::Serialize;

pub use escape::escape;
pub use words::url;

use crate::graph::{Graph, figure, style_sheet};

/// The style of the pages.
const STYLE: &str = include_str!("style.css");
/// The script that brings a page up to date when something has changed.
pub const SCRIPT: &str = include_str!("live.js");
/// What a browser shows beside the title.
pub const ICON: &str = include_str!("icon.svg");

/// Every template, by the name that others call it by.
const TEMPLATES: &[(&str, &str)] = &[
    ("base", include_str!("templates/base.html")),
    ("parts", include_str!("templates/parts.html")),
    ("now", include_str!("templates/now.html")),
    ("runs", include_str!("templates/runs.html")),
    ("run", include_str!("templates/run.html")),
    ("confirm", include_str!("templates/confirm.html")),
    ("trouble", include_str!("templates/trouble.html")),
    ("plan", include_str!("templates/plan.html")),
    ("channels", include_str!("templates/channels.html")),
    ("agents", include_str!("templates/agents.html")),
    ("agent", include_str!("templates/agent.html")),
    ("wakeups", include_str!("templates/wakeups.html")),
    ("wakeup", include_str!("templates/wakeup.html")),
    ("skills", include_str!("templates/skills.html")),
    ("skill", include_str!("templates/skill.html")),
];

/// The style sheet of the pages and of the graphs in them.
pub fn style() -> String {
    format!("{STYLE}\n{}", style_sheet())
}

/// A view that has a place of its own in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// What needs a person.
    Now,
    /// Runs.
    Runs,
    /// Tasks.
    Plan,
    /// What was said.
    Channels,
    /// Agents.
    Agents,
    /// Wake-ups.
    WakeUps,
    /// Skills.
    Skills,
}

impl View {
    const ALL: [Self; 7] = [
        Self::Now,
        Self::Runs,
        Self::Plan,
        Self::Channels,
        Self::Agents,
        Self::WakeUps,
        Self::Skills,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Now => "Now",
            Self::Runs => "Runs",
            Self::Plan => "Plan",
            Self::Channels => "Channels",
            Self::Agents => "Agents",
            Self::WakeUps => "Wake-ups",
            Self::Skills => "Skills",
        }
    }

    /// Its address.
    pub fn path(self) -> &'static str {
        match self {
            Self::Now => "/",
            Self::Runs => "/runs",
            Self::Plan => "/plan",
            Self::Channels => "/channels",
            Self::Agents => "/agents",
            Self::WakeUps => "/wakeups",
            Self::Skills => "/skills",
        }
    }

    /// Whether it shows one project at a time.
    fn is_of_a_project(self) -> bool {
        matches!(self, Self::Plan | Self::Channels | Self::WakeUps | Self::Skills)
    }
}

/// What stands around the content of a page.
#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// The view that it belongs to; none where nothing can be shown.
    pub view: Option<View>,
    /// The title of the page.
    pub title: &'a str,
    /// The project that it is about.
    pub project: Option<&'a ProjectName>,
    /// The projects that there are, where one can be chosen.
    pub projects: &'a [ProjectName],
    /// What was just done, in a sentence.
    pub notice: Option<&'a str>,
}

/// A step of a skill as an agent is told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepText {
    /// Its id.
    pub id: String,
    /// The text.
    pub text: Option<String>,
    /// Why there is none.
    pub trouble: Option<String>,
}

/// Something that a person is about to do to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confirmation {
    /// What, in a few words: the heading.
    pub heading: String,
    /// What it means.
    pub meaning: String,
    /// What the button says.
    pub button: String,
    /// Where the form is sent.
    pub action: String,
    /// What is sent along, by name.
    pub fields: BTreeMap<&'static str, String>,
    /// Whether the run ends with it.
    pub gives_up: bool,
    /// The box for a reason, if one can be given.
    pub reason: Option<Reason>,
    /// Where to go if it is not to be done.
    pub back: String,
}

/// A box for a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What it is called.
    pub label: &'static str,
    /// Whether it must not be empty.
    pub required: bool,
}

impl Reason {
    /// One that may be left empty.
    pub fn optional(label: &'static str) -> Self {
        Self {
            label,
            required: false,
        }
    }

    /// One without which nothing is done.
    pub fn required(label: &'static str) -> Self {
        Self {
            label,
            required: true,
        }
    }
}

/// Why there is nothing to show, and what to do about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// What is wrong: the heading.
    pub heading: String,
    /// More about it, a sentence each.
    pub details: Vec<String>,
    /// What to do, a line each.
    pub hints: Vec<String>,
    /// A way on, as what it is called and its address.
    pub ways: Vec<(&'static str, String)>,
}

/// What a page shows.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    /// What needs a person.
    Now(&'a NowView),
    /// Runs.
    Runs(&'a RunsView),
    /// A run, with its graph and what its agent is told.
    Run(&'a RunLook, &'a Graph, Option<&'a str>),
    /// Something to confirm.
    Confirm(&'a Confirmation, Option<&'a AskView>),
    /// Something that went wrong.
    Trouble(&'a Trouble),
    /// Tasks.
    Plan(&'a PlanLook),
    /// What was said.
    Channels(&'a ChannelLook),
    /// Agents.
    Agents(&'a [AgentLine]),
    /// An agent.
    Agent(&'a AgentLook),
    /// Wake-ups.
    WakeUps(&'a WakeupsLook),
    /// A wake-up.
    WakeUp(&'a WakeupLook),
    /// Skills.
    Skills(&'a SkillList),
    /// A skill, with its graph, the texts of its steps and what checking it found.
    Skill(
        &'a SkillDetail,
        Option<&'a Graph>,
        &'a [StepText],
        &'a CheckedSkill,
    ),
}

impl Content<'_> {
    fn template(&self) -> &'static str {
        match self {
            Self::Now(_) => "now",
            Self::Runs(_) => "runs",
            Self::Run(..) => "run",
            Self::Confirm(..) => "confirm",
            Self::Trouble(_) => "trouble",
            Self::Plan(_) => "plan",
            Self::Channels(_) => "channels",
            Self::Agents(_) => "agents",
            Self::Agent(_) => "agent",
            Self::WakeUps(_) => "wakeups",
            Self::WakeUp(_) => "wakeup",
            Self::Skills(_) => "skills",
            Self::Skill(..) => "skill",
        }
    }

    fn values(&self) -> Value {
        let drawn = |graph: &Graph| Value::from_safe_string(figure(graph));
        match self {
            Self::Now(view) => context! { view => of(view) },
            Self::Runs(view) => context! { view => of(view) },
            Self::Run(view, graph, told) => {
                context! { view => of(view), graph => drawn(graph), told => of(told) }
            }
            Self::Confirm(confirm, ask) => context! { confirm => of(confirm), ask => of(ask) },
            Self::Trouble(trouble) => context! { trouble => of(trouble) },
            Self::Plan(view) => context! { view => of(view) },
            Self::Channels(view) => context! { view => of(view) },
            Self::Agents(agents) => context! { agents => of(agents) },
            Self::Agent(view) => context! { view => of(view) },
            Self::WakeUps(view) => context! { view => of(view) },
            Self::WakeUp(view) => context! { view => of(view) },
            Self::Skills(view) => context! { view => of(view) },
            Self::Skill(view, graph, texts, checked) => context! {
                view => of(view),
                graph => graph.map(drawn),
                texts => of(texts),
                checked => of(checked),
            },
        }
    }
}

fn of(value: &impl Serialize) -> Value {
    Value::from(Serde(value))
}

/// A page that could not be made: a template is wrong.
#[derive(Debug, thiserror::Error)]
#[error("a page could not be made: {0:#}")]
pub struct PageError(#[from] Error);

/// Makes pages.
#[derive(Debug)]
pub struct Pages(Environment<'static>);

impl Pages {
    /// Reads the templates. `clock` says how a moment is written.
    pub fn new(clock: fn(i64) -> String) -> Result<Self, PageError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_formatter(written);
        environment.add_filter("clock", clock);
        words::add_to(&mut environment);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source)?;
        }
        Ok(Self(environment))
    }

    /// A whole page.
    pub fn show(&self, frame: &Frame<'_>, content: &Content<'_>) -> Result<String, PageError> {
        let project = frame.project.map(|project| project.id.as_str());
        let views: Vec<Value> = View::ALL
            .into_iter()
            .map(|view| {
                let href = match project {
                    Some(id) if view.is_of_a_project() => {
                        format!("{}?project={}", view.path(), words::url(id))
                    }
                    _ => view.path().to_owned(),
                };
                context! { name => view.name(), href => href, current => frame.view == Some(view) }
            })
            .collect();
        let around = context! {
            title => frame.title,
            views => views,
            path => frame.view.map(View::path),
            project => of(&frame.project),
            projects => of(&frame.projects),
            notice => frame.notice,
            is_live => !matches!(content, Content::Trouble(_) | Content::Confirm(..)),
        };
        let template = self.0.get_template(content.template())?;
        Ok(template.render(context! { ..around, ..content.values() })?)
    }
}

/// Writes a value into a page.
fn written(out: &mut Output<'_>, _state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let text = match value.as_str() {
        Some(text) if value.is_safe() => text.to_owned(),
        Some(text) => escape(text),
        None if value.is_none() => String::new(),
        None => escape(&value.to_string()),
    };
    out.write_str(&text).map_err(Error::from)
}
