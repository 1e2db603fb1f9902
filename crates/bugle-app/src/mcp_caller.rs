//! The caller of an MCP tool: its name, and how the user can answer its questions.

use bugle_core::id::Actor;
use bugle_core::interface::{AnswerRoute, Interface};

use crate::{App, AppError, Context, Lineage, agents, ancestors, permissions, projects};

/// How an MCP client is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpClient {
    /// Whether the client asks its user the questions of a server.
    pub elicits: bool,
}

/// Prepares a tool call: follows a project that has moved, names an agent that Bugle sees for the first time, and finds
/// out how the user can answer questions.
pub fn prepare(app: &mut App, client: McpClient) -> Result<(), AppError> {
    projects::follow_move(&mut app.store, &app.context)?;
    if let Some(session) = app.context.session.clone()
        && agents::known_agent(&mut app.store, &session)?.is_none()
    {
        agents::agent_of(&mut app.store, &app.context, &session, None)?;
    }
    let route = if client.elicits {
        AnswerRoute::Client
    } else if permissions::user_input(&mut app.store, &app.context)?.is_some() {
        AnswerRoute::Agent
    } else {
        AnswerRoute::Person
    };
    app.context.interface = Interface::Mcp(route);
    Ok(())
}

/// Whether a person controls the client that started this server. An agent can start a server from its shell and
/// answer the server's questions itself, so such a server asks none.
pub fn is_started_by_client() -> bool {
    !ancestors::ancestry().is_nested && !ancestors::is_started_by_tool()
}

/// This context for an answer that the user gave in a form of the client.
#[must_use]
pub fn answered_in_client(context: &Context) -> Context {
    Context {
        session: None,
        acting_as: None,
        agent: None,
        actor: Actor::Person(context.user.clone()),
        lineage: Lineage::Person,
        ..context.clone()
    }
}
