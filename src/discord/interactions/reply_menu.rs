//! The bot's own context-menu commands for its chat replies: show the recorded turn, ask again, delete, and hide
//! leading JSON.

use std::num::NonZeroU64;

use serenity::all::{CreateAllowedMentions, EditMessage, MessageId};

use crate::convert::{self, Used};
use crate::gate::Slot;
use crate::interactions::deliver::Delivery;
use crate::messages::ask_again::{AskAgain, AskedAgain};
use crate::payload::{CommandInteraction, ComponentInteraction};
use crate::render::turn_text::SMALL;
use crate::rest::change;
use crate::shared::Shared;
use candor_core::contract::{ASK_AGAIN, DELETE_REPLY, HIDE_JSON, WHAT_IT_SAID};
use candor_core::inbound::UserId;
use candor_core::language::{Language, say};
use candor_core::record::TurnId;
use candor_core::reply::{Answer, Audience, CONTENT_LENGTH_MAX};
use candor_core::text::{utf16_length, without_leading_json};
use candor_engine::dispatch::ReplyRef;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyMenu {
    WhatItSaid,
    AskAgain,
    Delete,
    HideJson,
}

impl ReplyMenu {
    /// Returns the message command of this name, if it is the bot's own.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            WHAT_IT_SAID => Some(Self::WhatItSaid),
            ASK_AGAIN => Some(Self::AskAgain),
            DELETE_REPLY => Some(Self::Delete),
            HIDE_JSON => Some(Self::HideJson),
            _ => None,
        }
    }
}

impl Shared {
    pub(crate) async fn reply_menu(&self, menu: ReplyMenu, chosen: &CommandInteraction<'_>, slot: Slot<'_>) {
        let language = convert::of_command(chosen, self.language());
        let delivery = Delivery::new(&self.rest, chosen.id, &chosen.token).speaking(language);
        let Some(message) = chosen.data.target_id else {
            return delivery.refuse(&say!(language, "said-none")).await;
        };
        let asked = convert::interaction(chosen, self.language());
        let caller = asked.caller;
        let place = asked.place;
        let reply = ReplyRef::Message(message.get());
        if menu == ReplyMenu::AskAgain {
            let channel = chosen.channel_id;
            let guild = chosen.guild_id;
            let asks = AskAgain { reply, event: asked.id, caller, channel, guild };
            let bot = *self.bot.wait().await;
            return self.ask_again(&delivery, &asks, bot, slot).await;
        }
        let work = async {
            Some(Answer::host(match menu {
                ReplyMenu::Delete => match self.dispatcher.chat.to_change(reply, &caller, place).await {
                    Ok(messages) => self.delete_reply(chosen, &messages, language).await,
                    Err(why) => why,
                },
                ReplyMenu::HideJson => match self.dispatcher.chat.to_change(reply, &caller, place).await {
                    Ok(_) => self.hide_json(chosen, message, language).await,
                    Err(why) => why,
                },
                ReplyMenu::WhatItSaid | ReplyMenu::AskAgain => {
                    self.dispatcher.chat.said(message.get(), &caller, place).await
                }
            }))
        };
        self.in_time(&delivery, convert::sent(chosen.id.get()), Audience::Asker, language, work).await;
    }

    /// Repeats the question of a reply after a press of its button.
    pub(crate) async fn ask_again_from(
        &self,
        delivery: &Delivery<'_>,
        press: &ComponentInteraction<'_>,
        used: Used,
        turn: TurnId,
        slot: Slot<'_>,
    ) {
        let bot = UserId(press.data.message.author.id.get());
        let reply = ReplyRef::Turn(turn);
        let event = used.event();
        let channel = press.channel_id;
        let guild = press.guild_id;
        let asks = AskAgain { reply, event, caller: used.caller, channel, guild };
        self.ask_again(delivery, &asks, bot, slot).await;
    }

    /// Tells the person whether the question is repeated, and has it answered.
    async fn ask_again(&self, delivery: &Delivery<'_>, asks: &AskAgain, bot: UserId, slot: Slot<'_>) {
        let language = asks.caller.language;
        let mut again: Option<AskedAgain> = None;
        let work = async {
            Some(Answer::host(match self.asked_again(asks, bot).await {
                Ok(asked) => {
                    again = Some(asked);
                    say!(language, "ask-again-asked")
                }
                Err(why) => why,
            }))
        };
        self.in_time(delivery, convert::sent(asks.event.0), Audience::Asker, language, work).await;
        // From here on it is a chat, which takes a message slot instead.
        drop(slot);
        if let Some(again) = again {
            self.answer_again(again, bot).await;
        }
    }

    /// Removes the JSON objects at the beginning of a reply's message. They are neither run nor stored.
    async fn hide_json(&self, chosen: &CommandInteraction<'_>, id: NonZeroU64, language: Language) -> String {
        let message = chosen.data.resolved.messages.get(id);
        let Some(rest) = message.and_then(|message| without_leading_json(&message.content)) else {
            return say!(language, "hide-json-none");
        };
        let content = format!("{rest}\n{SMALL}{}", say!(language, "hide-json-line"));
        let content = if utf16_length(&content) <= CONTENT_LENGTH_MAX { content.trim_start() } else { rest };
        let body = EditMessage::new().allowed_mentions(CreateAllowedMentions::new()).content(content);
        match change(&self.rest, chosen.channel_id, id.into(), &body).await {
            Ok(()) => say!(language, "hide-json-done"),
            Err(_) => say!(language, "hide-json-failed"),
        }
    }

    async fn delete_reply(&self, chosen: &CommandInteraction<'_>, messages: &[u64], language: Language) -> String {
        let mut n_left = 0;
        for &id in messages {
            let gone = self.rest.delete(chosen.channel_id, MessageId::new(id.max(1))).await;
            // An already deleted message counts as deleted.
            n_left += usize::from(gone.is_err_and(|problem| !problem.is_of_status(404)));
        }
        match n_left {
            0 => say!(language, "delete-done"),
            n => say!(language, "delete-failed", n = n),
        }
    }
}
