//! Answers a message that is addressed to the bot, as replies to it.

use std::collections::VecDeque;

use serenity::all::{ChannelId, GuildId, MessageId};

use crate::gate::{EVERY, Notice};
use crate::messages::channel::ReplyTarget;
use crate::messages::channel::{ChannelSurface, Link};
use crate::payload::{ComponentInteraction, Message, User};
use crate::render::posts::{Post, posts};
use crate::render::respond::in_its_place;
use crate::rest::SendError;
use crate::shared::replies::AnsweredBy;
use crate::shared::things::AnswerMessage;
use crate::shared::{AnsweredIn, Shared};
use candor_core::contract::EventKind;
use candor_core::guild::Rules;
use candor_core::inbound::{self, Addressed, AuthorKind, EventId, Inbound, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::Unsent;
use candor_core::reply::{Answer, Provenance};
use candor_core::router::Route;
use candor_engine::dispatch::{Arriving, Keeping, Plan};

impl Shared {
    /// Answers a message, if it is for the bot. Returns false if the bot is leaving: the message was not looked at.
    pub(crate) async fn read(&self, message: &Message<'_>, bot: UserId, arriving: Option<Arriving>) -> bool {
        // Every message helps to measure the offset of the clocks.
        self.gate.age(message.id.get());
        if self.gate.is_closing() {
            return false;
        }
        self.answer_message(message, bot, arriving).await;
        true
    }

    async fn answer_message(&self, message: &Message<'_>, bot: UserId, arriving: Option<Arriving>) {
        let mut inbound = self.inbound(message, bot, self.language()).await;
        let rules = self.rules(&inbound).await;
        let language = self.language_at(inbound.place(), &rules);
        inbound.speak(language);
        let route = self.dispatcher.classify(&inbound, &rules);
        let mut target = ReplyTarget::message(message);
        let arriving = arriving.filter(|_| matches!(route, Route::Chat(_)));
        if let (Some(arriving), Inbound::Message(said)) = (&arriving, &mut inbound) {
            match self.thread_for(said, &rules, language, arriving).await {
                AnsweredIn::Channel => {}
                AnsweredIn::Thread(thread) => {
                    target.channel = thread;
                    said.place = target.place();
                }
                AnsweredIn::Nowhere => return,
            }
        }
        let channel = ChannelSurface::new(self, target, language, bot);
        if is_unread(message, &inbound) {
            return self.tell(&channel, &Answer::host(say!(language, "mention-unread"))).await;
        }
        let plan = self.dispatcher.plan(route, &inbound, &rules);
        self.proceed(&channel, plan, &inbound, &rules).await;
    }

    /// Replaces a mention of the bot's managed role with a mention of the bot: Discord's list of names shows both.
    pub(crate) async fn mentioned_by_role<'a>(&self, mut message: Message<'a>, bot: UserId) -> Message<'a> {
        let is_mentioned = message.author.bot || message.mentions.iter().any(|user| user.id.get() == bot.0);
        let Some(guild) = message.guild_id.filter(|_| !is_mentioned && !message.mention_roles.is_empty()) else {
            return message;
        };
        let own = self.names.role_of_bot(&self.rest, guild, bot.0).await;
        if let Some(role) = own.filter(|own| message.mention_roles.iter().any(|role| role.get() == *own)) {
            message.mentions.push(User::with_id(bot.0.into()));
            message.content = message.content.replace(&format!("<@&{role}>"), &format!("<@{bot}>")).into();
        }
        message
    }

    /// Reads the rules for an event, and finds the parents of its channel. A message that is not for the bot needs
    /// neither.
    pub(super) async fn rules(&self, inbound: &Inbound) -> Rules {
        if !inbound.is_for_the_bot() {
            return Rules::default();
        }
        let rules = self.dispatcher.chat.rules(inbound.place()).await;
        self.find_parents(inbound.place(), &rules).await;
        rules
    }

    /// Asks Discord for the parents of a place's channel, if they affect its settings.
    pub(crate) async fn find_parents(&self, place: Place, rules: &Rules) {
        let places = self.dispatcher.chat.talker.places();
        if let Place::Guild { channel, .. } = place
            && places.asks_for_above(rules)
        {
            places.learn(channel, self.names.above(&self.rest, ChannelId::new(channel.0.max(1))).await);
        }
    }

    /// Returns the language for people in this place whose own is unknown.
    pub(crate) fn language_at(&self, place: Place, rules: &Rules) -> Language {
        self.dispatcher.chat.talker.places().at(place, rules).language.unwrap_or_else(|| self.language())
    }

    /// Does the work of a message, if there is a slot for it.
    pub(super) async fn proceed(&self, channel: &ChannelSurface<'_>, plan: Plan, inbound: &Inbound, rules: &Rules) {
        let person = channel.target.person;
        let guild = channel.target.guild;
        let room = match &plan {
            Plan::Silence | Plan::Modal { .. } => return,
            Plan::Refusal { answer, .. } => return self.tell(channel, answer).await,
            Plan::Command { .. } => self.gate.typed(person, guild),
            Plan::Chat(_) => self.gate.chat(person, guild),
        };
        let _room = match room {
            Ok(room) => room,
            Err(closed) => {
                let text = closed.text(&say!(channel.language, "closed-message"), channel.language);
                return self.tell(channel, &Answer::host(text)).await;
            }
        };
        self.converse(channel, plan, inbound, rules).await;
    }

    /// Returns whether the bot or a module reads all messages of this channel.
    pub(crate) fn listens(&self, guild: GuildId, channel: ChannelId) -> bool {
        let channel = inbound::ChannelId(channel.get());
        let of_modules = || self.dispatcher.event_channels(EventKind::Message, inbound::GuildId(guild.get()));
        self.settings.chat.channels.contains(&channel)
            || of_modules().contains(&channel)
            || self.may_answer_thread(channel)
    }

    /// Returns whether an edit of this message matters: it waits for the model, is being answered, or was answered.
    pub(crate) fn follows(&self, message: MessageId) -> bool {
        self.is_being_answered(message.get()) || self.answered.holds(message.get())
    }

    /// Returns whether this message waits for the chat model or is being answered.
    pub(crate) fn is_being_answered(&self, id: u64) -> bool {
        self.dispatcher.chat.is_answering(EventId(id))
    }

    /// Handles an edit of a message that is being answered, or was answered.
    pub(crate) async fn edited(&self, message: &Message<'_>, bot: UserId) {
        let id = message.id.get();
        let inbound = self.inbound(message, bot, self.language()).await;
        // The lookup of its channel's parents would let the turn begin with the old words.
        let rules = self.dispatcher.chat.rules(inbound.place()).await;
        let route = self.dispatcher.classify(&inbound, &rules);
        let is_for_the_model = matches!(route, Route::Chat(_));
        if self.is_being_answered(id) {
            self.dispatcher.edited(route, &inbound);
        }
        // Its reply may have been shown meanwhile.
        if message.is_edited
            && is_for_the_model
            && let Some(by) = self.answered.take(id)
        {
            self.show_ask_again(by).await;
        }
    }

    /// Handles deleted messages: they are not answered, and data made from them is deleted soon.
    pub(crate) fn deleted(&self, ids: &[u64]) {
        ids.iter().for_each(|id| self.dispatcher.chat.deleted(EventId(*id)));
        self.deletions.add(ids);
    }

    /// Tells a person that nothing was done. After several notices in a guild channel, edits the last one.
    async fn tell(&self, channel: &ChannelSurface<'_>, answer: &Answer) {
        let target = &channel.target;
        let slot = self.gate.notice(target.channel, target.guild);
        let notice = match &slot {
            // A direct message disturbs no other reader.
            Some(_) if target.guild.is_none() => return drop(self.say(channel, answer).await),
            Some(_) => self.gate.how_to_tell(target.person, target.channel).await,
            None => None,
        };
        let is_told = match notice {
            Some(Notice::New(mut last)) => {
                let shown = self.say(channel, answer).await;
                *last = shown.last().map(|&id| MessageId::new(id)).or(*last);
                !shown.is_empty()
            }
            Some(Notice::Changes(id, _last)) => {
                let line = say!(channel.language, "notice-changed", seconds = EVERY.as_secs());
                let changed = answer.clone().with_line(line);
                let post = posts(&changed, &self.mentions, channel.signer(), channel.language).into_iter().next();
                match post {
                    Some(post) => channel.edit(id, &post).await.is_ok(),
                    None => false,
                }
            }
            None => false,
        };
        if !is_told {
            self.counters.unsent.count(Unsent::Notice);
        }
    }

    /// Has the model continue the reply of a turn, in answer to this press.
    pub(crate) async fn go_on(&self, press: &ComponentInteraction<'_>, inbound: &Inbound) {
        let bot = UserId(press.data.message.author.id.get());
        let rules = self.rules(inbound).await;
        let language = self.language_at(inbound.place(), &rules);
        let channel = ChannelSurface::new(self, ReplyTarget::press(press), language, bot);
        let route = self.dispatcher.classify(inbound, &rules);
        match self.dispatcher.plan(route, inbound, &rules) {
            Plan::Silence | Plan::Modal { .. } => {}
            plan @ (Plan::Refusal { .. } | Plan::Command { .. } | Plan::Chat(_)) => {
                self.converse(&channel, plan, inbound, &rules).await;
            }
        }
    }

    /// Does the work, shows its progress, and then the answer.
    async fn converse(&self, channel: &ChannelSurface<'_>, plan: Plan, inbound: &Inbound, rules: &Rules) {
        let typing = matches!(plan, Plan::Chat(_)).then(|| channel.typing());
        let work = async {
            let done = self.dispatcher.carry_out(plan, inbound, rules, channel, &Keeping::default()).await;
            channel.over();
            done
        };
        let ((answer, held), ()) = tokio::join!(work, channel.show_growth());
        drop(typing);
        let Some(answer) = answer else { return channel.is_whole().await };
        let answer = answer.not_live(inbound.caller().language);
        let shown = self.say(channel, &answer).await;
        // If nothing could be shown, the next start ends it: unfinished messages may be visible.
        if shown.is_empty() {
            self.tell_above(channel).await;
        } else {
            channel.is_whole().await;
        }
        if let Some(&last) = shown.last() {
            self.things.update(&answer, channel.language, AnswerMessage::Id(MessageId::new(last)));
        }
        if let Provenance::Turn(facts) = &answer.provenance
            && let Some(turn) = facts.turn
        {
            self.dispatcher.chat.shown(turn, &shown).await;
            if let Some(&reply) = shown.last() {
                let target = channel.target;
                let reply = MessageId::new(reply);
                let person = target.person;
                let channel = target.channel;
                let by = AnsweredBy { turn, person, channel, reply };
                // In this order, an edit that comes meanwhile finds the reply, or is found here.
                self.answered.remember(&facts.questions, by);
                if self.dispatcher.chat.was_edited(target.event) && self.answered.take_all(&facts.questions) {
                    self.show_ask_again(by).await;
                }
            }
        }
        drop(held);
    }

    /// Reports in the original channel that an answer could not be sent to its new thread.
    async fn tell_above(&self, channel: &ChannelSurface<'_>) {
        let target = channel.target;
        let thread = channel.target.channel;
        if target.asked_in == thread {
            return;
        }
        let above = ChannelSurface::new(
            self,
            ReplyTarget { channel: target.asked_in, ..target },
            channel.language,
            channel.bot,
        );
        let text = say!(channel.language, "thread-not-written", thread = format!("<#{thread}>"));
        let _told = above.send(&Post::text(text), "a", Link::Reply).await;
    }

    /// Sends an answer as replies to its question. Progress messages are reused for its first parts. Returns the ids of
    /// the messages that show it.
    async fn say(&self, channel: &ChannelSurface<'_>, answer: &Answer) -> Vec<u64> {
        let mut shown = Vec::new();
        let mut last = None;
        let mut under_way = VecDeque::from(channel.end().await);
        for (index, post) in posts(answer, &self.mentions, channel.signer(), channel.language).into_iter().enumerate() {
            let link = if index == 0 { Link::Reply } else { Link::None };
            let sent = match under_way.pop_front() {
                Some(id) if channel.edit(id, &post).await.is_ok() => Ok(id),
                former => {
                    // The progress messages would stand above this one.
                    for id in former.into_iter().chain(under_way.drain(..)) {
                        channel.delete(id).await;
                    }
                    channel.send(&post, &index.to_string(), link).await
                }
            };
            match sent {
                Ok(id) => {
                    shown.push(id.get());
                    last = Some((id, post));
                }
                Err(error) => {
                    let instead = self.break_off(channel, answer, last, error).await;
                    shown.extend(instead.map(MessageId::get));
                    break;
                }
            }
        }
        for id in under_way {
            channel.delete(id).await;
        }
        shown
    }

    /// Ends an answer if one of its messages could not be sent. A model's words must not stand without the host's
    /// lines, which belong under the last message. So these move to the last sent one. Returns the id of a replacement
    /// message, if one was sent.
    async fn break_off(
        &self,
        channel: &ChannelSurface<'_>,
        answer: &Answer,
        last: Option<(MessageId, Post)>,
        error: SendError,
    ) -> Option<MessageId> {
        match last.and_then(|(id, post)| Some((id, post.ended(answer, channel.signer(), channel.language)?))) {
            Some((id, ended)) if channel.edit(id, &ended).await.is_ok() => return None,
            None if error != SendError::Refused => return None,
            Some(_) | None => {}
        }
        let instead = answer.without_emoji().unwrap_or_else(|| in_its_place(answer, channel.language));
        let instead = posts(&instead, &self.mentions, channel.signer(), channel.language).into_iter().next()?;
        // It needs its own nonce: with the same one, Discord would take it for the message that it refused.
        channel.send(&instead, "r", Link::Reply).await.ok()
    }
}

/// Returns whether Discord withheld the text of a message. Without the message content intent, Discord sends the text
/// of a message that mentions the bot, but not of one that mentions its role.
fn is_unread(message: &Message<'_>, inbound: &Inbound) -> bool {
    let is_mention = matches!(
        inbound,
        Inbound::Message(said) if said.addressed == Addressed::Mention && said.author == AuthorKind::Person
    );
    is_mention && message.content.is_empty() && message.attachments.is_empty() && message.sticker_items.is_empty()
}
