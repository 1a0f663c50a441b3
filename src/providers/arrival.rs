//! Reads a response as it arrives: reports how the answer grows, and ends it when its time is over.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use reqwest::Response;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::wire::answer::{self, parse, shown_so_far};
use crate::wire::apis;
use crate::wire::stream::{self, Stream};
use candor_core::agent::tools::Completion;
use candor_core::agent::{Growth, ModelFailure, begins_in_thought};
use candor_core::settings::ModelApi;

/// The maximum size of a body read as one document, in bytes. 100,000 characters, each escaped, are well below it.
const BODY_LENGTH_MAX: usize = 4 * 1024 * 1024;

/// The maximum size of a stream in bytes. The data around each token is many times longer than the token.
const STREAM_LENGTH_MAX: usize = 64 * 1024 * 1024;

/// The minimum time between two reports of how an answer grows. People do not read faster.
const GROWTH_EVERY: Duration = Duration::from_millis(100);

/// The time limits of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    /// The deadline for the first token.
    pub(super) first_token: Instant,
    /// The longest pause between two tokens.
    pub(super) stall: Duration,
    /// The time from the first token to the last.
    pub(super) within: Duration,
}

pub(super) struct Arrival<'a> {
    api: ModelApi,
    growth: &'a dyn Growth,
    /// The model's thinking begins without a mark, so nothing is reported before its end.
    is_held: bool,
    clocks: Clocks,
    body: ResponseBody,
    n_bytes: usize,
    /// The arrival of the first token and of the last one.
    began: Option<Instant>,
    latest: Option<Instant>,
    /// The last report had words in it.
    has_words: bool,
    /// The time of the last report, and whether there is more since.
    reported: Option<Instant>,
    is_behind: bool,
}

enum ResponseBody {
    /// One document, or too little data to tell.
    Whole(Vec<u8>),
    Stream(Box<Stream>),
}

/// The reason why a response is not whole.
#[derive(Debug)]
pub(super) enum ReadFailure {
    /// Its time was over.
    Late,
    /// It ended early, or its data is unreadable.
    Lost(ModelFailure, Option<reqwest::Error>),
    /// The body, which is not an answer.
    Unreadable(Vec<u8>),
}

impl From<ModelFailure> for ReadFailure {
    fn from(failure: ModelFailure) -> Self {
        Self::Lost(failure, None)
    }
}

impl<'a> Arrival<'a> {
    pub(super) fn new(api: ModelApi, clocks: Clocks, growth: &'a dyn Growth, is_held: bool) -> Self {
        let body = ResponseBody::Whole(Vec::new());
        Self {
            api,
            growth,
            is_held,
            clocks,
            body,
            n_bytes: 0,
            began: None,
            latest: None,
            has_words: false,
            reported: None,
            is_behind: false,
        }
    }

    /// Reads the answer to its end and returns it as one document.
    pub(super) async fn read(&mut self, response: &mut Response) -> Result<Value, ReadFailure> {
        let read = self.read_all(response).await;
        // A failure after a finish reason loses nothing of the answer.
        if !matches!(&self.body, ResponseBody::Stream(stream) if stream.has_ended()) {
            read?;
        }
        let whole = match &mut self.body {
            ResponseBody::Whole(body) => match parse(body) {
                Ok(answer) => apis::whole(self.api, answer),
                Err(_) => return Err(ReadFailure::Unreadable(std::mem::take(body))),
            },
            ResponseBody::Stream(stream) => stream.finish()?,
        };
        if let Some(tokens) = answer::tokens_used(&whole) {
            self.growth.used(tokens);
        }
        Ok(whole)
    }

    /// Returns the text of an answer that failed so late that it can be kept.
    pub(super) fn cut_short(&self, failure: &ModelFailure) -> Option<Completion> {
        let ResponseBody::Stream(stream) = &self.body else { return None };
        answer::cut_short(stream.text(), failure)
    }

    async fn read_all(&mut self, response: &mut Response) -> Result<(), ReadFailure> {
        loop {
            match timeout_at(self.wakes(), response.chunk()).await {
                Ok(Ok(Some(piece))) => self.take(&piece)?,
                Ok(Ok(None)) => return Ok(()),
                Ok(Err(problem)) => return Err(lost(problem)),
                Err(_elapsed) => {}
            }
            let is_full = self.report();
            if matches!(&self.body, ResponseBody::Stream(stream) if stream.is_over()) {
                return Ok(());
            }
            // The answer has its maximum length, so the rest would not be shown.
            if is_full {
                return Err(ModelFailure::CutOff.into());
            }
            // The timeout above never fires if a server always has more to send.
            if self.ends() <= Instant::now() {
                return Err(ReadFailure::Late);
            }
        }
    }

    /// Returns whether the model's thinking began without a mark. `None` if nothing was written.
    pub(super) fn began_in_thought(&self) -> Option<bool> {
        match &self.body {
            ResponseBody::Stream(stream) if !stream.text().trim().is_empty() => Some(begins_in_thought(stream.text())),
            ResponseBody::Stream(_) | ResponseBody::Whole(_) => None,
        }
    }

    pub(super) fn began(&self) -> Option<Instant> {
        self.began
    }

    pub(super) fn ended(self, text: &str) {
        if self.began.is_none() {
            self.growth.began();
        }
        self.growth.grew(text);
    }

    /// Returns when the wait ends, as of now.
    fn ends(&self) -> Instant {
        match (self.began, self.latest) {
            (Some(began), Some(latest)) => (began + self.clocks.within).min(latest + self.clocks.stall),
            _ => self.clocks.first_token,
        }
    }

    /// Returns when to look again, even if nothing arrives.
    fn wakes(&self) -> Instant {
        match self.reported {
            Some(reported) if self.is_behind => self.ends().min(reported + GROWTH_EVERY),
            _ => self.ends(),
        }
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), ReadFailure> {
        self.n_bytes += piece.len();
        let has_news = match &mut self.body {
            ResponseBody::Whole(body) => {
                if BODY_LENGTH_MAX < self.n_bytes {
                    return Err(ModelFailure::TooLarge.into());
                }
                body.extend_from_slice(piece);
                match stream::is_stream(body) {
                    Some(true) => {
                        let body = std::mem::take(body);
                        let mut stream = Box::new(Stream::of(self.api));
                        let read = stream.push(&body);
                        let has_news = 0 < stream.n_pieces();
                        self.body = ResponseBody::Stream(stream);
                        read?;
                        has_news
                    }
                    is_stream => is_stream == Some(false),
                }
            }
            ResponseBody::Stream(stream) => {
                if STREAM_LENGTH_MAX < self.n_bytes {
                    return Err(ModelFailure::TooLarge.into());
                }
                let n_before = stream.n_pieces();
                stream.push(piece)?;
                n_before < stream.n_pieces()
            }
        };
        if has_news {
            self.latest = Some(Instant::now());
            self.is_behind = true;
            if self.began.is_none() {
                self.began = self.latest;
                self.growth.began();
            }
        }
        Ok(())
    }

    /// Reports the growth, if there is some and the last report is old enough. Returns whether the words have then
    /// reached their maximum length.
    fn report(&mut self) -> bool {
        let now = Instant::now();
        let ResponseBody::Stream(stream) = &self.body else { return false };
        if self.is_behind && self.reported.is_none_or(|reported| reported + GROWTH_EVERY <= now) {
            // Empty again if the words turn out to be thinking.
            let (words, is_full) = shown_so_far(stream.text());
            let is_shown = !self.is_held || begins_in_thought(stream.text());
            if is_shown && (self.has_words || !words.is_empty()) {
                self.has_words = !words.is_empty();
                self.growth.grew(words);
            }
            (self.reported, self.is_behind) = (Some(now), false);
            return is_shown && is_full;
        }
        false
    }
}

/// Reads a whole decompressed body. `None` if it does not arrive. The limit applies to the decompressed size, so a
/// server cannot make the bot hold more.
pub(super) async fn whole(mut response: Response, until: Instant) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(piece) = timeout_at(until, response.chunk()).await.ok()?.ok()? {
        if BODY_LENGTH_MAX < body.len() + piece.len() {
            return None;
        }
        body.extend_from_slice(&piece);
    }
    Some(body)
}

fn lost(problem: reqwest::Error) -> ReadFailure {
    let failure = if is_bad_packing(&problem) { ModelFailure::NotJson } else { ModelFailure::Interrupted };
    ReadFailure::Lost(failure, Some(problem))
}

/// Returns whether a body is not compressed as its header says. A truncated body does not count.
fn is_bad_packing(problem: &reqwest::Error) -> bool {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    let mut broken = causes.filter_map(|cause| cause.downcast_ref::<io::Error>());
    broken.any(|cause| matches!(cause.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput))
}
