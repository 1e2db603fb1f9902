//! The pages of `bugle ui`. The template engine passes every value through [`escape`], so no template can forget to
//! escape a value.

mod content;
mod escape;
mod filters;
mod form;
mod frame;

use bugle_core::id::Timestamp;
use minijinja::{AutoEscape, Environment, Error, Output, State, UndefinedBehavior, Value, context};

pub use content::{Content, Template};
pub use escape::escape;
pub use filters::url;
pub use form::{Confirmation, ErrorPage, Reason, StepText};
pub use frame::{Frame, ProjectLink, View};

use crate::graph::style_sheet;

/// The style sheet of the pages, without the graphs' styles.
const STYLE: &str = include_str!("style.css");
/// The script that updates a page when the store changes.
pub const SCRIPT: &str = include_str!("live.js");
/// The icon of the pages.
pub const ICON: &str = include_str!("icon.svg");

/// Every template, by name.
const TEMPLATES: &[(&str, &str)] = &[
    ("base", include_str!("templates/base.html")),
    ("parts", include_str!("templates/parts.html")),
    ("now", include_str!("templates/now.html")),
    ("runs", include_str!("templates/runs.html")),
    ("run", include_str!("templates/run.html")),
    ("confirm", include_str!("templates/confirm.html")),
    ("error", include_str!("templates/error.html")),
    ("plan", include_str!("templates/plan.html")),
    ("channels", include_str!("templates/channels.html")),
    ("agents", include_str!("templates/agents.html")),
    ("agent", include_str!("templates/agent.html")),
    ("wakeups", include_str!("templates/wakeups.html")),
    ("wakeup", include_str!("templates/wakeup.html")),
    ("skills", include_str!("templates/skills.html")),
    ("skill", include_str!("templates/skill.html")),
];

/// The style sheet for the pages and their graphs.
pub fn style() -> String {
    format!("{STYLE}\n{}", style_sheet())
}

/// A template cannot be parsed or rendered.
#[derive(Debug, thiserror::Error)]
#[error("cannot render the page: {0:#}")]
pub struct PageError(#[from] Error);

/// Renders pages.
#[derive(Debug)]
pub struct Pages(Environment<'static>);

impl Pages {
    /// Parses the templates. `clock` formats a time.
    pub fn new(clock: fn(Timestamp) -> String) -> Result<Self, PageError> {
        let mut environment = Environment::new();
        environment.set_auto_escape_callback(|_| AutoEscape::Html);
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_formatter(write_escaped);
        environment.add_filter("clock", move |at: i64| clock(Timestamp(at)));
        filters::add_to(&mut environment);
        for (name, source) in TEMPLATES {
            environment.add_template(name, source)?;
        }
        Ok(Self(environment))
    }

    /// Renders a complete page.
    pub fn render(&self, frame: &Frame, content: &Content) -> Result<String, PageError> {
        let template = self.0.get_template(content.template.name())?;
        let is_live = context! { is_live => content.template.is_live() };
        Ok(template.render(context! { ..is_live, ..frame.values(), ..content.values() })?)
    }
}

fn write_escaped(out: &mut Output<'_>, _state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let text = match value.as_str() {
        Some(text) if value.is_safe() => text.to_owned(),
        Some(text) => escape(text),
        None if value.is_none() => String::new(),
        None => escape(&value.to_string()),
    };
    out.write_str(&text).map_err(Error::from)
}
