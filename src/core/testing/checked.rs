//! The least that can stand for the bot's own commands where a module is checked by itself.

use crate::contract::{Call, Checked, NativeModule, NoArguments, check};
use crate::reply::Reply;

const MANIFEST: &str = r#"
[module]
name = "harness"
summary = "Stands for the bot's own commands"

[commands."/help"]
description = "Help"
handler = "help"
"#;

/// What the start-up check says of these modules, beside a bot that has `/help` alone.
pub fn checked(modules: Vec<NativeModule>) -> Checked {
    let help = async |_: NoArguments, _: Call| Ok(Reply::default());
    check(NativeModule::new("harness", MANIFEST).handler("help", help), modules, Vec::new())
}
