//! Gateway intents: which are allowed, and which events they let through.

use serde_json::{Value, json};

use crate::payload::BOT_ID;
use crate::twin::options::Options;

pub(crate) const GUILDS: u64 = 1 << 0;
pub(crate) const GUILD_MEMBERS: u64 = 1 << 1;
const GUILD_PRESENCES: u64 = 1 << 8;
const GUILD_MESSAGES: u64 = 1 << 9;
pub(crate) const GUILD_MESSAGE_REACTIONS: u64 = 1 << 10;
const DIRECT_MESSAGES: u64 = 1 << 12;
const MESSAGE_CONTENT: u64 = 1 << 15;
/// All documented intents, up to DIRECT_MESSAGE_POLLS.
const KNOWN: u64 = (1 << 26) - 1;

/// The intents of an IDENTIFY, or the close code if they are not allowed.
pub(crate) fn check(intents: &Value, options: &Options) -> Result<u64, u16> {
    let Some(wanted) = intents.as_u64().filter(|wanted| wanted & !KNOWN == 0) else { return Err(4013) };
    let content = if options.message_content_allowed { 0 } else { MESSAGE_CONTENT };
    let members = if options.members_allowed { 0 } else { GUILD_MEMBERS };
    if wanted & (members | GUILD_PRESENCES | content) != 0 {
        return Err(4014);
    }
    Ok(wanted)
}

/// The message as a session with these intents receives it, or `None`.
pub(crate) fn filtered_message(message: &Value, intents: u64) -> Option<Value> {
    let is_direct = message["guild_id"].is_null();
    if intents & (if is_direct { DIRECT_MESSAGES } else { GUILD_MESSAGES }) == 0 {
        return None;
    }
    let mut message = message.clone();
    let bot = BOT_ID.to_string();
    let mentions = message["mentions"].as_array().into_iter().flatten();
    let is_open =
        is_direct || message["author"]["id"] == bot.as_str() || mentions.map(|user| &user["id"]).any(|id| id == &bot);
    if !is_open && intents & MESSAGE_CONTENT == 0 {
        message["content"] = json!("");
        for key in ["embeds", "attachments", "components"] {
            message[key] = json!([]);
        }
    }
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;

    #[test]
    fn privileged_intents_are_refused() {
        let cases = [
            (json!(GUILDS), false, Ok(GUILDS)),
            (json!(MESSAGE_CONTENT), false, Err(4014)),
            (json!(MESSAGE_CONTENT), true, Ok(MESSAGE_CONTENT)),
            (json!(GUILD_MEMBERS), false, Err(4014)),
            (json!(GUILD_MEMBERS), true, Ok(GUILD_MEMBERS)),
            (json!(GUILD_PRESENCES), true, Err(4014)),
            (json!(1_u64 << 40), true, Err(4013)),
            (Value::Null, true, Err(4013)),
        ];
        for (intents, allowed, expected) in cases {
            let options = Options { message_content_allowed: allowed, members_allowed: allowed, ..Options::default() };
            assert_eq!(check(&intents, &options), expected, "{intents}");
        }
    }

    #[test]
    fn content_needs_the_intent_a_mention_or_a_dm() {
        let content = |message: Message, intents| {
            filtered_message(&message.payload(1 << 40, None, || 7), intents).map(|message| message["content"].clone())
        };
        assert_eq!(content(Message::text("hi"), GUILD_MESSAGES), Some(json!("")));
        assert_eq!(content(Message::text("hi"), GUILD_MESSAGES | MESSAGE_CONTENT), Some(json!("hi")));
        assert_eq!(content(Message::text("hi").mentions_bot(), GUILD_MESSAGES), Some(json!("hi")));
        assert_eq!(content(Message::text("hi").in_dm(), DIRECT_MESSAGES), Some(json!("hi")));
        assert_eq!(content(Message::text("hi").in_dm(), GUILD_MESSAGES), None);
    }
}
