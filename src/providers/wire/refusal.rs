//! Maps an error status to a failure. A few phrases in servers' messages say more than the status.

use std::time::Duration;

use serde_json::Value;

use candor_core::agent::ModelFailure;
use candor_core::agent::tools::OfferedSet;

/// The native offer of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Tools,
    /// No tools, so a call in the answer was not offered.
    Nothing,
}

impl Offer {
    pub(crate) fn of(tools: &OfferedSet) -> Self {
        if tools.is_empty() { Self::Nothing } else { Self::Tools }
    }
}

/// Phrases about a conversation that is too long. Both phrases of a pair occur in one text. They come from OpenAI,
/// vLLM, llama.cpp, llama-cpp-python, LM Studio, Anthropic, Gemini and Text Generation Inference.
pub(crate) const TOO_LONG: &[(&str, &str)] = &[
    ("context length", "exceed"),
    ("context length", "maximum"),
    ("context length", "overflow"),
    ("context size", "exceed"),
    ("context window", "exceed"),
    ("context limit", "exceed"),
    ("prompt", "too long"),
    ("input token count", "exceed"),
    ("`inputs` tokens", "must be"),
];

/// Phrases about a model, or a server in front of it, that supports no tools. They come from Ollama, vLLM, llama.cpp,
/// Groq, Gemini and OpenRouter.
const NO_TOOLS: &[(&str, &str)] = &[
    ("tool", "not support"),
    ("tool", "n't support"),
    ("tool", "unsupported"),
    ("tool", "requires --"),
    ("tool use", "no endpoints"),
    ("function call", "not support"),
    ("function call", "n't support"),
    ("function call", "not enabled"),
    // From servers that do not know the fields.
    ("tools", "unrecognized"),
    ("tools", "unknown"),
    ("tools", "unexpected"),
    ("tools", "not permitted"),
    ("tools", "not allowed"),
    ("tools", "not implemented"),
    ("tool choice", "unrecognized"),
    ("tool choice", "unknown"),
    ("tool choice", "unexpected"),
    ("tool choice", "not permitted"),
    ("tool choice", "not allowed"),
];

/// Returns the failure for a status and its error.
pub(crate) fn failure_of(status: u16, retry_after: Option<Duration>, offer: Offer, error: &Value) -> ModelFailure {
    match status {
        // Azure has a separate code for a withheld answer.
        400 if error["code"] == "content_filter" => ModelFailure::Filtered,
        // Anthropic says so in words.
        400 if error["message"].as_str().is_some_and(|said| said.contains("content filtering policy")) => {
            ModelFailure::Filtered
        }
        // The statuses that servers use for a request they cannot process.
        400 | 404 | 413 | 422 | 500 | 501 => {
            by_words(offer, error).unwrap_or_else(|| failure_by_status(status, retry_after))
        }
        _ => failure_by_status(status, retry_after),
    }
}

/// Returns whether a server says that it does not stream, or does not accept the field `stream`.
pub(crate) fn refuses_stream(status: Option<u16>, error: Option<&str>) -> bool {
    let names_it = |error: &str| {
        let mut words = error.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase);
        words.any(|word| matches!(word.as_str(), "stream" | "streams" | "streaming" | "streamed"))
    };
    matches!(status, Some(400 | 422 | 501)) && error.is_some_and(names_it)
}

/// Returns whether a server says that it does not accept the request for a stream's token count.
pub(crate) fn refuses_count(status: Option<u16>, error: Option<&str>) -> bool {
    let names_it = |error: &str| ["stream_options", "include_usage"].iter().any(|name| error.contains(name));
    matches!(status, Some(400 | 422 | 501)) && error.is_some_and(names_it)
}

/// Phrases of templates without a system role about a conversation that begins with a system message. Both phrases of a
/// pair occur in one text. They come from the templates of Gemma and Mistral, from servers that report it for them, and
/// from proxies. A template that only counts the roles says that they must alternate.
const NO_SYSTEM: &[(&str, &str)] = &[
    ("system role", "support"),
    ("system message", "support"),
    ("system prompt", "support"),
    ("system instruction", "not enabled"),
    ("role", "system"),
    ("roles", "alternate"),
    ("only user", "assistant roles"),
    ("first message", "user"),
];

/// Returns whether a server refuses a conversation in the words of a template without a system role. The same words may
/// be about other messages; one request without the system message finds out.
pub(crate) fn refuses_system(status: Option<u16>, error: Option<&str>) -> bool {
    // llama.cpp sends a template's errors with status 500.
    matches!(status, Some(400 | 422 | 500)) && error.is_some_and(|error| has_any(&error.to_lowercase(), NO_SYSTEM))
}

fn failure_by_status(status: u16, retry_after: Option<Duration>) -> ModelFailure {
    match status {
        401 => ModelFailure::Unauthorized,
        // A key without the right; or a refusal because of a region, by a moderation or by a proxy.
        403 => ModelFailure::Forbidden,
        404 => ModelFailure::UnknownModel,
        429 => ModelFailure::RateLimited(retry_after),
        // 529 is used by Anthropic and by proxies in front of it.
        503 | 529 => ModelFailure::Overloaded(retry_after),
        500.. => ModelFailure::ServerError(status),
        // Redirects are not followed, and this bot's requests have no answer with a status below 200.
        0..=399 => ModelFailure::Redirected(status),
        _ => ModelFailure::Refused(status),
    }
}

/// Returns whether a text contains both phrases of a pair.
pub(crate) fn has_any(text: &str, phrases: &[(&str, &str)]) -> bool {
    phrases.iter().any(|(one, other)| text.contains(one) && text.contains(other))
}

fn by_words(offer: Offer, error: &Value) -> Option<ModelFailure> {
    let said = [error, &error["message"], &error["code"], &error["type"], &error["detail"]];
    // FastAPI lists the refused fields, each with its path. The value itself may be a person's words.
    let details = error["detail"].as_array().into_iter().flatten();
    let details = details.flat_map(|detail| {
        let way = detail["loc"].as_array().into_iter().flatten();
        way.chain([&detail["msg"], &detail["type"]])
    });
    let words = said.into_iter().chain(details).filter_map(Value::as_str);
    let words = words.collect::<Vec<_>>().join(" ").to_lowercase().replace('_', " ");
    if has_any(&words, TOO_LONG) {
        Some(ModelFailure::ContextTooLong)
    // An error about one tool's schema is not an error about tools.
    } else if offer == Offer::Tools && has_any(&words, NO_TOOLS) && !words.contains("schema") {
        Some(ModelFailure::ToolsUnsupported)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_is_told_as_what_it_means() {
        let wait = Some(Duration::from_secs(3));
        let cases = [
            (101, ModelFailure::Redirected(101)),
            (302, ModelFailure::Redirected(302)),
            (304, ModelFailure::Redirected(304)),
            (400, ModelFailure::Refused(400)),
            (401, ModelFailure::Unauthorized),
            (402, ModelFailure::Refused(402)),
            (403, ModelFailure::Forbidden),
            (404, ModelFailure::UnknownModel),
            (408, ModelFailure::Refused(408)),
            (413, ModelFailure::Refused(413)),
            (422, ModelFailure::Refused(422)),
            (429, ModelFailure::RateLimited(wait)),
            (500, ModelFailure::ServerError(500)),
            (501, ModelFailure::ServerError(501)),
            (502, ModelFailure::ServerError(502)),
            (503, ModelFailure::Overloaded(wait)),
            (504, ModelFailure::ServerError(504)),
            (529, ModelFailure::Overloaded(wait)),
        ];
        for (status, expected) in cases {
            for error in [Value::Null, json!("no"), json!({"message": "no", "code": null})] {
                assert_eq!(failure_of(status, wait, Offer::Tools, &error), expected, "{status} {error}");
            }
        }
        let azure = json!({"code": "content_filter", "message": "no"});
        assert_eq!(failure_of(400, None, Offer::Nothing, &azure), ModelFailure::Filtered);
        let blocked = json!({"type": "invalid_request_error", "message": "Output blocked by content filtering policy"});
        assert_eq!(failure_of(400, None, Offer::Nothing, &blocked), ModelFailure::Filtered);
    }

    #[test]
    fn a_refusal_to_stream_names_it() {
        let cases = [
            (400, "Unrecognized request argument supplied: stream", true),
            (400, "`stream` must be false for this model", true),
            (422, "Streaming is not supported", true),
            (501, "streaming: not implemented", true),
            (400, "the upstream failed", false),
            (400, "downstream_error", false),
            (500, "the stream was closed", false),
            (400, "", false),
        ];
        for (status, error, expected) in cases {
            assert_eq!(refuses_stream(Some(status), Some(error)), expected, "{status} {error}");
        }
        assert!(!refuses_stream(Some(400), None) && !refuses_stream(None, Some("stream")));
    }

    #[test]
    fn a_refusal_to_count_is_none_to_stream() {
        let cases = [
            (400, "Unrecognized request argument supplied: stream_options", true),
            (422, "body.stream_options: Extra inputs are not permitted", true),
            (400, "include_usage is not supported", true),
            (400, "Unrecognized request argument supplied: stream", false),
            (500, "stream_options", false),
        ];
        for (status, error, expected) in cases {
            assert_eq!(refuses_count(Some(status), Some(error)), expected, "{status} {error}");
        }
    }

    #[test]
    fn a_refusal_of_the_system_message_is_known_by_the_words_of_templates() {
        let cases = [
            (400, "System role not supported", true),
            (500, "Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...", true),
            (400, "Only user and assistant roles are supported!", true),
            (422, "Invalid role: system", true),
            (400, "Developer instruction and system instruction is not enabled for models/gemma-3", true),
            (500, "out of memory", false),
            (400, "Context size has been exceeded.", false),
            (503, "System role not supported", false),
        ];
        for (status, error, expected) in cases {
            assert_eq!(refuses_system(Some(status), Some(error)), expected, "{status} {error}");
        }
        assert!(!refuses_system(Some(400), None) && !refuses_system(None, Some("System role not supported")));
    }

    #[test]
    fn a_conversation_that_is_too_long_is_told_as_that() {
        let cases = [
            (400, json!({"code": "context_length_exceeded", "message": "no"})),
            (400, json!({"type": "exceed_context_size_error", "code": 400, "n_ctx": 256})),
            (500, json!({"type": "server_error", "message": "Context size has been exceeded."})),
            (400, json!("the request exceeds the available context size, try increasing it")),
            (400, json!({"object": "error", "message": "This model's maximum context length is 4096 tokens."})),
            (500, json!({"message": "Requested tokens (2285) exceed context window of 2048"})),
            (400, json!({"message": "prompt is too long: 9 tokens > 8 maximum"})),
            (400, json!({"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."})),
            (422, json!({"message": "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"})),
            (400, json!({"message": "input length and `max_tokens` exceed context limit: 9 + 4 > 8"})),
            (413, json!({"code": "context_length_exceeded"})),
        ];
        for (status, error) in cases {
            for offer in [Offer::Tools, Offer::Nothing] {
                assert_eq!(failure_of(status, None, offer, &error), ModelFailure::ContextTooLong, "{error}");
            }
        }
        // Words alone do not change what a refused key is.
        let error = json!({"code": "context_length_exceeded"});
        assert_eq!(failure_of(401, None, Offer::Nothing, &error), ModelFailure::Unauthorized);
        let error = json!({"message": "cannot load a model with a context length of 131072: out of memory"});
        assert_eq!(failure_of(500, None, Offer::Nothing, &error), ModelFailure::ServerError(500));
    }

    #[test]
    fn a_model_without_tools_is_told_as_that_if_tools_were_offered() {
        let cases = [
            (400, "registry.ollama.ai/library/gemma:2b does not support tools"),
            (400, "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"),
            (500, "tools param requires --jinja flag"),
            (400, "`tool calling` is not supported with this model"),
            (404, "No endpoints found that support tool use. Try another model."),
            (400, "Function calling is not enabled for models/gemma-3"),
            (400, "this model doesn't support tool_choice"),
            (400, "Unrecognized request arguments supplied: tool_choice, tools"),
            (422, "tools: extra fields not permitted"),
            (501, "`tools` is not implemented"),
        ];
        for (status, message) in cases {
            let error = json!({"message": message});
            assert_eq!(failure_of(status, None, Offer::Tools, &error), ModelFailure::ToolsUnsupported, "{message}");
            let without = failure_of(status, None, Offer::Nothing, &error);
            assert_eq!(without, failure_by_status(status, None), "{message}");
        }
        let listed =
            json!({"detail": [{"loc": ["body", "tools"], "msg": "Extra inputs are not permitted", "input": []}]});
        assert_eq!(failure_of(422, None, Offer::Tools, &listed), ModelFailure::ToolsUnsupported);
        let others = [
            "Invalid schema for function 'status': 'minLength' is not supported in tools",
            "tool_call_id is null",
            "The model `llama` does not exist",
        ];
        for message in others {
            let failure = failure_of(400, None, Offer::Tools, &json!({"message": message}));
            assert_eq!(failure, ModelFailure::Refused(400), "{message}");
        }
    }
}
