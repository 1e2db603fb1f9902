//! A page's content: a template and its values.

use std::collections::BTreeMap;

use minijinja::Value;
use minijinja::value::Serde;
use serde::Serialize;

use crate::graph::{Graph, figure};

/// The page templates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Template {
    /// Items that need the user's attention, and running work.
    Now,
    /// The list of runs.
    Runs,
    /// One run.
    Run,
    /// A form that confirms an action.
    Confirm,
    /// An error.
    Error,
    /// Tasks.
    Plan,
    /// Messages.
    Channels,
    /// The list of agents.
    Agents,
    /// One agent.
    Agent,
    /// The list of wake-ups.
    WakeUps,
    /// One wake-up.
    WakeUp,
    /// The list of skills.
    Skills,
    /// One skill.
    Skill,
}

impl Template {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Now => "now",
            Self::Runs => "runs",
            Self::Run => "run",
            Self::Confirm => "confirm",
            Self::Error => "error",
            Self::Plan => "plan",
            Self::Channels => "channels",
            Self::Agents => "agents",
            Self::Agent => "agent",
            Self::WakeUps => "wakeups",
            Self::WakeUp => "wakeup",
            Self::Skills => "skills",
            Self::Skill => "skill",
        }
    }

    /// Whether the page updates when the store changes. A form does not, because an update would discard typed text.
    pub(super) fn is_live(self) -> bool {
        !matches!(self, Self::Error | Self::Confirm)
    }
}

/// The content of a page.
#[derive(Debug, Clone)]
pub struct Content {
    pub(super) template: Template,
    values: BTreeMap<&'static str, Value>,
}

impl Content {
    /// A template without values.
    pub fn new(template: Template) -> Self {
        Self {
            template,
            values: BTreeMap::new(),
        }
    }

    /// A template that shows one value, called `view`.
    pub fn view(template: Template, view: &impl Serialize) -> Self {
        Self::new(template).with("view", view)
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &impl Serialize) -> Self {
        self.values.insert(name, serialized(value));
        self
    }

    /// Adds the drawing of a graph, called `graph`.
    #[must_use]
    pub fn with_graph(mut self, graph: Option<&Graph>) -> Self {
        let drawing = graph.map(|graph| Value::from_safe_string(figure(graph)));
        self.values.insert("graph", Value::from(drawing));
        self
    }

    pub(super) fn values(&self) -> Value {
        Value::from(self.values.clone())
    }
}

pub(super) fn serialized(value: &impl Serialize) -> Value {
    Value::from(Serde(value))
}
