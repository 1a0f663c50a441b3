//! The stored records of a poll, and its count.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use candor_core::contract::{Call, CommandError, PersonsRecord, RecordId};
use candor_core::language::{Language, Texts, say_from};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

/// The most votes in a poll: they are removed in one transaction when it closes.
pub(super) const VOTES_MAX: usize = 500;

/// The most records of people about one poll: all votes, some concurrent ones, and the author's.
const OF_PEOPLE_MAX: usize = VOTES_MAX + 300;

#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) struct Poll {
    /// Untrusted text on one line.
    pub(super) question: String,
    /// Untrusted text, each on one line.
    pub(super) answers: Vec<String>,
    /// When it closes, in seconds since 1970.
    pub(super) ends_at: u64,
    /// The tag of the author's language: the message keeps it for all voters.
    pub(super) language: String,
    /// The votes for each answer, once it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) result: Option<Vec<usize>>,
}

impl Poll {
    pub(super) fn new(question: String, answers: Vec<String>, end: SystemTime, language: Language) -> Self {
        let ends_at = end.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        Self { question, answers, ends_at, language: language.tag().to_owned(), result: None }
    }

    pub(super) fn end(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(Duration::from_secs(self.ends_at)).unwrap_or(UNIX_EPOCH)
    }

    pub(super) fn language(&self) -> Language {
        Language::of_locale(&self.language).unwrap_or_default()
    }

    /// Returns whether votes count. A poll whose time is over is not open, even before it is closed.
    pub(super) fn is_open(&self, now: SystemTime) -> bool {
        self.result.is_none() && now < self.end()
    }
}

/// A person's record about a poll.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(untagged)]
pub(super) enum OfPerson {
    /// A vote for this answer, counted from 1.
    Vote { answer: usize },
    /// This person asked the poll, and may close it.
    Asked { asked: bool },
}

impl OfPerson {
    pub(super) fn read(body: &Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(body)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Standing {
    pub(super) counts: Vec<usize>,
}

impl Standing {
    pub(super) fn none(poll: &Poll) -> Self {
        Self { counts: vec![0; poll.answers.len()] }
    }

    /// Counts the votes, including the uncommitted change of this call.
    pub(super) async fn of(id: RecordId, poll: &Poll, call: &Call) -> Result<Self, CommandError> {
        if let Some(counts) = &poll.result {
            return Ok(Self { counts: counts.clone() });
        }
        let mut standing = Self::none(poll);
        for record in of_people(id, call).await? {
            if let OfPerson::Vote { answer } = OfPerson::read(&record.body)?
                && let Some(count) = answer.checked_sub(1).and_then(|n| standing.counts.get_mut(n))
            {
                *count += 1;
            }
        }
        Ok(standing)
    }

    pub(super) fn n_votes(&self) -> usize {
        self.counts.iter().sum()
    }
}

/// Returns a poll of this place, with its record's body.
pub(super) async fn poll(id: RecordId, call: &Call) -> Result<(Value, Poll), CommandError> {
    let unknown = || CommandError::tell(say_from!(TEXTS, call.caller.language, "unknown", id = id));
    let body = call.services.records()?.get(id).await?.ok_or_else(unknown)?;
    let poll = serde_json::from_value(body.clone())?;
    Ok((body, poll))
}

pub(super) async fn remove_of_people(id: RecordId, call: &Call) -> Result<(), CommandError> {
    for record in of_people(id, call).await? {
        call.services.records_of_thing(id)?.remove(&record).await?;
    }
    Ok(())
}

async fn of_people(id: RecordId, call: &Call) -> Result<Vec<PersonsRecord>, CommandError> {
    Ok(call.services.records_of_thing(id)?.list(OF_PEOPLE_MAX).await?)
}
