//! Settings of modules: what an operator gives reaches each kind of module, and what does not fit is found at start.

use std::fs;

use crate::programs::modules::{folder, shipped, stdout};
use crate::support::bot::Folder;

const WEATHER: &str = r#"
[module]
name = "weather"
summary = "The weather"
kind = "exec"

[run]
program = "weather.sh"

[settings.city]
description = "Where the weather is asked for"
default = "Rome"

[settings.days]
type = "integer"
description = "How many days to look ahead"
env = "DAYS"
default = 3
min = 1
max = 9

[settings.key]
type = "secret"
description = "The key of the weather service"
required = true
env = "WEATHER_KEY"

[commands."/weather"]
description = "The weather"
writes = false
probe = {}
"#;

/// Answers with the settings of its input, and with its variables.
const PROGRAM: &str = r#"#!/bin/sh
read -r line
settings=${line#*\"settings\":}
printf 'Given %s and %s %s' "${settings%%\}*}" "$DAYS" "$WEATHER_KEY"
"#;

fn weather(config: &str) -> Folder {
    let folder = folder(&[("weather/module.toml", WEATHER), ("weather/weather.sh", PROGRAM)]);
    fs::write(folder.path().join("key"), "s3cret\n").unwrap();
    fs::write(folder.path().join("config.toml"), config).unwrap();
    folder
}

#[test]
fn a_program_gets_its_settings_with_each_call_and_in_its_variables() {
    let folder = weather("[modules.settings.weather]\ncity = \"Oslo\"\nkey_file = \"key\"\n");
    let said = stdout(&folder.console("/weather\n"));
    assert!(said.contains(r#"{"city":"Oslo","days":3,"key":"s3cret" and 3 s3cret"#), "{said}");
}

#[test]
fn what_the_settings_file_says_of_a_module_is_checked_and_no_secret_is_shown() {
    let cases = [
        ("", "error[setting-missing]: the module `weather` needs a value for `key`"),
        ("[modules.settings.wether]\n", "`modules.settings.wether` is for no module"),
        (
            "[modules.settings.weather]\nkey_file = \"key\"\ndays = 12\n",
            "`modules.settings.weather.days` takes a whole number from 1 to 9",
        ),
        (
            "[modules.settings.weather]\nkey_file = \"key\"\ncity = 2026-01-01\n",
            "`modules.settings.weather.city` takes a text of at most 4096 bytes",
        ),
        (
            "[modules.settings.weather]\nkey_file = \"key\"\ntown = \"Oslo\"\n",
            "the module `weather` has no setting `town`",
        ),
        ("[modules.settings.weather]\nkey_file = \"gone\"\n", "the key file `gone` cannot be read"),
        ("[modules.settings.weather]\nkey = \"s3cret\"\n", "`key` is a secret, and the settings file holds none"),
        (
            "[modules.settings.tasks]\nmax = 3\n[modules.settings.weather]\nkey_file = \"key\"\n",
            "the module `tasks` has no setting `max`",
        ),
    ];
    for (config, expected) in cases {
        let checked = weather(config).run(&["check"]);
        let said = stdout(&checked);
        assert_eq!(checked.status.code(), Some(78), "{config}: {said}");
        assert!(said.contains(expected) && said.contains("= help: "), "{config}: {said}");
        assert!(!said.contains("s3cret") && !String::from_utf8_lossy(&checked.stderr).contains("s3cret"), "{said}");
    }
    let checked = weather("[modules.settings.weather]\nkey_file = \"key\"\n").run(&["check"]);
    assert!(checked.status.success(), "{}", stdout(&checked));
}

#[test]
fn what_a_program_writes_of_its_secrets_is_told_to_nobody() {
    let echoes = "#!/bin/sh\nset -x\ncat >&2\necho \"with $WEATHER_KEY\" >&2\nexit 3\n";
    let folder = folder(&[("weather/module.toml", WEATHER), ("weather/weather.sh", echoes)]);
    fs::write(folder.path().join("key"), "s3cret\n").unwrap();
    fs::write(folder.path().join("config.toml"), "[modules.settings.weather]\nkey_file = \"key\"\n").unwrap();
    let checked = folder.run(&["check"]);
    let said = stdout(&checked) + &String::from_utf8_lossy(&checked.stderr);
    assert!(said.contains("error[probe-failed]") && said.contains("with ***"), "{said}");
    assert!(!said.contains("s3cret"), "{said}");
}

#[test]
fn a_setting_stands_in_the_replies_of_a_module_without_code() {
    let folder = shipped(&["greeter"]);
    assert!(stdout(&folder.console("/rules\n")).contains("1. Be kind."));
    fs::write(folder.path().join("config.toml"), "[modules.settings.greeter]\nrules = \"Only cats.\"\n").unwrap();
    let said = stdout(&folder.console("/rules\n"));
    assert!(said.contains("Only cats.") && !said.contains("Be kind"), "{said}");
}
