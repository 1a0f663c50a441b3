//! The APIs beside OpenAI's chat completions. What is asked is written in their form; what they answer becomes what
//! chat completions would have answered, whole or event by event, so that all that reads an answer reads them alike.
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
