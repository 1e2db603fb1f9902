//! Static files: style sheet, script and icon.

use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use bugle_render::page;

pub(super) async fn style() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], page::style()).into_response()
}

pub(super) async fn script() -> Response {
    (
        [(header::CONTENT_TYPE, "text/javascript; charset=utf-8")],
        page::SCRIPT,
    )
        .into_response()
}

pub(super) async fn icon() -> Response {
    ([(header::CONTENT_TYPE, "image/svg+xml")], page::ICON).into_response()
}
