//! The differences between the APIs, by the API's name in the settings.

use serde::Serialize;
use serde_json::Value;

use crate::wire::apis::chunk::Chunk;
use crate::wire::apis::{messages_answer, messages_request, responses_answer, responses_request};
use crate::wire::request::{AnswerForm, ChatRequest, RequestBody};
use candor_core::settings::ModelApi;

/// The body of a request in one of the APIs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ApiBody<'a> {
    Chat(RequestBody<'a>),
    Other(Value),
}

/// Builds the body of a request for this API, which asks for an answer in this form.
pub(crate) fn body<'a>(api: ModelApi, request: &'a ChatRequest<'_>, form: AnswerForm) -> ApiBody<'a> {
    match api {
        ModelApi::Chat => ApiBody::Chat(request.asking_for(form)),
        ModelApi::Responses => ApiBody::Other(responses_request::body(request, form)),
        ModelApi::Messages => ApiBody::Other(messages_request::body(request, form)),
    }
}

pub(crate) fn headers(api: ModelApi) -> &'static [(&'static str, &'static str)] {
    match api {
        ModelApi::Chat | ModelApi::Responses => &[],
        ModelApi::Messages => &[("anthropic-version", "2023-06-01")],
    }
}

/// Returns the header of the key, if it is not `Authorization: Bearer`.
pub(crate) fn key_header(api: ModelApi) -> Option<&'static str> {
    (api == ModelApi::Messages).then_some("x-api-key")
}

/// Converts a whole answer of this API to chat completions. A document that is not an answer gets no `choices`.
pub(crate) fn whole(api: ModelApi, answer: Value) -> Value {
    match api {
        ModelApi::Chat => answer,
        ModelApi::Responses => responses_answer::whole(&answer),
        ModelApi::Messages => messages_answer::whole(&answer),
    }
}

/// Converts the events of a stream, in the order in which they come.
#[derive(Debug, Default)]
pub(crate) enum Events {
    /// OpenAI's chat completions, which need no conversion.
    #[default]
    Chat,
    Responses(responses_answer::Events),
    Messages(messages_answer::Events),
}

impl Events {
    pub(crate) fn of(api: ModelApi) -> Self {
        match api {
            ModelApi::Chat => Self::Chat,
            ModelApi::Responses => Self::Responses(responses_answer::Events::default()),
            ModelApi::Messages => Self::Messages(messages_answer::Events::default()),
        }
    }

    /// Converts the next event to chat completions. `name` is its name in the stream, perhaps empty.
    pub(crate) fn chunk(&mut self, name: &str, event: Value) -> Chunk {
        match self {
            Self::Chat => Chunk::of(event),
            Self::Responses(events) => events.chunk(name, event),
            Self::Messages(events) => events.chunk(name, event),
        }
    }
}
