//! A chat model that writes what a test dictates, piece by piece.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::timeout;

use crate::support::bot::PATIENCE;
use crate::support::said::without_asker;
use candor_core::agent::prompt::TranscriptEntry;
use candor_core::agent::tools::{Completion, Cut, RawArguments, RawCall};
use candor_core::agent::{Growth, Model, ModelFailure, Request};

/// The model. Each request to it becomes a [`Page`].
pub(crate) struct Typist {
    pages: UnboundedSender<Page>,
    is_full: Arc<AtomicBool>,
}

/// The requests, as they come.
pub(crate) struct Pages {
    pages: UnboundedReceiver<Page>,
    is_full: Arc<AtomicBool>,
}

/// One request, and the answer to it that grows as the test writes it. It ends when it is dropped: with a lost
/// connection, unless it was ended before.
pub(crate) struct Page {
    /// What the model was shown.
    pub(crate) shown: Vec<TranscriptEntry>,
    pieces: UnboundedSender<Piece>,
}

enum Piece {
    Words(String),
    Calls(Vec<RawCall>),
    Ends(Option<Cut>),
}

/// A model and its requests.
pub(crate) fn typist() -> (Typist, Pages) {
    let (ask, asked) = unbounded_channel();
    let is_full = Arc::<AtomicBool>::default();
    (Typist { pages: ask, is_full: is_full.clone() }, Pages { pages: asked, is_full })
}

#[async_trait]
impl Model for Typist {
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        let (pieces, mut written) = unbounded_channel();
        let page = Page { shown: request.transcript.messages().to_vec(), pieces };
        let is_full = self.is_full.load(Ordering::Relaxed);
        if !is_full {
            growth.asked();
            growth.began();
        }
        if self.pages.send(page).is_err() {
            return Err(ModelFailure::Unreachable);
        }
        let (mut text, mut calls) = (String::new(), Vec::new());
        while let Some(piece) = written.recv().await {
            match piece {
                Piece::Words(words) => {
                    text.push_str(&words);
                    growth.grew(&text);
                }
                Piece::Calls(more) => calls.extend(more),
                Piece::Ends(cut) => return Ok(Completion { text, calls, cut }),
            }
        }
        Err(ModelFailure::Interrupted)
    }
}

impl Pages {
    /// The next request.
    pub(crate) async fn next(&mut self) -> Page {
        let page = timeout(PATIENCE, self.pages.recv()).await;
        page.unwrap().unwrap()
    }

    /// Whether the model was not asked again.
    pub(crate) fn is_idle(&mut self) -> bool {
        self.pages.try_recv().is_err()
    }

    /// From now on requests wait for a place at the model, and are not sent.
    pub(crate) fn fill_up(&self) {
        self.is_full.store(true, Ordering::Relaxed);
    }
}

impl Page {
    /// Writes more words.
    pub(crate) fn writes(&self, words: &str) {
        self.sends(Piece::Words(words.to_owned()));
    }

    /// Ends the answer with its words.
    pub(crate) fn ends(self) {
        self.sends(Piece::Ends(None));
    }

    /// Ends the answer in the middle.
    pub(crate) fn breaks_off(self, cut: Cut) {
        self.sends(Piece::Ends(Some(cut)));
    }

    /// Ends the answer with calls of these tools, without arguments.
    pub(crate) fn calls(self, tools: &[&str]) {
        self.calls_with(tools.iter().map(|tool| (*tool, json!({}))).collect());
    }

    /// Ends the answer with calls of these tools.
    pub(crate) fn calls_with(self, calls: Vec<(&str, Value)>) {
        let call = |(tool, arguments): (&str, Value)| RawCall {
            id: None,
            name: tool.to_owned(),
            arguments: RawArguments::Object(arguments.as_object().cloned().unwrap_or_default()),
        };
        self.sends(Piece::Calls(calls.into_iter().map(call).collect()));
        self.sends(Piece::Ends(None));
    }

    /// Waits until nobody reads the answer any more: its turn was stopped.
    pub(crate) async fn is_given_up(&self) {
        timeout(PATIENCE, self.pieces.closed()).await.unwrap();
    }

    fn sends(&self, piece: Piece) {
        assert!(self.pieces.send(piece).is_ok(), "nobody awaits the answer");
    }

    /// The last words of the person, as the model was shown them, without the line that says who asks.
    pub(crate) fn asked(&self) -> String {
        match self.shown.last() {
            Some(TranscriptEntry::Person(words)) => without_asker(words),
            other => panic!("no person's words: {other:?}"),
        }
    }
}
