//! Assembles streamed tool calls from their pieces.

use serde_json::{Value, json};

use crate::wire::calls::{CALLS_MAX, id_of};
use candor_core::agent::ModelFailure;

#[derive(Debug, Default)]
pub(crate) struct CallPieces {
    calls: Vec<Piece>,
    /// The bytes of their names and arguments.
    length: usize,
}

#[derive(Debug)]
struct Piece {
    index: u64,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl CallPieces {
    /// Adds a piece, which had this position in its chunk. If two calls cannot be told apart, their arguments run
    /// together and become unreadable. That is better than an invented call.
    pub(crate) fn add(&mut self, piece: &Value, position: usize) -> Result<(), ModelFailure> {
        let function = if piece["function"].is_object() { &piece["function"] } else { piece };
        let name = function["name"].as_str().unwrap_or_default();
        let index = piece["index"].as_u64();
        let id = id_of(&piece["id"]);
        let at = match self.position_of(index, id.as_deref(), name, position) {
            Some(at) => at,
            None if self.calls.len() == CALLS_MAX => return Err(ModelFailure::TooManyCalls),
            None => {
                let next = self.calls.iter().map(|piece| piece.index.saturating_add(1)).max().unwrap_or(0);
                let index = index.unwrap_or(next);
                self.calls.push(Piece { index, id: None, name: String::new(), arguments: String::new() });
                self.calls.len() - 1
            }
        };
        if let Some(call) = self.calls.get_mut(at) {
            call.id = call.id.take().or(id);
            call.extend_name(name);
            let before = call.arguments.len();
            match &function["arguments"] {
                Value::Null => {}
                Value::String(text) => call.arguments.push_str(text),
                other => call.arguments.push_str(&other.to_string()),
            }
            self.length += name.len() + call.arguments.len() - before;
        }
        Ok(())
    }

    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// Returns the calls as in a complete answer, by their index.
    pub(crate) fn calls(&self) -> Vec<Value> {
        let mut calls: Vec<_> = self.calls.iter().collect();
        calls.sort_by_key(|piece| piece.index);
        let call = |Piece { id, name, arguments, .. }: &Piece| json!({ "id": id, "function": { "name": name, "arguments": arguments } });
        calls.into_iter().map(call).collect()
    }

    /// Returns the position of the call that a piece belongs to, if it has begun. Searches at most [`CALLS_MAX`] calls.
    fn position_of(&self, index: Option<u64>, id: Option<&str>, name: &str, position: usize) -> Option<usize> {
        if let Some(index) = index {
            let at = self.calls.iter().rposition(|piece| piece.index == index)?;
            // Some servers give every call the index 0, but separate ids and names.
            let has_other_id = id.is_some() && self.calls[at].id.is_some() && self.calls[at].id.as_deref() != id;
            return (!has_other_id || name.is_empty()).then_some(at);
        }
        if id.is_some() {
            return self.calls.iter().rposition(|piece| piece.id.as_deref() == id);
        }
        let last = self.calls.last()?;
        let goes_on = name.is_empty() || (position == 0 && last.name == name);
        goes_on.then(|| self.calls.len() - 1)
    }
}

impl Piece {
    /// Handles a name that comes complete, repeated with each chunk, growing with each chunk, or in parts.
    fn extend_name(&mut self, name: &str) {
        if name.starts_with(&self.name) {
            name.clone_into(&mut self.name);
        } else if !name.is_empty() {
            self.name.push_str(name);
        }
    }
}
