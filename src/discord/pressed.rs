//! Buttons that were pressed: who may, and what comes of it.

use serenity::all::{ComponentInteraction, Context, CreateActionRow};
use serenity::builder::{CreateAllowedMentions, CreateInteractionResponseMessage, EditMessage};
use serenity::model::channel::MessageFlags;
use tracing::info;

use crate::agent::TurnId;
use crate::discord::button::Button;
use crate::discord::convert;
use crate::discord::deliver::{Delivery, change};
use crate::discord::handler::Shared;
use crate::discord::interactions::{UNKNOWN_INTERACTION, in_time};
use crate::discord::questions::{Choice, Click, QuestionId};
use crate::discord::turn_text::SMALL;
use crate::inbound::{EventId, UserId};
use crate::receipt::Outcome;
use crate::reply::{Answer, Audience, Provenance};

impl Shared {
    /// Answers a press, of our buttons and of any other.
    pub(super) async fn pressed(&self, context: &Context, press: &ComponentInteraction) {
        let delivery = Delivery::new(&context.http, press.id, &press.token);
        let _room = match self.gate.interaction() {
            Ok(room) => room,
            Err(closed) => return delivery.refuse(&closed.text("this click did nothing")).await,
        };
        match Button::parse(&press.data.custom_id) {
            Some(Button::Decide(question, choice)) => self.decided(&delivery, press, question, choice).await,
            Some(Button::Fix(turn)) => self.fix(context, &delivery, press, turn).await,
            None => {
                info!("a button that nobody owns");
                delivery.refuse(UNKNOWN_INTERACTION).await;
            }
        }
    }

    async fn decided(
        &self,
        delivery: &Delivery<'_>,
        press: &ComponentInteraction,
        question: QuestionId,
        choice: Choice,
    ) {
        if self.dispatcher.chat().is_blocked(&convert::caller(&press.user)) {
            return delivery
                .refuse("You may not use this bot. Its operator decides that. This click ran nothing.")
                .await;
        }
        let click = self.questions.click(question, UserId(press.user.id.get()), choice);
        info!(user.id = press.user.id.get(), click = ?click, "a question was clicked");
        match click {
            Click::Decided => {
                let end = match choice {
                    Choice::Confirm => "confirmed",
                    Choice::Decline => "declined: nothing ran",
                };
                delivery.update(without_buttons(&format!("{}\n{SMALL}{end}", press.message.content))).await;
            }
            Click::NotTheirs => delivery.refuse("Only the person who asked can decide this.").await,
            // It may have been confirmed a moment ago, so this speaks of the click alone.
            Click::Closed => delivery.refuse("This question is no longer open. This click ran nothing.").await,
        }
    }

    async fn fix(&self, context: &Context, delivery: &Delivery<'_>, press: &ComponentInteraction, turn: TurnId) {
        let caller = convert::caller(&press.user);
        let place = convert::place(press.guild_id.map(|id| id.get()), press.channel_id.get());
        let event = EventId(press.id.get());
        let work = async {
            let answer = self.dispatcher.chat().fix(turn, event, &caller, place).await;
            Some(Answer { audience: Audience::Asker, ..answer })
        };
        let answer = in_time(delivery, convert::sent(event.0), Audience::Asker, work).await;
        // A refusal can be met: there is room again once something is forgotten.
        let tried = |answer: &Answer| match &answer.provenance {
            Provenance::Command(receipt) => receipt.facts().outcome != Outcome::Refused,
            Provenance::Turn(_) | Provenance::Host => false,
        };
        if answer.as_ref().is_some_and(tried) {
            take_buttons(context, press).await;
        }
    }
}

fn without_buttons(content: &str) -> CreateInteractionResponseMessage {
    CreateInteractionResponseMessage::new()
        .allowed_mentions(CreateAllowedMentions::new())
        .components(Vec::<CreateActionRow>::new())
        .content(content)
}

/// The button did what it can do. If it stays, the next press says so.
async fn take_buttons(context: &Context, press: &ComponentInteraction) {
    let body = EditMessage::new()
        .allowed_mentions(CreateAllowedMentions::new())
        .flags(MessageFlags::SUPPRESS_EMBEDS)
        .components(Vec::new());
    let _shown = change(&context.http, press.channel_id, press.message.id, &body).await;
}
