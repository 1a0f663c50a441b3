//! Answers interactions of every kind, in time.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use poise::{FrameworkContext, FrameworkError};
use serenity::all::{
    CommandInteraction, CommandType, Context, CreateInteractionResponseFollowup, Interaction as DiscordInteraction,
    ShardManager,
};
use tokio::sync::Mutex;
use tracing::{error, info, warn};

use crate::edges::discord::convert;
use crate::edges::discord::gate::{ANSWER_WITHIN, GateClosed};
use crate::edges::discord::interactions::deliver::Delivery;
use crate::edges::discord::interactions::framework_error::name_of;
use crate::edges::discord::interactions::reply_menu::ReplyMenu;
use crate::edges::discord::interactions::serve::{InPlace, Presented};
use crate::edges::discord::interactions::tables::{Table, Tables};
use crate::edges::discord::shared::{Never, Shared};
use crate::host::dispatch::Keeping;
use candor_core::inbound::{CommandPath, GuildId, Interaction, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{Timing, UnknownInteraction};
use candor_core::text::excerpt;

/// The answer to an interaction whose command no longer exists: an old button, modal or context-menu command.
pub(crate) fn unknown_interaction(language: Language) -> String {
    say!(language, "interaction-unknown")
}

/// Answers every kind of interaction.
pub(crate) struct Interactions {
    pub(crate) shared: Arc<Shared>,
    pub(crate) tables: Tables,
    pub(crate) shards: OnceLock<Arc<ShardManager>>,
}

impl Interactions {
    /// Answers an interaction of any kind.
    pub(crate) async fn interaction(&self, context: &Context, interaction: &DiscordInteraction) {
        let age = self.shared.gate.age(interaction.id().get());
        if ANSWER_WITHIN <= age {
            // A replay after a lost connection. Nobody would see an answer, so nothing may run.
            self.shared.counters.timings.count(Timing::DroppedLate);
            warn!(kind = ?interaction.kind(), age_ms = age.as_millis(), "an interaction came too late; dropped");
            return;
        }
        let bot = *self.shared.bot.wait().await;
        match interaction {
            DiscordInteraction::Command(command) => self.command(context, command, bot).await,
            DiscordInteraction::Component(press) => self.shared.pressed(press).await,
            DiscordInteraction::Modal(modal) => self.shared.submitted(modal).await,
            DiscordInteraction::Autocomplete(command) => self.autocomplete(context, command).await,
            DiscordInteraction::Ping(_) => {}
            // A kind that serenity may add.
            other => {
                info!(kind = ?other.kind(), "an interaction that nobody owns");
                self.shared.counters.unknown.count(UnknownInteraction::Undecodable);
                let text = unknown_interaction(self.shared.language());
                Delivery::new(&self.shared.rest, other.id(), other.token()).refuse(&text).await;
            }
        }
    }

    /// A command of any type, known or not.
    async fn command(&self, context: &Context, command: &CommandInteraction, bot: UserId) {
        let asked = || convert::interaction(command, self.shared.language());
        let language = convert::of_command(command, self.shared.language());
        let delivery = delivery(&self.shared, command).speaking(language);
        let kind = command.data.kind;
        if !matches!(kind, CommandType::ChatInput | CommandType::User | CommandType::Message) {
            info!(kind = u8::from(kind), "a command of a kind that nobody owns");
            self.shared.counters.unknown.count(UnknownInteraction::EntryPoint);
            return delivery.refuse(&unknown_kind(language, kind)).await;
        }
        let did_not_run = || say!(language, "closed-command", command = named(&asked()));
        let Some(slot) = self.shared.admit(&delivery, UserId(command.user.id.get()), language, did_not_run).await
        else {
            return;
        };
        if let (CommandType::Message, Some(menu)) = (kind, ReplyMenu::named(&command.data.name)) {
            return self.shared.reply_menu(menu, command, bot, slot).await;
        }
        match kind {
            CommandType::ChatInput => self.slash_command(context, command).await,
            // The router decides. poise never sees one.
            _ => self.shared.serve_command(command, asked()).await,
        }
    }

    async fn slash_command(&self, context: &Context, command: &CommandInteraction) {
        let table = self.tables.now();
        let Some(framework) = self.framework(context, &table) else { return self.too_early(command).await };
        let (replied, per_call) = (AtomicBool::new(false), Mutex::new(Box::new(()) as Box<dyn Any + Send + Sync>));
        let options = command.data.options();
        let mut tree = Vec::new();
        let dispatched =
            poise::dispatch_interaction(framework, command, &replied, &per_call, &options, &mut tree).await;
        let Err(problem) = dispatched else { return };
        match problem {
            // A command that is not in the table goes the same way as one that is: the router answers it.
            FrameworkError::UnknownInteraction { .. } | FrameworkError::CommandStructureMismatch { .. } => {
                let inbound = convert::interaction(command, self.shared.language());
                self.shared.serve_command(command, inbound).await;
            }
            other => {
                error!(
                    command.name = command.data.name,
                    error = name_of(&other),
                    "a command broke in the Discord edge"
                );
                let text = say!(convert::of_command(command, self.shared.language()), "command-broke");
                // If there is a first response already, only a follow-up can be seen.
                let followup = CreateInteractionResponseFollowup::new().content(&text).ephemeral(true);
                if self.shared.rest.follow_up(&command.token, &followup).await.is_err() {
                    delivery(&self.shared, command).refuse(&text).await;
                }
            }
        }
    }

    /// An interaction before READY, when the bot's own id is not yet known.
    async fn too_early(&self, command: &CommandInteraction) {
        let inbound = convert::interaction(command, self.shared.language());
        let language = inbound.caller.language;
        let what = say!(language, "closed-command", command = named(&inbound));
        delivery(&self.shared, command).refuse(&GateClosed::Restarting.text(&what, language)).await;
    }

    /// Autocomplete suggestions; an empty list where there are none.
    async fn autocomplete(&self, context: &Context, command: &CommandInteraction) {
        let (replied, table) = (AtomicBool::new(false), self.tables.now());
        if let (CommandType::ChatInput, Ok(_room), Some(framework)) = (
            command.data.kind,
            self.shared.gate.interaction(UserId(command.user.id.get()), convert::sent(command.id.get())).await,
            self.framework(context, &table),
        ) {
            let per_call = Mutex::new(Box::new(()) as Box<dyn Any + Send + Sync>);
            let (options, mut tree) = (command.data.options(), Vec::new());
            let dispatched =
                poise::dispatch_autocomplete(framework, command, &replied, &per_call, &options, &mut tree).await;
            // Without an option in focus or a completer, poise gives neither an error nor a reply.
            if dispatched.is_err() {
                self.shared.counters.unknown.count(UnknownInteraction::Completion);
                self.shared.reconciler.request_in(command.guild_id.map(|guild| GuildId(guild.get())));
            }
        }
        if !replied.load(Ordering::Relaxed) {
            delivery(&self.shared, command).suggest_nothing().await;
        }
    }

    fn framework<'a>(&'a self, context: &'a Context, table: &'a Table) -> Option<FrameworkContext<'a, Shared, Never>> {
        let (Some(shards), Some(bot)) = (self.shards.get(), self.shared.bot.get()) else {
            warn!("an event came before READY");
            return None;
        };
        Some(FrameworkContext {
            bot_id: serenity::all::UserId::new(bot.0),
            serenity_context: context,
            options: &table.options,
            user_data: &self.shared,
            shard_manager: shards,
        })
    }
}

/// A command as it was named, which need not be one of ours.
fn named(asked: &Interaction) -> String {
    let names: Vec<_> = asked.path.iter().map(String::as_str).collect();
    excerpt(&CommandPath::at(asked.command_type, &names).to_string())
}

/// The answer to a command that is neither a slash command nor a context-menu command.
fn unknown_kind(language: Language, kind: CommandType) -> String {
    match kind {
        CommandType::PrimaryEntryPoint => say!(language, "interaction-entry-point"),
        _ => say!(language, "interaction-unknown-kind"),
    }
}

impl Shared {
    /// Answers a command, slash or context-menu.
    pub(crate) async fn serve_command(&self, command: &CommandInteraction, asked: Interaction) {
        let signer = self.custom_ids.for_person(asked.caller.id, SystemTime::now());
        let delivery = delivery(self, command).speaking(asked.caller.language).signing(signer);
        let live = Some((&self.rest, command.token.as_str()));
        let (shown, keeping) = (
            Presented { locale: &command.locale, in_place: InPlace::No, changes: None, control: None, live },
            Keeping::later(),
        );
        let answer = self.serve(delivery, asked, shown, &keeping).await;
        // The slot of the command is free before its receipt is stored.
        if let (Some(answer), true) = (answer, keeping.is_storing()) {
            let asked = (command.id, command.token.clone());
            self.running.spawn(Self::mend(keeping, self.rest.clone(), asked, answer));
        }
    }
}

fn delivery<'a>(shared: &'a Shared, command: &'a CommandInteraction) -> Delivery<'a> {
    Delivery::new(&shared.rest, command.id, &command.token)
}
