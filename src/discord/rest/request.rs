//! The only path of a request to Discord.
//!
//! serenity builds the requests but does not send them. Its own sending decodes the whole answer, so a posted message
//! counts as failed if a user in it has fields unknown to serenity. It also hides how long Discord asks to wait, and
//! its log shows the token of an interaction. Here, only the needed parts of an answer are parsed.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use reqwest::Client;
use serde::Serialize;
use serde_json::Value;
use serenity::all::{ChannelId, CreateAttachment, InteractionId, MessageId, UserId};
use serenity::http::{Http, LightMethod, Multipart, MultipartUpload, Request, Route};
use serenity::model::channel::MessageFlags;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use crate::rest::client::{AnswerClient, Response};
use crate::rest::error::{RequestError, unreached};
use crate::rest::limits::{Bucket, Limits, Pause, Pool, Withheld};
use crate::rest::limits::{LimitHeaders, wait_of};
use candor_core::record::{Counters, LimitScope, RestAnswer};
use candor_engine::RefusedRequests;

/// How long a request waits for those in progress, of the same channel and in total, and when it may be retried after
/// that.
const TURN_WITHIN: Duration = Duration::from_secs(10);
const TURN_AGAIN: Duration = Duration::from_secs(1);
/// The wait after a 429 that gives no time.
const UNSAID: Duration = Duration::from_secs(5);
/// Discord's code for a request without a valid webhook token. It says nothing about the bot's token.
const INVALID_WEBHOOK_TOKEN: i64 = 50_027;

pub(crate) struct Rest {
    http: Arc<Http>,
    client: Client,
    answers: AnswerClient,
    limits: Arc<Limits>,
    pool: Pool,
    counters: Arc<Counters>,
    /// Cancelled when Discord refuses the token.
    unauthorized: CancellationToken,
}

/// For values that need no request, such as the application's id.
impl Deref for Rest {
    type Target = Arc<Http>;

    fn deref(&self) -> &Arc<Http> {
        &self.http
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Posted {
    pub(crate) id: MessageId,
    pub(crate) content: String,
}

impl Rest {
    pub(crate) fn new(http: Arc<Http>, client: Client, counters: Arc<Counters>) -> Self {
        let pool = Pool::of(open_files_max());
        let answers = AnswerClient::new(http.proxy.as_deref());
        Self { http, client, answers, limits: Arc::default(), pool, counters, unauthorized: CancellationToken::new() }
    }

    /// Counts refused requests in this store too, with those of earlier processes and of others.
    pub(crate) async fn count_refusals_in(&self, store: Arc<dyn RefusedRequests>) {
        self.limits.refusals.count_in(store).await;
    }

    /// Waits briefly until the refused requests are stored: for callers after whom the process ends.
    pub(crate) async fn refusals_kept(&self) {
        self.limits.refusals.kept().await;
    }

    pub(crate) async fn unauthorized(&self) {
        self.unauthorized.cancelled().await;
    }

    pub(crate) async fn respond(
        &self,
        interaction_id: InteractionId,
        token: &str,
        body: &impl Serialize,
        files: Vec<CreateAttachment>,
    ) -> Result<(), RequestError> {
        let request = Request::new(Route::InteractionResponse { interaction_id, token }, LightMethod::Post);
        let answer = self.send(with_body(request, body, files)?).await?;
        match answer {
            Answered::Empty | Answered::Json(_) => Ok(()),
            Answered::Garbled => Err(RequestError::Unanswered("what answered is not Discord")),
        }
    }

    /// Returns the response of an interaction, if it has one.
    pub(crate) async fn response(&self, token: &str) -> Result<Posted, RequestError> {
        let route = Route::WebhookOriginalInteractionResponse { application_id: self.application()?, token };
        posted(self.send(Request::new(route, LightMethod::Get)).await?)
    }

    /// Returns whether the response of an interaction still shows that the bot works on it.
    pub(crate) async fn is_waiting(&self, token: &str) -> Result<bool, RequestError> {
        let route = Route::WebhookOriginalInteractionResponse { application_id: self.application()?, token };
        let flags = self.get(route).await?.get("flags").and_then(Value::as_u64).unwrap_or_default();
        Ok(MessageFlags::from_bits_truncate(flags).contains(MessageFlags::LOADING))
    }

    pub(crate) async fn edit_response(
        &self,
        token: &str,
        body: &impl Serialize,
        files: Vec<CreateAttachment>,
    ) -> Result<Posted, RequestError> {
        let route = Route::WebhookOriginalInteractionResponse { application_id: self.application()?, token };
        posted(self.send(with_body(Request::new(route, LightMethod::Patch), body, files)?).await?)
    }

    pub(crate) async fn follow_up(&self, token: &str, body: &impl Serialize) -> Result<Posted, RequestError> {
        let route = Route::WebhookFollowupMessages { application_id: self.application()?, token };
        posted(self.send(with_body(Request::new(route, LightMethod::Post), body, Vec::new())?).await?)
    }

    pub(crate) async fn direct_channel(&self, person: UserId) -> Result<ChannelId, RequestError> {
        let body = serde_json::json!({ "recipient_id": person.to_string() });
        let request = Request::new(Route::UserMeDmChannels, LightMethod::Post);
        let opened = match self.send(with_body(request, &body, Vec::new())?).await? {
            Answered::Json(channel) => channel.get("id").and_then(Value::as_str).and_then(|id| id.parse().ok()),
            Answered::Empty | Answered::Garbled => None,
        };
        opened
            .filter(|&id: &u64| id != 0)
            .map(ChannelId::new)
            .ok_or(RequestError::Unanswered("the answer names no channel"))
    }

    pub(crate) async fn post(
        &self,
        channel_id: ChannelId,
        files: Vec<CreateAttachment>,
        body: &impl Serialize,
    ) -> Result<Posted, RequestError> {
        let request = Request::new(Route::ChannelMessages { channel_id }, LightMethod::Post);
        let mut body = serde_json::to_value(body).map_err(|_| RequestError::Unbuilt)?;
        // serenity adds the guild of the replied-to message, also as null.
        if let Some(to) = body.get_mut("message_reference").and_then(Value::as_object_mut) {
            to.retain(|_, field| !field.is_null());
        }
        let body = &body;
        posted(self.send(with_body(request, body, files)?).await?)
    }

    /// Opens a thread in a channel, or from a message if one is given. Returns its id.
    pub(crate) async fn open_thread(
        &self,
        channel_id: ChannelId,
        from: Option<MessageId>,
        body: &impl Serialize,
    ) -> Result<ChannelId, RequestError> {
        let route = match from {
            Some(message_id) => Route::ChannelMessageThreads { channel_id, message_id },
            None => Route::ChannelThreads { channel_id },
        };
        let opened = posted(self.send(with_body(Request::new(route, LightMethod::Post), body, Vec::new())?).await?)?;
        Ok(ChannelId::new(opened.id.get()))
    }

    /// Shows in a channel that the bot types, for ten seconds.
    pub(crate) async fn typing(&self, channel_id: ChannelId) -> Result<(), RequestError> {
        self.send(Request::new(Route::ChannelTyping { channel_id }, LightMethod::Post)).await.map(drop)
    }

    pub(crate) async fn message(&self, channel_id: ChannelId, message_id: MessageId) -> Result<Posted, RequestError> {
        posted(self.send(Request::new(Route::ChannelMessage { channel_id, message_id }, LightMethod::Get)).await?)
    }

    /// Returns the first messages of a channel behind this id, the newest of them first.
    pub(crate) async fn messages_after(
        &self,
        channel_id: ChannelId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Value>, RequestError> {
        let request = Request::new(Route::ChannelMessages { channel_id }, LightMethod::Get);
        let params = vec![("after", after.to_string()), ("limit", limit.to_string())];
        match self.send(request.params(Some(params))).await? {
            Answered::Json(Value::Array(messages)) => Ok(messages),
            Answered::Json(_) | Answered::Empty | Answered::Garbled => {
                Err(RequestError::Unanswered("the answer is not a list of messages"))
            }
        }
    }

    /// Edits a message of the bot's own.
    pub(crate) async fn edit(
        &self,
        channel_id: ChannelId,
        message_id: MessageId,
        body: &impl Serialize,
        files: Vec<CreateAttachment>,
    ) -> Result<(), RequestError> {
        let request = Request::new(Route::ChannelMessage { channel_id, message_id }, LightMethod::Patch);
        posted(self.send(with_body(request, body, files)?).await?).map(drop)
    }

    pub(crate) async fn delete(&self, channel_id: ChannelId, message_id: MessageId) -> Result<(), RequestError> {
        let request = Request::new(Route::ChannelMessage { channel_id, message_id }, LightMethod::Delete);
        self.send(request).await.map(drop)
    }

    pub(crate) async fn get(&self, route: Route<'_>) -> Result<Value, RequestError> {
        match self.send(Request::new(route, LightMethod::Get)).await? {
            Answered::Json(value) => Ok(value),
            Answered::Empty | Answered::Garbled => Err(RequestError::Unanswered("what answered is not Discord")),
        }
    }

    /// Checks whether a request that does not go through this type may be sent now.
    pub(crate) fn spared(&self) -> Result<(), RequestError> {
        match self.limits.counts(false, Instant::now()) {
            Ok(()) => Ok(()),
            Err(Withheld::Token) => Err(RequestError::Unauthorized),
            Err(Withheld::Until(_) | Withheld::Invalid(_) | Withheld::Closed(..)) => Err(RequestError::Spared),
        }
    }

    /// Counts the answer to a request that does not go through this type.
    pub(crate) async fn answered(&self, status: u16, is_shared: bool) {
        self.limits.answered(status, is_shared, Instant::now());
        let scope = if is_shared { LimitScope::Shared } else { LimitScope::Route };
        self.count(status, scope);
        self.limits.refusals.keep();
        if status == 401 {
            self.limits.token_refused();
            self.end().await;
        }
    }

    fn count(&self, status: u16, scope: LimitScope) {
        self.counters.rest.count(match status {
            200..300 => RestAnswer::Done,
            429 => RestAnswer::Limited,
            400..500 => RestAnswer::Refused,
            _ => RestAnswer::Failed,
        });
        if status == 429 {
            self.counters.rest_limits.count(scope);
        }
    }

    fn application(&self) -> Result<serenity::all::ApplicationId, RequestError> {
        self.http.application_id().ok_or(RequestError::Unbuilt)
    }

    async fn send(&self, request: Request<'_>) -> Result<Answered, RequestError> {
        let answered = self.send_in_turn(request).await;
        self.limits.refusals.keep();
        if let Err(RequestError::Answer { status: 401, code, .. }) = answered
            && code != INVALID_WEBHOOK_TOKEN
        {
            self.end().await;
        }
        answered
    }

    /// Signals that the token was refused, which ends the process. The counted refusals are stored first.
    async fn end(&self) {
        self.limits.refusals.kept().await;
        self.unauthorized.cancel();
    }

    async fn send_by_reqwest(&self, request: Request<'_>) -> Result<Response, RequestError> {
        let built = request.build(&self.client, self.http.token(), self.http.proxy.as_deref());
        let response = built.map_err(|_| RequestError::Unbuilt)?.send().await.map_err(|problem| {
            if problem.is_connect() {
                RequestError::Unreached(unreached(&problem))
            } else if problem.is_timeout() {
                RequestError::Unanswered("no answer in time")
            } else {
                RequestError::Unanswered("the request failed on the way")
            }
        })?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        Ok(Response { status, headers, body: response.bytes().await.ok() })
    }

    async fn send_in_turn(&self, request: Request<'_>) -> Result<Answered, RequestError> {
        let bucket = Bucket::of(*request.method_ref(), *request.route_ref());
        let turn = async { (self.limits.turn(&bucket).await, self.pool.place(bucket.is_exempt).await) };
        let Ok(_turn) = timeout(TURN_WITHIN, turn).await else {
            self.counters.rest.count(RestAnswer::Withheld);
            return Err(RequestError::Limited(TURN_AGAIN));
        };
        let admitted = self.limits.admit(&bucket, Instant::now());
        admitted.inspect_err(|_| self.counters.rest.count(RestAnswer::Withheld)).map_err(
            |withheld| match withheld {
                Withheld::Until(until) => RequestError::Limited(until - Instant::now()),
                Withheld::Invalid(_) => RequestError::Spared,
                Withheld::Token => RequestError::Unauthorized,
                Withheld::Closed(code, until) => RequestError::Closed { code, left: until - Instant::now() },
            },
        )?;
        let sent = match request.body_ref() {
            Some(body) if bucket.is_exempt => self.answers.send(*request.method_ref(), request.route_ref(), body).await,
            _ => self.send_by_reqwest(request).await,
        };
        let Response { status, headers, body } =
            sent.inspect_err(|_| self.counters.rest.count(RestAnswer::Unanswered))?;
        let LimitHeaders { is_shared, is_global, used_up, retry_after } = LimitHeaders::of(&headers);
        let now = Instant::now();
        self.limits.answered(status, is_shared, now);
        if status != 429 {
            self.count(status, LimitScope::Route);
        }
        if (200..300).contains(&status) {
            self.limits.carried_out(&bucket);
            if let Some(wait) = used_up {
                self.limits.pause(&bucket, Pause { wait, is_global: false }, now);
            }
            let body = body.ok_or(RequestError::Unanswered("the answer broke off"))?;
            return Ok(match serde_json::from_slice(&body) {
                Ok(json) => Answered::Json(json),
                Err(_) if body.is_empty() => Answered::Empty,
                Err(_) => Answered::Garbled,
            });
        }
        let body: Value = body.and_then(|body| serde_json::from_slice(&body).ok()).unwrap_or_default();
        if status == 429 {
            let said = body.get("retry_after").and_then(Value::as_f64);
            let wait = said.and_then(wait_of).or(retry_after).unwrap_or(UNSAID);
            let is_global = is_global || body.get("global").and_then(Value::as_bool) == Some(true);
            self.count(
                status,
                match (is_global, is_shared) {
                    (true, _) => LimitScope::Global,
                    (false, true) => LimitScope::Shared,
                    (false, false) => LimitScope::Route,
                },
            );
            self.limits.pause(&bucket, Pause { wait, is_global }, now);
            return Err(RequestError::Limited(wait));
        }
        let code = body.get("code").and_then(Value::as_i64).unwrap_or_default();
        if status == 401 && code != INVALID_WEBHOOK_TOKEN {
            self.limits.token_refused();
        }
        if status == 403 {
            self.limits.refused(&bucket, code, now);
        }
        let message = body.get("message").and_then(Value::as_str).unwrap_or("no reason given").to_owned();
        Err(RequestError::Answer { status, code, message })
    }
}

enum Answered {
    Empty,
    Json(Value),
    /// Not JSON: a proxy's page.
    Garbled,
}

fn with_body<'a>(
    request: Request<'a>,
    body: &impl Serialize,
    files: Vec<CreateAttachment>,
) -> Result<Request<'a>, RequestError> {
    let payload = serde_json::to_string(body).map_err(|_| RequestError::Unbuilt)?;
    Ok(if files.is_empty() {
        request.body(Some(payload.into_bytes()))
    } else {
        let upload = MultipartUpload::Attachments(files);
        request.multipart(Some(Multipart { upload, fields: Vec::new(), payload_json: Some(payload) }))
    })
}

/// Parses a message from a REST response.
pub(super) fn posted_json(message: Value) -> Option<Posted> {
    posted(Answered::Json(message)).ok()
}

fn posted(answer: Answered) -> Result<Posted, RequestError> {
    let Answered::Json(message) = answer else {
        return Err(RequestError::Unanswered("what answered is not Discord"));
    };
    let id = message.get("id").and_then(|id| id.as_str()?.parse().ok()).filter(|&id| id != 0);
    let id = id.map(MessageId::new).ok_or(RequestError::Unanswered("what answered is not a message"))?;
    let content = message.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok(Posted { id, content })
}

/// Returns how many files and connections this process may have open. `None` if the system does not say.
fn open_files_max() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A message that was posted and whose answer was not read was taken for failed, and posted again.
    #[test]
    fn held_01_a_message_that_was_posted_is_known_whatever_else_its_answer_says() {
        let plain = || json!({ "id": "7", "channel_id": "5", "content": "Hi.", "author": { "id": "42" }, "type": 0 });
        let decorated =
            json!({ "id": "9", "avatar_decoration_data": { "asset": "v2_a_0123456789abcdef0123456789abcdef" } });
        for (field, value) in [
            ("author", decorated.clone()),
            ("author", Value::Null),
            ("mentions", json!([decorated.clone()])),
            ("referenced_message", json!({ "id": "6", "author": decorated })),
            ("interaction_metadata", json!({ "user": decorated })),
            ("type", json!(4_000_000_000_u64)),
            ("flags", json!(u64::MAX)),
            ("embeds", json!([{ "type": "new", "new": {} }])),
            ("components", json!([{ "type": 99 }])),
            ("timestamp", json!("soon")),
            ("channel_id", json!(5)),
            ("new", json!({ "what": [] })),
        ] {
            let mut message = plain();
            message[field] = value.clone();
            let expected = Posted { id: MessageId::new(7), content: "Hi.".to_owned() };
            assert_eq!(posted_json(message), Some(expected), "{field}: {value}");
        }
        for (field, value) in [("id", json!(7)), ("id", json!("0")), ("id", json!("x")), ("id", Value::Null)] {
            let mut message = plain();
            message[field] = value.clone();
            assert_eq!(posted_json(message), None, "{value}");
        }
        let mut wordless = plain();
        wordless["content"] = json!(5);
        assert_eq!(posted_json(wordless).map(|posted| posted.content), Some(String::new()));
    }
}
