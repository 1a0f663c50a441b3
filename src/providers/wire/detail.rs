//! Describes a response that is not an answer, for the log.
//!
//! For an error this is the server's own message, shortened. For other bodies it is only their kind, because they may
//! hold people's words. The key is removed if a server repeats it.

use serde_json::Value;

use crate::wire::answer::parse;
use candor_core::agent::ModelFailure;
use candor_core::text::{shortened, visible_line};

/// The maximum length of a server's message, in characters.
const QUOTED_LENGTH_MAX: usize = 200;

/// Describes a body for the log, in addition to the failure's name.
pub(crate) fn detail(failure: &ModelFailure, body: &[u8], secret: Option<&str>) -> Option<String> {
    match failure {
        ModelFailure::UnknownModel
        | ModelFailure::Forbidden
        | ModelFailure::RateLimited(_)
        | ModelFailure::Overloaded(_)
        | ModelFailure::ToolsUnsupported
        | ModelFailure::ContextTooLong
        | ModelFailure::Refused(_)
        | ModelFailure::ServerError(_)
        | ModelFailure::Reported => error_text(body).map(|text| quoted(&text, secret)).filter(|text| !text.is_empty()),
        ModelFailure::NotJson => Some(kind(body).to_owned()),
        ModelFailure::UnknownEnd => {
            let reason = parse(body).ok()?["choices"][0]["finish_reason"].to_string();
            Some(quoted(&format!("finish_reason {reason}"), secret))
        }
        // The names of the other failures say everything. Servers quote parts of a refused key.
        ModelFailure::Unauthorized
        | ModelFailure::NotConfigured
        | ModelFailure::Busy
        | ModelFailure::Unreachable
        | ModelFailure::Interrupted
        | ModelFailure::Unavailable { .. }
        | ModelFailure::TimedOut(_)
        | ModelFailure::Redirected(_)
        | ModelFailure::Empty
        | ModelFailure::CutOff
        | ModelFailure::Filtered
        | ModelFailure::ToolCall
        | ModelFailure::TooManyCalls
        | ModelFailure::LostCall
        | ModelFailure::TooLarge => None,
    }
}

/// Returns the message of an error from its known places, or else the body itself.
fn error_text(body: &[u8]) -> Option<String> {
    let Ok(answer) = parse(body) else { return Some(String::from_utf8_lossy(body).into_owned()) };
    let places = ["/error/message", "/error", "/choices/0/error/message", "/choices/0/error", "/message", "/detail"];
    places.iter().find_map(|place| answer.pointer(place)?.as_str()).map(str::to_owned)
}

/// Returns whether the server itself wrote this error for the request. A gateway without its server sends a page, plain
/// text or nothing.
pub(crate) fn is_told(body: &[u8]) -> bool {
    parse(body).is_ok_and(|answer| answer.is_object())
}

/// Returns the kind of a body that is not a chat answer.
fn kind(body: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match parse(body) {
        Ok(Value::Object(_)) => "JSON, but no answer of the API that `[model] api` names",
        Ok(_) => "JSON, but not an object",
        Err(_) if text.is_empty() => "nothing",
        Err(_) if text.starts_with('<') => "HTML or XML: `[model] base_url` may miss its `/v1`",
        Err(_) if text.starts_with("data:") || text.starts_with("event:") || text.starts_with(':') => {
            "an event stream of something else than JSON"
        }
        Err(_) if text.starts_with('{') => "JSON that is broken or cut",
        Err(_) => "neither JSON nor HTML",
    }
}

/// Formats one short line, without the key and without characters that could affect a terminal.
fn quoted(text: &str, secret: Option<&str>) -> String {
    // Before the cut, so that half of the key cannot remain at the end.
    let text = match secret {
        Some(secret) => text.replace(secret, "[key]"),
        None => text.to_owned(),
    };
    shortened(&visible_line(&text), QUOTED_LENGTH_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: Option<&str> = Some("sk-secret");

    #[test]
    fn an_error_is_quoted_in_one_short_line_without_the_key() {
        let long = format!("{{\"error\":\"{}sk-secret\"}}", "x".repeat(195));
        let cut = format!("{}[key]", "x".repeat(195));
        let cases = [
            (r#"{"error":{"message":"no such\n  model","code":1}}"#, Some("no such model")),
            (r#"{"error":"out of memory"}"#, Some("out of memory")),
            (r#"{"choices":[{"error":{"message":"overloaded"}}]}"#, Some("overloaded")),
            (r#"{"object":"error","message":"too long"}"#, Some("too long")),
            (r#"{"detail":"Not Found"}"#, Some("Not Found")),
            (r#"{"error":"key sk-secret is \u001b[31mold\u202e"}"#, Some("key [key] is [31mold")),
            ("Bad\tGateway\r\n", Some("Bad Gateway")),
            (&long, Some(&cut)),
            (r#"{"choices":[{"message":{"content":"private"}}]}"#, None),
            ("", None),
        ];
        for (body, expected) in cases {
            let said = detail(&ModelFailure::Refused(400), body.as_bytes(), SECRET);
            assert_eq!(said.as_deref(), expected, "{body}");
        }
        let endless = detail(&ModelFailure::Reported, "é".repeat(300).as_bytes(), None).unwrap();
        assert_eq!(endless, format!("{}…", "é".repeat(199)));
    }

    #[test]
    fn what_is_no_error_is_named_and_not_quoted() {
        let cases = [
            ("", "nothing"),
            (" \n", "nothing"),
            ("<html>private", "HTML or XML: `[model] base_url` may miss its `/v1`"),
            ("data: private\n\n", "an event stream of something else than JSON"),
            (": ping", "an event stream of something else than JSON"),
            ("{\"choices\": \"private", "JSON that is broken or cut"),
            ("{\"response\":\"private\"}", "JSON, but no answer of the API that `[model] api` names"),
            ("[\"private\"]", "JSON, but not an object"),
            ("private", "neither JSON nor HTML"),
        ];
        for (body, expected) in cases {
            assert_eq!(detail(&ModelFailure::NotJson, body.as_bytes(), SECRET).as_deref(), Some(expected), "{body}");
        }
    }

    #[test]
    fn an_unknown_end_is_quoted_and_a_refused_key_never_is() {
        let ended = br#"{"choices":[{"message":{"content":"private"},"finish_reason":"abort"}]}"#;
        assert_eq!(detail(&ModelFailure::UnknownEnd, ended, SECRET).unwrap(), "finish_reason \"abort\"");
        let refused = br#"{"error":{"message":"Incorrect key: sk-se****et"}}"#;
        assert_eq!(detail(&ModelFailure::Unauthorized, refused, SECRET), None);
    }
}
