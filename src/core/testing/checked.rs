//! Runs the start-up check of modules without the rest of the bot.

use crate::contract::{Call, Checked, Manifest, NativeModule, NoArguments, check};
use crate::reply::Reply;

const MANIFEST: &str = r#"
[module]
name = "builtin"
summary = "Stands for the bot's own commands"

[commands."/help"]
description = "Help"
handler = "help"
"#;

/// Returns the result of the start-up check for these modules, with `/help` as the only built-in command.
pub fn checked(modules: Vec<NativeModule>) -> Checked {
    checked_with(modules, Vec::new())
}

/// Does the same with manifests, such as those of text modules.
pub fn checked_with(modules: Vec<NativeModule>, manifests: Vec<Manifest>) -> Checked {
    let help = async |_: NoArguments, _: Call| Ok(Reply::default());
    check(NativeModule::new("builtin", MANIFEST).handler("help", help), modules, manifests)
}
