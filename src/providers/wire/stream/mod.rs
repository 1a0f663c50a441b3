//! Assembles a streamed answer, piece by piece as it arrives.
//!
//! The network may cut the bytes anywhere. The pieces need not fit together exactly, but a stream that ended early is
//! not a whole answer.

mod assembled;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::wire::stream::assembled::Assembled;
use candor_core::agent::ModelFailure;
use candor_core::settings::ModelApi;

/// The possible beginnings of an event stream. JSON begins with none of them.
const BEGINNINGS: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b"error:", b":"];

/// The maximum of bytes held of a stream: the answer so far, and the event that is arriving.
const HELD_MAX: usize = 4 * 1024 * 1024;

/// Some gateways put it in front of all content.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns whether a body is an event stream, regardless of its header. `None` if there is too little of it.
pub(crate) fn is_stream(body: &[u8]) -> Option<bool> {
    if body.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(body) {
        return None;
    }
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body).trim_ascii_start();
    if BEGINNINGS.iter().any(|begin| body.starts_with(begin)) {
        return Some(true);
    }
    (!BEGINNINGS.iter().any(|begin| begin.starts_with(body))).then_some(false)
}

/// Assembles a whole body of chat completions into its unstreamed form.
pub(crate) fn whole(body: &[u8]) -> Result<Value, ModelFailure> {
    let mut stream = Stream::of(ModelApi::Chat);
    stream.push(body)?;
    stream.finish()
}

#[derive(Debug)]
pub(crate) struct Stream {
    /// The line that is arriving.
    line: Vec<u8>,
    /// The last byte was `\r`: if the next one is `\n`, both end one line.
    is_after_return: bool,
    /// The event that is arriving.
    name: String,
    data: String,
    answer: Assembled,
}

impl Stream {
    pub(crate) fn of(api: ModelApi) -> Self {
        let name = String::new();
        let data = String::new();
        Self { line: Vec::new(), is_after_return: false, name, data, answer: Assembled::of(api) }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), ModelFailure> {
        let mut rest = bytes;
        while !rest.is_empty() && !self.is_over() {
            if std::mem::take(&mut self.is_after_return) && rest.first() == Some(&b'\n') {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            // A line ends with `\n`, `\r\n` or `\r`.
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.line.extend_from_slice(rest);
                break;
            };
            let (line, behind) = rest.split_at(end);
            self.line.extend_from_slice(line);
            self.is_after_return = behind.first() == Some(&b'\r');
            rest = behind.get(1..).unwrap_or_default();
            let line = std::mem::take(&mut self.line);
            self.line(std::str::from_utf8(&line).map_err(|_| ModelFailure::NotJson)?)?;
        }
        if HELD_MAX < self.line.len() + self.data.len() + self.answer.length() {
            return Err(ModelFailure::TooLarge);
        }
        Ok(())
    }

    /// Returns whether all relevant data has arrived.
    pub(crate) fn is_over(&self) -> bool {
        self.answer.is_done || self.answer.instead.is_some()
    }

    /// Returns whether the answer is whole, although more may come.
    pub(crate) fn has_ended(&self) -> bool {
        self.answer.has_ended()
    }

    /// Returns the number of pieces of an answer so far: text, thinking and calls, but no keep-alives.
    pub(crate) fn n_pieces(&self) -> usize {
        self.answer.n_pieces
    }

    /// Returns the text so far, including the model's thinking.
    pub(crate) fn text(&self) -> &str {
        &self.answer.text
    }

    /// Returns the answer in its unstreamed form, or the event that reports an error in its place.
    pub(crate) fn finish(&mut self) -> Result<Value, ModelFailure> {
        if !self.is_over() {
            self.last_line()?;
        }
        self.answer.whole()
    }

    /// Handles the rest at the end. The last event of some servers lacks the empty line behind it.
    fn last_line(&mut self) -> Result<(), ModelFailure> {
        let line = std::mem::take(&mut self.line);
        let line = std::str::from_utf8(&line).map_err(|problem| match problem.error_len() {
            Some(_) => ModelFailure::NotJson,
            None => ModelFailure::Interrupted,
        })?;
        let read = self.line(line).and_then(|()| self.event());
        match read {
            // Unreadable data at the end was cut. It does not matter after a finish reason.
            Err(ModelFailure::NotJson | ModelFailure::Interrupted) if self.answer.has_ended() => Ok(()),
            Err(ModelFailure::NotJson) => Err(ModelFailure::Interrupted),
            read => read,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), ModelFailure> {
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        let is_done = field == "data" && value.trim() == "[DONE]";
        if line.is_empty() || is_done {
            self.event()?;
        } else if field == "event" {
            value.clone_into(&mut self.name);
        } else if field == "data" || field == "error" {
            // llama.cpp sends `error:`, which is not a field of the standard.
            if field == "error" {
                field.clone_into(&mut self.name);
            }
            self.data.extend((!self.data.is_empty()).then_some('\n'));
            self.data.push_str(value);
        }
        self.answer.is_done |= is_done;
        Ok(())
    }

    /// Handles the event that has arrived, if there is one.
    fn event(&mut self) -> Result<(), ModelFailure> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        self.answer.event(&name, &data)
    }
}
