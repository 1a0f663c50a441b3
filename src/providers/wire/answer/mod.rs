//! Reads a server's response: status and body become text and calls, or exactly one failure.
//!
//! Servers differ, so everything that does not change the text is tolerated: unknown fields, a missing role, a byte
//! order mark, a missing or empty finish reason, one document in place of a stream. Words without a known end are read
//! as cut off, without calls. Without words that is a failure. A filtered answer is always a failure.

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_apis;

use std::time::Duration;

use serde_json::Value;

use crate::wire::calls::calls_of;
use crate::wire::content::{has_refusal, says_something, text_of};
use crate::wire::refusal::{Offer, failure_of};
use crate::wire::stream::{self, BYTE_ORDER_MARK};
use candor_core::agent::tools::{Completion, Cut, RawCall};
use candor_core::agent::{ModelFailure, without_thinking, words_so_far};
use candor_core::text::{first_characters, is_invisible};

/// The maximum length of an answer, in characters; longer ones are cut. Equals fifty messages of Discord, more than a
/// person reads.
const ANSWER_LENGTH_MAX: usize = 100_000;

/// The maximum plausible number of tokens of one answer. A higher number is a mistake that would use up a budget.
const TOKENS_MAX: u64 = 100_000_000;

/// Returns the failure of a response without a success status. `retry_after` is the wait that the server asked for, if
/// any. `offer` describes the tools of the request.
pub(crate) fn refusal(status: u16, retry_after: Option<Duration>, offer: Offer, body: &[u8]) -> ModelFailure {
    let answer = parse(body).unwrap_or_default();
    let error = if says_something(&answer["error"]) { &answer["error"] } else { &answer };
    failure_of(status, retry_after, offer, error)
}

/// Parses the body as JSON, and assembles it if it is a stream. JSON allows white space in front of it. Some gateways
/// add a byte order mark.
pub(crate) fn parse(body: &[u8]) -> Result<Value, ModelFailure> {
    if stream::is_stream(body) == Some(true) {
        return stream::whole(body);
    }
    let body = body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body);
    serde_json::from_slice(body).map_err(|_| ModelFailure::NotJson)
}

/// Decodes a response with a success status.
pub(crate) fn completion(
    answer: &Value,
    retry_after: Option<Duration>,
    offer: Offer,
) -> Result<Completion, ModelFailure> {
    // vLLM does not wrap an error.
    let error = if answer["object"] == "error" { answer } else { &answer["error"] };
    reported(error, retry_after, offer)?;
    let choices = answer["choices"].as_array().ok_or(ModelFailure::NotJson)?;
    let choice = choices.first().ok_or(ModelFailure::Empty)?;
    reported(&choice["error"], retry_after, offer)?;
    let message = &choice["message"];
    if !message.is_object() {
        return Err(ModelFailure::NotJson);
    }
    if says_something(&message["refusal"]) && !message["refusal"].is_string() {
        return Err(ModelFailure::Filtered);
    }
    // A refusal is the model's explanation to the person, perhaps behind words. Calls beside it do not run.
    let refusal = message["refusal"].as_str().unwrap_or_default();
    let is_refused = says_something(&message["refusal"]) || has_refusal(&message["content"]);
    let words = text_of(&message["content"])?;
    let text = [words.as_str(), refusal].into_iter().filter(|part| !is_silent(part)).collect::<Vec<_>>().join("\n\n");
    let (mut calls, ended) = match calls_of(message) {
        Ok(calls) => {
            let ended = whole(&choice["finish_reason"], &calls, offer);
            (calls, ended)
        }
        Err(unreadable) => (Vec::new(), Err(unreadable)),
    };
    let all_words = without_thinking(&text).trim();
    let words = first_characters(all_words, ANSWER_LENGTH_MAX);
    let is_silent = is_silent(words);
    let cut = match ended {
        Ok(()) => (words.len() < all_words.len()).then_some(Cut::Longest),
        Err(failure) => Some(cut_by(&failure).filter(|_| !is_silent).ok_or(failure)?),
    };
    // Half a call must not run.
    if cut.is_some() || is_refused {
        calls.clear();
    }
    match is_silent {
        true if calls.is_empty() => Err(ModelFailure::Empty),
        true => Ok(Completion { text: String::new(), calls, cut }),
        false => Ok(Completion { text: words.to_owned(), calls, cut }),
    }
}

/// Returns the tokens of the request and its answer together, if the server reports them. Some servers leave out the
/// sum.
pub(crate) fn tokens_used(answer: &Value) -> Option<u64> {
    let usage = &answer["usage"];
    let parts = || {
        let prompt = usage["prompt_tokens"].as_u64();
        let written = usage["completion_tokens"].as_u64();
        prompt.is_some().then(|| prompt.unwrap_or(0).saturating_add(written.unwrap_or(0)))
    };
    usage["total_tokens"].as_u64().or_else(parts).filter(|tokens| (1..=TOKENS_MAX).contains(tokens))
}

/// Returns the reason for a cut, if this failure came while words were being written, or in place of their end. A
/// withheld answer stays withheld.
fn cut_by(failure: &ModelFailure) -> Option<Cut> {
    match failure {
        ModelFailure::TimedOut(_) => Some(Cut::Time),
        ModelFailure::CutOff => Some(Cut::Length),
        ModelFailure::TooLarge => Some(Cut::Longest),
        ModelFailure::ToolCall | ModelFailure::TooManyCalls | ModelFailure::LostCall => Some(Cut::Call),
        ModelFailure::Interrupted
        | ModelFailure::NotJson
        | ModelFailure::Reported
        | ModelFailure::ContextTooLong
        | ModelFailure::RateLimited(_)
        | ModelFailure::Overloaded(_)
        | ModelFailure::Refused(_)
        | ModelFailure::UnknownEnd
        | ModelFailure::ServerError(_) => Some(Cut::Lost),
        _ => None,
    }
}

/// Returns the partial answer that `failure` cut off. `None` if there is no text, or if the failure withholds it. Calls
/// are dropped, because the last may be incomplete.
pub(crate) fn cut_short(text: &str, failure: &ModelFailure) -> Option<Completion> {
    let cut = cut_by(failure)?;
    let (words, is_full) = shown_so_far(text);
    let cut = if is_full { Cut::Longest } else { cut };
    (!is_silent(words)).then(|| Completion { text: words.to_owned(), calls: Vec::new(), cut: Some(cut) })
}

/// Returns the text so far of a growing answer, cut at the maximum length, and whether it was cut. After a cut nothing
/// more is shown.
pub(crate) fn shown_so_far(text: &str) -> (&str, bool) {
    let words = words_so_far(text);
    let shown = first_characters(words, ANSWER_LENGTH_MAX);
    (shown, shown.len() < words.len())
}

fn is_silent(words: &str) -> bool {
    words.chars().all(|character| character.is_whitespace() || is_invisible(character))
}

/// Checks for an error in place of an answer, despite a success status. Some servers write the intended status as the
/// error's code.
fn reported(error: &Value, retry_after: Option<Duration>, offer: Offer) -> Result<(), ModelFailure> {
    if !says_something(error) {
        return Ok(());
    }
    let code = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    Err(match code {
        Some(status @ 400..=599) => failure_of(status, retry_after, offer, error),
        _ => ModelFailure::Reported,
    })
}

/// Checks by the finish reason whether the answer is complete. Servers spell the reasons in many ways, and some report
/// a stop after a call.
fn whole(finish_reason: &Value, calls: &[RawCall], offer: Offer) -> Result<(), ModelFailure> {
    if offer == Offer::Nothing && !calls.is_empty() {
        return Err(ModelFailure::ToolCall);
    }
    let reason = match finish_reason {
        Value::Null => return Ok(()),
        Value::String(reason) => reason,
        _ => return Err(ModelFailure::UnknownEnd),
    };
    let letters = reason.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    match letters.collect::<String>().as_str() {
        "" | "stop" | "stopsequence" | "eos" | "eostoken" | "end" | "endturn" | "complete" => Ok(()),
        "length" | "modellength" | "maxlength" | "maxtokens" => Err(ModelFailure::CutOff),
        "toolcall" | "toolcalls" | "tooluse" | "functioncall" => match offer {
            Offer::Tools if calls.is_empty() => Err(ModelFailure::LostCall),
            Offer::Tools => Ok(()),
            Offer::Nothing => Err(ModelFailure::ToolCall),
        },
        "error" => Err(ModelFailure::Reported),
        "safety" | "recitation" | "refusal" => Err(ModelFailure::Filtered),
        // Gemini adds its own reason: `content_filter: RECITATION`.
        filtered if filtered.starts_with("contentfilter") => Err(ModelFailure::Filtered),
        _ => Err(ModelFailure::UnknownEnd),
    }
}
