//! The answer of a tool.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use serde_json::Value;

use crate::error::{McpError, said};

/// The answer of a tool. Everything in it is untrusted.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// Its texts, each on a line of its own.
    pub text: String,
    /// Everything else that it returned, in order.
    pub pieces: Vec<Piece>,
    /// Its structured result.
    pub structured: Option<Value>,
    /// Whether the tool says that it failed; its text then says why. Some servers say so of tools that they do not
    /// have.
    pub is_error: bool,
}

/// A part of an answer that is not plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its media type as the server names it, on one line; empty if it names none.
    pub media_type: String,
    /// The address of a resource, on one line.
    pub uri: Option<String>,
    /// How large it is, in bytes; of a link, only what the server says.
    pub size: u64,
    /// Its data, unless it is a link or larger than [`crate::Limits::piece_bytes`].
    pub data: Option<Vec<u8>>,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A picture.
    Image,
    /// A sound.
    Audio,
    /// A resource with its content.
    Resource,
    /// The address of a resource.
    Link,
}

impl ToolResult {
    pub(crate) fn read(result: CallToolResult, piece_bytes: usize) -> Result<Self, McpError> {
        let (mut texts, mut pieces) = (Vec::new(), Vec::new());
        for block in result.content {
            match block {
                ContentBlock::Text(text) => texts.push(text.text),
                other => pieces.push(piece(other, piece_bytes)?),
            }
        }
        Ok(Self {
            text: texts.join("\n"),
            pieces,
            structured: result.structured_content,
            is_error: result.is_error == Some(true),
        })
    }
}

fn piece(block: ContentBlock, max: usize) -> Result<Piece, McpError> {
    let of_data = |kind, media_type: Option<String>, uri: Option<String>, data: Vec<u8>| Piece {
        kind,
        media_type: said(&media_type.unwrap_or_default()),
        uri: uri.as_deref().map(said),
        size: u64::try_from(data.len()).unwrap_or(u64::MAX),
        data: (data.len() <= max).then_some(data),
    };
    let decoded = |what: &str, data: &str| {
        STANDARD.decode(data).map_err(|_| McpError::malformed(format!("it returned {what} whose data is not Base64")))
    };
    Ok(match block {
        ContentBlock::Image(image) => {
            of_data(PieceKind::Image, Some(image.mime_type), None, decoded("an image", &image.data)?)
        }
        ContentBlock::Audio(audio) => {
            of_data(PieceKind::Audio, Some(audio.mime_type), None, decoded("a sound", &audio.data)?)
        }
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
                of_data(PieceKind::Resource, mime_type, Some(uri), text.into_bytes())
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                of_data(PieceKind::Resource, mime_type, Some(uri), decoded("a resource", &blob)?)
            }
            _ => return Err(unknown()),
        },
        ContentBlock::ResourceLink(link) => Piece {
            kind: PieceKind::Link,
            media_type: said(&link.mime_type.unwrap_or_default()),
            uri: Some(said(&link.uri)),
            size: link.size.unwrap_or(0),
            data: None,
        },
        _ => return Err(unknown()),
    })
}

fn unknown() -> McpError {
    McpError::malformed("it returned content of a kind that is unknown")
}
