//! The commands that stand at the twin.

use discord_twin::{Options, Recorded, Twin};
use serde_json::Value;

use crate::support::bot::Folder;

/// A twin at which these commands stand already.
pub(crate) async fn twin_with(commands: Vec<Value>) -> Twin {
    Twin::start_with(Options { commands, ..Options::default() }).await.unwrap()
}

/// The commands as they stand after a start that went well.
pub(crate) async fn in_place() -> Vec<Value> {
    let twin = Twin::start().await.unwrap();
    let output = sync(&Folder::with(""), &twin, &[]);
    assert!(output.status.success(), "{output:?}");
    twin.commands()
}

/// Runs `candor sync` against the twin.
pub(crate) fn sync(folder: &Folder, twin: &Twin, arguments: &[&str]) -> std::process::Output {
    let arguments = [&["sync"], arguments].concat();
    let mut command = folder.candor(&arguments);
    // The twin answers on the other threads of this runtime.
    tokio::task::block_in_place(|| {
        command.env("DISCORD_PROXY", twin.url()).env("DISCORD_TOKEN", "test.token").output().unwrap()
    })
}

/// Everything about commands that was asked for.
pub(crate) fn asked(twin: &Twin) -> Vec<Recorded> {
    twin.requests().into_iter().filter(|request| request.path.contains("/commands")).collect()
}

/// The methods of everything that was to be changed, oldest first.
pub(crate) fn writes(twin: &Twin) -> Vec<String> {
    asked(twin).into_iter().filter(|request| request.method != "GET").map(|request| request.method).collect()
}

/// What stands under this name.
pub(crate) fn standing(twin: &Twin, name: &str) -> Value {
    twin.commands().into_iter().find(|command| command["name"] == name).unwrap_or_default()
}

/// The command of this name.
pub(crate) fn standing_in<'a>(commands: &'a [Value], name: &str) -> &'a Value {
    commands.iter().find(|command| command["name"] == name).unwrap()
}
