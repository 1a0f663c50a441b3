//! Reads the answer of a tool block by block: an unreadable block is named and does not affect the others.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::mcp::error::{McpError, said};

/// The answer of a tool. Everything in it is untrusted.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// Its texts and those of embedded resources, one a line.
    pub text: String,
    /// Everything else that it returned, in order.
    pub pieces: Vec<Piece>,
    pub structured: Option<Value>,
    /// Whether the tool says that it failed; its text then says why. Some servers also set this for unknown tools.
    pub is_error: bool,
}

/// A part of an answer that is not plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub kind: PieceKind,
    /// The media type as the server names it, on one line; empty if it names none.
    pub media_type: String,
    /// The address of a resource, on one line.
    pub uri: Option<String>,
    /// The size in bytes; of a link, the size that the server claims.
    pub size: u64,
    /// The data, unless it is a link or larger than [`crate::mcp::Limits::piece_bytes`].
    pub data: Option<Vec<u8>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    Image,
    Audio,
    Resource,
    Link,
    /// A block of another kind, or an unreadable one. Its media type is the kind that the server names.
    Unreadable,
}

impl ToolResult {
    pub(crate) fn read(result: &Value, piece_bytes: usize) -> Result<Self, McpError> {
        if !result.is_object() || result["resultType"] == "input_required" {
            let what = "its answer to `tools/call` is not the result of a tool that this client can use";
            return Err(McpError::malformed(what));
        }
        let mut texts = Vec::new();
        let mut pieces = Vec::new();
        let blocks = match &result["content"] {
            Value::Null => &[],
            Value::Array(blocks) => blocks.as_slice(),
            alone => std::slice::from_ref(alone),
        };
        for block in blocks {
            match part(block, piece_bytes) {
                Part::Text(text) => texts.push(text),
                Part::Piece(piece) => pieces.push(piece),
            }
        }
        let structured = result.get("structuredContent").filter(|structured| !structured.is_null()).cloned();
        let is_error = result["isError"] == true || result["isError"] == "true";
        Ok(Self { text: texts.join("\n"), pieces, structured, is_error })
    }
}

enum Part {
    Text(String),
    Piece(Piece),
}

fn part(block: &Value, max: usize) -> Part {
    let read = match block["type"].as_str() {
        Some("text") => words(&block["text"]).map(Part::Text),
        Some("image") => data(PieceKind::Image, block, &block["data"], max),
        Some("audio") => data(PieceKind::Audio, block, &block["data"], max),
        Some("resource") => resource(&block["resource"], max),
        Some("resource_link") => words(&block["uri"]).map(|uri| {
            let media_type = media_type(block);
            let size = block["size"].as_u64().unwrap_or(0);
            Part::Piece(Piece { kind: PieceKind::Link, media_type, uri: Some(said(&uri)), size, data: None })
        }),
        Some(_) => None,
        // Some servers send text without a kind, or without a block around it.
        None => words(&block["text"]).or_else(|| words(block)).map(Part::Text),
    };
    read.unwrap_or_else(|| unreadable(block))
}

/// Reads an embedded resource: its text, or its data.
fn resource(resource: &Value, max: usize) -> Option<Part> {
    if let Some(text) = words(&resource["text"]) {
        return Some(Part::Text(text));
    }
    let kind = match media_type(resource) {
        name if name.starts_with("image/") => PieceKind::Image,
        name if name.starts_with("audio/") => PieceKind::Audio,
        name if is_text(&name) => {
            let text = STANDARD.decode(resource["blob"].as_str()?).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            return text.map(Part::Text).or_else(|| data(PieceKind::Resource, resource, &resource["blob"], max));
        }
        _ => PieceKind::Resource,
    };
    data(kind, resource, &resource["blob"], max)
}

fn data(kind: PieceKind, of: &Value, base64: &Value, max: usize) -> Option<Part> {
    let data = STANDARD.decode(base64.as_str()?).ok()?;
    Some(Part::Piece(Piece {
        kind,
        media_type: media_type(of),
        uri: of["uri"].as_str().map(said),
        size: u64::try_from(data.len()).unwrap_or(u64::MAX),
        data: (data.len() <= max).then_some(data),
    }))
}

fn unreadable(block: &Value) -> Part {
    let named = block["type"].as_str().unwrap_or_default();
    Part::Piece(Piece {
        kind: PieceKind::Unreadable,
        media_type: said(named),
        uri: block["uri"].as_str().or_else(|| block["resource"]["uri"].as_str()).map(said),
        size: 0,
        data: None,
    })
}

fn words(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn media_type(of: &Value) -> String {
    said(of["mimeType"].as_str().unwrap_or_default())
}

/// Returns whether data of this media type is text: `text/html; charset=utf-8`, `application/ld+json`.
fn is_text(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let structured = ["json", "xml", "yaml", "x-yaml", "toml", "javascript", "sql"];
    name.starts_with("text/")
        || name.split_once('/').is_some_and(|(top, sub)| {
            top == "application" && structured.iter().any(|known| sub == *known || sub.ends_with(&format!("+{known}")))
        })
}
