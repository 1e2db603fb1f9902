//! MCP over HTTP, for several clients at once: on this machine only, and only for who knows the token.

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

use super::Surroundings;
use super::server::Server;
use super::session::Caller;
use crate::serve::on_loopback;

/// The port that is used unless another one is asked for.
pub const DEFAULT_PORT: u16 = 7717;
/// The path of the server's one address.
const PATH: &str = "/mcp";

/// Where a server can be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The address to give to a client.
    pub url: String,
    /// The file with the token that the client has to send as `Authorization: Bearer ...`.
    pub token_file: PathBuf,
}

/// Serves whoever knows the token until the process is asked to end. `ready` is told where, once calls are answered.
pub fn serve_http(
    around: Surroundings,
    port: u16,
    ready: impl FnOnce(&Address) -> Result<(), AppError>,
) -> Result<(), AppError> {
    let place = Caller::Guest(None).place(&around.directory)?;
    let token = Secret::of(&place, "mcp-token")?;
    on_loopback(port, |port| {
        ready(&Address {
            url: format!("http://{}:{port}{PATH}", Ipv4Addr::LOCALHOST),
            token_file: token.file.clone(),
        })?;
        Ok(routes(around, port, token))
    })
}

fn routes(around: Surroundings, port: u16, token: Secret) -> Router {
    // A page in a browser must not get in by a name that leads here (Host), nor from its own place (Origin).
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_allowed_hosts([format!("127.0.0.1:{port}"), format!("localhost:{port}")])
        .enforce_origin_validation();
    let service = StreamableHttpService::new(
        move || {
            Ok(Server {
                around: around.clone(),
                outbox: None,
            })
        },
        NeverSessionManager::default().into(),
        config,
    );
    Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(token, with_token))
}

/// Lets a request through that brings the token.
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
        "The token is missing or wrong. It is in the file `mcp-token` of Bugle's folder; send it as `Authorization: \
         Bearer TOKEN`.\n",
    )
        .into_response()
}
