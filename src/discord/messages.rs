//! Messages: which are for the bot, and the answers below them.

use serenity::all::{Context, CreateMessage, Message};
use tracing::{info, warn};

use crate::discord::deliver::{Trouble, trouble, twice};
use crate::discord::handler::Shared;
use crate::discord::http::describe;
use crate::discord::{convert, respond};
use crate::inbound::{Place, UserId};
use crate::reply::{Answer, Audience};
use crate::router::Route;

impl Shared {
    /// Answers a message, if it is for the bot.
    pub(super) async fn read(&self, context: &Context, message: &Message, bot: UserId) {
        // Every message tells how far the clocks are apart.
        self.gate.age(message.id.get());
        if self.gate.is_closing() {
            return;
        }
        let inbound = convert::message(message, bot, &self.chat_channels);
        let route = self.dispatcher.route(&inbound);
        if let Route::Ignore(_) = route {
            return;
        }
        let _room = match self.gate.message() {
            Ok(room) => room,
            Err(closed) => {
                return say(context, message, &Answer::host(closed.text("your message was left alone"))).await;
            }
        };
        if let Some(text) = self.for_one_alone(&route, inbound.place()) {
            return say(context, message, &Answer::host(text)).await;
        }
        let typing = matches!(route, Route::Chat(_)).then(|| message.channel_id.start_typing(&context.http));
        let answer = self.dispatcher.carry_out(route, &inbound).await;
        drop(typing);
        if let Some(answer) = answer {
            say(context, message, &answer).await;
        }
    }

    /// Why a command may not be answered here: a message can be read by everybody in its channel.
    fn for_one_alone(&self, route: &Route, place: Place) -> Option<String> {
        let (Route::Command(invocation), Place::Guild { .. }) = (route, place) else { return None };
        let path = &invocation.path;
        if self.dispatcher.audience(path) != Audience::Asker {
            return None;
        }
        info!(command.name = %path, user.id = invocation.caller.id.0, "its answer is for one person; not run in public");
        Some(format!(
            "The answer to `{path}` is for you alone: choose it in Discord's picker, or write it to me directly."
        ))
    }
}

/// Sends an answer below the message that asked for it.
async fn say(context: &Context, asked: &Message, answer: &Answer) {
    for part in respond::messages(answer, asked) {
        match send(context, asked, &part).await {
            Ok(()) => {}
            Err(Trouble::Refused) => {
                let _said = send(context, asked, &respond::message_in_its_place(answer, asked)).await;
                return;
            }
            Err(_) => return,
        }
    }
}

/// The nonce makes a second sending of the same message no second message.
async fn send(context: &Context, asked: &Message, part: &CreateMessage) -> Result<(), Trouble> {
    let sent = twice(|| context.http.send_message(asked.channel_id, Vec::new(), part)).await;
    sent.map(drop).map_err(|problem| {
        warn!(channel.id = asked.channel_id.get(), error = describe(&problem), "could not send a message");
        trouble(&problem)
    })
}
