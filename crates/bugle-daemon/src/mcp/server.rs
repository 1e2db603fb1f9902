//! The protocol's side of the tools.

use axum::http::request::Parts;
use bugle_app::AppError;
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
use super::session::caller;
use super::tools::Tool;

/// What every client shows its model about this server.
const INSTRUCTIONS: &str = "Bugle runs skills as workflows, one step at a time, and keeps where you stand. \
    Do what a step says, end it with finish_step, and go on with the step in the answer. \
    If you do not know where you stand, call get_context.";

/// The server: where it is, and which answers were not sent yet, if its connection says when one was.
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
        let tools = Tool::ALL.into_iter().map(Tool::described).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::named(&request.name) else {
            let names = Tool::ALL.map(Tool::name).join(", ");
            let message = format!("there is no tool `{}`; there are: {names}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        if let Some(outbox) = &self.outbox {
            drop(outbox.settled().await);
        }
        let caller = caller(&context.meta, context.extensions.get::<Parts>());
        let options = self.options.clone();
        let arguments = request.arguments.unwrap_or_default();
        // The use cases read files, wait for the database and run commands: never on the thread of the protocol.
        let ended =
            tokio::task::spawn_blocking(move || calls::call(&options, &caller, tool, arguments)).await;
        let told = match ended {
            Ok(Ok(told)) => told,
            Ok(Err(error)) => CallResult::failed(&error),
            Err(broken) => CallResult::failed(&AppError::System(format!(
                "the call broke off, and may have had an effect: {broken}"
            ))),
        };
        match (&self.outbox, told.sent.clone()) {
            (Some(outbox), Some(sent)) => outbox.note(context.id, sent),
            // Over HTTP nothing says whether the answer arrived.
            (None, Some(sent)) => drop(tokio::task::spawn_blocking(move || sent.mark()).await),
            (_, None) => {}
        }
        Ok(result(told).into())
    }
}

fn result(told: CallResult) -> CallToolResult {
    let content = std::iter::once(told.text)
        .chain(told.aside)
        .map(ContentBlock::text)
        .collect();
    if told.error {
        CallToolResult::error(content)
    } else {
        CallToolResult::success(content)
    }
}
