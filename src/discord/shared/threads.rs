//! Threads: opens them for `/thread`, and for mentions if `[chat]` or `[chat.places]` says so. Knows in which threads
//! messages are for the bot without a mention.

use std::time::Duration;

use serde_json::{Value, json};
use serenity::all::{ChannelId, GatewayIntents, GuildId, MessageId, Route};
use serenity::async_trait;
use tokio::time::timeout;
use tracing::{info, warn};

use crate::convert;
use crate::payload::Message;
use crate::rest::{Application, DiscordError, RequestError, Standing, THREADS, lacks, once, standing};
use crate::shared::Shared;
use candor_core::agent::{ChatSettings, MessageContent, OwnThreads};
use candor_core::contract::NoThread;
use candor_core::guild::Rules;
use candor_core::inbound::{
    self, Addressed, AuthorKind, Caller, Inbound, Permissions, Place, Quoted, QuotedAuthor, UserId,
};
use candor_core::language::{Language, say};
use candor_core::text::one_line;
use candor_engine::dispatch::{Arriving, NewThread, Threads};

/// Types of public threads without a starter message: in announcement channels and in others. See Discord's
/// documentation, "Channel", channel types.
const ANNOUNCEMENT_THREAD: u64 = 10;
const PUBLIC_THREAD: u64 = 11;

/// The permissions that the bot needs in a channel, or its threads there would stay empty.
const NEEDED: [&str; 3] = ["view_channel", "create_public_threads", "send_messages_in_threads"];

/// The error codes of a message that has a thread already, and of a deleted one. See Discord's documentation, "JSON
/// error codes".
const ALREADY_OPENED: i64 = 160_004;
const UNKNOWN_MESSAGE: i64 = 10_008;

/// How long a thread stays active without a message, in minutes: a day.
const ARCHIVED_AFTER: u64 = 1_440;

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

#[async_trait]
impl Threads for Shared {
    async fn open(
        &self,
        (guild, channel): (inbound::GuildId, inbound::ChannelId),
        NewThread { owner, from, title }: NewThread<'_>,
    ) -> Result<inbound::ChannelId, NoThread> {
        let id = ChannelId::new(channel.0.max(1));
        let from = from.map(|from| MessageId::new(from.0.max(1)));
        if !self.may_write_in_threads(Place::Guild { guild, channel }).await {
            info!(channel.id = %channel.0, "no thread opened: the bot may not create threads here, or not write in them");
            return Err(NoThread::Forbidden);
        }
        let mut body = json!({ "name": title, "auto_archive_duration": ARCHIVED_AFTER });
        if from.is_none() {
            let is_announcement = self.names.is_announcement(&self.rest, id).await;
            body["type"] = if is_announcement { ANNOUNCEMENT_THREAD } else { PUBLIC_THREAD }.into();
        }
        let thread = match once(|| self.rest.open_thread(id, from, &body)).await {
            Ok(thread) => thread.get(),
            // The thread exists already: another process with this token was faster.
            Err(RequestError::Answer { code: ALREADY_OPENED, .. }) if let Some(from) = from => from.get(),
            Err(problem) => {
                warn!(channel.id = %channel.0, error = %problem, "no thread opened");
                return Err(why(&problem));
            }
        };
        self.guilds_of_channels.opened(inbound::ChannelId(thread), owner);
        Ok(inbound::ChannelId(thread))
    }
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

/// Classifies a refusal. See Discord's documentation, "JSON error codes".
fn why(problem: &RequestError) -> NoThread {
    match problem {
        // No access; missing permissions.
        RequestError::Answer { code: 50_001 | 50_013, .. } | RequestError::Closed { .. } => NoThread::Forbidden,
        // Not in a direct message; not in such a channel; unknown channel.
        RequestError::Answer { code: 50_003 | 50_024 | 10_003, .. } => NoThread::NotHere,
        RequestError::Answer { code: UNKNOWN_MESSAGE, .. } => NoThread::Gone,
        _ => NoThread::Failed,
    }
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
                self.guilds_of_channels.owner(&self.rest, (channel, thread)).await == Some(said.caller.id)
            }
            OwnThreads::Mention => false,
        }
    }

    /// Returns whether the bot may open threads in a channel and write in them, as far as it is known. Discord lets a
    /// bot open a thread in which it may not write.
    async fn may_write_in_threads(&self, place: Place) -> bool {
        let Some(&bot) = self.bot.get() else { return true };
        match standing(&self.rest, &Caller::new(bot, ""), place).await {
            Standing::Here(Caller { member: Some(member), .. }) => {
                let needed = NEEDED.into_iter().filter_map(Permissions::from_name);
                let needed = needed.fold(Permissions::default(), Permissions::and);
                member.permissions.is_none_or(|has| has.missing(needed).is_empty())
            }
            // The attempt to open it will show.
            Standing::Here(_) | Standing::Left | Standing::Unknown => true,
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
                let new = NewThread { owner: person, from: Some(id), title: &title };
                let opening = timeout(OPENED_WITHIN, self.open((guild, channel), new));
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

    #[test]
    fn a_refusal_says_why() {
        let cases = [
            (403, 50_013, NoThread::Forbidden),
            (403, 50_001, NoThread::Forbidden),
            (400, 50_024, NoThread::NotHere),
            (404, 10_008, NoThread::Gone),
            (400, 50_035, NoThread::Failed),
            (500, 0, NoThread::Failed),
        ];
        for (status, code, expected) in cases {
            assert_eq!(why(&RequestError::Answer { status, code, message: String::new() }), expected, "{code}");
        }
        assert_eq!(why(&RequestError::Unreached(String::new())), NoThread::Failed);
    }
}
