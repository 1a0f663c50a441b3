//! Recognizes an error about one conversation: the server is well, and the next conversation may pass.

use crate::edges::model::wire::refusal::{TOO_LONG, has_any};

/// Phrases of such an error, besides those of one that is too long. Both phrases of a pair occur in one text. They come
/// from llama.cpp, llama-cpp-python, LM Studio, vLLM and Text Generation Inference, and from the templates of Gemma,
/// Llama, Mistral and Qwen. llama.cpp sends many of them with status 500.
const PHRASES: &[(&str, &str)] = &[
    ("roles", "alternate"),
    ("role", "not support"),
    ("unexpected role", ""),
    ("unknown role", ""),
    ("invalid role", ""),
    ("only user", "assistant roles"),
    ("system message", "must"),
    ("system message", "not support"),
    ("system message", "beginning"),
    ("system prompt", "not support"),
    ("last message", "must"),
    ("no user query", "message"),
    ("jinja exception", ""),
    ("template error", ""),
    ("template", "exception"),
    ("template", "render"),
    ("template", "apply"),
    ("while executing", "in source"),
];

/// Returns whether a server's error is about the conversation that it was sent.
pub(crate) fn is_about_conversation(error: &str) -> bool {
    let error = error.to_lowercase().replace('_', " ");
    has_any(&error, PHRASES) || has_any(&error, TOO_LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_templates_and_servers_say_of_a_conversation_is_recognized() {
        let errors = [
            "Conversation roles must alternate user/assistant/user/assistant/... at row 4, column 31",
            "After the optional system message, conversation roles must alternate user and assistant roles",
            "System role not supported",
            "Only user and assistant roles are supported, with the exception of an initial system message",
            "System message must be at the beginning.",
            "------------ While executing CallExpression at line 3, column 32 in source: ...",
            "Jinja Exception: No user query found in messages.",
            "Error rendering prompt with jinja template: \"Cannot put tools in the first user message\"",
            "Template error: template error: syntax error: roles",
            "Unexpected role: tool",
            "Expected last role User or Tool: the last message must be one",
            "Context size has been exceeded.",
            "code: context_length_exceeded",
            "prompt is too long: 9 tokens > 8 maximum",
        ];
        for error in errors {
            assert!(is_about_conversation(error), "{error}");
        }
    }

    #[test]
    fn what_ails_the_server_itself_is_not() {
        let errors = [
            "",
            "Internal Server Error",
            "out of memory",
            "cannot load a model with a context length of 131072: out of memory",
            "upstream request timeout: context deadline exceeded",
            "failed to decode the batch: KV cache is full",
            "tools param requires --jinja flag",
            "Loading model",
            "user is not allowed to use this model",
            "AWS: the role `invoker` is invalid",
        ];
        for error in errors {
            assert!(!is_about_conversation(error), "{error}");
        }
    }
}
