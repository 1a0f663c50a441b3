//! The body of a request to Anthropic's Messages.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Map, Value, json};

use crate::wire::content::Thought;
use crate::wire::request::{AnswerForm, ChatRequest, WireCall, WireMessage};
use candor_core::agent::HOST;
use candor_core::inbound::Picture;

/// The length limit of an answer if the operator sets none. The API requires one.
const MAX_TOKENS: u32 = 4_096;

/// Builds the body: the system text in a separate field, then person and model in turn, a person first.
pub(super) fn body(request: &ChatRequest<'_>, form: AnswerForm) -> Value {
    let mut system = Vec::new();
    let mut turns: Vec<Turn> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = match message {
            WireMessage::System { content } => {
                system.extend((!content.trim().is_empty()).then_some(*content));
                continue;
            }
            WireMessage::User { content } => {
                ("user", content.pictures.iter().map(image).chain(text(&content.text)).collect())
            }
            WireMessage::Assistant { content, tool_calls, thoughts } => {
                ("assistant", answered(content.unwrap_or_default(), tool_calls, thoughts))
            }
            WireMessage::Tool { tool_call_id, content, .. } => ("user", vec![tool_result(tool_call_id, content)]),
        };
        match turns.last_mut() {
            Some(turn) if turn.role == role => turn.blocks.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => turns.push(Turn { role, blocks }),
        }
    }
    if turns.first().is_none_or(|turn| turn.role != "user") {
        turns.insert(0, Turn { role: "user", blocks: text(&format!("{HOST} What was said before is left out.")) });
    }
    let thinks = thinks_on(&turns);
    let messages = turns.into_iter().map(|turn| json!({ "role": turn.role, "content": turn.blocks }));
    let mut body = Map::from_iter([
        ("model".to_owned(), json!(request.model)),
        ("max_tokens".to_owned(), json!(request.max_tokens.unwrap_or(MAX_TOKENS))),
        ("messages".to_owned(), messages.collect()),
        ("stream".to_owned(), json!(form != AnswerForm::Whole)),
    ]);
    if !system.is_empty() {
        body.insert("system".to_owned(), json!(system.join("\n\n")));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".to_owned(), json!({ "type": "auto" }));
    }
    body.extend(request.added.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
    if !thinks && body.get("thinking").is_some_and(|thinking| thinking["type"] == "enabled") {
        body.insert("thinking".to_owned(), json!({ "type": "disabled" }));
    }
    Value::Object(body)
}

/// Returns the blocks of one answer of the model: its words, then its calls, with its thinking in the original places.
fn answered(words: &str, calls: &[WireCall<'_>], thoughts: &[Thought]) -> Vec<Value> {
    let thought = |n: usize| {
        let there = thoughts.iter().filter(move |thought| thought.before == n);
        there.map(|thought| thought.block.clone())
    };
    let first = thought(0).filter(|_| !calls.is_empty());
    let others = (1..).zip(calls.iter().skip(1)).flat_map(|(n, call)| thought(n).chain([tool_use(call)]));
    first.chain(text(words)).chain(calls.first().map(tool_use)).chain(others).collect()
}

/// Returns whether the model may think before it goes on. When results of calls are answered, the API requires the
/// thinking before those calls. It is missing if it is no longer kept, or if another provider's model made the calls.
fn thinks_on(turns: &[Turn]) -> bool {
    let last = turns.iter().rev().find(|turn| turn.role == "assistant");
    last.is_none_or(|turn| {
        !turn.blocks.iter().any(|block| block["type"] == "tool_use") || turn.blocks.first().is_some_and(Thought::is)
    })
}

/// Consecutive blocks of one side.
struct Turn {
    role: &'static str,
    blocks: Vec<Value>,
}

/// Returns a block of words. Empty for blank words, because the API accepts no such block.
fn text(words: &str) -> Vec<Value> {
    (!words.trim().is_empty()).then(|| json!({ "type": "text", "text": words })).into_iter().collect()
}

/// Returns a block of a picture, which goes in front of the words about it.
fn image(Picture { media_type, data, .. }: &Picture) -> Value {
    let data = BASE64_STANDARD.encode(data);
    json!({ "type": "image", "source": { "type": "base64", "media_type": media_type, "data": data } })
}

fn tool_use(call: &WireCall<'_>) -> Value {
    let input = serde_json::from_str::<Map<String, Value>>(&call.function.arguments).unwrap_or_default();
    json!({ "type": "tool_use", "id": block_id(call.id), "name": call.function.name, "input": input })
}

fn tool_result(id: &str, content: &str) -> Value {
    json!({ "type": "tool_result", "tool_use_id": block_id(id), "content": content })
}

/// Escapes an id to letters, digits, `_` and `-`. The API accepts nothing else, but ids of other APIs contain it.
fn block_id(id: &str) -> String {
    let letter = |letter: char| match letter {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' | '-' => letter.to_string(),
        other => format!("_{:x}_", u32::from(other)),
    };
    id.chars().map(letter).collect()
}

/// Converts a tool to this API's form.
fn tool(tool: &Value) -> Value {
    let function = &tool["function"];
    json!({
        "name": function["name"],
        "description": function["description"],
        "input_schema": function["parameters"],
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use candor_core::agent::Probe;
    use candor_core::agent::prompt::{ShownCall, TranscriptEntry};
    use candor_core::agent::tools::OfferedSet;

    fn sent(messages: &[TranscriptEntry]) -> Value {
        body(&ChatRequest::new("claude", messages, &OfferedSet::none(), None), AnswerForm::CountedStream)
    }

    fn person(words: &str) -> TranscriptEntry {
        TranscriptEntry::Person(words.to_owned())
    }

    fn model(text: &str, calls: &[(&str, Value)]) -> TranscriptEntry {
        let call = |(id, arguments): &(&str, Value)| ShownCall {
            id: (*id).to_owned(),
            name: "status".to_owned(),
            arguments: arguments.as_object().cloned().unwrap(),
        };
        TranscriptEntry::Model { text: text.to_owned(), calls: calls.iter().map(call).collect() }
    }

    fn result(id: &str) -> TranscriptEntry {
        TranscriptEntry::Result { id: id.to_owned(), tool: "status".to_owned(), content: "{\"cpu\":12.5}".to_owned() }
    }

    fn said(words: &str) -> Value {
        json!({"type": "text", "text": words})
    }

    #[test]
    fn a_person_and_the_model_speak_in_turn_and_the_results_of_calls_are_a_person_s() {
        let used = |id: &str, input: Value| json!({"type": "tool_use", "id": id, "name": "status", "input": input});
        let gave = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "{\"cpu\":12.5}"});
        let messages = [
            TranscriptEntry::System("be brief".to_owned()),
            person("hello"),
            model("hello to you", &[]),
            person("status?"),
            model(" ", &[("1", json!({"metric": "cpu"})), ("functions.status:2", json!({}))]),
            result("1"),
            result("functions.status:2"),
            TranscriptEntry::Host("[host] There is no tool `metrics`.".to_owned()),
            model("", &[]),
            person("again"),
        ];
        let other = "functions_2e_status_3a_2";
        let last = vec![gave("1"), gave(other), said("[host] There is no tool `metrics`."), said("again")];
        let expected = json!({
            "model": "claude",
            "max_tokens": 4_096,
            "system": "be brief",
            "messages": [
                {"role": "user", "content": [said("hello")]},
                {"role": "assistant", "content": [said("hello to you")]},
                {"role": "user", "content": [said("status?")]},
                {"role": "assistant", "content": [used("1", json!({"metric": "cpu"})), used(other, json!({}))]},
                {"role": "user", "content": last},
            ],
            "stream": true,
        });
        assert_eq!(sent(&messages), expected);
    }

    #[test]
    fn what_the_model_thought_before_its_calls_is_sent_back_where_it_stood() {
        let thinking = |hm: &str| json!({"type": "thinking", "thinking": hm, "signature": format!("signed {hm}")});
        let redacted = json!({"type": "redacted_thinking", "data": "x"});
        let messages =
            [person("status?"), model("I look", &[("1", json!({})), ("2", json!({}))]), result("1"), result("2")];
        let none = OfferedSet::none();
        let thought = |before, block: &Value| Thought { before, block: block.clone() };
        let known: Arc<[Thought]> =
            [thought(0, &thinking("a")), thought(0, &redacted), thought(1, &thinking("b")), thought(2, &redacted)]
                .into();
        let sent = |thoughts: Option<&Arc<[Thought]>>, kind: &str| {
            let added = Map::from_iter([("thinking".to_owned(), json!({"type": kind, "budget_tokens": 2_000}))]);
            let request = ChatRequest::new("claude", &messages, &none, None)
                .recalling(|ids| thoughts.filter(|_| ids == ["1", "2"]).cloned())
                .with(&added);
            body(&request, AnswerForm::Whole)
        };
        let used = |id: &str| json!({"type": "tool_use", "id": id, "name": "status", "input": {}});
        let body = sent(Some(&known), "enabled");
        let whole = json!([thinking("a"), redacted, said("I look"), used("1"), thinking("b"), used("2")]);
        assert_eq!((&body["messages"][1]["content"], &body["thinking"]["type"]), (&whole, &json!("enabled")));

        // Without it the API would refuse the request, unless the model does not think.
        let without = json!([said("I look"), used("1"), used("2")]);
        for (kind, expected) in [("enabled", "disabled"), ("adaptive", "adaptive")] {
            let body = sent(None, kind);
            assert_eq!((&body["messages"][1]["content"], &body["thinking"]["type"]), (&without, &json!(expected)));
        }
    }

    #[test]
    fn a_picture_is_a_block_in_front_of_the_words_about_it() {
        let data = b"pixels".as_slice().into();
        let pictures = [Picture { media_type: "image/jpeg", data, size: (1, 1), made_of: String::new() }];
        let messages = [person("what is it?")];
        let none = OfferedSet::none();
        let request = ChatRequest::new("claude", &messages, &none, None).showing(Some((0, &pictures)));
        let source = json!({"type": "base64", "media_type": "image/jpeg", "data": "cGl4ZWxz"});
        let content = json!([{"type": "image", "source": source}, said("what is it?")]);
        assert_eq!(body(&request, AnswerForm::Whole)["messages"], json!([{"role": "user", "content": content}]));
    }

    #[test]
    fn a_person_speaks_first_whatever_is_left_out() {
        let left_out = said("[host] What was said before is left out.");
        let first = |messages: &[TranscriptEntry]| sent(messages)["messages"][0].clone();
        let user = |content: Value| json!({"role": "user", "content": [content]});
        assert_eq!(first(&[model("hello to you", &[]), person("hello")]), user(left_out.clone()));
        assert_eq!(first(&[person(" ")]), user(left_out));
        assert_eq!(first(&[person("hello")]), user(said("hello")));
    }

    #[test]
    fn tools_and_the_operator_s_fields_are_sent() {
        let added = Map::from_iter([("temperature".to_owned(), json!(0.5))]);
        let messages = [person("hello")];
        let probe = Probe::default();
        let tools = probe.request("claude").tools;
        let request = ChatRequest::new("claude", &messages, tools, Some(512)).with(&added);
        let body = body(&request, AnswerForm::Whole);
        let [offered] = tools.tools() else { panic!("one tool") };
        let tool = json!({"name": "ready", "description": offered.description, "input_schema": offered.shown});
        assert_eq!(body["tools"], json!([tool]));
        assert_eq!(body["tool_choice"], json!({"type": "auto"}));
        assert_eq!((&body["max_tokens"], &body["stream"]), (&json!(512), &json!(false)));
        assert_eq!((&body["temperature"], &body["system"]), (&json!(0.5), &Value::Null));
    }
}
