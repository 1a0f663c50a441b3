//! *Ask again*: repeats the messages that a reply answered, and offers it when one of them is edited.

use futures_util::future::join_all;
use serde_json::Value;
use serenity::all::{self, ChannelId, EditMessage, GuildId, MessageId};
use serenity::builder::CreateAllowedMentions;
use serenity::model::channel::MessageFlags;
use tracing::debug;

use crate::convert;
use crate::messages::channel::ChannelSurface;
use crate::messages::channel::ReplyTarget;
use crate::payload::Message;
use crate::render::button;
use crate::rest::change;
use crate::shared::Shared;
use crate::shared::replies::AnsweredBy;
use candor_core::guild::Rules;
use candor_core::inbound::{self, Caller, EventId, Inbound, Place, UserId};
use candor_core::language::say;
use candor_core::router::Route;
use candor_engine::dispatch::ReplyRef;

/// Discord accepts five rows of components. See its documentation, components.
const ROWS_MAX: usize = 5;

pub(crate) struct AskAgain {
    pub(crate) reply: ReplyRef,
    pub(crate) event: EventId,
    pub(crate) caller: Caller,
    pub(crate) channel: ChannelId,
    pub(crate) guild: Option<GuildId>,
}

pub(crate) struct AskedAgain {
    inbound: Inbound,
    rules: Rules,
    route: Route,
    target: ReplyTarget,
}

impl Shared {
    /// Joins the messages that a reply answered, with their current text.
    ///
    /// # Errors
    /// A text for the person, if there is nothing to ask.
    pub(crate) async fn asked_again(&self, asks: &AskAgain, bot: UserId) -> Result<AskedAgain, String> {
        let language = asks.caller.language;
        let questions = self.dispatcher.chat.questions(asks.reply, &asks.caller).await?;
        let read = join_all(questions.iter().map(|&question| self.question(asks, question))).await;
        let read: Vec<_> = read.into_iter().flatten().collect();
        let own = |answer| {
            let mut message = Message::of_answer(answer)?;
            // A message from the REST API has no guild id.
            message.guild_id = asks.guild;
            (message.author.id.get() == asks.caller.id.0).then_some(message)
        };
        let read: Vec<_> = read.iter().filter_map(own).collect();
        let Some((last, asked_in)) = read.last().map(|message| (message.id, message.channel_id)) else {
            return Err(say!(language, "ask-again-gone"));
        };
        let messages = join_all(read.iter().map(|message| self.inbound(message, bot, language))).await;
        let messages = messages.into_iter().filter_map(|inbound| match inbound {
            Inbound::Message(message) => Some(message),
            Inbound::Interaction(_) | Inbound::GoOn(_) => None,
        });
        let Some(mut asked) = messages.reduce(joined) else { return Err(say!(language, "ask-again-gone")) };
        asked.came_with.asked_again = questions;
        let id = asks.event;
        let caller = asks.caller.clone();
        let sent = convert::sent(asks.event.0);
        let place = match asked.place {
            // The first message of a thread is in the channel above and is answered in the thread.
            Place::Guild { guild, .. } => Place::Guild { guild, channel: inbound::ChannelId(asks.channel.get()) },
            place @ (Place::Direct { .. } | Place::Console) => place,
        };
        let inbound = Inbound::Message(inbound::Message { id, caller, sent, place, ..asked });
        let rules = self.rules(&inbound).await;
        let route = self.dispatcher.classify(&inbound, &rules);
        if !matches!(route, Route::Chat(_)) {
            return Err(say!(language, "ask-again-no-words"));
        }
        let target = ReplyTarget {
            event: asks.event,
            channel: asks.channel,
            asked_in,
            message: last,
            guild: asks.guild,
            person: asks.caller.id,
        };
        Ok(AskedAgain { inbound, rules, route, target })
    }

    pub(crate) async fn answer_again(&self, asked: AskedAgain, bot: UserId) {
        let AskedAgain { inbound, rules, route, target } = asked;
        let channel = ChannelSurface::new(self, target, self.language_at(inbound.place(), &rules), bot);
        let plan = self.dispatcher.plan(route, &inbound, &rules);
        self.proceed(&channel, plan, &inbound, &rules).await;
    }

    /// Fetches a message; `None` if it was deleted.
    async fn question(&self, asks: &AskAgain, id: EventId) -> Option<Value> {
        let message_id = MessageId::new(id.0.max(1));
        let in_channel = async |channel_id| self.rest.get(all::Route::ChannelMessage { channel_id, message_id }).await;
        let mut answer = in_channel(asks.channel).await;
        // The first message of a thread has the thread's id. In a forum it is in the thread, else in the channel above.
        if answer.is_err() && message_id.get() == asks.channel.get() {
            let above = self.names.above(&self.rest, asks.channel).await;
            if let Some(&above) = above.first() {
                answer = in_channel(ChannelId::new(above.max(1))).await;
            }
        }
        answer.inspect_err(|problem| debug!(error = %problem, "a question cannot be read")).ok()
    }

    /// Adds the button *Ask again* to a reply.
    pub(super) async fn show_ask_again(&self, AnsweredBy { turn, person, channel, reply }: AnsweredBy) {
        let signer = self.custom_ids.for_person(person, self.dispatcher.now());
        let Some(row) = button::ask_again(turn, signer, self.language()) else { return };
        let route = all::Route::ChannelMessage { channel_id: channel, message_id: reply };
        let Ok(standing) = self.rest.get(route).await else { return };
        let mut rows = button::standing(&standing);
        if ROWS_MAX <= rows.len() {
            return;
        }
        rows.push(row);
        let body = EditMessage::new()
            .allowed_mentions(CreateAllowedMentions::new())
            .flags(MessageFlags::SUPPRESS_EMBEDS)
            .components(rows);
        let _shown = change(&self.rest, channel, reply, &body).await;
    }
}

/// Joins two messages of one person.
fn joined(first: inbound::Message, next: inbound::Message) -> inbound::Message {
    let mention = format!("<@{}>", next.bot);
    let mut both = first;
    both.text = format!("{}\n{}", both.text, next.text.replace(&mention, "").trim());
    both.came_with.quoted.extend(next.came_with.quoted);
    both.came_with.files.extend(next.came_with.files);
    both.came_with.unseen.extend(next.came_with.unseen);
    both.came_with.mentioned.extend(next.came_with.mentioned);
    both
}
