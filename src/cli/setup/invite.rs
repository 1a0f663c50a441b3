//! `candor invite`: the link that invites the bot, with the permissions that it needs.

use std::io::Write as _;
use std::path::Path;

use clap::Args;

use crate::app::{Exit, Failure};
use crate::cli::run::{block_on, connection};
use candor_core::inbound::Permissions;
use candor_discord::application_id;
use candor_system::files::settings_file;

/// The permissions that the bot needs in a channel, by Discord's names: to read messages for it, answer there and in
/// threads, show a command's answer as an embed, and attach charts and long answers.
const NEEDED: [&str; 7] = [
    "view_channel",
    "send_messages",
    "create_public_threads",
    "send_messages_in_threads",
    "embed_links",
    "attach_files",
    "read_message_history",
];

/// Whose link.
#[derive(Debug, Args)]
pub(in crate::cli) struct Invite {
    /// The application's id, from the page General Information. Default: the bot asks Discord with the token
    #[arg(long, value_name = "ID", value_parser = clap::value_parser!(u64).range(1..))]
    application: Option<u64>,
}

pub(in crate::cli) fn invite(config: Option<&Path>, invite: &Invite) -> Result<Exit, Failure> {
    let Some(application) = invite.application else { return ask(config) };
    print(application)
}

/// Prints the link of the application that the token belongs to.
fn ask(config: Option<&Path>) -> Result<Exit, Failure> {
    let (settings, _) = settings_file::load(config)
        .map_err(|_| Failure::config("the settings cannot be read; `candor check` says why"))?;
    block_on(async {
        let (token, proxy) = connection(settings.discord.insecure)?;
        let proxy = proxy.or(settings.discord.proxy);
        let asked = application_id(&token, proxy.as_ref()).await;
        print(asked.map_err(|problem| Failure::new(problem.exit_code(), problem.to_string()))?)
    })
}

fn print(application: u64) -> Result<Exit, Failure> {
    let written = writeln!(std::io::stdout(), "{}", link(application));
    written.map_err(|problem| Failure::unavailable(format!("cannot write the link: {problem}")))?;
    Ok(Exit::Fine)
}

fn link(application: u64) -> String {
    let needed = NEEDED.into_iter().filter_map(Permissions::from_name);
    let permissions = needed.fold(Permissions(0), Permissions::and).0;
    format!(
        "https://discord.com/oauth2/authorize?client_id={application}&scope=bot%20applications.commands&\
         permissions={permissions}"
    )
}

#[cfg(test)]
mod tests {
    use super::{NEEDED, Permissions, link};

    #[test]
    fn the_link_asks_for_what_the_bot_does_and_no_more() {
        assert!(NEEDED.iter().all(|name| Permissions::from_name(name).is_some()));
        // View Channels, Send Messages, Embed Links, Attach Files, Read Message History, Create Public Threads, Send
        // Messages in Threads.
        assert_eq!(1 << 10 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 16 | 1 << 35 | 1 << 38, 309_237_763_072_u64);
        let expected = "https://discord.com/oauth2/authorize?client_id=7&scope=bot%20applications.commands&\
                        permissions=309237763072";
        assert_eq!(link(7), expected);
    }
}
