//! The body of a request to OpenAI's Responses.

use serde_json::{Map, Value, json};

use crate::wire::request::{AnswerForm, ChatRequest, WireContent, WireMessage, address_of_data};

/// Builds the body: the system text in a separate field, and a list of items. The server must not store any of it.
pub(super) fn body(request: &ChatRequest<'_>, form: AnswerForm) -> Value {
    let mut instructions = Vec::new();
    let mut input = Vec::new();
    for message in &request.messages {
        match message {
            WireMessage::System { content } => instructions.push(*content),
            WireMessage::User { content } if content.pictures.is_empty() => input.push(said("user", &content.text)),
            WireMessage::User { content } => input.push(shown(content)),
            WireMessage::Assistant { content, tool_calls, .. } => {
                input.extend(content.filter(|text| !text.is_empty()).map(|text| said("assistant", text)));
                input.extend(tool_calls.iter().map(|call| {
                    let name = call.function.name;
                    let arguments = &call.function.arguments;
                    json!({ "type": "function_call", "call_id": call.id, "name": name, "arguments": arguments })
                }));
            }
            WireMessage::Tool { tool_call_id, content, .. } => {
                input.push(json!({ "type": "function_call_output", "call_id": tool_call_id, "output": content }));
            }
        }
    }
    let mut body = Map::from_iter([
        ("model".to_owned(), json!(request.model)),
        ("input".to_owned(), Value::Array(input)),
        ("store".to_owned(), json!(false)),
        ("stream".to_owned(), json!(form != AnswerForm::Whole)),
    ]);
    if !instructions.is_empty() {
        body.insert("instructions".to_owned(), json!(instructions.join("\n\n")));
    }
    if let Some(max_tokens) = request.max_tokens {
        body.insert("max_output_tokens".to_owned(), json!(max_tokens));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(tool).collect());
        body.insert("tool_choice".to_owned(), json!("auto"));
    }
    body.extend(request.added.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
    Value::Object(body)
}

fn said(role: &str, words: &str) -> Value {
    json!({ "type": "message", "role": role, "content": words })
}

/// Words, and the pictures behind them.
fn shown(content: &WireContent<'_>) -> Value {
    let text = json!({ "type": "input_text", "text": content.text });
    let image = |picture| json!({ "type": "input_image", "image_url": address_of_data(picture) });
    let parts: Vec<_> = [text].into_iter().chain(content.pictures.iter().map(image)).collect();
    json!({ "type": "message", "role": "user", "content": parts })
}

/// Converts a tool to this API's form. Not strict, which would refuse schemas with optional fields.
fn tool(tool: &Value) -> Value {
    let function = &tool["function"];
    json!({
        "type": "function",
        "name": function["name"],
        "description": function["description"],
        "parameters": function["parameters"],
        "strict": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::agent::Probe;
    use candor_core::agent::prompt::{ShownCall, TranscriptEntry};
    use candor_core::agent::tools::OfferedSet;
    use candor_core::inbound::Picture;

    #[test]
    fn each_message_call_and_result_is_an_item_in_its_place() {
        let call = |id: &str| ShownCall { id: id.to_owned(), name: "status".to_owned(), arguments: Map::new() };
        let result = TranscriptEntry::Result {
            id: "1".to_owned(),
            tool: "status".to_owned(),
            content: "{\"cpu\":12.5}".to_owned(),
        };
        let model = |text: &str, calls| TranscriptEntry::Model { text: text.to_owned(), calls };
        let messages = [
            TranscriptEntry::System("be brief".to_owned()),
            TranscriptEntry::Person("hello".to_owned()),
            model("hello to you", Vec::new()),
            TranscriptEntry::Person("status?".to_owned()),
            model("", vec![call("1")]),
            result,
            model("I look again", vec![call("2")]),
            TranscriptEntry::Host("[host] There is no tool `metrics`.".to_owned()),
        ];
        let called = |id: &str| json!({"type": "function_call", "call_id": id, "name": "status", "arguments": "{}"});
        let expected = json!({
            "model": "gpt",
            "instructions": "be brief",
            "input": [
                {"type": "message", "role": "user", "content": "hello"},
                {"type": "message", "role": "assistant", "content": "hello to you"},
                {"type": "message", "role": "user", "content": "status?"},
                called("1"),
                {"type": "function_call_output", "call_id": "1", "output": "{\"cpu\":12.5}"},
                {"type": "message", "role": "assistant", "content": "I look again"},
                called("2"),
                {"type": "message", "role": "user", "content": "[host] There is no tool `metrics`."},
            ],
            "store": false,
            "stream": true,
        });
        let request = ChatRequest::new("gpt", &messages, &OfferedSet::none(), None);
        assert_eq!(body(&request, AnswerForm::CountedStream), expected);
    }

    #[test]
    fn a_picture_is_a_part_behind_the_words_about_it() {
        let data = b"pixels".as_slice().into();
        let pictures = [Picture { media_type: "image/jpeg", data, size: (1, 1), made_of: String::new() }];
        let messages = [TranscriptEntry::Person("what is it?".to_owned())];
        let none = OfferedSet::none();
        let request = ChatRequest::new("gpt", &messages, &none, None).showing(Some((0, &pictures)));
        let content = json!([
            {"type": "input_text", "text": "what is it?"},
            {"type": "input_image", "image_url": "data:image/jpeg;base64,cGl4ZWxz"},
        ]);
        let expected = json!([{"type": "message", "role": "user", "content": content}]);
        assert_eq!(body(&request, AnswerForm::Whole)["input"], expected);
    }

    #[test]
    fn tools_are_flat_and_the_operator_s_fields_are_sent() {
        let added = Map::from_iter([("reasoning".to_owned(), json!({"effort": "low"}))]);
        let messages = [TranscriptEntry::Person("hello".to_owned())];
        let probe = Probe::default();
        let tools = probe.request("gpt").tools;
        let request = ChatRequest::new("gpt", &messages, tools, Some(512)).with(&added);
        let [offered] = tools.tools() else { panic!("one tool") };
        let body = body(&request, AnswerForm::Whole);
        let expected = json!({
            "type": "function",
            "name": "ready",
            "description": offered.description,
            "parameters": offered.shown,
            "strict": false,
        });
        assert_eq!((&body["tools"], &body["tool_choice"]), (&json!([expected]), &json!("auto")));
        assert_eq!((&body["max_output_tokens"], &body["stream"]), (&json!(512), &json!(false)));
        assert_eq!((&body["reasoning"]["effort"], &body["instructions"]), (&json!("low"), &Value::Null));
    }
}
