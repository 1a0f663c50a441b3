//! Converts what comes with a message: the message that it replies to or forwards, its files, and whom it mentions.

use serenity::model::channel::{Attachment, Embed, Message as DiscordMessage, MessageReferenceKind, MessageSnapshot};
use serenity::model::user::User;

use crate::edges::discord::convert::sent::sent;
use candor_core::inbound::{
    AttachedFile, CameWith, EventId, MentionedPerson, Quoted, QuotedAuthor, QuotedMessage, UserId,
};

/// What comes with a message. `bot` is the bot's own id.
pub(crate) fn came_with(message: &DiscordMessage, bot: UserId) -> CameWith {
    let forwarded = message.message_snapshots.iter().map(|snapshot| Quoted::Message(forwarded(message, snapshot)));
    let reply = match &message.referenced_message {
        Some(to) => Some(Quoted::Message(quoted(to, bot))),
        // Discord tells the id of a deleted message, and nothing else of it.
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

/// An earlier message, as a chain of replies shows it.
pub(crate) fn quoted(message: &DiscordMessage, bot: UserId) -> QuotedMessage {
    let by = match message.author.id.get() == bot.0 {
        true => QuotedAuthor::Itself,
        false => QuotedAuthor::Other(message.author.display_name().to_owned()),
    };
    let named = message.mentions.iter().fold(message.content.clone(), |text, user| {
        text.replace(&format!("<@{}>", user.id), &format!("@{}", user.display_name()))
    });
    let forwarded = message.message_snapshots.iter().map(|snapshot| snapshot.content.clone());
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

/// The message of the same channel that one replies to.
fn replied_to(message: &DiscordMessage) -> Option<EventId> {
    let reference = message.message_reference.as_ref()?;
    let is_reply = reference.kind == MessageReferenceKind::Default && reference.channel_id == message.channel_id;
    reference.message_id.filter(|_| is_reply).map(|id| EventId(id.get()))
}

fn forwarded(message: &DiscordMessage, snapshot: &MessageSnapshot) -> QuotedMessage {
    let parts = [snapshot.content.clone()].into_iter().chain(snapshot.embeds.iter().map(text_of));
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

/// The words of an embed: a command's answer has no others.
fn text_of(embed: &Embed) -> String {
    let fields = embed.fields.iter().map(|field| format!("{}: {}", field.name, field.value));
    let texts = [embed.title.clone(), embed.description.clone()].into_iter().flatten().chain(fields);
    let footer = embed.footer.as_ref().map(|footer| footer.text.clone());
    texts.chain(footer).collect::<Vec<_>>().join("\n")
}

fn file(attachment: &Attachment) -> AttachedFile {
    AttachedFile {
        name: attachment.filename.clone(),
        media_type: attachment.content_type.clone(),
        bytes: u64::from(attachment.size),
        url: attachment.url.clone(),
    }
}

fn mentioned(user: &User) -> MentionedPerson {
    MentionedPerson { id: UserId(user.id.get()), name: user.display_name().to_owned() }
}

/// What no model can be shown, in words.
fn unseen(message: &DiscordMessage) -> Vec<String> {
    let stickers = message.sticker_items.iter().map(|sticker| format!("a sticker \"{}\"", sticker.name));
    stickers.chain(message.poll.as_ref().map(|_| "a poll".to_owned())).collect()
}
