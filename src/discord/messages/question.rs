//! The question before something changes: the full command and two buttons.

use std::time::Duration;

use serenity::all::{CreateActionRow, MessageId};

use crate::custom_id::QuestionId;
use crate::render::posts::Post;
use crate::render::turn_text::small;
use crate::shared::Shared;
use candor_core::agent::tools::Question;
use candor_core::language::{Language, say};
use candor_core::text::{in_code_block, visible};

/// The maximum of a command shown in a question, in UTF-16 units: the whole question fits a message.
const COMMAND_SHOWN_MAX: usize = 1_200;

/// The name of the file with a command that is longer than its question.
const COMMAND_FILE: &str = "command.txt";

#[derive(Clone, Copy)]
pub(super) enum Unanswered {
    InTime,
    Leaving,
    Stopped,
}

#[derive(Clone)]
pub(super) struct ShownQuestion {
    /// `None` while it is being sent.
    pub(super) message: Option<MessageId>,
    pub(super) post: Post,
    /// The end of its nonce.
    pub(super) part: String,
    pub(super) text: String,
}

pub(super) struct OpenQuestion<'a> {
    pub(super) shared: &'a Shared,
    pub(super) id: QuestionId,
}

impl Drop for OpenQuestion<'_> {
    fn drop(&mut self) {
        self.shared.questions.close(self.id);
    }
}

/// Returns the message with a question, and its text. The command is made harmless; a long one is shown in part, with
/// all of it in a file.
pub(super) fn post(
    question: &Question,
    within: Duration,
    buttons: CreateActionRow,
    language: Language,
) -> (Post, String) {
    let shown = visible(&question.command, COMMAND_SHOWN_MAX);
    let all = visible(question.whole.as_deref().unwrap_or(&question.command), usize::MAX);
    let in_file = (shown != all).then(|| say!(language, "question-file", file = COMMAND_FILE));
    let confirm =
        say!(language, "question-confirm", person = format!("<@{}>", question.asked), seconds = within.as_secs());
    let reason = question.reason.as_deref().map(|reason| small(&say!(language, "question-reason", reason = reason)));
    let asked = say!(language, "question-asked");
    let parts = [Some(asked), Some(in_code_block(&shown)), reason, in_file.clone(), Some(confirm)];
    let text = parts.into_iter().flatten().collect::<Vec<_>>().join("\n");
    let post = Post::text(text.clone()).with(buttons);
    match in_file {
        Some(_) => (post.attached(COMMAND_FILE, all), text),
        None => (post, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::turn_text::closed_question;
    use candor_core::inbound::UserId;

    fn asked(command: &str, whole: Option<&str>, within: Duration) -> (Post, String) {
        let whole = whole.map(str::to_owned);
        let question = Question { asked: UserId(u64::MAX), command: command.to_owned(), whole, reason: None };
        post(&question, within, CreateActionRow::Buttons(Vec::new()), Language::ENGLISH)
    }

    #[test]
    fn a_question_shows_the_command_as_text_that_ends_no_block_and_hides_nothing() {
        let command = "/files write path: \"a`.txt\" content: \"```\u{202e}<@1>\"";
        let (post, text) = asked(command, None, Duration::from_secs(60));
        let expected = format!(
            "{}\n```\n/files write path: \"aˋ.txt\" content: \"ˋˋˋ\\u{{202e}}<@1>\"\n```\n{}",
            say!(Language::ENGLISH, "question-asked"),
            say!(Language::ENGLISH, "question-confirm", person = format!("<@{}>", u64::MAX), seconds = 60)
        );
        assert_eq!(text, expected);
        assert!(post.files().is_empty());
    }

    #[test]
    fn a_question_shows_the_models_reason_as_data_and_is_closed_without_who_may_decide() {
        let reason = Some("they *asked* <@1>".to_owned());
        let question = Question { asked: UserId(1), command: "/tasks add".to_owned(), whole: None, reason };
        let (_, text) = post(&question, Duration::ZERO, CreateActionRow::Buttons(Vec::new()), Language::ENGLISH);
        let shown = say!(Language::ENGLISH, "question-reason", reason = "they \\*asked\\* ‹＠1›");
        assert!(text.contains(&format!("\n-# {shown}\n")), "{text}");
        let closed = closed_question(&text, "confirmed");
        assert!(closed.ends_with(&format!("-# {shown}\n-# confirmed")), "{closed}");
    }

    /// L2: of a long command its person approved what they did not see.
    #[test]
    fn l2_all_of_a_command_that_is_cut_is_in_a_file_and_the_question_fits_a_message() {
        for character in ['x', '😀', '\u{e0041}'] {
            let command = String::from(character).repeat(20_000);
            let (post, text) = asked(&command, None, Duration::from_secs(600));
            assert!(text.encode_utf16().count() + 100 < 2_000);
            assert!(text.contains("… (cut: 1") && text.contains(" more characters)\n```"), "{text}");
            assert_eq!(post.files()[0].data, visible(&command, usize::MAX).into_bytes());
        }
        let (post, text) =
            asked("/files write content: \"a… (cut)\"", Some("/files write content: \"abc\""), Duration::ZERO);
        assert_eq!(post.files()[0].data, b"/files write content: \"abc\"");
        assert!(text.contains(&say!(Language::ENGLISH, "question-file", file = COMMAND_FILE)), "{text}");
    }
}
