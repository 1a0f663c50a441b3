//! Threads: opens them for mentions if `[chat]` or `[chat.places]` says so. Knows in which threads
//! messages are for the bot without a mention.

use std::time::Duration;

use serde_json::Value;
use serenity::all::{ChannelId, GatewayIntents, GuildId, Route};
use tokio::time::timeout;
use tracing::info;

use crate::convert;
use crate::payload::Message;
use crate::rest::{Application, DiscordError, THREADS, lacks};
use crate::shared::Shared;
use candor_core::agent::{ChatSettings, MessageContent, OwnThreads};
use candor_core::guild::Rules;
use candor_core::inbound::{self, Addressed, AuthorKind, Inbound, Place, Quoted, QuotedAuthor, UserId};
use candor_core::language::{Language, say};
use candor_core::text::one_line;
use candor_engine::dispatch::{Arriving, NewThread, NoThread, Threads};

/// How long a mention waits for its thread: meanwhile the person sees no reaction.
const OPENED_WITHIN: Duration = Duration::from_secs(5);

/// How long the lookup of a possibly opened thread may take.
const LOOKED_UP_WITHIN: Duration = Duration::from_secs(2);

/// The maximum title made from a message, in characters. Discord accepts 100.
const TITLE_LENGTH_MAX: usize = 80;

/// The place of the answer to a mention.
pub(crate) enum AnsweredIn {
    /// The channel of the mention.
    Channel,
    /// A new thread.
    Thread(ChannelId),
    /// No place: the mention was deleted meanwhile, or is no longer for the model.
    Nowhere,
}

/// Returns the intent for the text of messages without a mention, if chat needs it.
///
/// # Errors
/// A setting needs the intent, and the application does not have it.
pub(crate) fn content_intent(
    settings: &ChatSettings,
    application: &Application,
) -> Result<GatewayIntents, DiscordError> {
    let intent = GatewayIntents::MESSAGE_CONTENT;
    let is_enabled = application.flags.is_some() && !lacks(application, intent);
    match settings.message_content() {
        MessageContent::Needed(_) if lacks(application, intent) => Err(DiscordError::MissingIntent),
        MessageContent::Needed(_) => Ok(intent),
        MessageContent::IfEnabled if is_enabled => Ok(intent),
        MessageContent::IfEnabled => {
            info!(
                "the Message Content intent is not enabled: in its own threads too, the bot answers only mentions and \
                 replies; enable it, or set `[chat] own_threads = \"mention\"`"
            );
            Ok(GatewayIntents::empty())
        }
        MessageContent::Unused => Ok(GatewayIntents::empty()),
    }
}

/// Returns whether its thread can make this message one for the bot: Discord sent its text, and chat answers in such
/// threads.
fn may_be_for_the_bot(said: &inbound::Message, settings: &ChatSettings) -> bool {
    let is_asked = !settings.channels.is_empty() || settings.own_threads() != OwnThreads::Mention;
    let is_empty = said.text.is_empty() && said.came_with.files.is_empty() && said.came_with.unseen.is_empty();
    is_asked && !is_empty && said.addressed == Addressed::No && said.author == AuthorKind::Person
}

impl Shared {
    /// Converts a message into an inbound. It is for the bot without a mention in a thread of a channel of `[chat]
    /// channels`, and in a thread that the bot opened.
    pub(crate) async fn inbound(&self, message: &Message<'_>, bot: UserId, language: Language) -> Inbound {
        let settings = &self.settings.chat;
        let mut inbound = convert::message(message, bot, &settings.channels, language);
        if let Inbound::Message(said) = &mut inbound
            && may_be_for_the_bot(said, settings)
            && self.answers_thread(said).await
        {
            said.addressed = Addressed::ChatChannel;
        }
        inbound
    }

    /// Returns whether a message in this channel may be for the bot because of its thread. True if the channel is
    /// unknown.
    pub(crate) fn may_answer_thread(&self, channel: inbound::ChannelId) -> bool {
        let settings = &self.settings.chat;
        let is_asked = !settings.channels.is_empty() || settings.own_threads() != OwnThreads::Mention;
        is_asked && self.guilds_of_channels.may_be_thread(channel)
    }

    /// Returns whether the bot answers every message of this person in this thread. Discord is asked once for each
    /// channel.
    async fn answers_thread(&self, said: &inbound::Message) -> bool {
        let Place::Guild { channel, .. } = said.place else { return false };
        let Some(thread) = self.guilds_of_channels.thread(&self.rest, channel).await else { return false };
        if self.settings.chat.channels.contains(&thread.parent) {
            return true;
        }
        match self.settings.chat.own_threads() {
            _ if thread.opener != Some(said.bot) => false,
            OwnThreads::All => true,
            OwnThreads::Owner => {
                self.guilds_of_channels.owner(&self.rest, channel, thread).await == Some(said.caller.id)
            }
            OwnThreads::Mention => false,
        }
    }

    /// Opens a thread for a mention that the chat model answers, if `[chat]` or `[chat.places]` wants that. Without one,
    /// the answer goes to the mention's channel.
    pub(crate) async fn thread_for(
        &self,
        message: &inbound::Message,
        rules: &Rules,
        language: Language,
        arriving: &Arriving,
    ) -> AnsweredIn {
        let (Place::Guild { guild, channel }, Addressed::Mention) = (message.place, message.addressed) else {
            return AnsweredIn::Channel;
        };
        // With Discord's ping, a reply to the bot is a mention as well; it stays in its channel.
        let is_reply = matches!(
            message.came_with.quoted.first(),
            Some(Quoted::Message(quoted)) if quoted.by == QuotedAuthor::Itself
        );
        let places = self.dispatcher.chat.talker.places();
        let opens = places.of_operator(message.place).thread.unwrap_or(self.settings.chat.thread);
        if is_reply || !opens {
            return AnsweredIn::Channel;
        }
        let id = message.id;
        let person = message.caller.id;
        let above = ChannelId::new(channel.0.max(1));
        // A person who floods has no slot, and no threads are opened for them.
        let Ok(_slot) = self.gate.chat(person, Some(GuildId::new(guild.0.max(1)))) else { return AnsweredIn::Channel };
        // A thread that begins with a message has the message's id. A person must not be refused in a thread that was
        // just opened.
        let thread = inbound::ChannelId(id.0);
        // A person who may chat in the channel may chat in its thread.
        let parents = self.names.above(&self.rest, above).await;
        places.learn(thread, [channel.0].into_iter().chain(parents).collect());
        let is_wanted = self.dispatcher.chat.may_talk(&message.caller, Place::Guild { guild, channel: thread }, rules)
            && self.dispatcher.chat.has_budget(person, message.place).await
            && !self.names.is_thread(&self.rest, above).await;
        let opened = match is_wanted {
            true => {
                let title = title(&message.text, message.bot)
                    .unwrap_or_else(|| say!(language, "thread-title", person = message.caller.name.as_str()));
                let title = one_line(&title, TITLE_LENGTH_MAX);
                let new = NewThread { owner: person, from: Some(id), title: &title, language };
                let opening = timeout(OPENED_WITHIN, self.requester.open((guild, channel), new));
                match opening.await.unwrap_or(Err(NoThread::Failed)) {
                    // After a late or lost answer the thread may still exist, and it must not stay empty.
                    Err(NoThread::Failed) if self.is_open(thread, above).await => Ok(thread),
                    opened => opened,
                }
            }
            false => Err(NoThread::NotHere),
        };
        if opened.is_ok() {
            info!(channel.id = %channel.0, thread.id = %thread.0, "a mention is answered in a thread");
        }
        match opened {
            Err(NoThread::Gone) => AnsweredIn::Nowhere,
            // Later edits and deletions are handled when the message takes its place in the queue.
            _ if arriving.is_gone() => AnsweredIn::Nowhere,
            Ok(_) => AnsweredIn::Thread(ChannelId::new(thread.0.max(1))),
            Err(_) => AnsweredIn::Channel,
        }
    }

    async fn is_open(&self, thread: inbound::ChannelId, channel: ChannelId) -> bool {
        let looking = self.rest.get(Route::Channel { channel_id: ChannelId::new(thread.0.max(1)) });
        let Ok(Ok(found)) = timeout(LOOKED_UP_WITHIN, looking).await else { return false };
        let kind = found.get("type").and_then(Value::as_u64);
        let parent = found.get("parent_id").and_then(Value::as_str);
        kind.is_some_and(|kind| THREADS.contains(&kind)) && parent == Some(channel.to_string().as_str())
    }
}

/// Returns the title of a thread for this message: the first line with readable text, without mentions of the bot.
fn title(words: &str, bot: inbound::UserId) -> Option<String> {
    let words = words.replace(&format!("<@{bot}>"), "").replace(&format!("<@!{bot}>"), "");
    let mut lines = words.lines().map(|line| one_line(line, TITLE_LENGTH_MAX)).map(|line| line.trim().to_owned());
    lines.find(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_thread_is_the_first_line_that_says_something() {
        let long = "word ".repeat(40);
        let cases = [
            ("<@42> how do I bake bread?", Some("how do I bake bread?")),
            ("<@!42>\n\n  two lines\nand more", Some("two lines")),
            ("tell <@42> about <@7>", Some("tell about ‹＠7›")),
            ("<@42>", None),
            ("\u{200b}\u{7} <@42>", None),
        ];
        for (words, expected) in cases {
            assert_eq!(title(words, inbound::UserId(42)).as_deref(), expected, "{words:?}");
        }
        assert!(title(&long, inbound::UserId(42)).unwrap().chars().count() <= TITLE_LENGTH_MAX);
    }
}
