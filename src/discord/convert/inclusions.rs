//! Converts the context of a message: the message it replies to or forwards, its files, its
//! mentions, and its time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::payload::{Attachment, Embed, Message, Snapshot, User};
use candor_core::inbound::{
    AttachedFile, CameWith, EventId, MentionedPerson, Quoted, QuotedAuthor, QuotedMessage, UserId,
};

/// Returns the replied-to message, files and mentions of a message. `bot` is the bot's own id.
pub(crate) fn came_with(message: &Message<'_>, bot: UserId) -> CameWith {
    let forwarded = message.message_snapshots.iter().map(|snapshot| Quoted::Message(forwarded(message, snapshot)));
    let reply = match &message.referenced_message {
        Some(to) => Some(Quoted::Message(quoted(to, bot))),
        // For a deleted message, Discord sends only its id.
        None => replied_to(message).map(|_| Quoted::Gone),
    };
    CameWith {
        quoted: forwarded.chain(reply).collect(),
        files: message.attachments.iter().map(file).collect(),
        unseen: unseen(message),
        mentioned: message.mentions.iter().filter(|user| user.id.get() != bot.0).map(mentioned).collect(),
        asked_again: Vec::new(),
    }
}

/// Converts an earlier message of a reply chain.
pub(crate) fn quoted(message: &Message<'_>, bot: UserId) -> QuotedMessage {
    let by = match message.author.id.get() == bot.0 {
        true => QuotedAuthor::Itself,
        false => QuotedAuthor::Other(message.author.display_name().to_owned()),
    };
    let named = message.mentions.iter().fold(message.content.clone().into_owned(), |text, user| {
        text.replace(&format!("<@{}>", user.id), &format!("@{}", user.display_name()))
    });
    let forwarded = message.message_snapshots.iter().map(|snapshot| snapshot.message.content.clone().into_owned());
    let parts = [named].into_iter().chain(forwarded).chain(message.embeds.iter().map(text_of));
    QuotedMessage {
        id: EventId(message.id.get()),
        by,
        text: parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"),
        sent: sent(message.id.get()),
        files: message.attachments.iter().map(file).collect(),
        replies_to: replied_to(message),
    }
}

fn replied_to(message: &Message<'_>) -> Option<EventId> {
    message.replied_to().map(|id| EventId(id.get()))
}

fn forwarded(message: &Message<'_>, snapshot: &Snapshot<'_>) -> QuotedMessage {
    let snapshot = &snapshot.message;
    let parts = [snapshot.content.clone().into_owned()].into_iter().chain(snapshot.embeds.iter().map(text_of));
    let id = message.message_reference.as_ref().and_then(|reference| reference.message_id);
    QuotedMessage {
        id: EventId(id.unwrap_or(message.id).get()),
        by: QuotedAuthor::Unknown,
        text: parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"),
        sent: sent(id.unwrap_or(message.id).get()),
        files: snapshot.attachments.iter().map(file).collect(),
        replies_to: None,
    }
}

/// Returns the text of an embed: a command's answer has no other text.
fn text_of(embed: &Embed<'_>) -> String {
    let fields = embed.fields.iter().map(|field| format!("{}: {}", field.name, field.value));
    let texts = [&embed.title, &embed.description].into_iter().flatten().map(|text| text.clone().into_owned());
    let texts = texts.chain(fields);
    let footer = embed.footer.as_ref().map(|footer| footer.text.clone().into_owned());
    texts.chain(footer).collect::<Vec<_>>().join("\n")
}

fn file(attachment: &Attachment<'_>) -> AttachedFile {
    AttachedFile {
        name: attachment.filename.clone().into_owned(),
        media_type: attachment.content_type.as_deref().map(str::to_owned),
        bytes: attachment.size.unwrap_or_default(),
        url: attachment.url.clone().into_owned(),
    }
}

fn mentioned(user: &User<'_>) -> MentionedPerson {
    MentionedPerson { id: UserId(user.id.get()), name: user.display_name().to_owned() }
}

/// Describes in words the parts that cannot be shown to a model.
fn unseen(message: &Message<'_>) -> Vec<String> {
    let stickers = message.sticker_items.iter().map(|sticker| format!("a sticker \"{}\"", sticker.name));
    stickers.chain(message.has_poll.then(|| "a poll".to_owned())).collect()
}

/// The Discord epoch, the first millisecond of its ids: the start of 2015. See its documentation on snowflakes.
const DISCORD_EPOCH_MS: u64 = 1_420_070_400_000;

/// Returns when an event was created by Discord's clock, read from its id.
pub(crate) fn sent(id: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis((id >> 22) + DISCORD_EPOCH_MS)
}
