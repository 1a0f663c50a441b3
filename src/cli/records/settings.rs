//! `candor settings`: the settings that guild administrators made by `/settings`, even while the bot runs.

use std::io::Write as _;
use std::path::Path;

use clap::Subcommand;
use serde_json::{Map, Value, json};
use time::format_description::well_known::Rfc3339;

use crate::app::{Exit, Failure, open_existing_store};
use crate::cli::run::block_on;
use candor_core::contract::{Owner, Records as _, ServiceError};
use candor_core::guild::{GuildModuleSettings, GuildSetting, GuildSheet, SheetChange};
use candor_core::inbound::GuildId;
use candor_core::settings::{GivenTable, GuildRules, ReadSettings, SettingLocations};
use candor_core::text::{utc_text, visible_line};
use candor_store::Database;
use candor_system::files::settings_file;

const PAGE: usize = 500;

/// Actions on server settings.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum OfServers {
    /// Print the settings of server administrators, and which of them are in force
    Show {
        /// This server only
        #[arg(value_name = "GUILD", value_parser = clap::value_parser!(u64).range(1..))]
        guild: Option<u64>,
    },
    /// Print the same with the last changes, as one JSON object a line for each server
    Export {
        /// This server only
        #[arg(value_name = "GUILD", value_parser = clap::value_parser!(u64).range(1..))]
        guild: Option<u64>,
    },
    /// Erase the settings of a server's administrators, with the list of changes. Only config.toml counts there from then
    /// on. The receipts of the changes stay
    Erase {
        /// The server
        #[arg(value_parser = clap::value_parser!(u64).range(1..))]
        guild: u64,
        /// Confirm: erased data cannot be restored
        #[arg(long)]
        yes: bool,
    },
}

pub(in crate::cli) fn settings(config: Option<&Path>, what: &OfServers) -> Result<Exit, Failure> {
    let read = settings_file::load_leniently(config).ok().filter(|(read, _)| !read.problems.has_errors());
    let (ReadSettings { settings, places, .. }, _) =
        read.ok_or_else(|| Failure::config("the settings cannot be read; `candor check` says why"))?;
    if let OfServers::Erase { guild, yes: false } = what {
        return Err(Failure::config(format!(
            "nothing was erased: add `--yes` to erase what is set in the server {guild}; this cannot be undone"
        )));
    }
    let rules = GuildRules::new(&settings.chat, &settings.access.chat, settings.language)
        .with_policies(&settings.access.policies)
        .with_module_settings(given(&places));
    block_on(async {
        let store = open_existing_store(&settings.store, matches!(what, OfServers::Erase { .. })).await?;
        let ended = match what {
            OfServers::Show { guild } => print_all(&store, &rules, *guild, text)
                .await
                .and_then(|n_shown| if n_shown == 0 { print("nothing is set\n") } else { Ok(()) }),
            OfServers::Export { guild } => print_all(&store, &rules, *guild, json_line).await.map(drop),
            OfServers::Erase { guild, .. } => erase(&store, GuildId(*guild)).await,
        };
        store.close().await;
        ended.map(|()| Exit::Fine)
    })
}

/// Returns the module settings in the settings file, by name: their values do not matter here.
fn given(places: &SettingLocations) -> GuildModuleSettings {
    let of_table = |table: &GivenTable| {
        let names = table.values.iter().map(|(name, _)| format!("{}.{}", table.module.value, name.value));
        names.map(|name| (name, String::new())).collect::<Vec<_>>()
    };
    GuildModuleSettings::written(places.module_settings.iter().flat_map(of_table))
}

async fn erase(store: &Database, guild: GuildId) -> Result<(), Failure> {
    let module = Owner::Builtin.to_string();
    let scope = format!("guild:{guild}");
    let kept = store.list(&module, &scope).await.map_err(failed)?;
    for (id, _) in &kept {
        store.remove(&module, &scope, *id).await.map_err(failed)?;
    }
    store.empty_log().await;
    print(if kept.is_empty() { "nothing was set\n" } else { "erased\n" })
}

/// Prints the settings of one guild or of all, in the form that `shown` gives. Returns the number of guilds that have
/// some.
async fn print_all(
    store: &Database,
    rules: &GuildRules,
    guild: Option<u64>,
    shown: fn(GuildId, &GuildSheet, &GuildRules) -> String,
) -> Result<usize, Failure> {
    let module = Owner::Builtin.to_string();
    let mut after = String::new();
    let mut n_shown = 0_usize;
    let mut unreadable: Vec<u64> = Vec::new();
    loop {
        let page = match guild {
            Some(guild) => {
                let scope = format!("guild:{guild}");
                let kept = store.list(&module, &scope).await.map_err(failed)?;
                kept.into_iter().map(|(_, body)| (scope.clone(), body)).collect()
            }
            None => store.records_of_module(&module, &after, PAGE).await.map_err(failed)?,
        };
        for (scope, body) in &page {
            let Some(id) = scope.strip_prefix("guild:").and_then(|id| id.parse().ok()) else { continue };
            n_shown += 1;
            match GuildSheet::from_json(body) {
                Some(sheet) => print(&shown(GuildId(id), &sheet, rules))?,
                None => unreadable.push(id),
            }
        }
        match page.last() {
            Some((last, _)) if guild.is_none() => after.clone_from(last),
            Some(_) | None => break,
        }
    }
    if unreadable.is_empty() {
        return Ok(n_shown);
    }
    let servers = unreadable.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    Err(Failure::new(u8::from(Exit::Failed), format!("the settings of these servers cannot be read: {servers}")))
}

/// Returns `server 1` and a line for each value: `  persona  A pirate.`
fn text(guild: GuildId, sheet: &GuildSheet, rules: &GuildRules) -> String {
    let lines = sheet.values().iter().map(|value| {
        let setting = value.setting();
        let is_vanished = setting == GuildSetting::Model && rules.vanished(sheet.values(), guild).is_some();
        let in_part = rules.fixed_in(value);
        let counts = match rules.may_set(setting, guild) {
            Ok(()) if is_vanished => "  (does not count: config.toml offers it no longer; the default is used)",
            Ok(()) if in_part.is_some() => "  (does not count in part: config.toml says otherwise of some)",
            Ok(()) => "",
            Err(_) => "  (does not count: config.toml says otherwise, or does not allow it)",
        };
        format!("  {:15} {}{counts}\n", setting.name(), visible_line(&value.to_string()))
    });
    let lines: String = lines.collect();
    let last = sheet.changes().last().map(|last| {
        let at = utc_text(last.by.at, &Rfc3339);
        format!("  last change     {} number {}, receipt {}, {at}\n", last.setting, last.number, last.by.receipt)
    });
    format!("server {guild}\n{lines}{}", last.unwrap_or_default())
}

fn json_line(guild: GuildId, sheet: &GuildSheet, rules: &GuildRules) -> String {
    let values: Map<_, _> =
        sheet.values().iter().map(|value| (value.setting().name().to_owned(), value.to_string().into())).collect();
    let in_force = rules.in_force(sheet.values(), guild);
    let in_force: Vec<_> = in_force.iter().map(|value| value.setting().name()).collect();
    let changes: Vec<_> = sheet.changes().iter().map(change).collect();
    format!("{}\n", json!({ "guild": guild.to_string(), "values": values, "in_force": in_force, "changes": changes }))
}

fn change(change: &SheetChange) -> Value {
    json!({
        "number": change.number,
        "setting": change.setting.name(),
        "before": change.before.as_ref().map(ToString::to_string),
        "receipt": change.by.receipt.to_string(),
        "at": utc_text(change.by.at, &Rfc3339),
        "undoes": change.undoes,
    })
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|problem| Failure::unavailable(format!("cannot write the settings: {problem}")))
}

fn failed(problem: ServiceError) -> Failure {
    Failure::unavailable(problem.to_string())
}
