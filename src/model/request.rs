//! The question as it goes over the wire, and where it goes.

use serde::Serialize;
use url::Url;

use crate::agent::Exchange;

/// The body of a request.
#[derive(Debug, Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    /// Some servers stream unless they are told not to.
    stream: bool,
}

#[derive(Debug, Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

impl<'a> ChatRequest<'a> {
    /// The system text if there is one, then history oldest first, then the person's words.
    pub(super) fn new(
        model: &'a str,
        system: &'a str,
        history: &'a [Exchange],
        words: &'a str,
        max_tokens: Option<u32>,
    ) -> Self {
        let system =
            Some(system).filter(|system| !system.is_empty()).map(|content| Message { role: "system", content });
        let history = history.iter().flat_map(|exchange| {
            [
                Message { role: "user", content: exchange.said() },
                Message { role: "assistant", content: exchange.answered() },
            ]
        });
        let words = Message { role: "user", content: words };
        Self { model, messages: system.into_iter().chain(history).chain([words]).collect(), max_tokens, stream: false }
    }

    /// The model's name.
    pub(super) fn model(&self) -> &'a str {
        self.model
    }
}

/// `{base_url}/chat/completions`, whether the address ends in a slash or not. Nothing is guessed: a missing
/// `/v1` stays missing. `None` if this is no HTTP address.
pub(super) fn endpoint(base_url: &Url) -> Option<Url> {
    let mut endpoint = base_url.clone();
    if !matches!(endpoint.scheme(), "http" | "https") {
        return None;
    }
    endpoint.path_segments_mut().ok()?.pop_if_empty().extend(["chat", "completions"]);
    Some(endpoint)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_address_is_extended_as_it_is_written() {
        let cases = [
            ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"),
            ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/chat/completions"),
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434/chat/completions"),
            ("https://example.com/api/", "https://example.com/api/chat/completions"),
            ("https://example.com/x?api-version=1", "https://example.com/x/chat/completions?api-version=1"),
        ];
        for (base_url, expected) in cases {
            assert_eq!(endpoint(&base_url.parse().unwrap()).unwrap().as_str(), expected);
        }
        assert_eq!(endpoint(&"file:///v1".parse().unwrap()), None);
    }

    #[test]
    fn messages_are_in_the_order_they_were_said() {
        let history = ["1", "2"].map(|n| Exchange::read_back(format!("question {n}"), format!("answer {n}")));
        let request = ChatRequest::new("llama", "be brief", &history, "question 3", Some(512));
        let expected = json!({
            "model": "llama",
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "question 1"},
                {"role": "assistant", "content": "answer 1"},
                {"role": "user", "content": "question 2"},
                {"role": "assistant", "content": "answer 2"},
                {"role": "user", "content": "question 3"},
            ],
            "max_tokens": 512,
            "stream": false,
        });
        assert_eq!(serde_json::to_value(request).unwrap(), expected);
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let expected = json!({"model": "llama", "messages": [{"role": "user", "content": "hello"}], "stream": false});
        assert_eq!(serde_json::to_value(ChatRequest::new("llama", "", &[], "hello", None)).unwrap(), expected);
    }
}
