//! Interactions: every kind of them gets an answer, in time.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use poise::{FrameworkContext, FrameworkError};
use serenity::all::{
    CommandInteraction, CommandType, Context, CreateInteractionResponseFollowup, Interaction as DiscordInteraction,
};
use tokio::sync::Mutex;
use tokio::time::sleep;
use tracing::{error, info, warn};

use crate::agent::Unattended;
use crate::discord::clean::REMOVE_MADE_UP;
use crate::discord::commands::{Never, defer_in};
use crate::discord::convert;
use crate::discord::deliver::{Delivery, Trouble};
use crate::discord::gate::ANSWER_WITHIN;
use crate::discord::handler::{Handler, Shared};
use crate::inbound::{Inbound, Interaction};
use crate::reply::{Answer, Audience};
use crate::router::{Route, excerpt};

/// What a person gets for an interaction whose owner is gone: an old button, a form, a menu entry.
pub(super) const UNKNOWN_INTERACTION: &str =
    "This button, form or menu entry is no longer in use, so nothing happened. `/help` lists what there is.";

impl Shared {
    /// Answers one slash command, in time whatever its handler does.
    pub(super) async fn serve(&self, context: &Context, interaction: &CommandInteraction, inbound: Interaction) {
        let delivery = delivery(context, interaction);
        let sent = inbound.sent;
        let inbound = Inbound::Interaction(inbound);
        let route = self.dispatcher.route(&inbound);
        let audience = match &route {
            Route::Command(invocation) => self.dispatcher.audience(&invocation.path),
            _ => Audience::Asker,
        };
        in_time(&delivery, sent, audience, self.dispatcher.carry_out(route, &inbound, &Unattended)).await;
    }
}

/// Does the work and delivers its answer, put off if the work takes longer than an interaction waits. Gives the answer
/// back; where there is none, another process gives it.
pub(super) async fn in_time(
    delivery: &Delivery<'_>,
    sent: SystemTime,
    audience: Audience,
    work: impl Future<Output = Option<Answer>>,
) -> Option<Answer> {
    let mut work = std::pin::pin!(work);
    let at_once = tokio::select! {
        biased;
        answer = &mut work => Some(answer),
        () = sleep(defer_in(sent, SystemTime::now())) => None,
    };
    if let Some(answer) = at_once {
        if let Some(answer) = &answer {
            delivery.answer(answer).await;
        }
        return answer;
    }
    let deferred = delivery.defer(audience).await;
    // What began is carried to its end, also where nobody is left to see it.
    let answer = work.await?;
    match deferred {
        Ok(()) => delivery.answer_deferred(&answer).await,
        Err(Trouble::Over | Trouble::Answered) => {}
        Err(Trouble::Refused | Trouble::Lost) => delivery.answer_undeferred(&answer).await,
    }
    Some(answer)
}

impl Handler {
    /// Every kind of interaction, each with an answer.
    pub(super) async fn interaction(&self, context: &Context, interaction: &DiscordInteraction) {
        let age = self.shared.gate.age(interaction.id().get());
        if ANSWER_WITHIN <= age {
            // A replay after a lost connection. Nobody would see an answer, so nothing may run.
            warn!(kind = ?interaction.kind(), age_ms = age.as_millis(), "an interaction came too late; dropped");
            return;
        }
        match interaction {
            DiscordInteraction::Command(command) if command.data.kind == CommandType::ChatInput => {
                match self.shared.gate.interaction() {
                    Ok(_room) => self.command(context, command).await,
                    Err(closed) => {
                        warn!(command.name = command.data.name, reason = ?closed, "a command was not started");
                        let named = excerpt(&convert::interaction(command).path.join(" "));
                        delivery(context, command).refuse(&closed.text(&format!("`/{named}` did not run"))).await;
                    }
                }
            }
            DiscordInteraction::Command(command)
                if command.data.kind == CommandType::Message && command.data.name == REMOVE_MADE_UP =>
            {
                self.menu(context, command).await;
            }
            DiscordInteraction::Component(press) => self.shared.pressed(context, press).await,
            DiscordInteraction::Autocomplete(command) => self.autocomplete(context, command).await,
            DiscordInteraction::Ping(_) => {}
            other => {
                info!(kind = ?other.kind(), "an interaction that nobody owns");
                Delivery::new(&context.http, other.id(), other.token()).refuse(UNKNOWN_INTERACTION).await;
            }
        }
    }

    async fn menu(&self, context: &Context, chosen: &CommandInteraction) {
        match (self.shared.gate.interaction(), self.bot.get()) {
            (Ok(_room), Some(bot)) => self.shared.clean(context, chosen, *bot).await,
            (Err(closed), _) => delivery(context, chosen).refuse(&closed.text("nothing was taken out")).await,
            (Ok(_), None) => warn!("an event came before READY; it is not answered"),
        }
    }

    async fn command(&self, context: &Context, command: &CommandInteraction) {
        let Some(framework) = self.framework(context) else { return };
        let (replied, per_call) = (AtomicBool::new(false), Mutex::new(Box::new(()) as Box<dyn Any + Send + Sync>));
        let options = command.data.options();
        let mut tree = Vec::new();
        let dispatched =
            poise::dispatch_interaction(framework, command, &replied, &per_call, &options, &mut tree).await;
        let Err(problem) = dispatched else { return };
        let delivery = delivery(context, command);
        match problem {
            // What is not in the table goes the same way as what is: the router answers it.
            FrameworkError::UnknownInteraction { .. } | FrameworkError::CommandStructureMismatch { .. } => {
                let inbound = Inbound::Interaction(convert::interaction(command));
                let route = self.shared.dispatcher.route(&inbound);
                if let Route::Command(_) = route {
                    error!(command.name = command.data.name, "poise's table and the registry disagree; not run");
                    delivery.refuse("Unknown command. It did not run.").await;
                } else if let Some(answer) = self.shared.dispatcher.carry_out(route, &inbound, &Unattended).await {
                    delivery.answer(&answer).await;
                }
            }
            other => {
                error!(
                    command.name = command.data.name,
                    error = name_of(&other),
                    "a command broke in the Discord edge"
                );
                let text = "The command failed on its way to Discord. Whether it ran, `/receipt` says.";
                // If a first answer stands already, only a follow-up can be seen.
                let followup = CreateInteractionResponseFollowup::new().content(text).ephemeral(true);
                if command.create_followup(&context.http, followup).await.is_err() {
                    delivery.refuse(text).await;
                }
            }
        }
    }

    /// Suggestions while a person types; an empty list where there are none.
    async fn autocomplete(&self, context: &Context, command: &CommandInteraction) {
        let replied = AtomicBool::new(false);
        if let (CommandType::ChatInput, Ok(_room), Some(framework)) =
            (command.data.kind, self.shared.gate.interaction(), self.framework(context))
        {
            let per_call = Mutex::new(Box::new(()) as Box<dyn Any + Send + Sync>);
            let (options, mut tree) = (command.data.options(), Vec::new());
            // An error says the same as no reply. Without an option in focus or a completer, poise gives
            // neither.
            let _dispatched =
                poise::dispatch_autocomplete(framework, command, &replied, &per_call, &options, &mut tree).await;
        }
        if !replied.load(Ordering::Relaxed) {
            delivery(context, command).suggest_nothing().await;
        }
    }

    fn framework<'a>(&'a self, context: &'a Context) -> Option<FrameworkContext<'a, Shared, Never>> {
        let (Some(shards), Some(bot)) = (self.shards.get(), self.bot.get()) else {
            warn!("an event came before READY; it is not answered");
            return None;
        };
        Some(FrameworkContext {
            bot_id: serenity::all::UserId::new(bot.0),
            serenity_context: context,
            options: &self.table,
            user_data: &self.shared,
            shard_manager: shards,
        })
    }
}

fn delivery<'a>(context: &'a Context, command: &'a CommandInteraction) -> Delivery<'a> {
    Delivery::new(&context.http, command.id, &command.token)
}

/// The kind of a poise error. Its text may hold tokens.
pub(super) fn name_of(problem: &FrameworkError<'_, Shared, Never>) -> &'static str {
    match problem {
        FrameworkError::CommandPanic { .. } => "panic",
        FrameworkError::CommandCheckFailed { .. } => "check",
        FrameworkError::CooldownHit { .. } => "cooldown",
        FrameworkError::MissingBotPermissions { .. } | FrameworkError::MissingUserPermissions { .. } => "permissions",
        FrameworkError::PermissionFetchFailed { .. } => "permission-fetch",
        _ => "other",
    }
}
