//! The MCP server: lists the tools and answers calls.

use axum::http::request::Parts;
use bugle_app::{AppError, McpClient};
use bugle_client::recognition::passes_session_as_argument;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, Implementation, InputRequest, InputRequiredResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, ServerRequest,
};
use rmcp::service::{RequestContext, RoleServer};

use super::ServerOptions;
use super::call_result::CallResult;
use super::calls::{self, Connection};
use super::outbox::Outbox;
use super::question::{ANSWER, Answered, answered, answered_in};
use super::run_calls::Finished;
use super::session::{caller, session_argument, take_session_argument};
use super::tools::Tool;

/// Instructions that clients show to the model.
const INSTRUCTIONS: &str = "Bugle runs skills as workflows, one step at a time, and remembers your position. \
    Call start_run without arguments to list the skills, do each step, make the call that it prints (`finish_step \
    {arguments}`), and continue with the step that the call returns. If you have lost your context, call get_context.";

/// The server. It has an outbox if its connection reports when an answer has been sent.
#[derive(Debug, Clone)]
pub(super) struct Server {
    pub options: ServerOptions,
    pub outbox: Option<Outbox>,
    /// Whether the client may ask its user the questions of runs.
    pub may_elicit: bool,
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
        let connection = Connection {
            options: self.options.clone(),
            caller: caller(&context.meta, session, parts),
            client: McpClient {
                elicits: self.may_elicit && elicits(&context),
            },
        };
        let called = connection.clone();
        let answer = match unblocked(move || calls::call(&called, tool, arguments)).await {
            Ok(Finished::Answer(answer)) => Ok(*answer),
            Ok(Finished::Ask(question)) => {
                let replies = request.input_responses.unwrap_or_default();
                let answered = match (replies.get(ANSWER), question.form()) {
                    (Some(reply), _) => Ok(answered_in(reply)),
                    (None, Err(error)) => Err(error),
                    (None, Ok(form)) if has_requests_to_clients(&context) => Ok(ask(&context, form).await),
                    // Here the client repeats the call with the answer.
                    (None, Ok(form)) => {
                        let form = InputRequest::Elicitation(ElicitRequest::new(form));
                        let forms = [(ANSWER.to_owned(), form)].into();
                        return Ok(InputRequiredResult::from_input_requests(forms).into());
                    }
                };
                match answered {
                    Ok(answered) => unblocked(move || connection.answer(&question, answered)).await,
                    Err(error) => Err(error),
                }
            }
            Err(error) => Err(error),
        };
        let answer = answer.unwrap_or_else(|error| CallResult::failed(&error));
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

/// Runs a use case on a blocking thread, because use cases block on files, the database and commands.
async fn unblocked<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(ended) => ended,
        Err(broken) => Err(AppError::System(format!(
            "the call crashed and may have made some changes: {broken}"
        ))),
    }
}

/// Whether the client asks its user a server's questions in forms.
fn elicits(context: &RequestContext<RoleServer>) -> bool {
    let of_call = context.meta.client_capabilities();
    let of_client = || context.peer.peer_info().map(|client| client.capabilities.clone());
    let capability = of_call.or_else(of_client).and_then(|client| client.elicitation);
    // A client that names no mode has forms.
    capability.is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
}

/// Whether the protocol lets the server send requests to the client. Newer protocols do not.
fn has_requests_to_clients(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_none_or(|version| version.has_initialize())
}

/// Asks the user through the client. Waits until the user answers or the client cancels.
async fn ask(context: &RequestContext<RoleServer>, form: ElicitRequestParams) -> Answered {
    let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
    tokio::select! {
        reply = context.peer.send_request(request) => match reply {
            Ok(ClientResult::ElicitResult(result)) => answered(&result),
            _ => Answered::No("could not be asked, because the client did not show the question"),
        },
        () = context.ct.cancelled() => Answered::No("did not answer before the call was cancelled"),
    }
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
