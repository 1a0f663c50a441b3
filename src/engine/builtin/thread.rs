//! `/thread`: opens a thread for a conversation.

use schemars::JsonSchema;
use serde::Deserialize;

use candor_core::contract::{Call, CommandError, NoThread};
use candor_core::inbound::{Permissions, Place};
use candor_core::language::say;
use candor_core::reply::Reply;
use candor_core::text::one_line;

/// The longest title of a thread at Discord, in characters. See its documentation, "Start Thread without Message".
const TITLE_LENGTH_MAX: usize = 100;

const NEEDED: [&str; 2] = ["create_public_threads", "send_messages_in_threads"];

/// What `/thread` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ThreadArguments {
    /// The title of the thread
    #[schemars(length(min = 1, max = 100))]
    title: Option<String>,
}

/// Opens a thread, if the caller has the permissions to open one without the bot.
pub(super) async fn thread(arguments: ThreadArguments, call: Call) -> Result<Reply, CommandError> {
    let talk = call.services.talk()?;
    let language = call.caller.language;
    if !matches!(call.place, Place::Guild { .. }) {
        return Err(CommandError::tell(say!(language, "thread-not-here")));
    }
    let has = call.caller.member.as_ref().and_then(|member| member.permissions).unwrap_or_default();
    let needed = NEEDED.into_iter().filter_map(Permissions::from_name).fold(Permissions::default(), Permissions::and);
    if !has.missing(needed).is_empty() {
        return Err(CommandError::tell(say!(language, "thread-not-allowed")));
    }
    let title = arguments.title.map(|title| one_line(&title, TITLE_LENGTH_MAX)).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| {
        one_line(&say!(language, "thread-title", person = call.caller.name.as_str()), TITLE_LENGTH_MAX)
    });
    match talk.open_thread(&call.caller, call.place, &call.rules, &title).await {
        Ok(thread) => Ok(Reply::text(say!(language, "thread-opened", thread = format!("<#{thread}>")))),
        Err(NoThread::NotHere) => Err(CommandError::tell(say!(language, "thread-not-here"))),
        Err(NoThread::Forbidden) => Err(CommandError::tell(say!(language, "thread-forbidden"))),
        Err(NoThread::Mute(why)) => Err(CommandError::tell(say!(language, "thread-mute", why = why))),
        // `Gone` cannot occur: the thread begins without a message.
        Err(NoThread::Gone | NoThread::Failed) => Err(CommandError::tell(say!(language, "thread-failed"))),
    }
}
