//! The shipped `config.toml` and the settings agree.

use std::path::PathBuf;

use super::settings::read;
use candor_core::agent::{OfferedModel, OwnThreads};
use candor_core::diagnostic::Code;
use candor_core::guild::GuildSetting;
use candor_core::settings::{ModelSettings, Settings};

/// The file that is shipped: the documentation of every setting.
const SHIPPED: &str = include_str!("../../../../config.toml");

/// The shipped file with every section and setting that is commented out put into force.
fn shipped_in_force() -> String {
    let in_force = |line: &'static str| match line.strip_prefix("# ") {
        Some(header) if header.starts_with('[') && header.ends_with(']') => header,
        Some(setting) if setting.split_once(" = ").is_some_and(|(key, _)| !key.contains(' ')) => setting,
        _ => line,
    };
    SHIPPED.lines().map(in_force).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_shipped_file_says_nothing_but_the_defaults() {
    assert_eq!(read(SHIPPED), Ok(Settings::default()));
}

#[test]
fn what_the_shipped_file_comments_out_is_the_default() {
    // A store in a database excludes one in a file.
    let in_force = shipped_in_force();
    let in_force: Vec<_> = in_force.lines().filter(|line| !line.starts_with("url_file = ")).collect();
    let mut settings = read(&in_force.join("\n")).unwrap();

    // These have no default that could be written.
    assert_eq!(settings.modules.path.take(), Some(PathBuf::from("modules")));
    assert_eq!(settings.receipts.key_file.take(), Some(PathBuf::from("data/receipts.key")));
    assert!(settings.admin.page_token_file.take().is_some());
    assert!(settings.discord.proxy.take().is_some() && settings.discord.files.take().is_some());
    assert!(settings.discord.guild.take().is_some());
    let budget = std::mem::take(&mut settings.chat.budget);
    for limits in [budget.person, budget.guild, budget.bot] {
        assert!(limits.tokens.is_some() && limits.turns.is_some());
    }
    assert!(settings.chat.write_tools.take().is_some());
    let access = &mut settings.access.chat;
    assert!(access.users.take().is_some() && access.roles.take().is_some());
    assert!(access.channels.take().is_some() && access.guilds.take().is_some());
    assert_eq!(settings.status.presentation.metrics.len(), 1);
    settings.status.presentation.metrics.clear();
    let places = std::mem::take(&mut settings.chat.places);
    assert!(places.into_values().all(|place| place.system.is_some() && place.model.is_some() && place.tools.is_some()));
    let policies: Vec<_> = std::mem::take(&mut settings.access.policies).into_keys().collect();
    assert_eq!(policies, ["/tasks remove", "Show ids"]);
    let models = std::mem::take(&mut settings.chat.models);
    assert_eq!(models[0], OfferedModel::named(&models[0].name));
    assert!(!std::mem::take(&mut settings.chat.fallbacks).is_empty());
    assert_eq!(std::mem::take(&mut settings.chat.guild_settings), GuildSetting::ALL.into());
    // By default it is that if the application has the intent.
    assert_eq!(settings.chat.own_threads.take(), Some(OwnThreads::Owner));
    let servers = std::mem::take(&mut settings.model_servers);
    let briefest = ModelSettings::at(servers[0].base_url.clone(), Vec::new());
    assert_eq!((servers[0].first_token, servers[0].stall), (briefest.first_token, briefest.stall));

    assert_eq!(settings, Settings::default());
}

#[test]
fn every_setting_is_in_the_shipped_file() {
    let in_force = shipped_in_force();
    let mut missing = Vec::new();
    let mut sections = known_keys("");
    // Its keys are the operator's own.
    sections.retain(|section| !["permissions", "models"].contains(&section.as_str()));
    let free = [
        "\n[permissions.\"",
        "\n[models.",
        "\n[modules.settings.",
        "\n[modules.commands.",
        "\n[modules.send_to]",
        "\n[modules.http_hosts]",
        "\n[modules.trusted.",
    ];
    assert!(free.into_iter().all(|table| in_force.contains(table)));
    while let Some(section) = sections.pop() {
        let (header, inner) = (format!("[{section}]"), format!("[{section}."));
        let below = in_force.lines().skip_while(|line| *line != header).skip(1);
        let body: Vec<_> = below.take_while(|line| !line.starts_with('[') || line.starts_with(&inner)).collect();
        // These are named by modules, or their keys are.
        let of_modules = ["settings", "commands", "send_to", "http_hosts", "trusted"];
        let is_free = |key: &String| section == "modules" && of_modules.contains(&key.as_str());
        for key in known_keys(&section).into_iter().filter(|key| !is_free(key)) {
            let (setting, table) = (format!("{key} = "), format!("[{section}.{key}."));
            let has_section = body.contains(&format!("[{section}.{key}]").as_str());
            if has_section {
                sections.push(format!("{section}.{key}"));
            } else if !body.iter().any(|line| line.starts_with(&setting) || line.starts_with(&table)) {
                missing.push(format!("{section}.{key}"));
            }
        }
    }
    assert_eq!(missing, [] as [String; 0]);
}

/// The keys that a section takes, as the diagnostic about an unknown one lists them.
fn known_keys(section: &str) -> Vec<String> {
    let header = if section.is_empty() { String::new() } else { format!("[{section}]") };
    let found = read(&format!("{header}\nno_such_setting = 1")).unwrap_err();
    let unknown = found.iter().find(|problem| problem.code == Code::ConfigUnknownKey).unwrap();
    let list = unknown.help.strip_prefix("known keys: ").unwrap_or_else(|| panic!("no list in: {}", unknown.help));
    let keys = list.split(", ").map(|key| key.trim_matches('`').to_owned());
    keys.filter(|key| !is_gone(&header, key)).collect()
}

/// Whether a key is one of an earlier version, which is known only to say what takes its place.
fn is_gone(header: &str, key: &str) -> bool {
    let Err(found) = read(&format!("{header}\n{key} = 1")) else { return false };
    found.iter().any(|problem| problem.message.ends_with("is no longer a setting"))
}
