//! Who is let in: a browser on this machine that used the link first, and acts from a page of this server. And what every
//! answer tells that browser not to do.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse as _, Response};
use bugle_app::{AppError, LinkFile, PassingSecret};
use bugle_render::page::Trouble;

use super::Shared;
use super::answer::Answer;
use super::request::Asked;

/// What a page may do: show what this server sends, speak to this server, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What is known about who may come in.
pub(super) struct Guard {
    /// The link that lets one browser in, until one was.
    link: Mutex<Option<Link>>,
    /// What that browser brings from then on.
    pass: PassingSecret,
    hosts: [String; 2],
    cookie: String,
}

/// A link that works once.
pub(super) struct Link {
    pub(super) token: PassingSecret,
    /// The file that leads to it goes with it.
    pub(super) file: Option<LinkFile>,
}

impl Guard {
    pub(super) fn new(link: Link, port: u16) -> Result<Self, AppError> {
        Ok(Self {
            link: Mutex::new(Some(link)),
            pass: PassingSecret::new()?,
            hosts: [format!("127.0.0.1:{port}"), format!("localhost:{port}")],
            // Cookies do not know ports: two pages on one machine must not take each other's.
            cookie: format!("bugle-{port}"),
        })
    }

    /// Whether a token is that of the link. The first time it is, the link is used up.
    fn use_link(&self, token: &str) -> bool {
        let mut link = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = link.as_ref().is_some_and(|link| link.token.is(token));
        if fits && let Some(used) = link.take() {
            drop(used.file);
        }
        fits
    }

    /// Whether the browser was led here by the name of this machine. A name of somebody else's that leads here is a trap.
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
        pairs.any(|(name, value)| name == self.cookie && self.pass.is(value))
    }

    /// Whether something to be done was asked for on a page of this server.
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
            // A browser that is told to name no referrer calls its own page `null`; only it says where that is.
            (None | Some("null"), site) => site == Some("same-origin"),
            (Some(origin), site) => own_origin(origin) && site.is_none_or(|site| site == "same-origin"),
        }
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Lets a request through, or says why not; and adds to every answer what holds for all of them.
pub(super) async fn let_in(
    State((guard, desk)): State<(Arc<Guard>, Shared)>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match turned_away(&guard, &request) {
        Some(Turned::Away(status, trouble)) => Answer::trouble(status, trouble).written(&desk.pages),
        Some(Turned::In(to)) => with_cookie(&guard, request.headers(), &to),
        None => next.run(request).await,
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

enum Turned {
    /// Not let in.
    Away(StatusCode, Trouble),
    /// Let in, and sent on to the same address without the token.
    In(String),
}

fn turned_away(guard: &Guard, request: &Request) -> Option<Turned> {
    let headers = request.headers();
    if !guard.is_own_host(headers) {
        let trouble = Trouble {
            heading: "This page is only for this machine".to_owned(),
            details: vec!["It was asked for by another name than 127.0.0.1 or localhost.".to_owned()],
            hints: vec!["Open the address that `bugle ui` prints.".to_owned()],
            ways: Vec::new(),
        };
        return Some(Turned::Away(StatusCode::FORBIDDEN, trouble));
    }
    let query = request.uri().query().unwrap_or_default();
    let asked = Asked::of(Vec::new(), query);
    let brought = asked.get("token");
    if request.method() == Method::GET && brought.is_some_and(|token| guard.use_link(token)) {
        return Some(Turned::In(without_token(request.uri().path(), query)));
    }
    if brought.is_some() || !guard.has_cookie(headers) {
        let trouble = Trouble {
            heading: "You are not let in".to_owned(),
            details: vec![
                "The link that `bugle ui` prints works once, in one browser. It is missing, wrong or used."
                    .to_owned(),
            ],
            hints: vec!["Run `bugle ui` again, and open the link that it prints.".to_owned()],
            // A browser that was led here from elsewhere keeps its cookie back; from this page it does not.
            ways: vec![("Try again", "/".to_owned())],
        };
        return Some(Turned::Away(StatusCode::UNAUTHORIZED, trouble));
    }
    let only_looks = matches!(*request.method(), Method::GET | Method::HEAD);
    if !only_looks && !guard.is_from_own_page(headers) {
        let trouble = Trouble {
            heading: "Nothing was done".to_owned(),
            details: vec!["That was asked for by a page that is not this one.".to_owned()],
            hints: vec!["Do it on this page itself.".to_owned()],
            ways: vec![("Go to the page", "/".to_owned())],
        };
        return Some(Turned::Away(StatusCode::FORBIDDEN, trouble));
    }
    None
}

/// The same address without the token.
fn without_token(path: &str, query: &str) -> String {
    let rest: Vec<&str> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !pair.starts_with("token="))
        .collect();
    // A path of two slashes would be another machine's address.
    let path = format!("/{}", path.trim_start_matches('/'));
    if rest.is_empty() {
        path
    } else {
        format!("{path}?{}", rest.join("&"))
    }
}

fn with_cookie(guard: &Guard, asked: &HeaderMap, to: &str) -> Response {
    let cookie = format!(
        "{}={}; Path=/; HttpOnly; SameSite=Strict",
        guard.cookie,
        guard.pass.reveal()
    );
    let site = asked.get("sec-fetch-site").and_then(|value| value.to_str().ok());
    if site == Some("cross-site") {
        // A browser that a file led here keeps a strict cookie back when it is redirected; a page of this server's own
        // gets it.
        let headers = [(header::SET_COOKIE, cookie)];
        return (headers, Html(FROM_FILE)).into_response();
    }
    let headers = [(header::LOCATION, to.to_owned()), (header::SET_COOKIE, cookie)];
    (StatusCode::SEE_OTHER, headers).into_response()
}

/// The page for a browser that a file led here.
const FROM_FILE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Bugle</title>\
    <meta http-equiv=\"refresh\" content=\"0;url=/\"><p><a href=\"/\">Go to the page</a></p></html>";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_taken_out_of_an_address_and_nothing_else() {
        assert_eq!(without_token("/", "token=abc"), "/");
        assert_eq!(
            without_token("/plan", "plan=p-1&token=abc&x=1"),
            "/plan?plan=p-1&x=1"
        );
        assert_eq!(without_token("//evil.example/", "token=abc"), "/evil.example/");
    }
}
