//! The context-menu command that removes made-up output from an older reply.

use serenity::all::{CommandInteraction, Context, Message};
use serenity::builder::{CreateAllowedMentions, EditMessage};
use serenity::model::channel::MessageFlags;

use crate::edges::discord::convert;
use crate::edges::discord::interactions::deliver::Delivery;
use crate::edges::discord::render::mentions::without_mentions;
use crate::edges::discord::render::turn_text::{SMALL, shortened};
use crate::edges::discord::rest::change;
use crate::edges::discord::shared::Shared;
use crate::host::chat::Cleaned;
use candor_core::inbound::UserId;
use candor_core::language::say;
use candor_core::reply::{Answer, Audience, CONTENT_LENGTH_MAX};

impl Shared {
    /// Answers the command, and edits the message if there is something to remove.
    pub(crate) async fn clean(&self, context: &Context, chosen: &CommandInteraction, bot: UserId) {
        let language = convert::of_command(chosen, self.language());
        let delivery = Delivery::new(&context.http, chosen.id, &chosen.token).speaking(language);
        let target = chosen.data.target_id.map(|id| id.to_message_id());
        let message = target.and_then(|id| chosen.data.resolved.messages.get(&id));
        let Some(message) = message.filter(|message| message.author.id.get() == bot.0) else {
            return delivery.refuse(&say!(language, "clean-not-ours")).await;
        };
        let work = async { Some(Answer::host(self.cleaned(context, chosen, message).await)) };
        let sent = convert::sent(chosen.id.get());
        self.in_time(&delivery, sent, Audience::Asker, language, work).await;
    }

    /// Removes the made-up output, and returns the answer to the command.
    async fn cleaned(&self, context: &Context, chosen: &CommandInteraction, message: &Message) -> String {
        let language = convert::of_command(chosen, self.language());
        let caller = convert::caller(&chosen.user, language);
        let place = convert::place(chosen.guild_id.map(|id| id.get()), chosen.channel_id.get());
        let content = without_mentions(&message.content);
        let (text, below, n_removed) = match self.dispatcher.clean(message.id.get(), &content, &caller, place).await {
            Cleaned::Untouched(why) => return why,
            Cleaned::Changed { text, below, n_removed } => (text, below, n_removed),
        };
        // The buttons stay: what could be saved still can be.
        let body = EditMessage::new()
            .allowed_mentions(CreateAllowedMentions::new())
            .flags(MessageFlags::SUPPRESS_EMBEDS)
            .content(content_of(&self.mentions.mention(&text), &text, &below, &say!(language, "clean-note")));
        match change(&context.http, chosen.channel_id, message.id, &body).await {
            Ok(()) => say!(language, "clean-done", n = n_removed),
            Err(_) => say!(language, "clean-not-let"),
        }
    }
}

/// The new content of the message: the first variant that fits. It is shorter than before, except for the note
/// (`said`), the mentions, and characters that make the text harmless. The lines in `below` are never left out.
fn content_of(mentioned: &str, plain: &str, below: &[String], said: &str) -> String {
    let with = |text: &str, note: Option<String>| {
        let lines = note.iter().chain(below).map(String::as_str);
        std::iter::once(text).chain(lines).collect::<Vec<_>>().join("\n")
    };
    let note = || Some(format!("{SMALL}{said}"));
    let variants = [with(mentioned, note()), with(plain, note()), with(plain, None)];
    let fits = |content: &String| content.encode_utf16().count() <= CONTENT_LENGTH_MAX;
    variants.into_iter().find(fits).unwrap_or_else(|| shortened(plain, &below.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::language::Language;

    #[test]
    fn the_note_and_the_former_lines_stand_under_what_is_left_as_far_as_they_fit() {
        let label = "-# generated · no command ran".to_owned();
        let said = say!(Language::ENGLISH, "clean-note");
        let noted = format!("{SMALL}{said}\n{label}");
        let below = [label.clone()];
        let (long, longer) = ("w".repeat(1_910), "w".repeat(1_960));
        let (longest, kept) = ("w".repeat(1_995), "w".repeat(CONTENT_LENGTH_MAX - label.encode_utf16().count() - 1));
        let cases = [
            ("</status:1>", "/status", format!("</status:1>\n{noted}")),
            (&format!("{long}</status:11111>"), &long, format!("{long}\n{noted}")),
            (&longer, &longer, format!("{longer}\n{label}")),
            (&longest, &longest, format!("{kept}\n{label}")),
        ];
        for (mentioned, plain, expected) in cases {
            assert_eq!(content_of(mentioned, plain, &below, &said), expected);
        }
    }
}
