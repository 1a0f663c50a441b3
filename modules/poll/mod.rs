//! `/poll`: a question with answers to press, counted live, closed at its time.
//!
//! A poll is a record of the place and names no person. Each vote and the authorship are records of that person about
//! the poll. They are exported and erased with that person's data, and an erased vote no longer counts. Two concurrent
//! voters change different records. Closing a poll keeps the counts and removes the votes.

mod record;
#[cfg(test)]
mod tests;
mod view;

use std::time::{Duration, SystemTime};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use candor_core::contract::{Call, CommandError, DueCall, NativeModule, RecordId, ServiceError, ServiceName};
use candor_core::inbound::{CommandPath, Permissions, Place};
use candor_core::language::{Language, say_from};
use candor_core::reply::Reply;
use candor_core::text::{Misread, Span, escaped, excerpt, visible_line};

use record::{OfPerson, Poll, Standing, TEXTS, VOTES_MAX};

/// The most answers: two rows of buttons.
const ANSWERS_MAX: usize = 10;

/// The most characters of an answer: Discord's limit for a button.
const ANSWER_LENGTH_MAX: usize = 80;

const LASTS: Duration = Duration::from_hours(24);

/// The longest duration: a poll's buttons expire after that.
const LASTS_MAX_DAYS: u64 = 30;

/// The most polls of one place. A new one replaces the oldest closed poll.
const POLLS_MAX: usize = 50;

/// The most open polls of one person in a place, so that one person cannot use up the place's limit.
const OPEN_OF_PERSON_MAX: usize = 10;

pub fn module() -> NativeModule {
    NativeModule::new("poll", include_str!("module.toml"))
        .needs(ServiceName::Records)
        .needs(ServiceName::Time)
        .handler("ask", ask)
        .handler("vote", vote)
        .handler("show", show)
        .handler("close", close)
}

/// What `/poll ask` takes.
#[derive(Deserialize, JsonSchema)]
struct NewPoll {
    /// The question
    #[schemars(length(min = 1, max = 200))]
    question: String,
    /// 2 to 10 answers, separated by | or ;
    #[schemars(length(min = 1, max = 1000))]
    answers: String,
    /// How long it is open: 30m, 6h or 3d; a day if left out
    #[serde(rename = "for")]
    #[schemars(length(min = 1, max = 40))]
    lasts: Option<String>,
}

/// What `/poll vote` takes.
#[derive(Deserialize, JsonSchema)]
struct Ballot {
    /// The poll's number
    #[schemars(range(min = 1))]
    id: RecordId,
    /// The answer's number, counted from the top
    #[schemars(range(min = 1, max = 10))]
    answer: usize,
}

/// What `/poll show` and `/poll close` take.
#[derive(Deserialize, JsonSchema)]
struct PollNumber {
    /// The poll's number
    #[schemars(range(min = 1))]
    id: RecordId,
}

async fn ask(new: NewPoll, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    if call.place == Place::Console {
        return Err(CommandError::tell(say_from!(TEXTS, language, "console")));
    }
    let question = visible_line(&new.question);
    if question.is_empty() {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-question")));
    }
    let answers = answers(&new.answers, language)?;
    let end = end(new.lasts.as_deref(), call.now, language)?;
    let polls = call.services.records()?.list().await?;
    let own = own_open(&polls, &call).await?;
    if OPEN_OF_PERSON_MAX <= own.len() {
        let ids = own.iter().map(RecordId::to_string).collect::<Vec<_>>().join(", ");
        return Err(CommandError::tell(say_from!(TEXTS, language, "share", max = OPEN_OF_PERSON_MAX, ids = ids)));
    }
    make_room(polls, &call).await?;
    let poll = Poll::new(question, answers, end, language);
    let id = match call.services.records()?.add(&json!(poll), POLLS_MAX).await {
        Err(ServiceError::Full(_)) => {
            return Err(CommandError::tell(say_from!(TEXTS, language, "full", max = POLLS_MAX)));
        }
        added => added?,
    };
    call.services.caller_records_of_thing(id)?.add(&json!(OfPerson::Asked { asked: true }), 1).await?;
    let at_its_end = Map::from_iter([("id".to_owned(), Value::from(id))]);
    match call.services.time()?.call_later(close_path(), at_its_end, call.now, end).await {
        Ok(_) => Ok(view::poll(id, &poll, &Standing::none(&poll), &call)),
        Err(ServiceError::Full(_)) => Err(CommandError::tell(say_from!(TEXTS, language, "full-of-person"))),
        Err(problem) => Err(problem.into()),
    }
}

async fn vote(ballot: Ballot, call: Call) -> Result<Reply, CommandError> {
    let id = ballot.id;
    let language = call.caller.language;
    let (_, poll) = record::poll(id, &call).await?;
    if poll.result.is_some() {
        // Messages from before the close still have buttons: a press replaces the poll by its result.
        return Ok(view::poll(id, &poll, &Standing::of(id, &poll, &call).await?, &call));
    }
    if !poll.is_open(call.now) {
        return Err(CommandError::tell(say_from!(TEXTS, language, "vote-closed", id = id)));
    }
    let n_answers = poll.answers.len();
    if !(1..=n_answers).contains(&ballot.answer) {
        return Err(CommandError::tell(say_from!(TEXTS, language, "no-answer", id = id, n = n_answers)));
    }
    let own = call.services.caller_records_of_thing(id)?;
    let chosen = json!(OfPerson::Vote { answer: ballot.answer });
    loop {
        let kept = own.list().await?;
        let is_vote = |body: &Value| matches!(OfPerson::read(body), Ok(OfPerson::Vote { .. }));
        let is_done = match kept.iter().find(|(_, body)| is_vote(body)) {
            Some((vote, before)) if *before == chosen => own.remove(*vote).await?.is_some(),
            Some((vote, before)) => own.replace(*vote, before, &chosen).await?,
            None if VOTES_MAX <= Standing::of(id, &poll, &call).await?.n_votes() => {
                return Err(CommandError::tell(say_from!(TEXTS, language, "full-of-votes", max = VOTES_MAX)));
            }
            // The limit allows only one vote if the same person votes twice at once.
            None => 0 < own.add(&chosen, kept.len() + 1).await?,
        };
        // Otherwise the vote changed meanwhile: read it again.
        if is_done {
            return Ok(view::poll(id, &poll, &Standing::of(id, &poll, &call).await?, &call));
        }
    }
}

async fn show(wanted: PollNumber, call: Call) -> Result<Reply, CommandError> {
    let (_, poll) = record::poll(wanted.id, &call).await?;
    Ok(view::poll(wanted.id, &poll, &Standing::of(wanted.id, &poll, &call).await?, &call))
}

async fn close(wanted: PollNumber, call: Call) -> Result<Reply, CommandError> {
    let id = wanted.id;
    let language = call.caller.language;
    let (body, poll) = record::poll(id, &call).await?;
    let standing = Standing::of(id, &poll, &call).await?;
    if poll.result.is_some() {
        // The poll was closed early. Its scheduled call still shows the result to the author.
        return match call.due {
            Some(_) => Ok(view::poll(id, &poll, &standing, &call)),
            None => Err(CommandError::tell(say_from!(TEXTS, language, "closed-already", id = id))),
        };
    }
    let is_over = call.due.is_some() || !poll.is_open(call.now);
    if !is_over && !may_close(id, &call).await? {
        return Err(CommandError::tell(say_from!(TEXTS, language, "not-yours", id = id)));
    }
    let closed = Poll { result: Some(standing.counts.clone()), ..poll };
    if !call.services.records()?.replace(id, &body, &json!(closed)).await? {
        return Err(CommandError::tell(say_from!(TEXTS, language, "closed-already", id = id)));
    }
    record::remove_of_people(id, &call).await?;
    if call.due.is_none() {
        let time = call.services.time()?;
        for due in time.waiting().await? {
            if closes(&due, id) {
                time.cancel(due.id).await?;
            }
        }
    }
    Ok(view::poll(id, &closed, &standing, &call))
}

/// Returns whether the caller asked this poll, or moderates here.
async fn may_close(id: RecordId, call: &Call) -> Result<bool, CommandError> {
    let wanted = Permissions::from_name("manage_messages");
    let has = call.caller.member.as_ref().and_then(|member| member.permissions);
    if wanted.zip(has).is_some_and(|(wanted, has)| has.missing(wanted).is_empty()) {
        return Ok(true);
    }
    let own = call.services.caller_records_of_thing(id)?.list().await?;
    Ok(own.iter().any(|(_, body)| matches!(OfPerson::read(body), Ok(OfPerson::Asked { .. }))))
}

/// Returns the open polls that the caller asked here. Each has a scheduled call to close it.
async fn own_open(polls: &[(RecordId, Value)], call: &Call) -> Result<Vec<RecordId>, CommandError> {
    let waiting = call.services.time()?.waiting().await?;
    let mut own = Vec::new();
    for (id, body) in polls {
        if waiting.iter().any(|due| closes(due, *id)) && Poll::deserialize(body)?.is_open(call.now) {
            own.push(*id);
        }
    }
    Ok(own)
}

fn closes(due: &DueCall, id: RecordId) -> bool {
    due.call.path == close_path() && due.call.arguments.get("id") == Some(&Value::from(id))
}

/// Removes the oldest closed poll if there is no room for another.
async fn make_room(polls: Vec<(RecordId, Value)>, call: &Call) -> Result<(), CommandError> {
    if polls.len() < POLLS_MAX {
        return Ok(());
    }
    for (id, body) in polls {
        if !serde_json::from_value::<Poll>(body)?.is_open(call.now) {
            record::remove_of_people(id, call).await?;
            call.services.records()?.remove(id).await?;
            return Ok(());
        }
    }
    Ok(())
}

fn close_path() -> CommandPath {
    CommandPath::new("poll", Some("close"))
}

/// Splits the typed answers. If the text contains `|`, a `;` is part of an answer.
fn answers(typed: &str, language: Language) -> Result<Vec<String>, CommandError> {
    let separator = if typed.contains('|') { '|' } else { ';' };
    let answers: Vec<_> = typed.split(separator).map(visible_line).filter(|answer| !answer.is_empty()).collect();
    let n_answers = answers.len();
    if n_answers < 2 {
        return Err(CommandError::tell(say_from!(TEXTS, language, "few-answers", max = ANSWERS_MAX, n = n_answers)));
    }
    if ANSWERS_MAX < n_answers {
        return Err(CommandError::tell(say_from!(TEXTS, language, "many-answers", max = ANSWERS_MAX, n = n_answers)));
    }
    for (n, answer) in answers.iter().enumerate() {
        if ANSWER_LENGTH_MAX < view::label(answer).0.chars().count() {
            let shown = excerpt(answer);
            let refusal = say_from!(TEXTS, language, "long-answer", max = ANSWER_LENGTH_MAX, answer = shown);
            return Err(CommandError::tell(refusal));
        }
        if answers.iter().take(n).any(|other| other.to_lowercase() == answer.to_lowercase()) {
            return Err(CommandError::tell(say_from!(TEXTS, language, "same-answers", answer = escaped(answer))));
        }
    }
    Ok(answers)
}

fn end(lasts: Option<&str>, now: SystemTime, language: Language) -> Result<SystemTime, CommandError> {
    let lasts = match lasts {
        None => LASTS,
        Some(typed) => lasting(typed, language)?,
    };
    let range = Duration::from_secs(60)..=Duration::from_hours(LASTS_MAX_DAYS * 24);
    match now.checked_add(lasts).filter(|_| range.contains(&lasts)) {
        Some(end) => Ok(end),
        None => Err(CommandError::tell(say_from!(TEXTS, language, "too-long", days = LASTS_MAX_DAYS))),
    }
}

fn lasting(typed: &str, language: Language) -> Result<Duration, CommandError> {
    let why = match Span::parse(typed).map(Span::duration) {
        Ok(Some(lasts)) => return Ok(lasts),
        Err(Misread::CapitalM) => say_from!(TEXTS, language, "capital-m", typed = excerpt(typed)),
        Ok(None) | Err(Misread::Unknown) => say_from!(TEXTS, language, "no-duration", typed = excerpt(typed)),
    };
    Err(CommandError::tell(why))
}
