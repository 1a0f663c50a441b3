//! Fuzzing entry points: read a provider's responses without a connection.

use std::time::{Duration, SystemTime};

use crate::wire::answer::{completion, parse, refusal, tokens_used};
use crate::wire::apis;
use crate::wire::refusal::Offer;
use crate::wire::stream::{Stream, is_stream};
use candor_core::agent::tools::Completion;
use candor_core::settings::ModelApi;

pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    crate::retry::parse_wait(value, now)
}

/// Reads the body of an answer in this API: one document, or a stream in pieces of `piece` bytes, at least 1. `None` if
/// it is not an answer.
pub fn answer(api: ModelApi, body: &[u8], piece: usize) -> Option<Completion> {
    let _refusal = refusal(500, None, Offer::Tools, body);
    let answer = match is_stream(body) {
        Some(true) => {
            let mut stream = Stream::of(api);
            body.chunks(piece.max(1)).try_for_each(|piece| stream.push(piece)).and_then(|()| stream.finish())
        }
        Some(false) | None => parse(body).map(|answer| apis::whole(api, answer)),
    };
    let answer = answer.ok()?;
    let _tokens = tokens_used(&answer);
    completion(&answer, None, Offer::Tools).ok()
}
