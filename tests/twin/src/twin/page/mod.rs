//! The page: the twin used by hand, in a browser. Plain forms, and no part of what the bot sees.

mod act;
mod command;
mod component;
mod form;
mod html;
mod markdown;
mod message;
mod show;
pub(crate) mod viewer;

use std::net::IpAddr;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use serde_json::Value;

use crate::rest::content_type;
use crate::twin::page::act::act;
use crate::twin::page::command::text;
use crate::twin::page::form::Form;
use crate::twin::page::show::{Extra, page, state_of};
use crate::twin::state::State;

/// No script but the page's own, nothing from elsewhere, and no other page around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; \
                      style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
/// For files: what a bot or a user sent is shown, not run.
const FILE_POLICY: &str = "default-src 'none'; sandbox";

/// Whether a path belongs to the page.
pub(crate) fn is_page(path: &str) -> bool {
    path == "/page" || path.starts_with("/page/")
}

/// Answers a request for the page. It is not recorded: it is not the bot's.
pub(crate) async fn handle(state: &State, method: &Method, path: &str, headers: &HeaderMap, body: &Bytes) -> Response {
    if !is_from_here(headers) {
        return (StatusCode::FORBIDDEN, "Open the page by the twin's own address.").into_response();
    }
    let segments: Vec<&str> = path.split('/').skip(2).collect();
    match (method.as_str(), segments.as_slice()) {
        ("GET", []) => html(StatusCode::OK, page(state, &Extra::default())),
        ("GET", ["state"]) => state_of(state).into_response(),
        ("GET", ["refresh.js"]) => with([(header::CONTENT_TYPE, "text/javascript")], include_str!("refresh.js")),
        ("GET", ["file", message, file]) => {
            served(state, message, file).unwrap_or_else(|| StatusCode::NOT_FOUND.into_response())
        }
        ("POST", [what]) => {
            let form = Form::read(content_type(headers), body);
            match act(state, what, &form).await {
                Ok(None) => Redirect::to("/page#end").into_response(),
                Ok(suggested) => html(StatusCode::OK, page(state, &Extra { suggested, wrong: None })),
                Err(wrong) => {
                    html(StatusCode::BAD_REQUEST, page(state, &Extra { wrong: Some(wrong), suggested: None }))
                }
            }
        }
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Whether the twin was addressed as itself and, if a page sent this, by its own page. Other sites that a browser has
/// open must not act here, not even under a name of theirs that leads to this machine.
fn is_from_here(headers: &HeaderMap) -> bool {
    let read = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(host) = read(header::HOST) else { return false };
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map_or(host, |(name, _)| name);
    let is_own = name == "localhost" || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    is_own && read(header::ORIGIN).is_none_or(|origin| origin.strip_prefix("http://") == Some(host))
}

fn html(status: StatusCode, page: String) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (status, with(headers, page)).into_response()
}

fn with<const N: usize>(headers: [(header::HeaderName, &'static str); N], body: impl IntoResponse) -> Response {
    let fixed = [(header::X_CONTENT_TYPE_OPTIONS, "nosniff"), (header::CACHE_CONTROL, "no-store")];
    (fixed, headers, body).into_response()
}

/// A file of a stored message, by both ids.
fn served(state: &State, message: &str, file: &str) -> Option<Response> {
    let (stored, of_user) = {
        let world = state.world();
        let attachments = world.messages.get(message)?["attachments"].as_array()?;
        let stored: Value = attachments.iter().find(|attachment| attachment["id"] == file)?.clone();
        let path = text(&stored["url"]).split_once("discordapp.com").and_then(|(_, path)| path.split('?').next());
        let content = path.and_then(|path| world.files.get(path)).cloned();
        (stored, content)
    };
    let content = of_user.or_else(|| state.file(message.parse().ok()?, text(&stored["filename"])))?;
    let kind = match text(&stored["content_type"]) {
        "image/png" => "image/png",
        "image/jpeg" => "image/jpeg",
        "image/gif" => "image/gif",
        "image/webp" => "image/webp",
        "text/plain; charset=utf-8" | "application/json" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    Some(with([(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, FILE_POLICY)], content))
}
