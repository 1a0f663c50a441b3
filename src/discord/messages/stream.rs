//! Shows a model's reply while it is written: the latest words, at the pace of the channel. Before the first words, a
//! message offers to stop.
//!
//! Each change is one request, and none is repeated: the next one shows more, and the answer at the end is what counts.
//! If a step of the model ends in a call, its words make room for the running command.

use std::future::pending;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use tracing::info;

use crate::messages::channel::{ChannelSurface, Doubtful, Draft, Link, Shown};
use crate::render::button;
use crate::render::posts::Post;
use crate::render::turn_text::{SMALL, growing};
use candor_core::language::say;
use candor_core::reply::sanitize_model_text;

/// How long a turn may go on without words before a message says so and offers to stop: most replies begin sooner.
const QUIET: Duration = Duration::from_secs(2);

/// How long the first words wait, with a whole sentence and without. A notification shows only the first words, and a
/// fast reply is complete by then.
const FIRST_SENTENCE: Duration = Duration::from_millis(100);
const FIRST_WORDS: Duration = Duration::from_millis(400);

enum Painted {
    All(String),
    Part,
    Nothing,
}

/// Returns whether a whole sentence is written, followed by more text. `1.`, `Dr.` and `3.5` end no sentence.
fn has_sentence(words: &str) -> bool {
    let ends = |(at, sign): (usize, char)| match sign {
        '。' | '！' | '？' => true,
        '.' | '!' | '?' | '…' => {
            let (before, behind) = words.split_at(at);
            let last_word = before.chars().rev().take_while(|letter| letter.is_alphabetic()).count();
            2 < last_word && behind.trim_start_matches(['.', '!', '?', '…']).starts_with(char::is_whitespace)
        }
        _ => false,
    };
    words.char_indices().any(ends)
}

/// Waits until the first words, written since `began`, are due. Returns false if the draft changes before that.
async fn first_words_are_due(draft: &mut watch::Receiver<Draft>, began: Instant) -> bool {
    let wait = match &*draft.borrow() {
        Draft::Words(words) if has_sentence(words) => FIRST_SENTENCE,
        Draft::Words(_) => FIRST_WORDS,
        // The message that the model thinks does not wait.
        Draft::Thinking(_) | Draft::Nothing | Draft::Over => return true,
    };
    tokio::select! {
        biased;
        _changed = draft.changed() => false,
        () = sleep_until(began + wait) => true,
    }
}

impl ChannelSurface<'_> {
    pub(crate) async fn show_growth(&self) {
        let mut draft = self.draft.subscribe();
        let mut over = self.draft.subscribe();
        let mut shown = String::new();
        let mut thought = None;
        let mut began = None;
        loop {
            let (is_new, since) = match &*draft.borrow_and_update() {
                Draft::Over => return,
                // Words after a call wait like the first ones.
                Draft::Nothing => {
                    (shown, began) = (String::new(), None);
                    (false, None)
                }
                Draft::Thinking(since) => {
                    (shown, began) = (String::new(), None);
                    (false, Some(*since).filter(|since| thought != Some(*since)))
                }
                Draft::Words(words) => (*words != shown, None),
            };
            if !is_new {
                let quiet = async {
                    match since {
                        Some(since) => sleep_until(since + QUIET).await,
                        None => pending().await,
                    }
                };
                tokio::select! {
                    biased;
                    // It cannot fail: the sender is ours.
                    _changed = draft.changed() => continue,
                    () = quiet => thought = since,
                }
            }
            if shown.is_empty() {
                let began = *began.get_or_insert_with(Instant::now);
                if !first_words_are_due(&mut draft, began).await {
                    continue;
                }
            }
            tokio::select! {
                biased;
                _ = over.wait_for(|draft| *draft == Draft::Over) => return,
                () = self.shared.pace.moment(self.target.channel) => {}
            }
            match self.paint().await {
                Painted::All(words) => shown = words,
                Painted::Part | Painted::Nothing => {}
            }
        }
    }

    /// Makes one change towards the latest words: edits or sends the first message that does not show its part of them,
    /// or deletes one too many.
    async fn paint(&self) -> Painted {
        let mut shown = self.shown.lock().await;
        let language = self.language;
        // Read under the lock: a running command may have taken the messages meanwhile.
        let words = match &*self.draft.borrow() {
            Draft::Words(words) => words.clone(),
            Draft::Thinking(_) if shown.is_empty() => String::new(),
            Draft::Thinking(_) | Draft::Nothing | Draft::Over => return Painted::Nothing,
        };
        let texts = match words.as_str() {
            "" => vec![format!("{SMALL}{}", say!(language, "thinking"))],
            words => growing(&self.shared.mentions.mention(&sanitize_model_text(words)), language),
        };
        let is_shown = |n: usize, text: &String| shown.get(n).is_some_and(|shown| shown.words.as_ref() == Some(text));
        let Some((n, text)) = texts.iter().enumerate().find(|(n, text)| !is_shown(*n, text)) else {
            return match shown.len().checked_sub(texts.len()) {
                None | Some(0) => Painted::All(words),
                Some(_) => {
                    if let Some(Shown { id, .. }) = shown.pop() {
                        self.delete(id).await;
                    }
                    Painted::Part
                }
            };
        };
        let is_last = n + 1 == texts.len();
        let stop = is_last.then(|| button::stop(self.target.event, self.signer(), language)).flatten();
        let post = Post::text(text.clone());
        let post = match stop {
            Some(row) => post.with(row),
            None => post,
        };
        let mut was_doubtful = false;
        let changed = match shown.get(n).map(|shown| shown.id) {
            Some(id) => self.edit_once(id, &post).await.map(|()| id),
            None => {
                let link = if n == 0 { Link::Reply } else { Link::None };
                let part = self.growing_part();
                let mut doubtful = self.doubtful.lock().await;
                was_doubtful = doubtful.take().is_some();
                let sent = self.send_once(&post, &part, link).await;
                if sent.as_ref().is_err_and(|problem| was_doubtful || problem.may_have_arrived()) {
                    *doubtful = Some(Doubtful { post, part, link });
                }
                sent
            }
        };
        match changed {
            Ok(id) => {
                // A message that arrived earlier shows the words of that time.
                let now = Shown { id, words: (!was_doubtful).then(|| text.clone()) };
                match shown.get_mut(n) {
                    Some(shown) => *shown = now,
                    None => {
                        shown.push(now);
                        self.next_part("g");
                    }
                }
                if is_last && !was_doubtful && shown.len() == texts.len() { Painted::All(words) } else { Painted::Part }
            }
            Err(problem) => {
                info!(channel.id = %self.target.channel.get(), error = %problem, "an edit is left out");
                self.shared.pace.rest(self.target.channel);
                Painted::Part
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn words(words: &str) -> Draft {
        Draft::Words(words.to_owned())
    }

    #[test]
    fn a_sentence_is_whole_once_something_stands_behind_it() {
        for whole in ["All is well. And", "Really?! Yes", "公開しました！", "So… then"] {
            assert_eq!(has_sentence(whole), whole != "So… then", "{whole}");
        }
        for part in ["You're welco", "You have 3.", "You have 3.5 GB", "1. milk", "Dr. No", "All is well.", ""] {
            assert!(!has_sentence(part), "{part}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_words_wait_for_a_sentence_or_four_hundred_milliseconds() {
        for (written, wait) in [("You're welco", FIRST_WORDS), ("All is well. And", FIRST_SENTENCE)] {
            let (_draft, mut read) = watch::channel(words(written));
            let began = Instant::now();
            assert!(first_words_are_due(&mut read, began).await);
            assert_eq!(began.elapsed(), wait, "{written}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn words_that_come_meanwhile_are_looked_at_and_the_wait_does_not_begin_again() {
        let (draft, mut read) = watch::channel(words("You're"));
        let began = Instant::now();
        let (is_due, ()) = tokio::join!(first_words_are_due(&mut read, began), async {
            advance(FIRST_SENTENCE * 2).await;
            draft.send_replace(words("You're welcome. The"));
        });
        assert!(!is_due);
        read.mark_unchanged();
        assert!(first_words_are_due(&mut read, began).await);
        assert_eq!(began.elapsed(), FIRST_SENTENCE * 2, "its sentence is whole, and it waited long enough");
        // A reply that is whole is not shown as a growing one.
        draft.send_replace(words("You"));
        read.mark_unchanged();
        let (is_due, ()) = tokio::join!(first_words_are_due(&mut read, Instant::now()), async {
            draft.send_replace(Draft::Over);
        });
        assert!(!is_due);
    }
}
