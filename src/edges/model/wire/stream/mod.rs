//! Assembles an answer that was streamed although this was not asked for.
//!
//! Reads the whole body, so that it does not matter where the network cut it. Lenient in how the pieces fit; a stream
//! that ended early is not an answer.

#[cfg(test)]
mod tests;

use serde_json::{Deserializer, Value, json};

use crate::edges::model::wire::content::{says_something, text_of};
use crate::edges::model::wire::pieces::Pieces;
use candor_core::agent::ModelFailure;

/// Whether a body is an event stream, whatever its header says. JSON begins with none of this.
pub(crate) fn is_stream(body: &[u8]) -> bool {
    let begins: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b"error:", b":"];
    begins.iter().any(|begin| body.trim_ascii_start().starts_with(begin))
}

/// The answer as a server would have sent it unstreamed, or the event that reports an error in its place.
pub(crate) fn whole(body: &[u8]) -> Result<Value, ModelFailure> {
    let text = std::str::from_utf8(body).map_err(|problem| match problem.error_len() {
        Some(_) => ModelFailure::NotJson,
        None => ModelFailure::Interrupted,
    })?;
    let mut answer = Assembled::default();
    let (mut name, mut data) = ("", String::new());
    for line in lines(text) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        let is_done = field == "data" && value.trim() == "[DONE]";
        if line.is_empty() || is_done {
            answer.event(name, &data)?;
            (name, data) = ("", String::new());
        } else if field == "event" {
            name = value;
        } else if field == "data" || field == "error" {
            // `error:` is no field of the standard, but one of llama.cpp's.
            name = if field == "error" { field } else { name };
            data.extend((!data.is_empty()).then_some('\n'));
            data.push_str(value);
        }
        if is_done {
            answer.is_done = true;
            break;
        }
        if let Some(instead) = answer.instead.take() {
            return Ok(instead);
        }
    }
    // The last event of some servers lacks the empty line behind it. What cannot be read there was cut; behind the
    // reason to end nothing was left to say.
    match answer.event(name, &data) {
        Err(ModelFailure::NotJson | ModelFailure::Interrupted) if !answer.has_ended() => Err(ModelFailure::Interrupted),
        Err(ModelFailure::NotJson | ModelFailure::Interrupted) | Ok(()) => answer.finish(),
        Err(failure) => Err(failure),
    }
}

/// Lines as the standard ends them: `\n`, `\r\n` or `\r`.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}

/// What was assembled so far.
#[derive(Default)]
struct Assembled {
    text: String,
    refusal: String,
    calls: Pieces,
    legacy_call: Pieces,
    finish_reason: Value,
    has_begun: bool,
    is_done: bool,
    /// An event that is not a piece: an error, or a whole answer.
    instead: Option<Value>,
}

impl Assembled {
    /// Adds an event. Its data may be several documents, where a server forgot the empty line between two events.
    fn event(&mut self, name: &str, data: &str) -> Result<(), ModelFailure> {
        for document in Deserializer::from_str(data).into_iter::<Value>() {
            let document = document.map_err(|problem| match problem.is_eof() {
                true => ModelFailure::Interrupted,
                false => ModelFailure::NotJson,
            })?;
            self.document(name, document)?;
        }
        Ok(())
    }

    fn document(&mut self, name: &str, document: Value) -> Result<(), ModelFailure> {
        if self.instead.is_some() {
            return Ok(());
        }
        if says_something(&document["error"]) || document["object"] == "error" {
            self.instead = Some(document);
            return Ok(());
        }
        if name == "error" {
            self.instead = Some(json!({ "error": document }));
            return Ok(());
        }
        let choices = document["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(choice) = choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0) else {
            // The figures at the end, a ping, or another answer than the first.
            return Ok(());
        };
        let is_whole = choice["message"].is_object() && !choice["delta"].is_object() && !self.has_begun;
        if is_whole || says_something(&choice["error"]) {
            self.instead = Some(document);
            return Ok(());
        }
        self.has_begun = true;
        if says_something(&choice["finish_reason"]) {
            self.finish_reason = choice["finish_reason"].clone();
        }
        self.delta(&choice["delta"])
    }

    fn delta(&mut self, delta: &Value) -> Result<(), ModelFailure> {
        self.text.push_str(&text_of(&delta["content"])?);
        self.refusal.push_str(delta["refusal"].as_str().unwrap_or_default());
        match &delta["tool_calls"] {
            Value::Array(calls) => {
                for (position, call) in calls.iter().filter(|call| !call.is_null()).enumerate() {
                    self.calls.add(call, position)?;
                }
            }
            call @ Value::Object(_) => self.calls.add(call, 0)?,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        if says_something(&delta["function_call"]) {
            self.legacy_call.add(&json!({ "index": 0, "function": delta["function_call"] }), 0)?;
        }
        Ok(())
    }

    fn has_ended(&self) -> bool {
        self.is_done || says_something(&self.finish_reason)
    }

    fn finish(self) -> Result<Value, ModelFailure> {
        if let Some(instead) = self.instead {
            return Ok(instead);
        }
        if !self.has_ended() {
            return Err(ModelFailure::Interrupted);
        }
        if !self.has_begun {
            return Ok(json!({ "choices": [] }));
        }
        let legacy_call = self.legacy_call.into_calls().first().map(|call| call["function"].clone());
        let message = json!({
            "content": self.text,
            "refusal": self.refusal,
            "tool_calls": self.calls.into_calls(),
            "function_call": legacy_call,
        });
        Ok(json!({ "choices": [{ "message": message, "finish_reason": self.finish_reason }] }))
    }
}
