//! The frame around a page's content: the title, the navigation, the project, a notice.

use minijinja::{Value, context};
use serde::Serialize;

use super::content::serialized;
use super::filters::url;

/// A view with an entry in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Items that need the user's attention, and running work.
    Now,
    /// Runs.
    Runs,
    /// Tasks.
    Plan,
    /// Messages.
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

    fn name(self) -> &'static str {
        match self {
            Self::Now => "Now",
            Self::Runs => "Runs",
            Self::Plan => "Plans",
            Self::Channels => "Messages",
            Self::Agents => "Agents",
            Self::WakeUps => "Wake-ups",
            Self::Skills => "Skills",
        }
    }

    fn path(self) -> &'static str {
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

    /// Whether the view shows one project at a time.
    fn has_project(self) -> bool {
        matches!(self, Self::Plan | Self::Channels | Self::WakeUps | Self::Skills)
    }
}

/// A project in the navigation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectLink {
    /// The project's id.
    pub id: String,
    /// The project's name.
    pub name: String,
    /// The project's folder.
    pub place: String,
}

/// The frame around a page's content.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// The view that the page belongs to; `None` for an error.
    pub view: Option<View>,
    /// The page's title.
    pub title: String,
    /// The project that the page shows.
    pub project: Option<ProjectLink>,
    /// The projects that the user can choose from.
    pub projects: Vec<ProjectLink>,
    /// One sentence about the last action.
    pub notice: Option<String>,
}

impl Frame {
    pub(super) fn values(&self) -> Value {
        let project = self.project.as_ref().map(|project| project.id.as_str());
        let views: Vec<Value> = View::ALL
            .into_iter()
            .map(|view| {
                let href = match project {
                    Some(id) if view.has_project() => format!("{}?project={}", view.path(), url(id)),
                    _ => view.path().to_owned(),
                };
                context! { name => view.name(), href => href, current => self.view == Some(view) }
            })
            .collect();
        context! {
            title => self.title.as_str(),
            views => views,
            path => self.view.map(View::path),
            project => serialized(&self.project),
            projects => serialized(&self.projects),
            notice => self.notice.as_deref(),
        }
    }
}
