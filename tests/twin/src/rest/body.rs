//! Request bodies: JSON, or multipart with a `payload_json` part and files.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

/// A file that was uploaded with a request.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SentFile {
    /// The index in the part's name, `files[0]`, which `attachments` in the body refers to.
    pub index: Option<u64>,
    /// The file name.
    pub filename: String,
    /// The size in bytes.
    pub size: usize,
    /// The content. It is not written to the log file.
    #[serde(skip)]
    pub bytes: Arc<[u8]>,
}

/// A parsed body.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(crate) json: Value,
    pub(crate) files: Vec<SentFile>,
    /// Whether there is a body that is not valid JSON.
    pub(crate) is_broken: bool,
}

/// Parses a body according to its content type.
pub(crate) fn parse(content_type: &str, bytes: &[u8]) -> Parsed {
    if bytes.is_empty() {
        return Parsed::default();
    }
    match boundary(content_type) {
        Some(boundary) => parse_multipart(boundary, bytes),
        None => from_json(bytes),
    }
}

fn parse_multipart(boundary: &str, bytes: &[u8]) -> Parsed {
    let mut parsed = Parsed::default();
    for Part { name, filename, content } in parts(boundary, bytes) {
        if let Some(filename) = filename {
            let index = name.and_then(|name| name.strip_prefix("files[")?.strip_suffix(']')?.parse().ok());
            parsed.files.push(SentFile { index, filename, size: content.len(), bytes: content.into() });
        } else if name.as_deref() == Some("payload_json") {
            let Parsed { json, is_broken, .. } = from_json(content);
            (parsed.json, parsed.is_broken) = (json, is_broken);
        }
    }
    parsed
}

/// A part of a multipart body.
pub(crate) struct Part<'a> {
    pub(crate) name: Option<String>,
    pub(crate) filename: Option<String>,
    pub(crate) content: &'a [u8],
}

/// The parts of a multipart body.
pub(crate) fn parts<'a>(boundary: &str, bytes: &'a [u8]) -> Vec<Part<'a>> {
    let separator = format!("--{boundary}");
    let read = |part: &'a [u8]| {
        let (headers, content) = halves(part, b"\r\n\r\n")?;
        let headers = String::from_utf8_lossy(headers);
        let content = content.strip_suffix(b"\r\n").unwrap_or(content);
        let [name, filename] = [" name=\"", "filename=\""].map(|key| quoted(&headers, key).map(str::to_owned));
        Some(Part { name, filename, content })
    };
    split(bytes, separator.as_bytes()).into_iter().filter_map(read).collect()
}

/// The boundary in the content type of a multipart body.
pub(crate) fn boundary(content_type: &str) -> Option<&str> {
    let (_, boundary) = content_type.strip_prefix("multipart/form-data")?.split_once("boundary=")?;
    Some(boundary.trim_matches('"'))
}

/// The quoted value after `key`.
fn quoted<'a>(headers: &'a str, key: &str) -> Option<&'a str> {
    headers.split_once(key)?.1.split_once('"').map(|(value, _)| value)
}

fn split<'a>(mut bytes: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    while let Some((before, after)) = halves(bytes, separator) {
        parts.push(before);
        bytes = after;
    }
    parts.push(bytes);
    parts
}

/// What is before and after the first separator.
fn halves<'a>(bytes: &'a [u8], separator: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(separator.len()).position(|window| window == separator)?;
    Some((bytes.get(..at)?, bytes.get(at + separator.len()..)?))
}

fn from_json(bytes: &[u8]) -> Parsed {
    match serde_json::from_slice(bytes) {
        Ok(json) => Parsed { json, ..Parsed::default() },
        Err(_) => Parsed { is_broken: true, ..Parsed::default() },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_multipart_body_holds_json_and_files() {
        let body = b"--b\r\nContent-Disposition: form-data; name=\"payload_json\"\r\n\r\n{\"content\":\"x\"}\r\n\
                     --b\r\nContent-Disposition: form-data; name=\"files[2]\"; filename=\"a.png\"\r\n\
                     Content-Type: image/png\r\n\r\n\xff\x00z\r\n--b--";
        let parsed = parse("multipart/form-data; boundary=b", body);
        assert_eq!(parsed.json, json!({"content": "x"}));
        let bytes: Arc<[u8]> = Arc::new(*b"\xff\x00z");
        assert_eq!(parsed.files, [SentFile { index: Some(2), filename: "a.png".to_owned(), size: 3, bytes }]);
        assert!(!parsed.is_broken);
    }

    #[test]
    fn broken_json_is_noticed() {
        assert!(parse("application/json", b"{").is_broken);
        assert!(!parse("application/json", b"").is_broken);
    }
}
