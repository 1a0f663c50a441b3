//! Connects, and syncs the commands.

use std::sync::Arc;

use tracing_subscriber::filter::LevelFilter;

use crate::app::{Examined, Exit, Failure, Sources, open_store};
use crate::cli::run::{block_on, check, connection};
use crate::cli::sync::one_set;
use crate::cli::sync::report::Ask;
use crate::edges::discord::Registrar;
use candor_core::inbound::GuildId;

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
        let scope = (ask.guild.map(GuildId).or(settings.discord.guild), settings.discord.guild);
        let registrar = Registrar::connect(&token, proxy.as_ref(), &registry, store.clone(), scope).await;
        let ended = match registrar {
            Ok(registrar) => {
                let ended = one_set::carry_out(&registrar, ask).await;
                registrar.end().await;
                ended
            }
            Err(problem) => Err(Failure::new(problem.exit_code(), problem.to_string())),
        };
        store.close().await;
        ended
    })
}
