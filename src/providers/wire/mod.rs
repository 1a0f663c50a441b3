//! Encodes requests and decodes responses.

pub(crate) mod answer;
pub(crate) mod apis;
pub(crate) mod calls;
pub(crate) mod content;
pub(crate) mod detail;
pub(crate) mod pieces;
pub(crate) mod refusal;
pub(crate) mod request;
pub(crate) mod stream;
