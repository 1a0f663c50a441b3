//! Settings of modules that differ from server to server: set by `/settings`, and had by the next call there.

use discord_twin::{CHANNEL_ID, GUILD_ID, Interaction, Twin};

use super::administrators::{field, set, sets, settings};
use crate::discord::connected::{Connected, connect_in};
use crate::programs::modules::folder;
use crate::support::said::{assert_says, said};

/// Text alone.
const RULES: &str = r#"
[module]
name = "rules"
summary = "The rules"
kind = "text"

[settings.text]
description = "The rules"
default = "Be kind."
per_server = true

[settings.contact]
description = "Whom to ask"
default = "the staff"
per_server = true

[settings.author]
description = "Who wrote them"
default = "Ann"

[commands."/rules"]
description = "The rules"
reply = "{setting.text} Ask {setting.contact}. By {setting.author}."
"#;

/// A program.
const WEATHER: &str = r#"
[module]
name = "weather"
summary = "The weather"
kind = "exec"

[run]
program = "weather.sh"

[settings.city]
description = "Where the weather is asked for"
choices = ["Oslo", "Rome"]
default = "Rome"
per_server = true

[settings.days]
type = "integer"
description = "How many days to look ahead"
min = 1
max = 9
per_server = true

[commands."/weather"]
description = "The weather"
writes = false
probe = {}
"#;

const PROGRAM: &str = r#"#!/bin/sh
read -r line
settings=${line#*\"settings\":}
printf 'Given %s}' "${settings%%\}*}"
"#;

async fn connect(config: &str) -> Connected {
    let folder =
        folder(&[("rules/module.toml", RULES), ("weather/module.toml", WEATHER), ("weather/weather.sh", PROGRAM)]);
    std::fs::write(folder.path().join("config.toml"), config).unwrap();
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    connected.bot.hears(&["commands at Discord"]);
    connected
}

const ALLOWED: &str = "[admin]\nlisten = \"off\"\n[chat]\nserver_settings = [\"module_settings\"]\n";

async fn answered(connected: &Connected, command: &str) -> String {
    connected.answer(Interaction::slash(command)).await.text().lines().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_has_other_settings_in_one_server_and_everywhere_else_its_own() {
    let connected = connect(ALLOWED).await;
    assert_eq!(answered(&connected, "rules").await, "Be kind. Ask the staff. By Ann.");
    sets(&connected, "module_settings", "rules.text = \"No spam; be kind!\"; weather.city = Oslo").await;
    // Those named are changed, the others stay.
    sets(&connected, "module_settings", "weather.days = 2").await;
    assert_eq!(answered(&connected, "rules").await, "No spam; be kind! Ask the staff. By Ann.");
    assert_eq!(answered(&connected, "weather").await, r#"Given {"city":"Oslo","days":2}"#);

    let page = connected.answer(settings("show")).await;
    let [here, default] = [said!("settings-source-server"), said!("settings-source-default")];
    let shown = [
        format!("`rules.text`: `No spam; be kind!` · {here}"),
        format!("`rules.contact`: `the staff` · {default}"),
        format!("`weather.city`: `Oslo` · {here}"),
        format!("`weather.days`: `2` · {here}"),
    ];
    assert_eq!(field(&page, "module_settings"), shown.join("\n"));

    let there = |call: Interaction| call.in_guild(GUILD_ID + 1, CHANNEL_ID + 1);
    assert_says(connected.answer(there(Interaction::slash("rules"))).await.text(), "Be kind.");
    let page = connected.answer(there(settings("show"))).await;
    let unset = format!("`weather.days`: {} · {default}", said!("settings-unset"));
    assert!(field(&page, "module_settings").ends_with(&unset), "{}", field(&page, "module_settings"));

    // One by one, and each change by itself, it is taken back.
    sets(&connected, "module_settings", "rules.text =").await;
    assert_eq!(answered(&connected, "rules").await, "Be kind. Ask the staff. By Ann.");
    connected.answer(settings("undo")).await;
    assert_eq!(answered(&connected, "rules").await, "No spam; be kind! Ask the staff. By Ann.");
    connected.answer(settings("clear").option("name", "module_settings")).await;
    assert_eq!(answered(&connected, "weather").await, r#"Given {"city":"Rome"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_module_does_not_take_is_refused_with_what_it_takes() {
    let connected = connect(ALLOWED).await;
    let unfit = |what: String| said!("settings-unfit", setting = "module_settings", what = what);
    let takes = |setting: &str, takes: &str| said!("settings-module-unfit", setting = setting, takes = takes);
    let cases = [
        ("weather.days = 10", takes("weather.days", "a whole number from 1 to 9")),
        ("weather.days = soon", takes("weather.days", "a whole number from 1 to 9")),
        ("weather.city = Paris", takes("weather.city", "one of `Oslo`, `Rome`")),
        ("weather.days = 2; weather.cty = Rome", {
            unfit(said!("unfit-module-setting-near", name = "weather.cty", near = "weather.city"))
        }),
        // Its manifest does not let servers set it.
        ("rules.author = Eve", unfit(said!("unfit-module-setting", name = "rules.author"))),
        ("weather.city", unfit(said!("unfit-module-settings"))),
    ];
    for (value, expected) in cases {
        assert_says(connected.answer(set("module_settings", value)).await.text(), expected);
    }
    assert_eq!(answered(&connected, "weather").await, r#"Given {"city":"Rome"}"#);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_operator_gives_or_does_not_allow_stays() {
    let connected = connect(&format!("{ALLOWED}[modules.settings.weather]\ncity = \"Oslo\"\n")).await;
    let by_operator = said!("settings-by-operator-in-part", setting = "module_settings", what = "`weather.city`");
    let refused = connected.answer(set("module_settings", "weather.city = Rome; weather.days = 2")).await;
    assert_says(refused.text(), by_operator);
    assert_eq!(answered(&connected, "weather").await, r#"Given {"city":"Oslo"}"#);
    let page = connected.answer(settings("show")).await;
    let shown = format!("`weather.city`: `Oslo` · {}", said!("settings-source-operator"));
    assert!(field(&page, "module_settings").contains(&shown), "{}", field(&page, "module_settings"));

    // What was set before counts no more once the operator gives it, and the operator is told.
    sets(&connected, "module_settings", "weather.days = 2").await;
    let Connected { bot, twin, folder, .. } = connected;
    assert!(bot.stop().success());
    let gives = format!("{ALLOWED}[modules.settings.weather]\ndays = 5\n");
    std::fs::write(folder.path().join("config.toml"), gives).unwrap();
    let shown = folder.run(&["settings", "show"]);
    let shown = String::from_utf8(shown.stdout).unwrap();
    let expected = "module_settings weather.days = 2  (does not count in part: config.toml says otherwise of some)";
    assert!(shown.contains(expected), "{shown}");
    let connected = connect_in(folder, twin).await;
    assert_eq!(answered(&connected, "weather").await, r#"Given {"city":"Rome","days":5}"#);
}
