//! Recorded requests as readable text.

use serde_json::Value;

use crate::payload::EPHEMERAL;
use crate::record::Recorded;

/// What a request of the bot looks like in a Discord client. `None` for requests that a user does not see.
pub fn show(entry: &Recorded) -> Option<String> {
    if let Some(refusal) = &entry.refusal {
        return Some(format!("! {} {} was refused: {} {refusal}", entry.method, entry.path, entry.status));
    }
    if entry.is_deferral() {
        return Some("bot is thinking...".to_owned());
    }
    let body = entry.message();
    if let Some(choices) = body["choices"].as_array().filter(|_| entry.is_callback()) {
        let names: Vec<&str> = choices.iter().filter_map(|choice| choice["name"].as_str()).collect();
        return Some(format!("bot suggests: {}", names.join(", ")));
    }
    let what = match (entry.method.as_str(), entry.path.as_str()) {
        ("PUT", path) if path.ends_with("/commands") => {
            return Some(format!("bot registered {} commands", entry.body.as_array().map_or(0, Vec::len)));
        }
        ("POST", path) if path.ends_with("/typing") => return Some("bot is typing...".to_owned()),
        ("POST", path) if path.ends_with("/messages") || path.ends_with("/callback") => "",
        ("POST", path) if path.starts_with("/webhooks/") => "",
        ("PATCH", path) if path.contains("/messages/") => " (edit)",
        _ => return None,
    };
    let audience =
        if body["flags"].as_u64().is_some_and(|flags| flags & EPHEMERAL != 0) { " (only you see this)" } else { "" };
    let mut lines = vec![format!("bot{what}{audience}:")];
    lines.extend(texts(body).iter().flat_map(|text| text.lines()).map(|line| format!("  {line}")));
    Some(lines.join("\n"))
}

/// The texts of a message in the order in which a client shows them.
pub(crate) fn texts(message: &Value) -> Vec<String> {
    let mut texts = Vec::new();
    let mut add = |text: &Value| texts.extend(text.as_str().filter(|text| !text.is_empty()).map(str::to_owned));
    add(&message["content"]);
    for embed in message["embeds"].as_array().into_iter().flatten() {
        add(&embed["author"]["name"]);
        add(&embed["title"]);
        add(&embed["description"]);
        for field in embed["fields"].as_array().into_iter().flatten() {
            let (name, value) =
                (field["name"].as_str().unwrap_or_default(), field["value"].as_str().unwrap_or_default());
            add(&Value::String(format!("{name}: {value}")));
        }
        add(&embed["footer"]["text"]);
    }
    for component in message["components"].as_array().into_iter().flatten() {
        for part in component["components"].as_array().into_iter().flatten() {
            if let Some(label) = part["label"].as_str() {
                add(&Value::String(format!("[{label}]")));
            }
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(method: &str, path: &str, body: Value) -> Recorded {
        Recorded {
            n: 0,
            at_ms: 0,
            method: method.to_owned(),
            path: path.to_owned(),
            query: None,
            authorized: true,
            body,
            status: 200,
            code: None,
            refusal: None,
            rule: None,
            files: Vec::new(),
            message_id: None,
            injected: false,
        }
    }

    #[test]
    fn an_embed_is_shown_line_by_line() {
        let body = json!({"type": 4, "data": {"flags": 64, "embeds": [{
            "title": "CPU", "description": "a\nb", "fields": [{"name": "n", "value": "v"}], "footer": {"text": "f"},
        }]}});
        let shown = show(&entry("POST", "/interactions/1/t/callback", body));
        assert_eq!(shown.as_deref(), Some("bot (only you see this):\n  CPU\n  a\n  b\n  n: v\n  f"));
    }

    #[test]
    fn other_requests_are_short() {
        let cases = [
            ("PUT", "/applications/1/commands", json!([{}, {}]), Some("bot registered 2 commands")),
            ("POST", "/channels/1/typing", Value::Null, Some("bot is typing...")),
            ("POST", "/interactions/1/t/callback", json!({"type": 5}), Some("bot is thinking...")),
            (
                "POST",
                "/interactions/1/t/callback",
                json!({"type": 8, "data": {"choices": [{"name": "a"}]}}),
                Some("bot suggests: a"),
            ),
            ("PATCH", "/webhooks/1/t/messages/@original", json!({"content": "x"}), Some("bot (edit):\n  x")),
            ("GET", "/gateway", Value::Null, None),
        ];
        for (method, path, body, expected) in cases {
            assert_eq!(show(&entry(method, path, body)).as_deref(), expected, "{method} {path}");
        }
    }
}
