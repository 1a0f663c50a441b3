//! Reads the settings of all guilds once at the start: the channels of modules, and models that no longer exist.

use std::collections::BTreeSet;

use tracing::warn;

use crate::app::exit::Failure;
use candor_core::contract::Owner;
use candor_core::guild::{GuildSetting, GuildSheet};
use candor_core::inbound::GuildId;
use candor_core::text::excerpt;
use candor_engine::Guilds;
use candor_store::Database;

const SHEETS_AT_ONCE: usize = 500;

const VANISHED_MAX: usize = 10;

/// Reads all guild settings, so that the channels of modules are known. Warns once about guilds whose administrators
/// set a model that is no longer offered. Fails if the store does.
pub(super) async fn read(store: &Database, guilds: &Guilds) -> Result<(), Failure> {
    let rules = guilds.operators();
    if ![GuildSetting::Model, GuildSetting::ModuleChannels].into_iter().any(|setting| rules.allow(setting)) {
        return Ok(());
    }
    let module = Owner::Builtin.to_string();
    let mut after = String::new();
    let mut models = BTreeSet::new();
    let mut n_servers = 0_usize;
    loop {
        let page = store.records_of_module(&module, &after, SHEETS_AT_ONCE).await;
        let page =
            page.map_err(|problem| Failure::unavailable(format!("the settings of servers cannot be read: {problem}")))?;
        for (scope, body) in &page {
            let guild = scope.strip_prefix("guild:").and_then(|id| id.parse().ok()).map(GuildId);
            let Some((guild, sheet)) = guild.zip(GuildSheet::from_json(body)) else { continue };
            guilds.apply_at_start(guild, &sheet);
            if let Some(model) = rules.vanished(sheet.values(), guild) {
                n_servers += 1;
                if models.len() < VANISHED_MAX {
                    models.insert(model.to_owned());
                }
            }
        }
        match page.last() {
            Some((last, _)) => after.clone_from(last),
            None => break,
        }
    }
    if 0 < n_servers {
        let models = excerpt(&models.into_iter().collect::<Vec<_>>().join(", "));
        warn!(n_servers, models, "servers set models that are no longer offered: the default is used there");
    }
    Ok(())
}
