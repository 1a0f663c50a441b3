//! What differs from one API to another, by the API's name in the settings.

use serde::Serialize;
use serde_json::Value;

use crate::edges::model::wire::apis::chunk::Chunk;
use crate::edges::model::wire::apis::{messages_answer, messages_request, responses_answer, responses_request};
use crate::edges::model::wire::request::{AnswerForm, ChatRequest, RequestBody};
use candor_core::settings::ModelApi;

/// The body of a request, in whatever API.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ApiBody<'a> {
    /// Of OpenAI's chat completions.
    Chat(RequestBody<'a>),
    /// Of another one.
    Other(Value),
}

/// A request as the body that this API takes, which asks for an answer in this form.
pub(crate) fn body<'a>(api: ModelApi, request: &'a ChatRequest<'_>, form: AnswerForm) -> ApiBody<'a> {
    match api {
        ModelApi::Chat => ApiBody::Chat(request.asking_for(form)),
        ModelApi::Responses => ApiBody::Other(responses_request::body(request, form)),
        ModelApi::Messages => ApiBody::Other(messages_request::body(request, form)),
    }
}

/// The headers that each request of an API has.
pub(crate) fn headers(api: ModelApi) -> &'static [(&'static str, &'static str)] {
    match api {
        ModelApi::Chat | ModelApi::Responses => &[],
        ModelApi::Messages => &[("anthropic-version", "2023-06-01")],
    }
}

/// The header that carries the key, where it is not `Authorization: Bearer`.
pub(crate) fn key_header(api: ModelApi) -> Option<&'static str> {
    (api == ModelApi::Messages).then_some("x-api-key")
}

/// A whole answer of this API as chat completions would have sent it. What is no answer of the API has no `choices`.
pub(crate) fn whole(api: ModelApi, answer: Value) -> Value {
    match api {
        ModelApi::Chat => answer,
        ModelApi::Responses => responses_answer::whole(&answer),
        ModelApi::Messages => messages_answer::whole(&answer),
    }
}

/// Reads the events of a stream in the order in which they come.
#[derive(Debug, Default)]
pub(crate) enum Events {
    /// Of OpenAI's chat completions: what comes is what is wanted.
    #[default]
    Chat,
    /// Of OpenAI's Responses.
    Responses(responses_answer::Events),
    /// Of Anthropic's Messages.
    Messages(messages_answer::Events),
}

impl Events {
    /// The events of this API, before the first.
    pub(crate) fn of(api: ModelApi) -> Self {
        match api {
            ModelApi::Chat => Self::Chat,
            ModelApi::Responses => Self::Responses(responses_answer::Events::default()),
            ModelApi::Messages => Self::Messages(messages_answer::Events::default()),
        }
    }

    /// The next event as one of chat completions. `name` is what the stream calls it, perhaps nothing.
    pub(crate) fn chunk(&mut self, name: &str, event: Value) -> Chunk {
        match self {
            Self::Chat => Chunk::of(event),
            Self::Responses(events) => events.chunk(name, event),
            Self::Messages(events) => events.chunk(name, event),
        }
    }
}
