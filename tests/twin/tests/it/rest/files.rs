//! Files that come with a message, and what refers to them.

use discord_twin::{APPLICATION_ID, CHANNEL_ID, Interaction as Started, Twin};
use serde_json::{Value, json};
use serenity::all::{
    ChannelId, CreateAttachment, CreateEmbed, CreateInteractionResponse, CreateInteractionResponseMessage,
    CreateMessage, EditAttachments, EditInteractionResponse, Http, HttpBuilder,
};

use crate::Tested;

fn http(twin: &Twin) -> Http {
    let http = HttpBuilder::new("secret").proxy(twin.url()).ratelimiter_disabled(true).build();
    http.set_application_id(APPLICATION_ID.into());
    http
}

fn picture() -> CreateAttachment {
    CreateAttachment::bytes(*b"\x89PNG\r\n\x00\xff", "chart.png").description("A chart")
}

#[tokio::test]
async fn a_picture_in_an_answer_is_kept_with_its_text() -> Tested {
    let twin = Twin::start().await?;
    let http = http(&twin);
    let sent = twin.interact(Started::slash("status"));
    let embed = CreateEmbed::new().title("t").attachment("chart.png");
    let reply = CreateInteractionResponseMessage::new().embed(embed.clone()).add_file(picture());
    let files = vec![picture()];
    let response = CreateInteractionResponse::Message(reply);
    http.create_interaction_response(sent.id.into(), &sent.token, &response, files).await?;
    let stored = twin.original_of(&sent).ok_or("no answer")?;
    let file = &stored["attachments"][0];
    assert_eq!((&file["filename"], &file["description"]), (&json!("chart.png"), &json!("A chart")), "{stored}");
    assert_eq!((&file["size"], &file["content_type"]), (&json!(8), &json!("image/png")));
    let id = stored["id"].as_str().unwrap_or_default().parse()?;
    assert_eq!(twin.file(id, "chart.png").as_deref(), Some(&b"\x89PNG\r\n\x00\xff"[..]));

    // An edit that lists only the new file replaces the old one.
    let edit = EditInteractionResponse::new().embed(embed).attachments(EditAttachments::new().add(picture()));
    let edited = http.edit_original_interaction_response(&sent.token, &edit, vec![picture()]).await?;
    assert_eq!(edited.attachments.len(), 1);
    assert_ne!(Some(edited.attachments[0].id.to_string().as_str()), file["id"].as_str());
    assert_eq!(twin.refused(), []);
    Ok(())
}

#[tokio::test]
async fn nothing_shows_a_file_that_is_not_there() -> Tested {
    let twin = Twin::start().await?;
    let embed = CreateEmbed::new().title("t").attachment("other.png");
    let message = CreateMessage::new().embed(embed).add_file(picture());
    let refused = ChannelId::new(CHANNEL_ID).send_message(http(&twin), message).await;
    assert!(refused.is_err());
    let refused = twin.refused();
    assert_eq!(refused[0].rule.as_deref(), Some("embeds.0.image.url ATTACHMENT_NOT_FOUND"), "{:?}", refused[0].body);
    assert_eq!(refused[0].files[0].filename, "chart.png");
    Ok(())
}

#[tokio::test]
async fn a_file_alone_is_a_message_until_it_is_taken_away() -> Tested {
    let twin = Twin::start().await?;
    let channel = ChannelId::new(CHANNEL_ID);
    let message = channel.send_message(http(&twin), CreateMessage::new().add_file(picture())).await?;
    let path = format!("/channels/{CHANNEL_ID}/messages/{}", message.id);
    let bare: Value = json!({"attachments": []});
    assert_eq!(crate::verdict(&twin, reqwest::Method::PATCH, &path, &bare).await?, (400, Some(50006)));
    let kept = json!({"content": "x", "attachments": [{"id": message.attachments[0].id.to_string()}]});
    let (status, edited) = crate::send(&twin, reqwest::Method::PATCH, &path, &kept).await?;
    assert_eq!((status, edited["attachments"].as_array().map(Vec::len)), (200, Some(1)));
    Ok(())
}
