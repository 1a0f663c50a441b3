//! Connects, and syncs one set of commands or that of each guild.

use std::sync::Arc;

use tracing_subscriber::filter::LevelFilter;

use crate::app::{Examined, Exit, Failure, Sources, open_store};
use crate::cli::run::{block_on, check, connection};
use crate::cli::sync::report::Ask;
use crate::cli::sync::{guilds, one_set};
use crate::edges::discord::{Places, Registrar};
use crate::host::{Guilds, InForce};
use candor_core::inbound::GuildId;
use candor_core::settings::GuildRules;

pub(in crate::cli) fn sync(sources: Sources<'_>, ask: Ask) -> Result<Exit, Failure> {
    block_on(async {
        let (Examined { settings, registry, reach, .. }, _log) = check(sources, LevelFilter::WARN).await?;
        let (Some(settings), Some(registry)) = (settings, registry) else {
            return Err(Failure::config("not compared; `candor check` says why"));
        };
        if let Some((path, why)) = reach.unreachable.first() {
            return Err(Failure::config(format!("`{path}` is registered but cannot be reached: {why}")));
        }
        let (token, proxy) = connection(settings.discord.insecure)?;
        let store = Arc::new(open_store(&settings.store).await?);
        let proxy = proxy.or_else(|| settings.discord.proxy.clone());
        let places = match (Places::by(&settings.discord), ask.guild.map(GuildId)) {
            (Places::Everywhere | Places::Guild(_), Some(guild)) => Places::Guild(guild),
            (places, _) => places,
        };
        let also = settings.discord.guild;
        let registrar = Registrar::connect(&token, proxy.as_ref(), &registry, store.clone(), (places, also)).await;
        let ended = match registrar {
            Ok(registrar) => {
                let ended = if registrar.is_for_each_guild() {
                    let rules = GuildRules::new(&settings.chat, &settings.access.chat, settings.language)
                        .with_policies(&settings.access.policies);
                    let switched = Guilds::new(rules, store.clone(), Arc::new(InForce::new(registry)));
                    guilds::carry_out(&registrar, &switched, ask).await
                } else {
                    one_set::carry_out(&registrar, ask).await
                };
                registrar.end().await;
                ended
            }
            Err(problem) => Err(Failure::new(problem.exit_code(), problem.to_string())),
        };
        store.close().await;
        ended
    })
}
