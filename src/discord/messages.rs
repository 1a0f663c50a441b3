//! Messages: which are for the bot, and the answers below them.

use serenity::all::{Context, Message, MessageId};
use tracing::info;

use crate::discord::convert;
use crate::discord::deliver::Trouble;
use crate::discord::handler::Shared;
use crate::discord::posts::{Post, posts};
use crate::discord::respond::in_its_place;
use crate::discord::surface::{Channel, Link};
use crate::discord::turn_text::SMALL;
use crate::inbound::{Place, UserId};
use crate::language::say;
use crate::reply::{Answer, Audience, Provenance};
use crate::router::Route;

impl Shared {
    /// Answers a message, if it is for the bot.
    pub(super) async fn read(&self, context: &Context, message: &Message, bot: UserId) {
        // Every message tells how far the clocks are apart.
        self.gate.age(message.id.get());
        if self.gate.is_closing() {
            return;
        }
        let inbound = convert::message(message, bot, &self.chat_channels, self.language);
        let route = self.dispatcher.route(&inbound);
        if let Route::Ignore(_) = route {
            return;
        }
        let channel = Channel::new(&context.http, self, message);
        let _room = match self.gate.message() {
            Ok(room) => room,
            Err(closed) => {
                self.say(&channel, &Answer::host(closed.text(&say!(self.language, "closed-message"), self.language)))
                    .await;
                return;
            }
        };
        if let Some(text) = self.for_one_alone(&route, inbound.place()) {
            self.say(&channel, &Answer::host(text)).await;
            return;
        }
        let typing = matches!(route, Route::Chat(_)).then(|| message.channel_id.start_typing(&context.http));
        let answer = self.dispatcher.carry_out(route, &inbound, &channel).await;
        drop(typing);
        let Some(mut answer) = answer else { return };
        if answer.reply.live.is_some() {
            answer.reply.add_line(&format!("{SMALL}{}", say!(inbound.caller().language, "live-picker-only")));
        }
        let shown = self.say(&channel, &answer).await;
        if let Provenance::Turn(facts) = &answer.provenance
            && let Some(turn) = facts.turn
        {
            self.dispatcher.chat().shown(turn, &shown).await;
        }
    }

    /// Sends an answer below the message that asked for it. The message that showed what runs becomes its first part.
    /// Gives the ids of the messages that show it.
    async fn say(&self, channel: &Channel<'_>, answer: &Answer) -> Vec<u64> {
        let mut shown = Vec::new();
        let mut last = None;
        let mut progress = channel.take_progress().await;
        for (index, post) in posts(answer, &self.mentions, channel.signer(), self.language).into_iter().enumerate() {
            let link = if index == 0 { Link::Reply } else { Link::None };
            let sent = match progress.take() {
                Some(id) if channel.edit(id, &post).await.is_ok() => Ok(id),
                Some(id) => {
                    channel.delete(id).await;
                    channel.send(&post, &index.to_string(), link).await
                }
                None => channel.send(&post, &index.to_string(), link).await,
            };
            match sent {
                Ok(id) => {
                    shown.push(id.get());
                    last = Some((id, post));
                }
                Err(trouble) => {
                    let instead = self.break_off(channel, answer, last, trouble).await;
                    shown.extend(instead.map(MessageId::get));
                    break;
                }
            }
        }
        shown
    }

    /// Ends an answer of which a message could not be sent. The host's lines were to stand under the last message, and
    /// no words of a model may stand without them: they move up to the last that stands. Gives the message that was
    /// sent instead, if one was.
    async fn break_off(
        &self,
        channel: &Channel<'_>,
        answer: &Answer,
        last: Option<(MessageId, Post)>,
        trouble: Trouble,
    ) -> Option<MessageId> {
        match last.and_then(|(id, post)| Some((id, post.ended(answer, channel.signer(), self.language)?))) {
            Some((id, ended)) if channel.edit(id, &ended).await.is_ok() => return None,
            None if trouble != Trouble::Refused => return None,
            Some(_) | None => {}
        }
        let instead = posts(&in_its_place(answer, self.language), &self.mentions, channel.signer(), self.language)
            .into_iter()
            .next()?;
        // A nonce of its own: Discord would take it for the message that it refused.
        channel.send(&instead, "r", Link::Reply).await.ok()
    }

    /// Why a command may not be answered here: a message can be read by everybody in its channel.
    fn for_one_alone(&self, route: &Route, place: Place) -> Option<String> {
        let (Route::Command(invocation), Place::Guild { .. }) = (route, place) else { return None };
        let path = &invocation.path;
        if self.dispatcher.audience(path) != Audience::Asker {
            return None;
        }
        info!(command.name = %path, user.id = invocation.caller.id.0, "its answer is for one person; not run in public");
        Some(say!(self.language, "answer-for-one-alone", command = path.to_string()))
    }
}
