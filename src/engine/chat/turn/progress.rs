//! Shows a model's answer while it grows, once it is certain to be words and not a call.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use candor_core::agent::Growth;
use candor_core::agent::tools::{OfferedSet, Surface, may_become_call};

/// Receives the response to one request.
pub(super) struct Followed<'a> {
    surface: &'a dyn Surface,
    /// The model's text from earlier steps, shown before the new text.
    before: String,
    /// The tools that a text may turn out to call; `None` if it cannot be a call.
    tools: Option<&'a OfferedSet>,
    written: Mutex<Written>,
    was_asked: AtomicBool,
    /// When the model began to write: the turn's time runs from here.
    began: OnceLock<Instant>,
    /// The tokens that the provider counted, over all tries. 0 if it counts none.
    counted: AtomicU64,
}

#[derive(Default)]
struct Written {
    all: String,
    /// The text is certain to be words, and is shown.
    is_shown: bool,
}

impl<'a> Followed<'a> {
    pub(super) fn new(surface: &'a dyn Surface, before: String, tools: Option<&'a OfferedSet>) -> Self {
        Self {
            surface,
            before,
            tools,
            written: Mutex::default(),
            was_asked: AtomicBool::new(false),
            began: OnceLock::new(),
            counted: AtomicU64::new(0),
        }
    }

    /// Returns the tokens that the provider counted, 0 if it counted none, and whether the model began.
    pub(super) fn tokens(&self) -> (u64, bool) {
        (self.counted.load(Ordering::Relaxed), self.began.get().is_some())
    }

    /// Whether the request was sent: the provider may have read it, and may bill it.
    pub(super) fn was_asked(&self) -> bool {
        self.was_asked.load(Ordering::Relaxed)
    }

    /// Ends the response. Returns its text, which may end in half a call, and how long the model wrote.
    pub(super) fn ended(self) -> (String, Duration) {
        self.surface.writing("");
        let took = self.began.get().map(Instant::elapsed).unwrap_or_default();
        (self.written.into_inner().unwrap_or_else(PoisonError::into_inner).all, took)
    }

    fn may_become_call(&self, text: &str) -> bool {
        self.tools.is_some_and(|tools| may_become_call(text, &tools.known_names()))
    }
}

impl Growth for Followed<'_> {
    fn asked(&self) {
        self.was_asked.store(true, Ordering::Relaxed);
    }

    fn began(&self) {
        self.began.get_or_init(Instant::now);
    }

    fn grew(&self, text: &str) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        // Text that turns out to have been thinking is removed again.
        if written.is_shown && !text.starts_with(written.all.as_str()) {
            written.is_shown = false;
            self.surface.writing("");
        }
        text.clone_into(&mut written.all);
        if text.is_empty() || !written.is_shown && self.may_become_call(text) {
            return;
        }
        written.is_shown = true;
        self.surface.writing(&match self.before.is_empty() {
            true => text.to_owned(),
            false => format!("{}\n\n{}", self.before, text.trim_start()),
        });
    }

    fn used(&self, tokens: u64) {
        self.counted.fetch_add(tokens, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candor_core::agent::tools::{Confirmation, Question, Shown};
    use candor_core::reply::Answer;

    /// Keeps what it is to show.
    #[derive(Default)]
    struct Page(Mutex<Vec<String>>);

    #[async_trait::async_trait]
    impl Surface for Page {
        async fn running(&self, _: &str) {}

        fn writing(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }

        async fn ran(&self, _: &Answer) -> Shown {
            Shown::Nothing
        }

        async fn confirm(&self, _: &Question) -> Confirmation {
            Confirmation::Unanswered
        }
    }

    #[test]
    fn what_turns_out_to_have_been_thinking_is_taken_back() {
        let page = Page::default();
        let followed = Followed::new(&page, String::new(), None);
        for text in ["hm", "hm, hm", "", "Hello", "Hello."] {
            followed.grew(text);
        }
        assert_eq!(followed.ended().0, "Hello.");
        assert_eq!(*page.0.lock().unwrap(), ["hm", "hm, hm", "", "Hello", "Hello.", ""]);
    }

    #[test]
    fn what_may_become_a_call_is_not_shown_and_not_lost() {
        let page = Page::default();
        let tools = OfferedSet::none();
        let followed = Followed::new(&page, String::new(), Some(&tools));
        for text in ["{", "{\"name\": \"Ann\", \"age\""] {
            followed.grew(text);
        }
        assert_eq!(followed.ended().0, "{\"name\": \"Ann\", \"age\"");
        assert_eq!(*page.0.lock().unwrap(), [""]);
    }
}
