//! The surface of a chat turn at the terminal.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use async_trait::async_trait;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::console::line::{Lines, Typed};
use crate::console::render::{beside, render};
use crate::console::screen::Screen;
use candor_core::agent::tools::{Confirmation, Question, Shown, Surface};
use candor_core::inbound::{Caller, EventId, UserId};
use candor_core::language::{Language, say};
use candor_core::reply::Answer;
use candor_core::text::visible;

/// The typed lines. Either the console's loop waits for one, or a question in the middle of a turn.
pub(super) struct Terminal {
    pub(super) lines: Mutex<Lines>,
    pub(super) language: Language,
    pub(super) shutdown: CancellationToken,
    /// Commands called by a model that are done.
    pub(super) n_done: AtomicUsize,
}

impl Terminal {
    /// Returns the next line, or end of input when the bot stops.
    pub(super) async fn next(&self) -> io::Result<Typed> {
        let mut lines = self.lines.lock().await;
        tokio::select! {
            typed = lines.next() => typed,
            () = self.shutdown.cancelled() => Ok(Typed::End),
        }
    }
}

#[async_trait]
impl Surface for Terminal {
    /// A reply is printed once it is complete: text on a terminal cannot be taken back.
    fn writing(&self, _: &str) {}

    async fn running(&self, command: &str) {
        // If printing fails, the answer fails as well, and the loop ends with it.
        let _unprinted = tell(&say!(self.language, "running", command = command));
    }

    async fn ran(&self, answer: &Answer) -> Shown {
        if answer.is_reply_of_command() {
            self.n_done.fetch_add(1, Ordering::Relaxed);
        }
        match print(&render(answer, self.language, Screen::of_output())) {
            Ok(()) => Shown::Whole,
            Err(_) => Shown::Nothing,
        }
    }

    /// Asks, and takes the next line as the answer.
    async fn confirm(&self, question: &Question) -> Confirmation {
        let command = visible(question.whole.as_deref().unwrap_or(&question.command), usize::MAX);
        // The call is shown in full: a yes runs exactly this call.
        let asked = tell(&say!(self.language, "question-asked"))
            .and_then(|()| print(&format!("  {command}")))
            .and_then(|()| match &question.reason {
                Some(reason) => tell(&say!(self.language, "question-reason", reason = visible(reason, usize::MAX))),
                None => Ok(()),
            })
            .and_then(|()| tell(&say!(self.language, "console-run")));
        if asked.is_err() {
            return Confirmation::Unanswered;
        }
        match self.next().await {
            Ok(Typed::Line(line)) if is_yes(&line, self.language) => {
                Confirmation::Confirmed { by: Box::new(Caller::new(PERSON, "")), press: next_event(EventId(0)) }
            }
            Ok(Typed::Line(_) | Typed::TooLong | Typed::Cleared) => Confirmation::Declined,
            Ok(Typed::End) | Err(_) => Confirmation::Unanswered,
        }
    }
}

/// The user id of the console's person. Discord never gives out this id.
pub(crate) const PERSON: UserId = UserId(0);

/// Returns an event id that no line or press had before, in this process or an earlier one: claims outlive the process.
/// Discord's ids are a thousand times larger and only grow, so the two never collide.
pub(crate) fn next_event(last: EventId) -> EventId {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    EventId(u64::try_from(now).unwrap_or(u64::MAX).max(last.0 + 1))
}

/// Returns whether a line says yes to a question. Any other line means no; without a question it is an ordinary
/// message.
pub(crate) fn is_yes(line: &str, language: Language) -> bool {
    let words = say!(language, "console-yes");
    ["y", "yes"].into_iter().chain(words.split(' ')).any(|yes| line.trim().eq_ignore_ascii_case(yes))
}

pub(crate) fn is_no(line: &str, language: Language) -> bool {
    let words = say!(language, "console-no");
    ["n", "no"].into_iter().chain(words.split(' ')).any(|no| line.trim().eq_ignore_ascii_case(no))
}

/// Prints a sentence of the host, indented and broken between words.
pub fn tell(text: &str) -> io::Result<()> {
    print(&beside(text, Screen::of_output()))
}

pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::{is_no, is_yes};
    use candor_core::language::Language;

    #[test]
    fn only_a_plain_yes_or_no_is_one() {
        let german = Language::of_locale("de").unwrap();
        let cases = [
            (Language::ENGLISH, "y", Some(true)),
            (Language::ENGLISH, " Yes ", Some(true)),
            (Language::ENGLISH, "n", Some(false)),
            (Language::ENGLISH, "NO ", Some(false)),
            (Language::ENGLISH, "yes please", None),
            (Language::ENGLISH, "no, why", None),
            (Language::ENGLISH, "ja", None),
            (Language::ENGLISH, "nein", None),
            (Language::ENGLISH, "/status", None),
            (Language::ENGLISH, "", None),
            (german, "j", Some(true)),
            (german, "Ja", Some(true)),
            (german, "yes", Some(true)),
            (german, "Nein", Some(false)),
            (german, "no", Some(false)),
            (german, "na", None),
        ];
        for (language, line, expected) in cases {
            let is = (is_yes(line, language), is_no(line, language));
            assert_eq!(is, (expected == Some(true), expected == Some(false)), "{line:?}");
        }
    }
}
