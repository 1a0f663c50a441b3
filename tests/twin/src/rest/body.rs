//! Request bodies: JSON, or a form whose `payload_json` part is JSON and whose other parts are files.

use serde_json::Value;

/// What came of a body.
pub(crate) struct Parsed {
    pub(crate) json: Value,
    pub(crate) has_files: bool,
    /// There is a body, and it is not JSON.
    pub(crate) is_broken: bool,
}

/// Reads a body by its content type.
pub(crate) fn parse(content_type: &str, bytes: &[u8]) -> Parsed {
    if bytes.is_empty() {
        return Parsed { json: Value::Null, has_files: false, is_broken: false };
    }
    match content_type.strip_prefix("multipart/form-data").and_then(|rest| rest.split_once("boundary=")) {
        Some((_, boundary)) => parse_form(boundary.trim_matches('"'), bytes),
        None => from_json(bytes, false),
    }
}

/// Files may hold any bytes. They are made readable here only to find the JSON part, and then thrown away.
fn parse_form(boundary: &str, bytes: &[u8]) -> Parsed {
    let text = String::from_utf8_lossy(bytes);
    let separator = format!("--{boundary}");
    let parts: Vec<(&str, &str)> =
        text.split(separator.as_str()).filter_map(|part| part.split_once("\r\n\r\n")).collect();
    let has_files = parts.iter().any(|(headers, _)| headers.contains("filename="));
    let payload = parts.iter().find(|(headers, _)| headers.contains("name=\"payload_json\""));
    match payload {
        Some((_, json)) => from_json(json.trim_end().as_bytes(), has_files),
        None => Parsed { json: Value::Null, has_files, is_broken: false },
    }
}

fn from_json(bytes: &[u8], has_files: bool) -> Parsed {
    match serde_json::from_slice(bytes) {
        Ok(json) => Parsed { json, has_files, is_broken: false },
        Err(_) => Parsed { json: Value::Null, has_files, is_broken: true },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_form_holds_json_and_files() {
        let form = "--b\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\r\n{\"content\":\"x\"}\r\n\
                    --b\r\nContent-Disposition: form-data; name=\"files[0]\"; filename=\"a\"\r\n\r\nzzz\r\n--b--";
        let parsed = parse("multipart/form-data; boundary=b", form.as_bytes());
        assert_eq!(parsed.json, json!({"content": "x"}));
        assert!(parsed.has_files && !parsed.is_broken);
    }

    #[test]
    fn broken_json_is_noticed() {
        assert!(parse("application/json", b"{").is_broken);
        assert!(!parse("application/json", b"").is_broken);
    }
}
