//! The person at the terminal, while a chat turn runs.

use std::io;

use async_trait::async_trait;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::agent::{Confirmation, Question, Surface};
use crate::console::line::{Lines, Typed};
use crate::console::{PERSON, is_yes, print};
use crate::language::{Language, say};
use crate::reply::visible;

/// So much of a command is shown in a question, in UTF-16 units.
const COMMAND_SHOWN_MAX: usize = 4_000;

/// What is typed, whoever waits for it: the loop, or a question in the middle of a turn.
pub(super) struct Terminal {
    pub(super) lines: Mutex<Lines>,
    pub(super) language: Language,
    pub(super) shutdown: CancellationToken,
}

impl Terminal {
    /// The next line, or the end when the bot is to stop.
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
    async fn running(&self, command: &str) {
        // Where nothing can be printed, the answer cannot either, and the loop ends with it.
        let _unprinted = print(&format!("  {}", say!(self.language, "running", command = command)));
    }

    /// Asks, and takes the next line for the answer.
    async fn confirm(&self, question: &Question) -> Confirmation {
        let command = visible(&question.command, COMMAND_SHOWN_MAX);
        let asked = print(&format!(
            "  {}\n  {command}\n  {}",
            say!(self.language, "question-asked"),
            say!(self.language, "console-run")
        ));
        if asked.is_err() {
            return Confirmation::Unanswered;
        }
        match self.next().await {
            Ok(Typed::Line(line)) if is_yes(&line, self.language) => Confirmation::Confirmed(PERSON),
            Ok(Typed::Line(_) | Typed::TooLong) => Confirmation::Declined,
            Ok(Typed::End) | Err(_) => Confirmation::Unanswered,
        }
    }
}
