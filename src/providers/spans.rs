//! The span of a request to a model, by OpenTelemetry's conventions for generative AI. It holds no written text:
//! neither a message nor a server's own words.

use serde_json::Value;
use tracing::field::Empty;
use tracing::{Span, info_span};

use candor_core::agent::ModelFailure;
use candor_core::settings::ModelApi;

/// The finish reasons of the APIs. Other reasons of a server do not become attributes.
const REASONS: [&str; 5] = ["stop", "length", "tool_calls", "function_call", "content_filter"];

/// Creates the span of one request and its retries. The provider is named after its API.
pub(super) fn of_request(api: ModelApi, model: &str) -> Span {
    let provider = match api {
        ModelApi::Chat | ModelApi::Responses => "openai",
        ModelApi::Messages => "anthropic",
    };
    info_span!(
        "model_request",
        otel.name = %format_args!("chat {model}"),
        otel.kind = "client",
        otel.status_code = Empty,
        gen_ai.operation.name = "chat",
        gen_ai.provider.name = provider,
        gen_ai.request.model = model,
        gen_ai.response.finish_reasons = Empty,
        gen_ai.usage.input_tokens = Empty,
        gen_ai.usage.output_tokens = Empty,
        error.type = Empty,
    )
}

/// Adds an answer's finish reason and token counts to the current span.
pub(super) fn answered(whole: &Value) {
    let span = Span::current();
    let ended = whole["choices"][0]["finish_reason"].as_str();
    if let Some(reason) = ended.and_then(|ended| REASONS.into_iter().find(|reason| *reason == ended)) {
        span.record("gen_ai.response.finish_reasons", reason);
    }
    let counted = [("gen_ai.usage.input_tokens", "prompt_tokens"), ("gen_ai.usage.output_tokens", "completion_tokens")];
    for (attribute, field) in counted {
        // The conventions use signed numbers.
        if let Some(tokens) = whole["usage"][field].as_u64().and_then(|tokens| i64::try_from(tokens).ok()) {
            span.record(attribute, tokens);
        }
    }
}

pub(super) fn failed(span: &Span, failure: &ModelFailure) {
    span.record("otel.status_code", "ERROR").record("error.type", failure.name());
}
