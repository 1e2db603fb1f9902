//! Authentication: admits only the first browser on this machine that opens the link, and accepts its requests only
//! from this server's pages. Also sets the security headers.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use bugle_app::{AppError, Context, EphemeralSecret, LinkFile};
use bugle_render::page::ErrorPage;

use super::params::Params;
use super::reply::Page;
use super::state::SharedState;

/// Pages load resources only from this server and connect only to it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Decides which requests to accept.
pub(super) struct Authenticator {
    /// The link, until a browser uses it.
    link: Mutex<Option<Link>>,
    /// The cookie of the browser that used the link.
    session: EphemeralSecret,
    hosts: [String; 2],
    cookie_name: String,
}

/// A single-use link.
pub(super) struct Link {
    pub(super) token: EphemeralSecret,
    /// The file that redirects to the link; deleted together with the link.
    pub(super) file: Option<LinkFile>,
}

impl Authenticator {
    pub(super) fn new(ctx: &Context, link: Link, port: u16) -> Result<Self, AppError> {
        Ok(Self {
            link: Mutex::new(Some(link)),
            session: EphemeralSecret::new(ctx)?,
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            // Cookies are shared between ports, so two dashboards on one machine need different cookie names.
            cookie_name: format!("bugle-{port}"),
        })
    }

    /// Checks the link's token. A correct token also invalidates the link, so that the link works only once.
    fn use_link(&self, token: &str) -> bool {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let matches = link.as_ref().is_some_and(|link| link.token.is(token));
        if matches && let Some(used) = link.take() {
            drop(used.file);
        }
        matches
    }

    /// Whether the browser used a loopback host name. Any other name that resolves to this machine is DNS rebinding.
    fn is_own_host(&self, headers: &HeaderMap) -> bool {
        text(headers, &header::HOST).is_some_and(|host| self.hosts.iter().any(|own| own == host))
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE);
        let mut pairs = cookies
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.cookie_name && self.session.is(value))
    }

    /// Whether the request comes from one of this server's pages.
    fn is_from_own_page(&self, headers: &HeaderMap) -> bool {
        let own_origin = |origin: &str| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|host| self.hosts.iter().any(|own| own == host))
        };
        match (
            text(headers, &header::ORIGIN),
            headers
                .get("sec-fetch-site")
                .and_then(|value| value.to_str().ok()),
        ) {
            // With `no-referrer`, a browser sends the origin `null` even from our own page, so check `Sec-Fetch-Site`.
            (None | Some("null"), site) => site == Some("same-origin"),
            (Some(origin), site) => own_origin(origin) && site.is_none_or(|site| site == "same-origin"),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Accepts or rejects a request, and adds the security headers to every response.
pub(super) async fn authenticate(
    State((authenticator, state)): State<(Arc<Authenticator>, SharedState)>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match check(&authenticator, &request) {
        Access::Denied(status, error) => Page::error(status, &error).into_response(&state.pages),
        Access::LinkUsed(to) => with_cookie(&authenticator, request.headers(), &to),
        Access::Granted => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (
            header::HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

enum Access {
    Granted,
    /// The request used the link: set the cookie and redirect to the same address without the token.
    LinkUsed(String),
    Denied(StatusCode, ErrorPage),
}

fn check(authenticator: &Authenticator, request: &Request) -> Access {
    let headers = request.headers();
    if !authenticator.is_own_host(headers) {
        let error = ErrorPage {
            heading: "The dashboard is only available on this machine".to_owned(),
            details: vec!["The browser used a host name other than 127.0.0.1 or localhost.".to_owned()],
            hints: vec!["Open the link that `bugle ui` prints.".to_owned()],
            ways: Vec::new(),
        };
        return Access::Denied(StatusCode::FORBIDDEN, error);
    }
    let query = request.uri().query().unwrap_or_default();
    let params: Params =
        Query::try_from_uri(request.uri()).map_or_else(|_| Params::default(), |query| query.0);
    let token = params.get("token");
    if request.method() == Method::GET && token.is_some_and(|token| authenticator.use_link(token)) {
        return Access::LinkUsed(without_token(request.uri().path(), query));
    }
    if token.is_some() || !authenticator.has_cookie(headers) {
        let error = ErrorPage {
            heading: "Access denied".to_owned(),
            details: vec![
                "The link that `bugle ui` prints works once, in one browser. This request has no valid token, or \
                 the link was already used."
                    .to_owned(),
            ],
            hints: vec!["Run `bugle ui` again and open the link it prints.".to_owned()],
            // A browser omits the strict cookie if the user came from another site. A click on this link comes from
            // this server's page, so the browser sends the cookie.
            ways: vec![("Try again", "/".to_owned())],
        };
        return Access::Denied(StatusCode::UNAUTHORIZED, error);
    }
    let is_read_only = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_read_only && !authenticator.is_from_own_page(headers) {
        let error = ErrorPage {
            heading: "Nothing was changed".to_owned(),
            details: vec!["The request came from another site.".to_owned()],
            hints: vec!["Repeat the action in the dashboard.".to_owned()],
            ways: vec![("Open the dashboard", "/".to_owned())],
        };
        return Access::Denied(StatusCode::FORBIDDEN, error);
    }
    Access::Granted
}

/// The same address without the token.
fn without_token(path: &str, query: &str) -> String {
    let rest: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("token="))
        .collect();
    // A path like `//host/` would redirect to another host.
    let path = format!("/{}", path.trim_start_matches('/'));
    if rest.is_empty() {
        path
    } else {
        format!("{path}?{}", rest.join("&"))
    }
}

fn with_cookie(authenticator: &Authenticator, headers: &HeaderMap, to: &str) -> Response {
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Strict",
        authenticator.cookie_name,
        authenticator.session.reveal()
    );
    let site = headers
        .get("sec-fetch-site")
        .and_then(|value| value.to_str().ok());
    if site == Some("cross-site") {
        // After a redirect from a file, a browser does not send a strict cookie. This page comes from the server and
        // redirects again, and then the browser sends the cookie.
        let headers = [(header::SET_COOKIE, cookie)];
        return (headers, Html(FROM_FILE)).into_response();
    }
    let headers = [(header::LOCATION, to.to_owned()), (header::SET_COOKIE, cookie)];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// The page for a browser that was redirected here by a file.
const FROM_FILE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Bugle</title>\
    <meta http-equiv=\"refresh\" content=\"0;url=/\"><p><a href=\"/\">Open the dashboard</a></p></html>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_is_removed_from_an_address() {
        assert_eq!(without_token("/", "token=abc"), "/");
        assert_eq!(
            without_token("/plan", "plan=p-1&token=abc&x=1"),
            "/plan?plan=p-1&x=1"
        );
        assert_eq!(without_token("//evil.example/", "token=abc"), "/evil.example/");
    }
}
