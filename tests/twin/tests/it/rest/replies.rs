//! Interaction responses and channel messages, with Discord's deadlines and order.

use std::time::Duration;

use discord_twin::{APPLICATION_ID, CHANNEL_ID, Interaction, Message, Sent, Twin};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{Tested, send, verdict};

fn callback_path(sent: &Sent) -> String {
    format!("/interactions/{}/{}/callback", sent.id, sent.token)
}

fn webhook_path(sent: &Sent, rest: &str) -> String {
    format!("/webhooks/{APPLICATION_ID}/{}{rest}", sent.token)
}

fn message() -> Value {
    json!({"type": 4, "data": {"content": "hi", "flags": 64}})
}

#[tokio::test]
async fn an_interaction_is_answered_once_and_in_time() -> Tested {
    let twin = Twin::start().await?;
    let sent = twin.interact(Interaction::slash("a"));
    let path = callback_path(&sent);
    assert_eq!(
        verdict(&twin, Method::POST, &webhook_path(&sent, ""), &json!({"content": "x"})).await?,
        (404, Some(10015))
    );
    assert_eq!(verdict(&twin, Method::POST, &path, &message()).await?, (204, None));
    assert_eq!(verdict(&twin, Method::POST, &path, &message()).await?, (400, Some(40060)));
    let late = twin.interact(Interaction::slash("a").aged_ms(3_100));
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&late), &message()).await?, (404, Some(10062)));
    let unknown = Sent { id: 5, token: "nobody".to_owned() };
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&unknown), &message()).await?, (404, Some(10062)));
    let answer = twin.answer_to(&sent, Duration::from_secs(1)).await.ok_or("no answer")?;
    assert_eq!((answer.text().as_str(), answer.is_ephemeral()), ("hi", true));
    assert_eq!(twin.refused().len(), 4);
    Ok(())
}

#[tokio::test]
async fn a_deferral_is_filled_by_an_edit() -> Tested {
    let twin = Twin::start().await?;
    let sent = twin.interact(Interaction::slash("a"));
    assert_eq!(
        verdict(&twin, Method::POST, &callback_path(&sent), &json!({"type": 5, "data": {"flags": 64}})).await?.0,
        204
    );
    let waiting = twin.original_of(&sent).ok_or("no original")?;
    assert_eq!(waiting["flags"], 64 | 128);
    let original = webhook_path(&sent, "/messages/@original");
    let (status, edited) = send(&twin, Method::PATCH, &original, &json!({"content": "done"})).await?;
    assert_eq!((status, &edited["content"], &edited["flags"]), (200, &json!("done"), &json!(64)));
    let (status, extra) = send(&twin, Method::POST, &webhook_path(&sent, ""), &json!({"content": "more"})).await?;
    assert_eq!((status, &extra["content"]), (200, &json!("more")));
    assert_eq!(send(&twin, Method::GET, &original, &Value::Null).await?.1["content"], "done");
    let answer = twin.answer_to(&sent, Duration::from_secs(1)).await.ok_or("no answer")?;
    assert_eq!(answer.text(), "done");
    assert_eq!(twin.replies_to(&sent).len(), 4);
    twin.age(&sent, Duration::from_secs(15 * 60));
    assert_eq!(verdict(&twin, Method::PATCH, &original, &json!({"content": "x"})).await?, (401, Some(50027)));
    Ok(())
}

#[tokio::test]
async fn callbacks_fit_the_kind_of_interaction() -> Tested {
    let twin = Twin::start().await?;
    let choices = json!({"type": 8, "data": {"choices": [{"name": "n", "value": "v"}]}});
    let input = json!({"type": 4, "custom_id": "i", "label": "l", "style": 1});
    let rows = json!([{"type": 1, "components": [input]}]);
    let modal = json!({"type": 9, "data": {"title": "t", "custom_id": "m", "components": rows}});
    let update = json!({"type": 7, "data": {"content": "x"}});
    let empty = json!({"type": 4, "data": {}});
    let long = json!({"type": 4, "data": {"content": "x".repeat(2001)}});
    let cases = [
        (Interaction::slash("a"), &choices, (400, Some(50035))),
        (Interaction::slash("a"), &update, (400, Some(50035))),
        (Interaction::slash("a"), &modal, (204, None)),
        (Interaction::slash("a"), &empty, (400, Some(50006))),
        (Interaction::slash("a"), &long, (400, Some(50035))),
        (Interaction::slash("a"), &json!({"type": 5, "data": {"flags": 4}}), (400, Some(50035))),
        (Interaction::slash("a"), &json!({}), (400, Some(50035))),
        (Interaction::autocomplete("a").focused("q", "x"), &message(), (400, Some(50035))),
        (Interaction::autocomplete("a").focused("q", "x"), &choices, (204, None)),
        (Interaction::button("b"), &update, (204, None)),
        (Interaction::button("b"), &json!({"type": 6}), (204, None)),
        (Interaction::modal("m", &[("f", "text")]), &modal, (400, Some(50035))),
        (Interaction::modal("m", &[("f", "text")]), &message(), (204, None)),
    ];
    for (interaction, body, expected) in cases {
        let shown = format!("{interaction:?} {body}");
        let sent = twin.interact(interaction);
        assert_eq!(verdict(&twin, Method::POST, &callback_path(&sent), body).await?, expected, "{shown}");
    }
    Ok(())
}

#[tokio::test]
async fn a_refused_callback_may_be_tried_again() -> Tested {
    let twin = Twin::start().await?;
    let sent = twin.interact(Interaction::slash("a"));
    let (_, refused) = send(&twin, Method::POST, &callback_path(&sent), &json!({"type": 8})).await?;
    assert_eq!(refused["errors"]["type"]["_errors"][0]["code"], "BASE_TYPE_CHOICES");
    let with_response = format!("{}?with_response=true", callback_path(&sent));
    let (status, answer) = send(&twin, Method::POST, &with_response, &message()).await?;
    assert_eq!((status, &answer["resource"]["message"]["content"]), (200, &json!("hi")));
    Ok(())
}

#[tokio::test]
async fn messages_in_channels() -> Tested {
    let twin = Twin::start().await?;
    let path = format!("/channels/{CHANNEL_ID}");
    assert_eq!(send(&twin, Method::GET, &path, &Value::Null).await?.1["type"], 0);
    assert_eq!(send(&twin, Method::POST, &format!("{path}/typing"), &Value::Null).await?.0, 204);
    let messages = format!("{path}/messages");
    let question = twin.say(Message::to_bot("hello"));
    let reply = json!({"content": "hi", "nonce": "n1", "enforce_nonce": true, "message_reference": {"message_id": question.to_string()}});
    let (status, sent) = send(&twin, Method::POST, &messages, &reply).await?;
    assert_eq!(status, 200);
    assert_eq!(send(&twin, Method::POST, &messages, &reply).await?.1["id"], sent["id"]);
    let one = format!("{messages}/{}", sent["id"].as_str().unwrap_or_default());
    assert_eq!(send(&twin, Method::PATCH, &one, &json!({"content": "bye"})).await?.1["content"], "bye");
    assert_eq!(verdict(&twin, Method::PATCH, &one, &json!({"content": ""})).await?, (400, Some(50006)));
    assert_eq!(verdict(&twin, Method::POST, &messages, &json!({})).await?, (400, Some(50006)));
    let theirs = format!("{messages}/{question}");
    assert_eq!(verdict(&twin, Method::PATCH, &theirs, &json!({"content": "x"})).await?, (403, Some(50005)));
    assert_eq!(
        verdict(&twin, Method::POST, "/channels/5/messages", &json!({"content": "x"})).await?,
        (404, Some(10003))
    );
    let orphan = json!({"content": "x", "message_reference": {"message_id": "5"}});
    assert_eq!(verdict(&twin, Method::POST, &messages, &orphan).await?, (400, Some(50035)));
    Ok(())
}

/// A message of the bot with one button, and its id.
async fn with_button(twin: &Twin, custom_id: &str) -> Result<u64, Box<dyn std::error::Error>> {
    let button = json!({"type": 2, "style": 1, "label": "Press", "custom_id": custom_id});
    let body = json!({"content": "sure?", "components": [{"type": 1, "components": [button]}]});
    let (_, sent) = send(twin, Method::POST, &format!("/channels/{CHANNEL_ID}/messages"), &body).await?;
    let id = sent["id"].as_str().unwrap_or_default().parse()?;
    assert_eq!(twin.requests().last().and_then(discord_twin::Recorded::message_id), Some(id));
    Ok(id)
}

#[tokio::test]
async fn a_click_carries_the_message_and_an_update_changes_it() -> Tested {
    let twin = Twin::start().await?;
    let id = with_button(&twin, "b").await?;
    let sent = twin.interact(Interaction::press(id, "b").by(7));
    // An update is checked like every other body.
    let long = json!({"type": 7, "data": {"content": "x".repeat(2001)}});
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&sent), &long).await?, (400, Some(50035)));
    let blank = json!({"type": 7, "data": {"content": "", "components": []}});
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&sent), &blank).await?, (400, Some(50006)));
    let update = json!({"type": 7, "data": {"content": "done", "components": []}});
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&sent), &update).await?, (204, None));
    let message = twin.message(id).ok_or("no message")?;
    assert_eq!((&message["content"], &message["components"]), (&json!("done"), &json!([])));
    assert_eq!(twin.requests().last().and_then(discord_twin::Recorded::message_id), Some(id));
    Ok(())
}

#[tokio::test]
async fn a_deferred_update_changes_nothing_until_the_original_is_edited() -> Tested {
    let twin = Twin::start().await?;
    let id = with_button(&twin, "b").await?;
    let sent = twin.interact(Interaction::press(id, "b"));
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&sent), &json!({"type": 6})).await?, (204, None));
    assert_eq!(twin.message(id).ok_or("no message")?["content"], "sure?");
    let original = webhook_path(&sent, "/messages/@original");
    assert_eq!(send(&twin, Method::PATCH, &original, &json!({"content": "later"})).await?.0, 200);
    assert_eq!(twin.message(id).ok_or("no message")?["content"], "later");
    Ok(())
}

#[tokio::test]
async fn a_click_may_be_answered_with_a_new_message() -> Tested {
    let twin = Twin::start().await?;
    let id = with_button(&twin, "b").await?;
    let sent = twin.interact(Interaction::press(id, "b"));
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&sent), &message()).await?, (204, None));
    assert_eq!(twin.message(id).ok_or("no message")?["content"], "sure?");
    assert_eq!(twin.original_of(&sent).ok_or("no original")?["content"], "hi");
    Ok(())
}

#[tokio::test]
#[should_panic(expected = "there is no component `gone`")]
async fn a_button_that_never_existed_cannot_be_clicked() {
    let twin = Twin::start().await.expect("a twin");
    let id = with_button(&twin, "b").await.expect("a message");
    twin.interact(Interaction::press(id, "gone"));
}

#[tokio::test]
async fn a_deleted_message_is_gone_and_named_in_the_log() -> Tested {
    let twin = Twin::start().await?;
    let id = with_button(&twin, "b").await?;
    let one = format!("/channels/{CHANNEL_ID}/messages/{id}");
    assert_eq!(verdict(&twin, Method::DELETE, &one, &Value::Null).await?, (204, None));
    assert_eq!(twin.requests().last().and_then(discord_twin::Recorded::message_id), Some(id));
    assert_eq!(twin.message(id), None);
    assert_eq!(verdict(&twin, Method::PATCH, &one, &json!({"content": "x"})).await?, (404, Some(10008)));
    assert_eq!(twin.requests().last().and_then(discord_twin::Recorded::message_id), None);
    Ok(())
}

#[tokio::test]
async fn a_modal_updates_the_message_it_was_opened_from_and_no_other() -> Tested {
    let twin = Twin::start().await?;
    let id = with_button(&twin, "b").await?;
    let update = json!({"type": 7, "data": {"content": "new"}});
    let loose = twin.interact(Interaction::modal("m", &[]));
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&loose), &update).await?, (400, Some(50035)));
    let opened = twin.interact(Interaction::modal("m", &[]).from_message(id));
    assert_eq!(verdict(&twin, Method::POST, &callback_path(&opened), &update).await?, (204, None));
    assert_eq!(twin.message(id).ok_or("no message")?["content"], "new");
    Ok(())
}

#[tokio::test]
async fn user_installed_applications_may_send_five_follow_ups() -> Tested {
    let twin = Twin::start().await?;
    for (interaction, last) in
        [(Interaction::slash("a"), (200, None)), (Interaction::slash("a").user_installed(), (400, Some(40094)))]
    {
        let sent = twin.interact(interaction);
        verdict(&twin, Method::POST, &callback_path(&sent), &message()).await?;
        let body = json!({"content": "more"});
        for _ in 0..5 {
            assert_eq!(verdict(&twin, Method::POST, &webhook_path(&sent, ""), &body).await?, (200, None));
        }
        assert_eq!(verdict(&twin, Method::POST, &webhook_path(&sent, ""), &body).await?, last);
    }
    Ok(())
}

#[tokio::test]
async fn every_refusal_names_its_rule() -> Tested {
    let twin = Twin::start().await?;
    let sent = twin.interact(Interaction::slash("a"));
    let path = callback_path(&sent);
    let bodies = [
        json!({"type": 6}),
        json!({"type": 5, "data": {"flags": 4}}),
        json!({"type": 4, "data": {"embeds": [{"title": "t".repeat(257)}]}}),
        message(),
        message(),
    ];
    for body in &bodies {
        verdict(&twin, Method::POST, &path, body).await?;
    }
    let rules: Vec<String> = twin.refused().into_iter().filter_map(|entry| entry.rule).collect();
    let expected = [
        "type BASE_TYPE_CHOICES",
        "data.flags BASE_TYPE_CHOICES",
        "data.embeds.0.title BASE_TYPE_MAX_LENGTH",
        "Interaction has already been acknowledged.",
    ];
    assert_eq!(rules, expected);
    Ok(())
}
