//! The answer assembled from the events of a stream.

use serde_json::{Deserializer, Value, json};

use crate::wire::apis::{Chunk, Events};
use crate::wire::content::{says_something, text_of};
use crate::wire::pieces::CallPieces;
use candor_core::agent::ModelFailure;
use candor_core::settings::ModelApi;

#[derive(Debug, Default)]
pub(super) struct Assembled {
    events: Events,
    pub(super) text: String,
    refusal: String,
    calls: CallPieces,
    legacy_call: CallPieces,
    finish_reason: Value,
    /// The model's thinking before its calls, if the API takes it back.
    thoughts: Value,
    /// The token count of the last event that has one.
    usage: Value,
    has_begun: bool,
    /// The stream said that it is over.
    pub(super) is_done: bool,
    /// The number of pieces with content.
    pub(super) n_pieces: usize,
    /// An event that is not a piece: an error, or a whole answer.
    pub(super) instead: Option<Value>,
}

impl Assembled {
    pub(super) fn of(api: ModelApi) -> Self {
        Self { events: Events::of(api), ..Self::default() }
    }

    /// Adds an event. Its data may be several documents, if a server forgot the empty line between two events.
    pub(super) fn event(&mut self, name: &str, data: &str) -> Result<(), ModelFailure> {
        for document in Deserializer::from_str(data).into_iter::<Value>() {
            let document = document.map_err(|problem| match problem.is_eof() {
                true => ModelFailure::Interrupted,
                false => ModelFailure::NotJson,
            })?;
            self.document(name, document)?;
        }
        Ok(())
    }

    fn document(&mut self, name: &str, event: Value) -> Result<(), ModelFailure> {
        if self.is_done || self.instead.is_some() {
            return Ok(());
        }
        let Chunk { document, is_last } = self.events.chunk(name, event);
        self.is_done = is_last;
        if says_something(&document["error"]) || document["object"] == "error" {
            self.instead = Some(document);
            return Ok(());
        }
        if name == "error" {
            self.instead = Some(json!({ "error": document }));
            return Ok(());
        }
        // With the last piece, or in a separate event behind it.
        if says_something(&document["usage"]) {
            self.usage = document["usage"].clone();
        }
        let choices = document["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(choice) = choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0) else {
            // The counts at the end, a ping, or another choice than the first.
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
        // The role and the thoughts do not count: the role comes before any content.
        let mut fields = delta.as_object().into_iter().flatten();
        let is_said = |field: &str| field != "role" && field != "thoughts";
        self.n_pieces += usize::from(fields.any(|(field, value)| is_said(field) && says_something(value)));
        if says_something(&delta["thoughts"]) {
            self.thoughts = delta["thoughts"].clone();
        }
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

    pub(super) fn length(&self) -> usize {
        self.text.len() + self.refusal.len() + self.calls.length() + self.legacy_call.length()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.is_done || says_something(&self.finish_reason)
    }

    /// Returns the answer in its unstreamed form, or the document that came in its place.
    pub(super) fn whole(&self) -> Result<Value, ModelFailure> {
        if let Some(instead) = &self.instead {
            return Ok(instead.clone());
        }
        if !self.has_ended() {
            return Err(ModelFailure::Interrupted);
        }
        if !self.has_begun {
            return Ok(self.with_usage(json!({ "choices": [] })));
        }
        let mut message = json!({
            "content": self.text,
            "refusal": self.refusal,
            "tool_calls": self.calls.calls(),
            "function_call": self.legacy_call.calls().first().map(|call| &call["function"]),
        });
        if says_something(&self.thoughts) {
            message["thoughts"] = self.thoughts.clone();
        }
        let choice = json!({ "message": message, "finish_reason": self.finish_reason });
        Ok(self.with_usage(json!({ "choices": [choice] })))
    }

    fn with_usage(&self, mut answer: Value) -> Value {
        if says_something(&self.usage) {
            answer["usage"] = self.usage.clone();
        }
        answer
    }
}
