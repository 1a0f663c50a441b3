//! The same turns with a model in each API, through the whole bot: what a person sees is the same.

use discord_twin::Message;
use serde_json::{Value, json};

use crate::discord::chat::talking::{shown, standing};
use crate::discord::connected::{Connected, connect};
use crate::support::bot::Folder;
use crate::support::said::{assert_says, footer, label, said};
use crate::support::scripted_model::{Asked, Authorization, KEY, Script, ScriptedModel};
use candor_core::settings::ModelApi;

/// Two servers that speak these APIs, and a bot that asks the second one where the first one fails.
async fn connect_to(
    api: ModelApi,
    scripts: Vec<Script>,
    other: ModelApi,
    spare: Vec<Script>,
) -> (Connected, [ScriptedModel; 2]) {
    let models = [ScriptedModel::start(scripts).await, ScriptedModel::start(spare).await];
    let [first, second] = models.each_ref().map(ScriptedModel::base_url);
    let connected = connect(&format!(
        "[model]\napi = \"{}\"\nbase_url = \"{first}\"\nmodels = [\"one\"]\ntemperature = 0.5\n\
         [models.spare]\napi = \"{}\"\nbase_url = \"{second}\"\nmodels = [\"two\"]\n\
         [chat]\nfallbacks = [\"spare/two\"]\n",
        api.name(),
        other.name()
    ))
    .await;
    connected.bot.hears(&["commands at Discord"]);
    (connected, models)
}

/// Where the requests went, each once.
fn paths(asked: &[Asked]) -> Vec<&str> {
    let mut paths: Vec<_> = asked.iter().map(|asked| asked.path.as_str()).collect();
    paths.dedup();
    paths
}

/// The result of the only call of a request, in whatever API.
fn result(api: ModelApi, body: &Value) -> Value {
    let last = |list: &Value| list.as_array().and_then(|list| list.last()).cloned().unwrap_or_default();
    match api {
        ModelApi::Chat => last(&body["messages"])["content"].clone(),
        ModelApi::Responses => last(&body["input"])["output"].clone(),
        ModelApi::Messages => last(&last(&body["messages"])["content"])["content"].clone(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_the_same_in_every_api() {
    for api in ModelApi::ALL {
        let scripts = vec![
            Script::says("Hello to you."),
            Script::calls(&[("status", json!({}))]),
            Script::says("All is well."),
            Script::finish("length", "It begins with"),
        ];
        let (connected, [model, _spare]) = connect_to(api, scripts, api, Vec::new()).await;

        connected.twin.say(Message::to_bot("hello"));
        let words = shown(&connected, "Hello to you.").await;
        assert_eq!(words.message()["content"], format!("Hello to you.\n{}", label()), "{api:?}");

        connected.twin.say(Message::to_bot("what's our status?"));
        shown(&connected, &footer("/status")).await;
        shown(&connected, "All is well.").await;

        connected.twin.say(Message::to_bot("tell me a tale"));
        let cut = shown(&connected, "It begins with").await;
        assert_says(cut.text(), said!("note-cut-off"));

        let standing = standing(&connected);
        assert_eq!(standing.len(), 4, "{api:?} {standing:#?}");
        assert!(
            standing.iter().all(|message| !message.contains("which words?")),
            "thinking is never shown: {standing:#?}"
        );
        let asked = model.asked();
        assert_eq!((asked.len(), paths(&asked)), (4, vec![format!("/v1/{}", api.path()).as_str()]), "{api:?}");
        assert!(asked.iter().all(|asked| asked.body["temperature"] == json!(0.5)), "{api:?}");
        let result = result(api, &asked[2].body);
        assert!(result.as_str().is_some_and(|result| result.contains("GiB")), "{api:?} {result}");
        assert_eq!(connected.twin.refused(), []);
    }
}

/// The scripted server refuses a request without it, as Anthropic's does.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_model_thought_before_a_call_is_sent_back_with_the_result_and_shown_to_nobody() {
    // Each call has an id of its own there.
    let call = |id: &str, name: &str| {
        let call = json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}});
        Script::message("tool_calls", json!({"role": "assistant", "content": null, "tool_calls": [call]}))
    };
    let scripts = vec![
        call("toolu_1", "status"),
        call("toolu_2", "tasks_list"),
        Script::says("All is well."),
        Script::says("Still."),
    ];
    let model = ScriptedModel::start(scripts).await;
    let connected = connect(&format!(
        "[model]\napi = \"messages\"\nbase_url = \"{}\"\nmodels = [\"one\"]\n\
         body = {{ thinking = {{ type = \"enabled\", budget_tokens = 1024 }} }}\n",
        model.base_url()
    ))
    .await;
    connected.bot.hears(&["commands at Discord"]);
    connected.twin.say(Message::to_bot("what's our status, and what is to do?"));
    shown(&connected, "All is well.").await;
    connected.twin.say(Message::to_bot("and now?"));
    shown(&connected, "Still.").await;
    let thoughts = |asked: &Asked| {
        let messages = asked.body["messages"].as_array().unwrap();
        let blocks = messages.iter().flat_map(|message| message["content"].as_array().unwrap());
        blocks.filter(|block| block["type"] == "thinking").count()
    };
    // In the next turn they are not needed any more.
    assert_eq!(model.asked().iter().map(thoughts).collect::<Vec<_>>(), [0, 1, 2, 0]);
    assert!(standing(&connected).iter().all(|message| !message.contains("which words?")));
    assert_eq!(connected.twin.refused(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_in_another_api_stands_in_for_one_whose_server_fails() {
    for (api, other) in [
        (ModelApi::Chat, ModelApi::Messages),
        (ModelApi::Messages, ModelApi::Responses),
        (ModelApi::Responses, ModelApi::Chat),
    ] {
        let failing = vec![Script::error(503, "Overloaded"); 9];
        let whole = vec![Script::calls(&[("status", json!({}))]), Script::says("Here I am.")];
        let (connected, [model, spare]) = connect_to(api, failing, other, whole).await;
        connected.twin.say(Message::to_bot("what's our status?"));
        shown(&connected, &footer("/status")).await;
        let words = shown(&connected, "Here I am.").await;
        // Under a message nothing is code.
        let stood_in = said!("chat-stood-in", failed = "`one`", model = "spare/two").replace('`', "'");
        assert_says(words.text(), stood_in);
        assert_eq!(paths(&model.asked()), [format!("/v1/{}", api.path())], "{api:?} {other:?}");
        let asked = spare.asked();
        assert_eq!(paths(&asked), [format!("/v1/{}", other.path())], "{api:?} {other:?}");
        let result = result(other, &asked[1].body);
        assert!(result.as_str().is_some_and(|result| result.contains("GiB")), "{other:?} {result}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_goes_where_the_api_wants_it_and_the_check_asks_in_every_api() {
    for api in ModelApi::ALL {
        let model = ScriptedModel::start(vec![Script::says("Here I am.")]).await;
        let folder = Folder::with(&format!(
            "[model]\napi = \"{}\"\nbase_url = \"{}\"\nmodels = [\"one\"]\nkey_file = \"key\"\n",
            api.name(),
            model.base_url()
        ));
        std::fs::write(folder.path().join("key"), KEY).unwrap();
        let (told, shown) = tokio::task::spawn_blocking(move || {
            (folder.run(&["check", "--online", "--format", "json"]), folder.console("hello\n"))
        })
        .await
        .unwrap();
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(told["models"][0]["tools"], json!("native"), "{api:?} {told}");
        assert_says(String::from_utf8(shown.stdout).unwrap(), "Here I am.");
        let asked = model.asked();
        let [asked] = asked.as_slice() else { panic!("{asked:?}") };
        let key = asked.headers.get("x-api-key").and_then(|value| value.to_str().ok());
        let expected = match api {
            ModelApi::Messages => (Authorization::Absent, Some(KEY)),
            ModelApi::Chat | ModelApi::Responses => (Authorization::Expected, None),
        };
        assert_eq!((asked.authorization, key), expected, "{api:?}");
    }
}
