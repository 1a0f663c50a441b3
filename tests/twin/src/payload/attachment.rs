//! Attachment objects: in messages, and as option values.

use serde_json::{Value, json};

use crate::payload::APPLICATION_ID;
use crate::rest::SentFile;

/// An attachment object. `folder` is the first segment of the path on Discord's CDN.
pub(crate) fn attachment(id: u64, filename: &str, size: u64, folder: &str) -> Value {
    let plain = |sign: char| if sign.is_ascii_alphanumeric() || "._-".contains(sign) { sign } else { '_' };
    let path: String = filename.chars().map(plain).collect();
    let address =
        |host: &str| format!("https://{host}/{folder}/{APPLICATION_ID}/{id}/{path}?ex=68000000&is=67ff0000&hm=00&");
    let mut attachment = json!({
        "id": id.to_string(), "filename": filename, "size": size, "url": address("cdn.discordapp.com"),
        "proxy_url": address("media.discordapp.net"),
    });
    let content_type = match filename.rsplit_once('.').map(|(_, extension)| extension) {
        Some("png") => Some("image/png"),
        Some("jpg" | "jpeg") => Some("image/jpeg"),
        Some("gif") => Some("image/gif"),
        Some("webp") => Some("image/webp"),
        Some("txt") => Some("text/plain; charset=utf-8"),
        Some("json") => Some("application/json"),
        Some("pdf") => Some("application/pdf"),
        // Discord omits the field if it does not recognise the type.
        _ => None,
    };
    if let Some(content_type) = content_type {
        attachment["content_type"] = json!(content_type);
        if content_type.starts_with("image/") {
            attachment["width"] = json!(64);
            attachment["height"] = json!(64);
        }
    }
    attachment
}

/// Adds uploaded files to a message. If the body lists `attachments`, those that it does not list are removed.
pub(crate) fn attach(message: &mut Value, body: &Value, files: &[SentFile], mut new_id: impl FnMut() -> u64) {
    let listed = body["attachments"].as_array();
    // An id may be a number or a string.
    let has_id =
        |entry: &Value, id: &str| entry["id"] == id || entry["id"].as_u64().is_some_and(|n| id.parse() == Ok(n));
    let entry = |id: &str| listed.into_iter().flatten().find(|entry| has_id(entry, id));
    let mut attachments = message["attachments"].as_array().cloned().unwrap_or_default();
    if listed.is_some() {
        attachments.retain(|attachment| attachment["id"].as_str().is_some_and(|id| entry(id).is_some()));
    }
    for file in files {
        let described = file.index.and_then(|index| entry(&index.to_string()));
        let mut stored = attachment(new_id(), &file.filename, file.size as u64, "attachments");
        if let Some(description) = described.map(|entry| &entry["description"]).filter(|text| text.is_string()) {
            stored["description"] = description.clone();
        }
        attachments.push(stored);
    }
    message["attachments"] = Value::Array(attachments);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_which_files_stay() {
        let file =
            |name: &str| SentFile { index: Some(0), filename: name.to_owned(), size: 3, bytes: Vec::new().into() };
        let mut message = json!({"attachments": []});
        let names = |message: &Value| -> Vec<String> {
            let attachments = message["attachments"].as_array().into_iter().flatten();
            attachments.map(|it| format!("{} {}", it["filename"], it["description"])).collect()
        };
        let body = json!({"attachments": [{"id": 0, "description": "d"}]});
        attach(&mut message, &body, &[file("a.png")], || 5);
        assert_eq!(names(&message), ["\"a.png\" \"d\""]);
        attach(&mut message, &json!({}), &[file("b.txt")], || 6);
        assert_eq!(names(&message), ["\"a.png\" \"d\"", "\"b.txt\" null"]);
        attach(&mut message, &json!({"attachments": [{"id": "6"}]}), &[], || 7);
        assert_eq!(names(&message), ["\"b.txt\" null"]);
    }
}
