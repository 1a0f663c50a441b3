//! Assembles streamed tool calls from their pieces.

use serde_json::{Value, json};

use crate::edges::model::wire::call_id::{CALLS_MAX, id_of};
use candor_core::agent::ModelFailure;

/// The calls so far.
#[derive(Debug, Default)]
pub(crate) struct Pieces(Vec<Piece>);

#[derive(Debug)]
struct Piece {
    index: u64,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Pieces {
    /// Adds a piece, which had this position in its chunk. Where two calls cannot be told apart, their arguments run
    /// together and become unreadable: better than a call that nobody made.
    pub(crate) fn add(&mut self, piece: &Value, position: usize) -> Result<(), ModelFailure> {
        let function = if piece["function"].is_object() { &piece["function"] } else { piece };
        let name = function["name"].as_str().unwrap_or_default();
        let (index, id) = (piece["index"].as_u64(), id_of(&piece["id"]));
        let at = match self.position_of(index, id.as_deref(), name, position) {
            Some(at) => at,
            None if self.0.len() == CALLS_MAX => return Err(ModelFailure::TooManyCalls),
            None => {
                let next = self.0.iter().map(|piece| piece.index.saturating_add(1)).max().unwrap_or(0);
                let index = index.unwrap_or(next);
                self.0.push(Piece { index, id: None, name: String::new(), arguments: String::new() });
                self.0.len() - 1
            }
        };
        if let Some(call) = self.0.get_mut(at) {
            call.id = call.id.take().or(id);
            call.extend_name(name);
            match &function["arguments"] {
                Value::Null => {}
                Value::String(text) => call.arguments.push_str(text),
                other => call.arguments.push_str(&other.to_string()),
            }
        }
        Ok(())
    }

    /// The calls as a complete answer has them, by their index.
    pub(crate) fn into_calls(mut self) -> Vec<Value> {
        self.0.sort_by_key(|piece| piece.index);
        let call = |Piece { id, name, arguments, .. }| json!({ "id": id, "function": { "name": name, "arguments": arguments } });
        self.0.into_iter().map(call).collect()
    }

    /// The call that a piece belongs to, if it has begun. At most [`CALLS_MAX`] are looked at.
    fn position_of(&self, index: Option<u64>, id: Option<&str>, name: &str, position: usize) -> Option<usize> {
        if let Some(index) = index {
            let at = self.0.iter().rposition(|piece| piece.index == index)?;
            // Some servers give every call the index 0, but an id and a name of its own.
            let has_other_id = id.is_some() && self.0[at].id.is_some() && self.0[at].id.as_deref() != id;
            return (!has_other_id || name.is_empty()).then_some(at);
        }
        if id.is_some() {
            return self.0.iter().rposition(|piece| piece.id.as_deref() == id);
        }
        let last = self.0.last()?;
        let goes_on = name.is_empty() || (position == 0 && last.name == name);
        goes_on.then(|| self.0.len() - 1)
    }
}

impl Piece {
    /// A name comes complete, repeated with each chunk, growing with each chunk, or in parts.
    fn extend_name(&mut self, name: &str) {
        if name.starts_with(&self.name) {
            name.clone_into(&mut self.name);
        } else if !name.is_empty() {
            self.name.push_str(name);
        }
    }
}
