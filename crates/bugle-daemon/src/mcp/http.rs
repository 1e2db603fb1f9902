//! MCP over HTTP on the loopback interface, for several clients at once. Every request needs the token.

use std::net::Ipv4Addr;
use std::path::PathBuf;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use bugle_app::{AppError, Secret};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::ServerOptions;
use super::server::Server;
use super::session::Caller;
use crate::serve::serve_on_loopback;

/// The default port.
pub const MCP_PORT: u16 = 7717;
/// The server's only path.
const PATH: &str = "/mcp";

/// A server's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpAddress {
    /// The URL for clients.
    pub url: String,
    /// The file that contains the token. Clients send the token as `Authorization: Bearer ...`.
    pub token_file: PathBuf,
}

/// Until shutdown, serves clients that send the token. Calls `ready` with the address once the server accepts calls.
pub fn serve_http(
    options: ServerOptions,
    port: u16,
    ready: impl FnOnce(&McpAddress) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let context = Caller::Guest(None).context(&options.directory)?;
    let token = Secret::of(&context, "mcp-token")?;
    serve_on_loopback(port, |port| {
        ready(&McpAddress {
            url: format!("http://{}:{port}{PATH}", Ipv4Addr::LOCALHOST),
            token_file: token.file.clone(),
        })?;
        Ok(routes(options, port, token))
    })
}

fn routes(options: ServerOptions, port: u16, token: Secret) -> Router {
    // Check Host and Origin, so that no web page can call the server.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts([format!("127.0.0.1:{port}"), format!("localhost:{port}")])
        .enforce_origin_validation();
    let service = StreamableHttpService::new(
        move || {
            Ok(Server {
                options: options.clone(),
                outbox: None,
                // Every process that can read the token can connect, so a form proves nothing about the user.
                may_elicit: false,
            })
        },
        NeverSessionManager::default().into(),
        config,
    );
    Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(token, with_token))
}

/// Rejects requests without the token.
async fn with_token(State(token): State<Secret>, request: Request, next: Next) -> Response {
    let brought = request
        .headers()
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    if brought.is_some_and(|(_, brought)| token.is(brought.trim())) {
        return next.run(request).await;
    }
    (
        StatusCode::UNAUTHORIZED,
        [(header::WWW_AUTHENTICATE, "Bearer")],
        "The token is missing or wrong. Read the token from `mcp-token` in BUGLE_HOME (default: ~/.bugle) and send it \
         as `Authorization: Bearer TOKEN`.\n",
    )
        .into_response()
}
