//! Interactions: every kind of them gets an answer, in time.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use poise::{FrameworkContext, FrameworkError};
use serenity::all::{
    CommandInteraction, CommandType, Context, CreateInteractionResponseFollowup, Interaction as DiscordInteraction,
};
use tokio::sync::Mutex;
use tokio::time::Instant;
use tracing::{error, info, warn};

use crate::agent::Unattended;
use crate::counters::{Timing, UnknownInteraction};
use crate::discord::clean::REMOVE_MADE_UP;
use crate::discord::commands::Never;
use crate::discord::convert;
use crate::discord::deliver::Delivery;
use crate::discord::gate::{ANSWER_WITHIN, Closed};
use crate::discord::handler::{Handler, Shared};
use crate::discord::in_time::{Due, in_time};
use crate::inbound::{Inbound, Interaction};
use crate::language::{Language, say};
use crate::reply::{Answer, Audience};
use crate::router::{Route, excerpt};

/// What a person gets for an interaction whose owner is gone: an old button, a form, a menu entry.
pub(super) fn unknown_interaction(language: Language) -> String {
    say!(language, "interaction-unknown")
}

impl Shared {
    /// Answers one command, slash or of a menu, in time whatever its handler does.
    pub(super) async fn serve(&self, context: &Context, interaction: &CommandInteraction, inbound: Interaction) {
        let signer = self.custom_ids.for_person(inbound.caller.id, SystemTime::now());
        let delivery = delivery(context, interaction).speaking(inbound.caller.language).signing(signer);
        let (sent, asked) = (inbound.sent, inbound.clone());
        let inbound = Inbound::Interaction(inbound);
        let route = self.dispatcher.route(&inbound);
        self.note(&route);
        if let Route::Form(request) = &route {
            return self.open_form(&delivery, &inbound, request, &interaction.locale).await;
        }
        let audience = match &route {
            Route::Command(invocation) => self.dispatcher.audience(&invocation.path),
            _ => Audience::Asker,
        };
        let mut begun = None;
        let work = async {
            let answer = self.dispatcher.carry_out(route, &inbound, &Unattended).await?;
            let (answer, live) = self.live.begin(&context.http, &asked, &interaction.token, answer).await;
            begun = live;
            Some(answer)
        };
        self.in_time(&delivery, sent, audience, inbound.caller().language, work).await;
        if let Some(begun) = begun {
            self.live.follow(&context.http, begun);
        }
    }

    /// Does the work and delivers its answer in time.
    pub(super) async fn in_time(
        &self,
        delivery: &Delivery<'_>,
        sent: SystemTime,
        audience: Audience,
        language: Language,
        work: impl Future<Output = Option<Answer>>,
    ) -> Option<Answer> {
        let now = Instant::now();
        let began = now.checked_sub(self.gate.since(sent)).unwrap_or(now);
        let due = Due { began, audience, language, tell_after: self.tell_after };
        in_time(delivery, &*self.dispatcher, &self.counters, &due, work).await
    }
}

impl Handler {
    /// Every kind of interaction, each with an answer.
    pub(super) async fn interaction(&self, context: &Context, interaction: &DiscordInteraction) {
        let age = self.shared.gate.age(interaction.id().get());
        if ANSWER_WITHIN <= age {
            // A replay after a lost connection. Nobody would see an answer, so nothing may run.
            self.shared.counters.timed(Timing::DroppedLate);
            warn!(kind = ?interaction.kind(), age_ms = age.as_millis(), "an interaction came too late; dropped");
            return;
        }
        match interaction {
            DiscordInteraction::Command(command) if command.data.kind == CommandType::ChatInput => {
                match self.shared.gate.interaction() {
                    Ok(_room) => self.command(context, command).await,
                    Err(closed) => {
                        warn!(command.name = command.data.name, reason = ?closed, "a command was not started");
                        let inbound = convert::interaction(command, self.shared.language);
                        let (named, language) = (excerpt(&inbound.path.join(" ")), inbound.caller.language);
                        let what = say!(language, "closed-command", command = format!("/{named}"));
                        delivery(context, command).refuse(&closed.text(&what, language)).await;
                    }
                }
            }
            DiscordInteraction::Command(command)
                if command.data.kind == CommandType::Message && command.data.name == REMOVE_MADE_UP =>
            {
                self.menu(context, command).await;
            }
            DiscordInteraction::Command(command)
                if matches!(command.data.kind, CommandType::User | CommandType::Message) =>
            {
                self.entry(context, command).await;
            }
            DiscordInteraction::Command(command) => {
                info!(kind = u8::from(command.data.kind), "a command of a kind that nobody owns");
                self.shared.counters.unknown(UnknownInteraction::EntryPoint);
                let language = convert::of_command(command, self.shared.language);
                delivery(context, command).refuse(&unknown_kind(language, command.data.kind)).await;
            }
            DiscordInteraction::Component(press) => self.shared.pressed(context, press).await,
            DiscordInteraction::Modal(form) => self.shared.submitted(context, form).await,
            DiscordInteraction::Autocomplete(command) => self.autocomplete(context, command).await,
            DiscordInteraction::Ping(_) => {}
            // A kind that serenity may come to know.
            other => {
                info!(kind = ?other.kind(), "an interaction that nobody owns");
                self.shared.counters.unknown(UnknownInteraction::Undecodable);
                let text = unknown_interaction(self.shared.language);
                Delivery::new(&context.http, other.id(), other.token()).refuse(&text).await;
            }
        }
    }

    /// An entry of a menu, known or not: the router decides. poise never sees one.
    async fn entry(&self, context: &Context, chosen: &CommandInteraction) {
        let inbound = convert::interaction(chosen, self.shared.language);
        match self.shared.gate.interaction() {
            Ok(_room) => self.shared.serve(context, chosen, inbound).await,
            Err(closed) => {
                warn!(command.name = chosen.data.name, reason = ?closed, "an entry of a menu was not started");
                let named = excerpt(&chosen.data.name);
                let language = inbound.caller.language;
                let what = say!(language, "closed-command", command = named);
                delivery(context, chosen).refuse(&closed.text(&what, language)).await;
            }
        }
    }

    async fn menu(&self, context: &Context, chosen: &CommandInteraction) {
        match (self.shared.gate.interaction(), self.bot.get()) {
            (Ok(_room), Some(bot)) => self.shared.clean(context, chosen, *bot).await,
            (Err(closed), _) => {
                let language = convert::of_command(chosen, self.shared.language);
                let text = closed.text(&say!(language, "closed-clean"), language);
                delivery(context, chosen).refuse(&text).await;
            }
            (Ok(_), None) => self.too_early(context, chosen).await,
        }
    }

    async fn command(&self, context: &Context, command: &CommandInteraction) {
        let Some(framework) = self.framework(context) else { return self.too_early(context, command).await };
        let (replied, per_call) = (AtomicBool::new(false), Mutex::new(Box::new(()) as Box<dyn Any + Send + Sync>));
        let options = command.data.options();
        let mut tree = Vec::new();
        let dispatched =
            poise::dispatch_interaction(framework, command, &replied, &per_call, &options, &mut tree).await;
        let Err(problem) = dispatched else { return };
        let language = convert::of_command(command, self.shared.language);
        let delivery = delivery(context, command).speaking(language);
        match problem {
            // What is not in the table goes the same way as what is: the router answers it.
            FrameworkError::UnknownInteraction { .. } | FrameworkError::CommandStructureMismatch { .. } => {
                let inbound = Inbound::Interaction(convert::interaction(command, self.shared.language));
                let route = self.shared.dispatcher.route(&inbound);
                self.shared.note(&route);
                if let Route::Command(_) = route {
                    error!(command.name = command.data.name, "poise's table and the registry disagree; not run");
                    delivery.refuse(&say!(language, "command-not-in-table")).await;
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
                let text = say!(language, "command-broke");
                // If a first answer stands already, only a follow-up can be seen.
                let followup = CreateInteractionResponseFollowup::new().content(&text).ephemeral(true);
                if command.create_followup(&context.http, followup).await.is_err() {
                    delivery.refuse(&text).await;
                }
            }
        }
    }

    /// What comes before READY, when it is not yet known who the bot is.
    async fn too_early(&self, context: &Context, command: &CommandInteraction) {
        let language = convert::of_command(command, self.shared.language);
        let what = say!(language, "closed-command", command = excerpt(&command.data.name));
        delivery(context, command).refuse(&Closed::Restarting.text(&what, language)).await;
    }

    /// Suggestions while a person types; an empty list where there are none.
    async fn autocomplete(&self, context: &Context, command: &CommandInteraction) {
        let replied = AtomicBool::new(false);
        if let (CommandType::ChatInput, Ok(_room), Some(framework)) =
            (command.data.kind, self.shared.gate.interaction(), self.framework(context))
        {
            let per_call = Mutex::new(Box::new(()) as Box<dyn Any + Send + Sync>);
            let (options, mut tree) = (command.data.options(), Vec::new());
            let dispatched =
                poise::dispatch_autocomplete(framework, command, &replied, &per_call, &options, &mut tree).await;
            // Without an option in focus or a completer, poise gives neither an error nor a reply.
            if dispatched.is_err() {
                self.shared.counters.unknown(UnknownInteraction::Completion);
                self.shared.reconciler.request();
            }
        }
        if !replied.load(Ordering::Relaxed) {
            delivery(context, command).suggest_nothing().await;
        }
    }

    fn framework<'a>(&'a self, context: &'a Context) -> Option<FrameworkContext<'a, Shared, Never>> {
        let (Some(shards), Some(bot)) = (self.shards.get(), self.bot.get()) else {
            warn!("an event came before READY");
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

/// What a person gets for a command that is neither a slash command nor an entry of a menu.
fn unknown_kind(language: Language, kind: CommandType) -> String {
    match kind {
        CommandType::PrimaryEntryPoint => say!(language, "interaction-entry-point"),
        _ => say!(language, "interaction-unknown-kind"),
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
