//! A request, its body for OpenAI's chat completions, and its address.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use url::Url;

use crate::wire::content::Thought;
use candor_core::agent::prompt;
use candor_core::agent::prompt::ShownCall;
use candor_core::agent::tools::OfferedSet;
use candor_core::inbound::Picture;
use candor_core::settings::ModelApi;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct ChatRequest<'a> {
    pub(super) model: &'a str,
    pub(super) messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Value>,
    /// Set, because some servers otherwise force a call or forbid it.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    /// Fields that the operator adds, such as `temperature`.
    #[serde(flatten)]
    pub(super) added: Option<&'a Map<String, Value>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RequestBody<'a> {
    #[serde(flatten)]
    request: &'a ChatRequest<'a>,
    /// Set, because some servers stream by default.
    stream: bool,
    /// Without it most servers do not report the tokens of a streamed answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// In pieces, with the token count behind the last one.
    CountedStream,
    /// In pieces.
    Stream,
    /// As one document, which always has the token count.
    Whole,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum WireMessage<'a> {
    System {
        content: &'a str,
    },
    User {
        content: WireContent<'a>,
    },
    Assistant {
        /// Null only beside calls, where some servers do not accept an empty text.
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
        /// The model's thinking before the calls. Chat completions do not take it back.
        #[serde(skip)]
        thoughts: Arc<[Thought]>,
    },
    Tool {
        tool_call_id: &'a str,
        name: &'a str,
        content: &'a str,
    },
}

/// Words, and the pictures behind them.
#[derive(Clone, Debug)]
pub(super) struct WireContent<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) pictures: &'a [Picture],
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct WireCall<'a> {
    pub(super) id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    pub(super) function: Function<'a>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    /// JSON as text, as the API requires.
    pub(super) arguments: String,
}

impl<'a> ChatRequest<'a> {
    /// Creates a request with the messages in order, and the tools if there are any. It has only fields that every
    /// server knows: no `strict`, no response format, no option that only one server reads.
    pub(crate) fn new(
        model: &'a str,
        messages: &'a [prompt::TranscriptEntry],
        tools: &OfferedSet,
        max_tokens: Option<u32>,
    ) -> Self {
        let tool_choice = (!tools.is_empty()).then_some("auto");
        let messages = messages.iter().map(WireMessage::of).collect();
        Self { model, messages, tools: tools_of(tools), tool_choice, max_tokens, added: None }
    }

    /// Puts these pictures behind the words of the message with this index.
    pub(crate) fn showing(mut self, shown: Option<(usize, &'a [Picture])>) -> Self {
        if let Some((index, pictures)) = shown
            && let Some(WireMessage::User { content }) = self.messages.get_mut(index)
        {
            content.pictures = pictures;
        }
        self
    }

    /// Adds the model's thinking before its calls, if `recall` finds it by their ids.
    pub(crate) fn recalling(mut self, recall: impl Fn(&[&str]) -> Option<Arc<[Thought]>>) -> Self {
        for message in &mut self.messages {
            if let WireMessage::Assistant { tool_calls, thoughts, .. } = message {
                let ids: Vec<_> = tool_calls.iter().map(|call| call.id).collect();
                *thoughts = recall(&ids).unwrap_or_default();
            }
        }
        self
    }

    pub(crate) fn with(self, added: &'a Map<String, Value>) -> Self {
        Self { added: Some(added), ..self }
    }

    /// Moves the text of the first system message to the beginning of the first user message.
    pub(crate) fn without_system(&self) -> Self {
        let mut request = self.clone();
        let Some(&WireMessage::System { content: system }) = request.messages.first() else { return request };
        if let Some(WireMessage::User { content }) = request.messages.get_mut(1) {
            content.text = format!("{system}\n\n{}", content.text).into();
            request.messages.remove(0);
        } else if let Some(first) = request.messages.first_mut() {
            *first = WireMessage::User { content: WireContent::of(system) };
        }
        request
    }

    pub(crate) fn asking_for(&self, form: AnswerForm) -> RequestBody<'_> {
        let is_counted = form == AnswerForm::CountedStream;
        let stream_options = is_counted.then_some(StreamOptions { include_usage: true });
        RequestBody { request: self, stream: form != AnswerForm::Whole, stream_options }
    }

    pub(crate) fn model(&self) -> &'a str {
        self.model
    }
}

impl<'a> WireMessage<'a> {
    fn of(message: &'a prompt::TranscriptEntry) -> Self {
        match message {
            prompt::TranscriptEntry::System(content) => Self::System { content },
            // Templates of many models accept a system text only at the beginning, so later texts of the host take the
            // user's role.
            prompt::TranscriptEntry::Host(content)
            | prompt::TranscriptEntry::Results(content)
            | prompt::TranscriptEntry::Person(content) => Self::User { content: WireContent::of(content) },
            prompt::TranscriptEntry::Model { text, calls } => {
                let content = (!text.is_empty() || calls.is_empty()).then_some(text.as_str());
                let tool_calls = calls.iter().map(WireCall::of).collect();
                Self::Assistant { content, tool_calls, thoughts: Arc::default() }
            }
            prompt::TranscriptEntry::Result { id, tool, content } => {
                Self::Tool { tool_call_id: id, name: tool, content }
            }
        }
    }
}

impl<'a> WireContent<'a> {
    fn of(text: &'a str) -> Self {
        Self { text: text.into(), pictures: &[] }
    }
}

/// Words without pictures are a plain text, because some servers accept no parts.
impl Serialize for WireContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.pictures.is_empty() {
            return serializer.serialize_str(&self.text);
        }
        let text = json!({ "type": "text", "text": self.text });
        let picture =
            |picture: &Picture| json!({ "type": "image_url", "image_url": { "url": address_of_data(picture) } });
        serializer.collect_seq([text].into_iter().chain(self.pictures.iter().map(picture)))
    }
}

/// Formats a picture as a data URL.
pub(super) fn address_of_data(Picture { media_type, data, .. }: &Picture) -> String {
    format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(data))
}

impl<'a> WireCall<'a> {
    fn of(call: &'a ShownCall) -> Self {
        let arguments = serde_json::to_string(&call.arguments).unwrap_or_else(|_| "{}".to_owned());
        Self { id: &call.id, kind: "function", function: Function { name: &call.name, arguments } }
    }
}

/// Returns the offered tools, without `cannot_do`: with native tools, words are always an answer.
fn tools_of(offered: &OfferedSet) -> Vec<Value> {
    offered.tools().iter().map(|tool| function(&tool.name, &tool.description, &tool.shown)).collect()
}

fn function(name: &str, description: &str, parameters: &Value) -> Value {
    let function = json!({ "name": name, "description": description, "parameters": parameters });
    json!({ "type": "function", "function": function })
}

/// Returns `{base_url}/chat/completions`, or the path of the other API, with or without a slash at the end of the
/// address. Nothing is guessed: a missing `/v1` stays missing. `None` if this is not an HTTP address.
pub(crate) fn endpoint(base_url: &Url, api: ModelApi) -> Option<Url> {
    let mut endpoint = base_url.clone();
    if !matches!(endpoint.scheme(), "http" | "https") {
        return None;
    }
    endpoint.path_segments_mut().ok()?.pop_if_empty().extend(api.path().split('/'));
    Some(endpoint)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use candor_core::contract::{Call, CommandError, NativeModule, NoArguments};
    use candor_core::inbound::{ChannelId, Place};
    use candor_core::registry::{Catalog, Registry};
    use candor_core::reply::Reply;
    use candor_core::testing::checked;

    async fn nothing(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
        Ok(Reply::text("nothing"))
    }

    /// `/status`, offered as a tool.
    fn offered() -> OfferedSet {
        let manifest = "[module]\nname = \"example\"\nsummary = \"Example\"\n[commands.\"/status\"]\n\
                        description = \"Show the live metrics\"\nhandler = \"nothing\"\ntool = true\n";
        let module = NativeModule::new("example", manifest).handler("nothing", nothing);
        let registry = Registry::build(checked(vec![module]));
        let place = Place::Direct { channel: ChannelId(1) };
        OfferedSet::of(&Catalog::new(Arc::new(registry), false), place, Some(&BTreeSet::new()))
    }

    fn sent(messages: &[prompt::TranscriptEntry], tools: &OfferedSet, max_tokens: Option<u32>) -> Value {
        serde_json::to_value(
            ChatRequest::new("llama", messages, tools, max_tokens).asking_for(AnswerForm::CountedStream),
        )
        .unwrap()
    }

    fn person(words: &str) -> prompt::TranscriptEntry {
        prompt::TranscriptEntry::Person(words.to_owned())
    }

    fn model(text: &str, calls: Vec<ShownCall>) -> prompt::TranscriptEntry {
        prompt::TranscriptEntry::Model { text: text.to_owned(), calls }
    }

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
            assert_eq!(endpoint(&base_url.parse().unwrap(), ModelApi::Chat).unwrap().as_str(), expected);
        }
        let others = ModelApi::ALL.map(|api| endpoint(&"https://example.com/v1/".parse().unwrap(), api).unwrap());
        let paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];
        assert_eq!(others.each_ref().map(Url::path), paths);
        assert_eq!(endpoint(&"file:///v1".parse().unwrap(), ModelApi::Chat), None);
    }

    #[test]
    fn each_message_has_the_role_of_whoever_said_it() {
        let arguments = Map::from_iter([("metric".to_owned(), json!("cpu"))]);
        let call = |id: &str, arguments| ShownCall { id: id.to_owned(), name: "status".to_owned(), arguments };
        let result = |id: &str| prompt::TranscriptEntry::Result {
            id: id.to_owned(),
            tool: "status".to_owned(),
            content: "{\"cpu\":12.5}".to_owned(),
        };
        let messages = [
            prompt::TranscriptEntry::System("be brief".to_owned()),
            person("hello"),
            model("hello to you", Vec::new()),
            person("status?"),
            model("", vec![call("1", arguments), call("2", Map::new())]),
            result("1"),
            result("2"),
            model("I look again", vec![call("3", Map::new())]),
            result("3"),
            prompt::TranscriptEntry::Host("[host] There is no tool `metrics`.".to_owned()),
        ];
        let called = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "status", "arguments": arguments}});
        let answered =
            |id: &str| json!({"role": "tool", "tool_call_id": id, "name": "status", "content": "{\"cpu\":12.5}"});
        let expected = json!([
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "hello to you"},
            {"role": "user", "content": "status?"},
            {"role": "assistant", "content": null, "tool_calls": [called("1", "{\"metric\":\"cpu\"}"), called("2", "{}")]},
            answered("1"),
            answered("2"),
            {"role": "assistant", "content": "I look again", "tool_calls": [called("3", "{}")]},
            answered("3"),
            {"role": "user", "content": "[host] There is no tool `metrics`."},
        ]);
        assert_eq!(sent(&messages, &OfferedSet::none(), None)["messages"], expected);
    }

    #[test]
    fn without_a_system_message_its_text_begins_the_first_user_message() {
        let system = || prompt::TranscriptEntry::System("be brief".to_owned());
        let of = |messages: &[prompt::TranscriptEntry]| {
            let request = ChatRequest::new("llama", messages, &OfferedSet::none(), None).without_system();
            serde_json::to_value(request).unwrap()["messages"].clone()
        };
        let [asked, answered] = [("user", "hello"), ("assistant", "hello to you")]
            .map(|(role, content)| json!({"role": role, "content": content}));
        let folded = json!({"role": "user", "content": "be brief\n\nhello"});
        assert_eq!(of(&[system(), person("hello"), model("hello to you", Vec::new())]), json!([folded, answered]));
        let alone = json!({"role": "user", "content": "be brief"});
        assert_eq!(of(&[system(), model("hello to you", Vec::new())]), json!([alone, answered]));
        assert_eq!(of(&[person("hello")]), json!([asked]));
    }

    #[test]
    fn pictures_are_parts_behind_the_words_of_their_message() {
        let picture = Picture {
            media_type: "image/jpeg",
            data: b"pixels".as_slice().into(),
            size: (2, 1),
            made_of: "image/png 2x1".to_owned(),
        };
        let messages = [
            prompt::TranscriptEntry::System("be brief".to_owned()),
            person("what is this?"),
            model("I look.", Vec::new()),
            prompt::TranscriptEntry::Host("[host] go on".to_owned()),
        ];
        let pictures = [picture.clone(), picture];
        let request = ChatRequest::new("llama", &messages, &OfferedSet::none(), None).showing(Some((1, &pictures)));
        let shown = json!({"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,cGl4ZWxz"}});
        let [folded, whole] = [request.without_system(), request].map(|request| serde_json::to_value(request).unwrap());
        let parts = |text: &str| json!([{"type": "text", "text": text}, shown, shown]);
        assert_eq!(whole["messages"][1], json!({"role": "user", "content": parts("what is this?")}));
        assert_eq!(folded["messages"][0], json!({"role": "user", "content": parts("be brief\n\nwhat is this?")}));
        assert_eq!(whole["messages"][3], json!({"role": "user", "content": "[host] go on"}));
    }

    #[test]
    fn tools_are_sent_and_left_to_the_model() {
        let body = sent(&[person("hello")], &offered(), Some(512));
        let expected = json!({
            "model": "llama",
            "messages": [{"role": "user", "content": "hello"}],
            "tools": [
                {"type": "function", "function": {
                    "name": "status",
                    "description": "Show the live metrics",
                    "parameters": {"type": "object", "properties": {}},
                }},
            ],
            "tool_choice": "auto",
            "max_tokens": 512,
            "stream": true,
            "stream_options": {"include_usage": true},
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn what_is_not_set_is_not_sent() {
        let messages = [person("hello")];
        let request = ChatRequest::new("llama", &messages, &OfferedSet::none(), None);
        for (form, stream) in [(AnswerForm::Stream, true), (AnswerForm::Whole, false)] {
            let body = serde_json::to_value(request.asking_for(form)).unwrap();
            let expected =
                json!({"model": "llama", "messages": [{"role": "user", "content": "hello"}], "stream": stream});
            assert_eq!(body, expected);
        }
    }
}
