//! The record of all requests, in memory and optionally in a file.

pub(crate) mod show;

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::rest::SentFile;

/// One request of the bot and its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recorded {
    /// The number of the request, counted from 0.
    pub n: u64,
    /// Milliseconds since the twin started.
    pub at_ms: u64,
    /// The HTTP method, in capitals.
    pub method: String,
    /// The path without `/api/v10`. A path outside of it is kept in full.
    pub path: String,
    /// The query string without the question mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// Whether the request carried an accepted token. The token itself is never kept.
    pub authorized: bool,
    /// The JSON body, or the `payload_json` part of a multipart body; null if there was none.
    pub body: Value,
    /// The HTTP status of the answer.
    pub status: u16,
    /// Discord's JSON error code, if the request was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i64>,
    /// The whole error body, if the request was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Value>,
    /// The rule that the request broke, if the twin refused it: see [`Refusal::rule`](crate::Refusal::rule).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The uploaded files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<SentFile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message_id: Option<u64>,
    /// Whether the answer was injected by [`Twin::fail_next`](crate::Twin::fail_next).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub injected: bool,
}

impl Recorded {
    /// Whether the request was accepted.
    pub fn accepted(&self) -> bool {
        self.status < 300
    }

    /// Whether this is the first response to an interaction: `POST /interactions/{id}/{token}/callback`.
    pub fn is_callback(&self) -> bool {
        self.path.starts_with("/interactions/")
    }

    /// Whether this is a deferred response: a callback of type 5 or 6.
    pub fn is_deferral(&self) -> bool {
        self.is_callback() && matches!(self.body["type"].as_u64(), Some(5 | 6))
    }

    /// The message in the body: `data` of a callback, otherwise the body itself.
    pub fn message(&self) -> &Value {
        if self.is_callback() { &self.body["data"] } else { &self.body }
    }

    /// The id of the message that the request created, edited or deleted, if it was accepted.
    pub fn message_id(&self) -> Option<u64> {
        self.message_id
    }

    /// All text that a user sees: content, then author, title, description, fields and footer of each embed, then the
    /// labels of buttons in brackets.
    pub fn text(&self) -> String {
        show::texts(self.message()).join("\n")
    }

    /// Whether the message in the body is ephemeral.
    pub fn is_ephemeral(&self) -> bool {
        self.message()["flags"].as_u64().is_some_and(|flags| flags & crate::payload::EPHEMERAL != 0)
    }

    /// The interaction token in the path, if there is one.
    pub(crate) fn interaction_token(&self) -> Option<&str> {
        let mut segments = self.path.split('/').skip(1);
        match segments.next() {
            Some("interactions" | "webhooks") => segments.nth(1),
            _ => None,
        }
    }
}

/// The list of requests, with an index by interaction token.
#[derive(Default)]
pub(crate) struct Journal {
    entries: Vec<Recorded>,
    by_token: HashMap<String, Vec<usize>>,
    file: Option<File>,
}

impl Journal {
    /// Appends later entries to this file.
    pub(crate) fn log_to(&mut self, path: &Path) -> std::io::Result<()> {
        self.file = Some(File::options().create(true).append(true).open(path)?);
        Ok(())
    }

    /// Stores an entry and sets its number.
    pub(crate) fn push(&mut self, mut entry: Recorded) {
        let index = self.entries.len();
        entry.n = index as u64;
        if let Some(token) = entry.interaction_token() {
            self.by_token.entry(token.to_owned()).or_default().push(index);
        }
        if let Some(file) = &mut self.file {
            let written = serde_json::to_vec(&entry).map_err(std::io::Error::from).and_then(|mut line| {
                line.push(b'\n');
                file.write_all(&line)
            });
            // A full disk must not stop the twin: the entries are still in memory.
            if written.is_err() {
                self.file = None;
            }
        }
        self.entries.push(entry);
    }

    pub(crate) fn entries(&self) -> &[Recorded] {
        &self.entries
    }

    /// The entries for one interaction, oldest first.
    pub(crate) fn for_token(&self, token: &str) -> impl Iterator<Item = &Recorded> {
        let indices = self.by_token.get(token).map(Vec::as_slice).unwrap_or_default();
        indices.iter().filter_map(|&index| self.entries.get(index))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(path: &str, body: Value) -> Recorded {
        Recorded {
            n: 0,
            at_ms: 0,
            method: "POST".to_owned(),
            path: path.to_owned(),
            query: None,
            authorized: false,
            body,
            status: 204,
            code: None,
            refusal: None,
            rule: None,
            files: Vec::new(),
            message_id: None,
            injected: false,
        }
    }

    #[test]
    fn entries_are_found_by_interaction() {
        let mut journal = Journal::default();
        journal.push(entry("/interactions/1/abc/callback", json!({"type": 5})));
        journal.push(entry("/channels/1/messages", json!({})));
        journal.push(entry("/webhooks/9/abc/messages/@original", json!({"content": "hi"})));
        let found: Vec<(u64, bool)> = journal.for_token("abc").map(|entry| (entry.n, entry.is_deferral())).collect();
        assert_eq!(found, [(0, true), (2, false)]);
        assert_eq!(journal.for_token("xyz").count(), 0);
    }

    #[test]
    fn the_text_holds_content_and_embeds() {
        let body = json!({"type": 4, "data": {"content": "a", "embeds": [{"title": "b", "fields": [{"name": "c", "value": "d"}]}]}});
        assert_eq!(entry("/interactions/1/abc/callback", body).text(), "a\nb\nc: d");
    }
}
