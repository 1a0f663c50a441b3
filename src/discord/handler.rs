//! Our event handler: what kind of event is this, and who answers it?
//!
//! It stands before poise, because poise panics on entry-point commands, ignores buttons and modals, and
//! only logs what it does not know. Here every interaction is answered.

use std::any::Any;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use poise::{FrameworkContext, FrameworkError, FrameworkOptions};
use serenity::all::{
    CommandInteraction, CommandType, Context, CreateAutocompleteResponse, CreateInteractionResponse,
    CreateInteractionResponseFollowup, CreateInteractionResponseMessage, Event, EventHandler, Http,
    Interaction as DiscordInteraction, InteractionId, Message, RawEventHandler, Ready, ResumedEvent, ShardManager,
};
use serenity::async_trait;
use tokio::sync::Mutex;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;
use tracing::{error, info, warn};

use crate::discord::commands::{Never, defer_in};
use crate::discord::http::{describe, is_dead};
use crate::discord::{convert, respond};
use crate::dispatch::Dispatcher;
use crate::inbound::{ChannelId, Inbound, Interaction, UserId};
use crate::reply::{Answer, Audience};
use crate::router::Route;

/// What every event needs; poise hands it to our shared action.
pub(super) struct Shared {
    pub(super) dispatcher: Arc<Dispatcher>,
    pub(super) chat_channels: Vec<ChannelId>,
    /// The work under way, waited for at shutdown.
    pub(super) running: TaskTracker,
}

/// The event handler.
pub(super) struct Handler {
    pub(super) shared: Arc<Shared>,
    pub(super) table: FrameworkOptions<Shared, Never>,
    pub(super) shards: OnceLock<Arc<ShardManager>>,
    /// The bot's own id, known from READY on.
    pub(super) bot: OnceLock<UserId>,
}

/// What a person gets for an interaction whose owner is gone: an old button, a form, a menu entry.
const UNKNOWN_INTERACTION: &str =
    "This button, form or menu entry is no longer in use, so nothing happened. `/help` lists what there is.";

impl Shared {
    /// Answers one slash command, in time whatever its handler does.
    pub(super) async fn serve(&self, context: &Context, interaction: &CommandInteraction, inbound: Interaction) {
        let sent = inbound.sent;
        let inbound = Inbound::Interaction(inbound);
        let route = self.dispatcher.route(&inbound);
        let audience = match &route {
            Route::Command(invocation) => self.dispatcher.audience(&invocation.path),
            _ => Audience::Asker,
        };
        let mut work = std::pin::pin!(self.dispatcher.carry_out(route, &inbound));
        let at_once = tokio::select! {
            biased;
            answer = &mut work => Some(answer),
            () = sleep(defer_in(sent, SystemTime::now())) => None,
        };
        let answered = match at_once {
            Some(Some(answer)) => interaction.create_response(&context.http, respond::first(&answer)).await,
            // Another process answers it.
            Some(None) => Ok(()),
            None => {
                let waiting = CreateInteractionResponseMessage::new().ephemeral(audience == Audience::Asker);
                if let Err(problem) =
                    interaction.create_response(&context.http, CreateInteractionResponse::Defer(waiting)).await
                {
                    report(&problem, "could not defer the answer");
                }
                match work.await {
                    Some(answer) => interaction.edit_response(&context.http, respond::edit(&answer)).await.map(drop),
                    None => Ok(()),
                }
            }
        };
        if let Err(problem) = answered {
            report(&problem, "could not answer");
        }
    }

    /// Answers a message, if it is for the bot.
    async fn read(&self, context: &Context, message: &Message, bot: UserId) {
        let inbound = convert::message(message, bot, &self.chat_channels);
        let route = self.dispatcher.route(&inbound);
        if let Route::Ignore(_) = route {
            return;
        }
        let typing = matches!(route, Route::Chat(_)).then(|| message.channel_id.start_typing(&context.http));
        let answer = self.dispatcher.carry_out(route, &inbound).await;
        drop(typing);
        let Some(answer) = answer else { return };
        for part in respond::messages(&answer, message) {
            if let Err(problem) = message.channel_id.send_message(&context.http, part).await {
                report(&problem, "could not send a message");
                return;
            }
        }
    }
}

impl Handler {
    /// Every kind of interaction, each with an answer.
    async fn interaction(&self, context: &Context, interaction: &DiscordInteraction) {
        match interaction {
            DiscordInteraction::Command(command) if command.data.kind == CommandType::ChatInput => {
                self.command(context, command).await;
            }
            DiscordInteraction::Autocomplete(command) => {
                if command.data.kind != CommandType::ChatInput || !self.autocomplete(context, command).await {
                    no_suggestions(context, command).await;
                }
            }
            DiscordInteraction::Ping(_) => {}
            other => {
                info!(kind = ?other.kind(), "an interaction that nobody owns");
                refuse(&context.http, other.id(), other.token(), UNKNOWN_INTERACTION).await;
            }
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
        match problem {
            // What is not in the table goes the same way as what is: the router answers it.
            FrameworkError::UnknownInteraction { .. } | FrameworkError::CommandStructureMismatch { .. } => {
                let inbound = convert::interaction(command);
                let route = self.shared.dispatcher.route(&Inbound::Interaction(inbound.clone()));
                if let Route::Command(_) = route {
                    error!(command.name = command.data.name, "poise's table and the registry disagree; not run");
                    refuse(&context.http, command.id, &command.token, "Unknown command. It did not run.").await;
                    return;
                }
                if let Some(answer) = self.shared.dispatcher.carry_out(route, &Inbound::Interaction(inbound)).await {
                    first(context, command, &answer).await;
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
                    refuse(&context.http, command.id, &command.token, text).await;
                }
            }
        }
    }

    /// Whether suggestions were sent.
    async fn autocomplete(&self, context: &Context, command: &CommandInteraction) -> bool {
        let Some(framework) = self.framework(context) else { return false };
        let (replied, per_call) = (AtomicBool::new(false), Mutex::new(Box::new(()) as Box<dyn Any + Send + Sync>));
        let options = command.data.options();
        let mut tree = Vec::new();
        poise::dispatch_autocomplete(framework, command, &replied, &per_call, &options, &mut tree).await.is_ok()
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

async fn first(context: &Context, command: &CommandInteraction, answer: &Answer) {
    if let Err(problem) = command.create_response(&context.http, respond::first(answer)).await {
        report(&problem, "could not answer");
    }
}

async fn no_suggestions(context: &Context, command: &CommandInteraction) {
    let none = CreateInteractionResponse::Autocomplete(CreateAutocompleteResponse::new());
    if let Err(problem) = command.create_response(&context.http, none).await {
        report(&problem, "could not send an empty list of suggestions");
    }
}

/// A plain answer for the asker alone, by the raw callback: it needs no decoded event.
async fn refuse(http: &Http, id: InteractionId, token: &str, text: &str) {
    let body = respond::first(&Answer::host(text));
    if let Err(problem) = http.create_interaction_response(id, token, &body, Vec::new()).await {
        report(&problem, "could not answer");
    }
}

/// Says once what failed towards Discord. An interaction that is over is no fault of ours.
fn report(problem: &serenity::Error, what: &'static str) {
    if is_dead(problem) {
        info!(error = describe(problem), "{what}: the interaction is over");
    } else {
        warn!(error = describe(problem), "{what}");
    }
}

/// The kind of a poise error. Its text may hold tokens.
fn name_of(problem: &FrameworkError<'_, Shared, Never>) -> &'static str {
    match problem {
        FrameworkError::CommandPanic { .. } => "panic",
        FrameworkError::CommandCheckFailed { .. } => "check",
        FrameworkError::CooldownHit { .. } => "cooldown",
        FrameworkError::MissingBotPermissions { .. } | FrameworkError::MissingUserPermissions { .. } => "permissions",
        FrameworkError::PermissionFetchFailed { .. } => "permission-fetch",
        _ => "other",
    }
}

#[async_trait]
impl EventHandler for Handler {
    async fn ready(&self, _: Context, ready: Ready) {
        // A second READY comes after a lost session and says the same id.
        let _known = self.bot.set(UserId(ready.user.id.get()));
        info!(bot.id = ready.user.id.get(), bot.name = ready.user.name, guilds = ready.guilds.len(), "ready");
    }

    async fn resume(&self, _: Context, _: ResumedEvent) {
        info!("resumed");
    }

    async fn interaction_create(&self, context: Context, interaction: DiscordInteraction) {
        self.shared.running.track_future(self.interaction(&context, &interaction)).await;
    }

    async fn message(&self, context: Context, message: Message) {
        let Some(bot) = self.bot.get() else { return };
        self.shared.running.track_future(self.shared.read(&context, &message, *bot)).await;
    }
}

/// Answers interactions that serenity cannot decode. It drops them without a word; the raw event still
/// holds the id and the token.
pub(super) struct Undecodable;

#[async_trait]
impl RawEventHandler for Undecodable {
    async fn raw_event(&self, context: Context, event: Event) {
        let Event::Unknown(unknown) = event else { return };
        if unknown.kind != "INTERACTION_CREATE" {
            return;
        }
        let text = |key: &str| unknown.value.get(key).and_then(serde_json::Value::as_str);
        let (Some(id), Some(token)) = (text("id").and_then(|id| id.parse().ok()), text("token")) else { return };
        let kind = unknown.value.get("type").and_then(serde_json::Value::as_u64);
        warn!(interaction.kind = kind, "an interaction that cannot be decoded");
        if id != 0 {
            refuse(&context.http, InteractionId::new(id), token, UNKNOWN_INTERACTION).await;
        }
    }
}
