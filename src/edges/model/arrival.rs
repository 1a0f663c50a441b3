//! Reads a response as it arrives: reports how the answer grows, and ends it when its time is over.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use reqwest::Response;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::edges::model::wire::answer::{self, parse, shown_so_far};
use crate::edges::model::wire::apis;
use crate::edges::model::wire::stream::{self, Stream};
use candor_core::agent::tools::Completion;
use candor_core::agent::{Growth, ModelFailure, begins_in_thought};
use candor_core::settings::ModelApi;

/// The longest body that is read whole. 100,000 characters, each escaped, are well below it.
const BODY_LENGTH_MAX: usize = 4 * 1024 * 1024;

/// The most bytes of a stream: what is around each token is many times as long as the token.
const STREAM_LENGTH_MAX: usize = 64 * 1024 * 1024;

/// The shortest time between two reports of how an answer grows: as often as anybody can read.
const GROWTH_EVERY: Duration = Duration::from_millis(100);

/// What ends the wait for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clocks {
    /// When the answer must have begun.
    pub(super) first_token: Instant,
    /// The longest pause between two tokens.
    pub(super) stall: Duration,
    /// The time from the first token to the last.
    pub(super) within: Duration,
}

/// A response while it arrives.
pub(super) struct Arrival<'a> {
    api: ModelApi,
    growth: &'a dyn Growth,
    /// The model's thinking begins without a mark: until its end, nothing is reported.
    is_held: bool,
    clocks: Clocks,
    body: ResponseBody,
    n_bytes: usize,
    /// When the first token arrived, and the last one.
    began: Option<Instant>,
    latest: Option<Instant>,
    /// The last report had words in it.
    has_words: bool,
    /// When the growth was last reported, and whether there is more since.
    reported: Option<Instant>,
    is_behind: bool,
}

/// The body of a response.
enum ResponseBody {
    /// One document, or as yet too little to tell.
    Whole(Vec<u8>),
    /// A stream of events.
    Stream(Box<Stream>),
}

/// Why a response is not whole.
#[derive(Debug)]
pub(super) enum ReadFailure {
    /// Its time was over.
    Late,
    /// It ended early, or what came cannot be read.
    Lost(ModelFailure, Option<reqwest::Error>),
    /// It is no answer at all but this.
    Unreadable(Vec<u8>),
}

impl From<ModelFailure> for ReadFailure {
    fn from(failure: ModelFailure) -> Self {
        Self::Lost(failure, None)
    }
}

impl<'a> Arrival<'a> {
    /// Nothing has arrived yet.
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

    /// Reads the answer to its end, as one document.
    pub(super) async fn read(&mut self, response: &mut Response) -> Result<Value, ReadFailure> {
        let read = self.read_all(response).await;
        // Behind a reason to end there is nothing that is missed.
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

    /// What was written of an answer that failed so late that it need not be lost.
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
            // A model that does not end writes for nobody.
            if is_full {
                return Err(ModelFailure::CutOff.into());
            }
            // A server that always has more to send lets nobody wait.
            if self.ends() <= Instant::now() {
                return Err(ReadFailure::Late);
            }
        }
    }

    /// Whether the model's thinking began without a mark. `None` if nothing was written.
    pub(super) fn began_in_thought(&self) -> Option<bool> {
        match &self.body {
            ResponseBody::Stream(stream) if !stream.text().trim().is_empty() => Some(begins_in_thought(stream.text())),
            ResponseBody::Stream(_) | ResponseBody::Whole(_) => None,
        }
    }

    /// When the first token arrived.
    pub(super) fn began(&self) -> Option<Instant> {
        self.began
    }

    /// Reports the answer's whole text.
    pub(super) fn ended(self, text: &str) {
        if self.began.is_none() {
            self.growth.began();
        }
        self.growth.grew(text);
    }

    /// When the wait is over, as things are.
    fn ends(&self) -> Instant {
        match (self.began, self.latest) {
            (Some(began), Some(latest)) => (began + self.clocks.within).min(latest + self.clocks.stall),
            _ => self.clocks.first_token,
        }
    }

    /// When to look again, even if nothing arrives.
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

    /// Reports the growth, if there is some and the last report is long enough ago. Whether the words have then reached
    /// the longest answer.
    fn report(&mut self) -> bool {
        let now = Instant::now();
        let ResponseBody::Stream(stream) = &self.body else { return false };
        if self.is_behind && self.reported.is_none_or(|reported| reported + GROWTH_EVERY <= now) {
            // Empty again, where the words turn out to have been thinking.
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

/// Reads a body whole, decompressed, so that a server cannot make the bot hold more than the limit. `None` if it does
/// not come.
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

/// Whether a body is not compressed as its header says. A truncated one is another matter.
fn is_bad_packing(problem: &reqwest::Error) -> bool {
    let causes = std::iter::successors(problem.source(), |&cause| cause.source());
    let mut broken = causes.filter_map(|cause| cause.downcast_ref::<io::Error>());
    broken.any(|cause| matches!(cause.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput))
}
