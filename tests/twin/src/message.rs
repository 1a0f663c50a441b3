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
    mentioned_roles: Vec<u64>,
    channel: u64,
    guild: Option<u64>,
    mentions_bot: bool,
    reply_to: Option<ReplyTo>,
    mentions: Vec<u64>,
    pub(crate) files: Vec<AttachedFile>,
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
    /// What it says, if the twin has no such message.
    made_up: Option<(String, bool)>,
}

/// A file of a message.
#[derive(Clone, Debug)]
pub(crate) struct AttachedFile {
    pub(crate) name: String,
    /// The size that the message announces, in bytes.
    announced: u64,
    pub(crate) content: Vec<u8>,
}

impl Message {
    /// A message of [`USER_ID`] in [`CHANNEL_ID`].
    pub fn text(content: &str) -> Message {
        Message {
            content: content.to_owned(),
            author: Author::User(USER_ID),
            roles: Vec::new(),
            mentioned_roles: Vec::new(),
            channel: CHANNEL_ID,
            guild: Some(GUILD_ID),
            mentions_bot: false,
            reply_to: None,
            mentions: Vec::new(),
            files: Vec::new(),
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

    /// Adds this role to `mention_roles` without changing the text.
    pub fn mentioning_role(mut self, role: u64) -> Message {
        self.mentioned_roles.push(role);
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
        self.replying(ReplyTo { id, made_up: Some((content.to_owned(), true)) })
    }

    /// As a reply to a message of [`USER_ID`] with this id and text.
    pub fn replying_to(self, id: u64, content: &str) -> Message {
        self.replying(ReplyTo { id, made_up: Some((content.to_owned(), false)) })
    }

    /// As a reply to a message that the twin has. To one that it no longer has, it is a reply to a deleted message.
    pub fn replying_to_message(self, id: u64) -> Message {
        self.replying(ReplyTo { id, made_up: None })
    }

    /// Adds this user to `mentions` without changing the text.
    pub fn mentioning(mut self, user_id: u64) -> Message {
        self.mentions.push(user_id);
        self
    }

    /// With a file. It can be read below the twin's [`files_url`](crate::Twin::files_url).
    pub fn with_file(self, name: &str, content: &[u8]) -> Message {
        self.with_file_of(name, content.len() as u64, content)
    }

    /// With a file of which the message announces another size than it has.
    pub fn with_file_of(mut self, name: &str, announced: u64, content: &[u8]) -> Message {
        self.files.push(AttachedFile { name: name.to_owned(), announced, content: content.to_vec() });
        self
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

    /// The message that it replies to, if the twin is to have that.
    pub(crate) fn replies_to_stored(&self) -> Option<u64> {
        self.reply_to.as_ref().filter(|to| to.made_up.is_none()).map(|to| to.id)
    }

    /// The payload of MESSAGE_CREATE. `replied`: the stored message that it replies to; `new_id` makes ids of files.
    pub(crate) fn payload(&self, id: u64, replied: Option<Value>, mut new_id: impl FnMut() -> u64) -> Value {
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
        if let Some(mentions) = message["mentions"].as_array_mut() {
            mentions.extend(self.mentions.iter().map(|id| payload::user(*id, false)));
        }
        message["mention_roles"] = self.mentioned_roles.iter().map(u64::to_string).collect();
        let files =
            self.files.iter().map(|file| payload::attachment(new_id(), &file.name, file.announced, "attachments"));
        message["attachments"] = files.collect();
        if let Some(reply_to) = &self.reply_to {
            message["type"] = json!(19);
            message["message_reference"] =
                json!({"type": 0, "channel_id": channel, "message_id": reply_to.id.to_string()});
            if let Some(guild) = self.guild {
                message["message_reference"]["guild_id"] = json!(guild.to_string());
            }
            message["referenced_message"] = match (&reply_to.made_up, replied) {
                (Some((content, by_bot)), _) => {
                    let author = payload::user(if *by_bot { BOT_ID } else { USER_ID }, *by_bot);
                    payload::plain_message(reply_to.id, &channel, author, content)
                }
                // What a message in a reply replies to in turn is not in it.
                (None, Some(mut stored)) => {
                    stored.as_object_mut().map(|stored| stored.remove("referenced_message"));
                    stored
                }
                (None, None) => Value::Null,
            };
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
        let message = Message::to_bot("hello").payload(1 << 40, None, || 7);
        assert_eq!(message["content"], format!("<@{BOT_ID}> hello"));
        assert_eq!(message["mentions"][0]["id"], BOT_ID.to_string());
        assert_eq!(message["guild_id"], GUILD_ID.to_string());
    }

    #[test]
    fn a_direct_message_has_no_guild() {
        let message = Message::text("hello").in_dm().payload(1 << 40, None, || 7);
        assert!(message.get("guild_id").is_none() && message.get("member").is_none());
    }
}
