//! Messages that users, other bots and webhooks post.

use serde_json::{Value, json};

use crate::payload::{self, BOT_ID, CHANNEL_ID, DM_CHANNEL_ID, GUILD_ID, USER_ID};

/// A message to post. Built by [`Message::text`] or [`Message::to_bot`], posted by [`Twin::say`].
///
/// [`Twin::say`]: crate::Twin::say
#[derive(Clone, Debug)]
pub struct Message {
    content: String,
    author: Author,
    roles: Vec<u64>,
    channel: u64,
    guild: Option<u64>,
    mentions_bot: bool,
    reply_to: Option<ReplyTo>,
    kind: Option<u8>,
    pub(crate) age_ms: i64,
}

#[derive(Clone, Copy, Debug)]
enum Author {
    User(u64),
    Bot(u64),
    Webhook(u64),
}

#[derive(Clone, Debug)]
struct ReplyTo {
    id: u64,
    content: String,
    by_bot: bool,
}

impl Message {
    /// A message of [`USER_ID`] in [`CHANNEL_ID`].
    pub fn text(content: &str) -> Message {
        Message {
            content: content.to_owned(),
            author: Author::User(USER_ID),
            roles: Vec::new(),
            channel: CHANNEL_ID,
            guild: Some(GUILD_ID),
            mentions_bot: false,
            reply_to: None,
            kind: None,
            age_ms: 0,
        }
    }

    /// The same, beginning with a mention of the bot.
    pub fn to_bot(content: &str) -> Message {
        Message::text(&format!("<@{BOT_ID}> {content}")).mentions_bot()
    }

    /// Adds the bot to `mentions` without changing the text, as a reply that pings does.
    pub fn mentions_bot(mut self) -> Message {
        self.mentions_bot = true;
        self
    }

    /// Posted by this user.
    pub fn by(mut self, user_id: u64) -> Message {
        self.author = Author::User(user_id);
        self
    }

    /// The roles of the author in the guild. The default is none.
    pub fn roles(mut self, ids: &[u64]) -> Message {
        self.roles = ids.to_vec();
        self
    }

    /// Posted by a bot. With [`BOT_ID`] it is the tested bot's own message.
    pub fn by_bot(mut self, user_id: u64) -> Message {
        self.author = Author::Bot(user_id);
        self
    }

    /// Posted by a webhook.
    pub fn by_webhook(mut self, webhook_id: u64) -> Message {
        self.author = Author::Webhook(webhook_id);
        self
    }

    /// In the DM channel with the bot.
    pub fn in_dm(mut self) -> Message {
        self.channel = DM_CHANNEL_ID;
        self.guild = None;
        self
    }

    /// In another channel of the guild.
    pub fn in_channel(mut self, channel: u64) -> Message {
        self.channel = channel;
        self.guild = Some(GUILD_ID);
        self
    }

    /// As a reply to a message of the bot with this id and text.
    pub fn replying_to_bot(self, id: u64, content: &str) -> Message {
        self.replying(ReplyTo { id, content: content.to_owned(), by_bot: true })
    }

    /// As a reply to a message of [`USER_ID`] with this id and text.
    pub fn replying_to(self, id: u64, content: &str) -> Message {
        self.replying(ReplyTo { id, content: content.to_owned(), by_bot: false })
    }

    fn replying(mut self, reply_to: ReplyTo) -> Message {
        self.reply_to = Some(reply_to);
        self
    }

    /// Of this message type: 18 announces a thread whose name is the text.
    pub fn of_type(mut self, kind: u8) -> Message {
        self.kind = Some(kind);
        self
    }

    /// As if it had been posted this many milliseconds ago.
    pub fn aged_ms(mut self, age_ms: u64) -> Message {
        self.age_ms = i64::try_from(age_ms).unwrap_or(i64::MAX);
        self
    }

    pub(crate) fn channel(&self) -> String {
        self.channel.to_string()
    }

    pub(crate) fn is_dm(&self) -> bool {
        self.guild.is_none()
    }

    /// The payload of MESSAGE_CREATE.
    pub(crate) fn payload(&self, id: u64) -> Value {
        let channel = self.channel();
        let author = match self.author {
            Author::User(id) => payload::user(id, false),
            Author::Bot(id) | Author::Webhook(id) => payload::user(id, true),
        };
        let mut message = payload::plain_message(id, &channel, author, &self.content);
        if let Author::Webhook(id) = self.author {
            message["webhook_id"] = json!(id.to_string());
        }
        if let Some(guild) = self.guild {
            message["guild_id"] = json!(guild.to_string());
            // A webhook is not a member of the guild.
            if let Author::User(author) | Author::Bot(author) = self.author {
                message["member"] = payload::member(author);
                message["member"]["roles"] = self.roles.iter().map(u64::to_string).collect();
            }
        }
        if self.mentions_bot {
            message["mentions"] = json!([payload::user(BOT_ID, true)]);
        }
        if let Some(reply_to) = &self.reply_to {
            let author = payload::user(if reply_to.by_bot { BOT_ID } else { USER_ID }, reply_to.by_bot);
            message["type"] = json!(19);
            message["message_reference"] =
                json!({"type": 0, "channel_id": channel, "message_id": reply_to.id.to_string()});
            if let Some(guild) = self.guild {
                message["message_reference"]["guild_id"] = json!(guild.to_string());
            }
            message["referenced_message"] = payload::plain_message(reply_to.id, &channel, author, &reply_to.content);
        }
        if let Some(kind) = self.kind {
            message["type"] = json!(kind);
        }
        message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_is_in_the_text_and_in_the_list() {
        let message = Message::to_bot("hello").payload(1 << 40);
        assert_eq!(message["content"], format!("<@{BOT_ID}> hello"));
        assert_eq!(message["mentions"][0]["id"], BOT_ID.to_string());
        assert_eq!(message["guild_id"], GUILD_ID.to_string());
    }

    #[test]
    fn a_direct_message_has_no_guild() {
        let message = Message::text("hello").in_dm().payload(1 << 40);
        assert!(message.get("guild_id").is_none() && message.get("member").is_none());
    }
}
