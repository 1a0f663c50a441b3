//! The APIs besides OpenAI's chat completions. Requests are written in their form. Their answers are converted to chat
//! completions, whole or event by event, so that all later stages read one form.
//!
//! `messages` is Anthropic's Messages, `responses` OpenAI's Responses.

mod any_api;
mod chunk;
mod messages_answer;
mod messages_request;
mod named_error;
mod responses_answer;
mod responses_request;

pub(crate) use any_api::{Events, body, headers, key_header, whole};
pub(crate) use chunk::Chunk;
