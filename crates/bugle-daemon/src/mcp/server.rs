//! The MCP server: lists the tools and answers calls.

use axum::http::request::Parts;
use bugle_app::AppError;
use bugle_client::recognition::passes_session_as_argument;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};

use super::ServerOptions;
use super::call_result::CallResult;
use super::calls;
use super::outbox::Outbox;
use super::session::{caller, session_argument, take_session_argument};
use super::tools::Tool;

/// Instructions that clients show to the model.
const INSTRUCTIONS: &str = "Bugle runs skills as workflows, one step at a time, and remembers your position. \
    Follow the step, call finish_step, and continue with the step that finish_step returns. \
    If you have lost your context, call get_context.";

/// The server. It has an outbox if its connection reports when an answer has been sent.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub options: ServerOptions,
    pub outbox: Option<Outbox>,
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("bugle", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<_> = Tool::ALL.into_iter().map(Tool::described).collect();
        if passes_session_as_argument(&is_set) {
            tools.iter_mut().for_each(take_session_argument);
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::named(&request.name) else {
            let names = Tool::ALL.map(Tool::name).join(", ");
            let message = format!("there is no tool `{}`; the tools are {names}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        if let Some(outbox) = &self.outbox {
            drop(outbox.settled().await);
        }
        let mut arguments = request.arguments.unwrap_or_default();
        let parts = context.extensions.get::<Parts>();
        let session = session_argument(&mut arguments, parts, &is_set);
        let caller = caller(&context.meta, session, parts);
        let options = self.options.clone();
        // Use cases block on files, the database and commands, so run them on a blocking thread.
        let ended =
            tokio::task::spawn_blocking(move || calls::call(&options, &caller, tool, arguments)).await;
        let answer = match ended {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => CallResult::failed(&error),
            Err(broken) => CallResult::failed(&AppError::System(format!(
                "the call crashed and may have made some changes: {broken}"
            ))),
        };
        match (&self.outbox, answer.sent.clone()) {
            (Some(outbox), Some(sent)) => outbox.note(context.id, sent),
            // Over HTTP, the server does not know whether the answer arrived.
            (None, Some(sent)) => drop(tokio::task::spawn_blocking(move || sent.mark()).await),
            (_, None) => {}
        }
        Ok(result(answer).into())
    }
}

/// Whether an environment variable is set.
fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

fn result(answer: CallResult) -> CallToolResult {
    let content = std::iter::once(answer.text)
        .chain(answer.aside)
        .map(ContentBlock::text)
        .collect();
    if answer.error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    }
}
