//! The context-menu command that shows what a model wrote in the turn that led to one of this bot's replies.

use serenity::all::CommandInteraction;

use crate::edges::discord::convert;
use crate::edges::discord::interactions::deliver::Delivery;
use crate::edges::discord::shared::Shared;
use candor_core::language::say;
use candor_core::reply::{Answer, Audience};

impl Shared {
    /// Answers the command, to the asker alone.
    pub(crate) async fn said(&self, chosen: &CommandInteraction) {
        let language = convert::of_command(chosen, self.language());
        let delivery = Delivery::new(&self.rest, chosen.id, &chosen.token).speaking(language);
        let Some(message) = chosen.data.target_id else {
            return delivery.refuse(&say!(language, "said-none")).await;
        };
        let caller = convert::caller(&chosen.user, language);
        let place = convert::place(chosen.guild_id.map(|id| id.get()), chosen.channel_id.get());
        let work = async { Some(Answer::host(self.dispatcher.said(message.get(), &caller, place).await)) };
        self.in_time(&delivery, convert::sent(chosen.id.get()), Audience::Asker, language, work).await;
    }
}
