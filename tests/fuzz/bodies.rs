//! What each fuzz target does with its bytes. A target fails by a panic: of the bot's own code, or of an `assert!`
//! here.
//!
//! cargo-fuzz calls these from `targets/`, and `cargo test` for a bounded time from `tests/it/fuzz.rs`.

#![allow(clippy::expect_used, reason = "a panic is how a target fails")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use candor::console::{Screen, render};

use candor_core::access::{Access, authorize};
use candor_core::agent::tools::{ToolNames, find_tool_text, may_become_call, read_protocol, whole_message};
use candor_core::contract::outside::read_reply;
use candor_core::contract::{
    Good, HostServices, Live, Manifest, Metric, Observation, Presentation, ServiceName, check,
};
use candor_core::diagnostic::{Diagnostics, SourceFile, full, json};
use candor_core::execution::{Effect, End, open};
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, CommandPath, EventId, Inbound, Message, NoPicture,
    PICTURE_SIDE_MAX, Place, UserId,
};
use candor_core::language::Language;
use candor_core::record::ReceiptId;
use candor_core::registration::{ManifestLines, Scope, Terms, WantedCommand, fingerprint, plan, writable};
use candor_core::registry::{Catalog, Registry};
use candor_core::reply::{CONTENT_LENGTH_MAX, sanitize_model_text, split_content};
use candor_core::router::{Invocation, Route, classify, refusal};
use candor_core::settings::{self, ModelApi};
use candor_core::testing::{InMemory, call, checked};
use candor_core::text::utf16_length;
use candor_discord::untrusted::{self, UntrustedEvents};
use candor_providers::untrusted::{answer, retry_after};
use candor_system::pictures;
use candor_system::watch::json_object;

/// What a target does with its bytes.
pub type Body = fn(&[u8]);

/// Every target, by the name of its file in `targets/` and of its folder in `corpus/`.
pub const BODIES: [(&str, Body); 18] = [
    ("metrics", metrics),
    ("manifest", manifest),
    ("config", config),
    ("router", router),
    ("text_protocol", text_protocol),
    ("splitter", splitter),
    ("sanitizer", sanitizer),
    ("interaction", interaction),
    ("message", message),
    ("custom_id", custom_id),
    ("gateway_frame", gateway_frame),
    ("rest_answer", rest_answer),
    ("headers", headers),
    ("program_reply", program_reply),
    ("model_answer", model_answer),
    ("messages_answer", messages_answer),
    ("responses_answer", responses_answer),
    ("picture", picture),
];

/// An id of the bot as long as Discord's.
const LONG_BOT: UserId = UserId(987_654_321_987_654_321);

/// The bot's id, and the key of its custom ids.
const BOT: UserId = UserId(1);
const KEY: [u8; 32] = [7; 32];

static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(Registry::build(checked(candor_modules::all()))));
static SERVICES: LazyLock<HostServices> =
    LazyLock::new(|| HostServices { records: Some(Arc::new(InMemory::default())), ..HostServices::default() });
static LONG_EVENTS: LazyLock<UntrustedEvents> = LazyLock::new(|| UntrustedEvents::new(LONG_BOT, KEY));
static EVENTS: LazyLock<UntrustedEvents> = LazyLock::new(|| UntrustedEvents::new(BOT, KEY));

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Times that a clock or a file system can say: now, the first and the last of the calendar, and beyond it.
fn times() -> impl Iterator<Item = SystemTime> {
    let seconds = [0, 1_700_000_000, 253_402_300_799, 253_402_300_800, 1 << 40, i64::MAX as u64];
    seconds.into_iter().filter_map(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)))
}

/// M10: a metrics file is shown by `/status`, whatever it and the clock say.
pub fn metrics(bytes: &[u8]) {
    let Ok(content) = json_object(bytes) else { return };
    let content = Arc::new(content);
    for modified in times() {
        for now in times() {
            let file = File { content: content.clone(), modified, presentation: presentation() };
            status(HostServices { live: Some(Arc::new(file)), ..HostServices::default() }, now);
        }
    }
}

struct File {
    content: Arc<Map<String, Value>>,
    modified: SystemTime,
    presentation: Presentation,
}

impl Live for File {
    fn observe(&self) -> Observation<Map<String, Value>> {
        let good = Good { value: self.content.clone(), modified: self.modified };
        Observation { path: "metrics.json".to_owned(), good: Some(good), trouble: None }
    }

    fn presentation(&self) -> &Presentation {
        &self.presentation
    }
}

fn presentation() -> Presentation {
    let metrics = BTreeMap::from([("cpu.usage_percent".to_owned(), Metric::default())]);
    Presentation { generated_at: "generated_at".to_owned(), stale_after: Duration::from_secs(60), metrics }
}

/// Runs `/status` as the executor does, but in place, and shows its answer.
fn status(host: HostServices, now: SystemTime) {
    let (caller, place) = (Caller::new(UserId(7), "Ann"), Place::Console);
    let invocation = Invocation {
        event: EventId(1),
        caller: caller.clone(),
        place,
        method: CallMethod::Picked,
        path: CommandPath::new("status", None),
        arguments: Map::new(),
    };
    let permit = authorize(invocation, &REGISTRY, &Access::default()).expect("everybody may ask for the status");
    let asked = call("status", &host, &[ServiceName::Live], caller, place, now);
    let (running, ticket) = open(permit, ReceiptId::from_number(1), || None, asked);
    let mut running = std::pin::pin!(running);
    match running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(returned) => {
            let closed = ticket.close(End::Returned(returned), Effect::None, Duration::ZERO);
            assert!(closed.failure().is_none(), "{:?}", closed.failure());
            let _shown = render(&closed.answer(true), Language::ENGLISH, Screen { columns: Some(40), color: true });
        }
        Poll::Pending => panic!("`/status` waits for something"),
    }
}

/// A module's manifest is checked, and every problem of it can be shown.
pub fn manifest(bytes: &[u8]) {
    let file = source("modules/weather/module.toml", bytes);
    let on_disk = vec![Manifest::new("weather", Some(file))];
    let builtin =
        candor_core::contract::NativeModule::new("builtin", "[module]\nname = \"builtin\"\nsummary = \"None\"\n");
    let found = check(builtin, Vec::new(), on_disk);
    shown(&found.diagnostics);
    let _registry = Registry::build(found);
}

/// The settings are read, and every problem of them can be shown.
pub fn config(bytes: &[u8]) {
    let read = settings::read_leniently(&source("config.toml", bytes));
    shown(&read.problems);
}

fn source(path: &str, bytes: &[u8]) -> Arc<SourceFile> {
    Arc::new(SourceFile { path: path.to_owned(), text: text(bytes).into_owned() })
}

fn shown(problems: &Diagnostics) {
    let _text = full::render(problems, false);
    let _json = json::render(problems);
}

/// A message finds its route, and what begins with a slash is no chat.
pub fn router(bytes: &[u8]) {
    let text = text(bytes);
    let catalog = Catalog::new(REGISTRY.clone(), false);
    for addressed in [Addressed::Direct, Addressed::Mention, Addressed::No] {
        let message = Message {
            id: EventId(1),
            caller: Caller::new(UserId(7), "Ann"),
            author: AuthorKind::Person,
            place: Place::Console,
            addressed,
            bot: BOT,
            text: text.clone().into_owned(),
            came_with: CameWith::default(),
            sent: UNIX_EPOCH,
        };
        let route = classify(&Inbound::Message(message), &catalog);
        assert!(!text.trim_start().starts_with('/') || !matches!(route, Route::Chat(_)), "{text:?}");
        let _refusal = refusal(&route, Language::ENGLISH);
    }
}

/// A model's words are read as calls, whole and while they grow.
pub fn text_protocol(bytes: &[u8]) {
    let text = text(bytes);
    let names: ToolNames<'_> = ["status", "tasks_add", "memory_save", "cf_get-weather"].into_iter().collect();
    let _read = read_protocol(&text);
    let _calls = whole_message(&text, &names);
    let _grows = may_become_call(&text, &names);
    for found in find_tool_text(&text, &names) {
        assert!(text.get(found.span.clone()).is_some(), "{:?} cuts a character of {text:?}", found.span);
    }
}

/// A text is split into messages that Discord accepts.
pub fn splitter(bytes: &[u8]) {
    let text = text(bytes);
    for limit in [40, 100, CONTENT_LENGTH_MAX] {
        for piece in split_content(&text, limit) {
            assert!(utf16_length(&piece) <= limit && !piece.trim().is_empty(), "{limit}: {piece:?}");
        }
    }
}

/// A model's words are made harmless, and stay so.
pub fn sanitizer(bytes: &[u8]) {
    let once = sanitize_model_text(&text(bytes));
    assert_eq!(sanitize_model_text(&once), once);
}

/// The payload of an interaction becomes an inbound, and that a route.
pub fn interaction(bytes: &[u8]) {
    let now = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    if let Some(inbound) = EVENTS.interaction(bytes, now) {
        let route = classify(&inbound, &Catalog::new(REGISTRY.clone(), false));
        assert!(!matches!(route, Route::Chat(_)), "an interaction is no chat");
        run(route, now);
    }
}

/// The payload of a message becomes an inbound, and that a route.
pub fn message(bytes: &[u8]) {
    if let Some(inbound) = EVENTS.message(bytes) {
        run(classify(&inbound, &Catalog::new(REGISTRY.clone(), false)), UNIX_EPOCH);
    }
    // With an id that is found nowhere else.
    let changed = text(bytes).replace("\"1\"", &format!("\"{LONG_BOT}\"")).replace("<@1>", &format!("<@{LONG_BOT}>"));
    if LONG_EVENTS.ignores(changed.as_bytes())
        && let Some(Inbound::Message(message)) = LONG_EVENTS.message(changed.as_bytes())
    {
        assert_eq!(message.addressed, Addressed::No, "dropped unread: {changed}");
    }
}

/// Runs a command over records in memory, and refuses what is none.
fn run(route: Route, now: SystemTime) {
    let _refusal = refusal(&route, Language::ENGLISH);
    let Route::Command(invocation) = route else { return };
    let (caller, place) = (invocation.caller.clone(), invocation.place);
    let module = invocation.path.names().next().unwrap_or_default().to_owned();
    let Ok(permit) = authorize(invocation, &REGISTRY, &Access::default()) else { return };
    let asked = call(&module, &SERVICES, &[ServiceName::Records], caller, place, now);
    let (running, ticket) = open(permit, ReceiptId::from_number(1), || None, asked);
    let mut running = std::pin::pin!(running);
    if let Poll::Ready(returned) = running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        let closed = ticket.close(End::Returned(returned), Effect::None, Duration::ZERO);
        let _shown = render(&closed.answer(true), Language::ENGLISH, Screen { columns: Some(40), color: true });
    }
}

/// Nobody forges a custom id.
pub fn custom_id(bytes: &[u8]) {
    for now in times() {
        assert!(!EVENTS.is_ours(&text(bytes), UserId(7), now), "forged: {:?}", text(bytes));
    }
}

/// A frame of the gateway is read, with the event that it brings.
pub fn gateway_frame(bytes: &[u8]) {
    let Some(is_read) = untrusted::gateway_frame(bytes) else { return };
    let is_ready = serde_json::from_slice::<Value>(bytes).is_ok_and(|frame| frame["t"] == "READY");
    assert!(is_read || !is_ready, "no session begins with {:?}", text(bytes));
}

/// An answer of Discord's REST API is read by each request that reads one, and as commands that stand there.
pub fn rest_answer(bytes: &[u8]) {
    untrusted::rest_answer(bytes);
    let Ok(answer) = serde_json::from_slice::<Value>(bytes) else { return };
    let one = json!({ "type": 1, "name": "status", "description": "Shows the live metrics", "options": [] });
    let wanted = [WantedCommand { payload: one, places: ManifestLines::default() }];
    let terms = Terms { scope: Scope::Global, installs: vec![0] };
    let standing = answer.as_array().cloned().unwrap_or_else(|| vec![answer]);
    let planned = plan(&wanted, &standing, &BTreeMap::new(), &terms);
    assert!(!planned.steps.is_empty());
    let _print = fingerprint(&wanted, &standing, &terms);
    for command in &standing {
        let _sent = writable(command);
    }
}

/// The headers of an answer of Discord or of a model's server are read, whatever they and the clock say, and no wait is
/// longer than is believed.
pub fn headers(bytes: &[u8]) {
    const HOUR: Duration = Duration::from_secs(60 * 60);
    const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);
    for now in times() {
        let (waits, _clock_off) = untrusted::limit_headers(bytes, now);
        assert!(waits.into_iter().flatten().all(|wait| wait <= HOUR), "{waits:?}");
        for line in text(bytes).lines() {
            let value = line.split_once(':').map_or(line, |(_, value)| value);
            assert!(retry_after(value, now).is_none_or(|wait| wait <= WEEK), "{value}");
        }
    }
}

/// What a module's program prints is a reply that can be shown, a refusal, or a fault with a reason.
pub fn program_reply(bytes: &[u8]) {
    match read_reply(bytes) {
        Ok(Ok(reply)) => {
            let _shown = reply.reply.plain();
        }
        Ok(Err(_)) => {}
        Err(misshapen) => assert!(!misshapen.to_string().is_empty()),
    }
}

/// An answer of a model's server is read, whole or as a stream, wherever the network cuts it.
pub fn model_answer(bytes: &[u8]) {
    answer_in(ModelApi::Chat, bytes);
}

/// The same, of Anthropic's Messages.
pub fn messages_answer(bytes: &[u8]) {
    answer_in(ModelApi::Messages, bytes);
}

/// The same, of OpenAI's Responses.
pub fn responses_answer(bytes: &[u8]) {
    answer_in(ModelApi::Responses, bytes);
}

/// A file that somebody sent becomes a small JPEG that shows the same when it is read again, or is refused.
pub fn picture(bytes: &[u8]) {
    match pictures::picture(bytes) {
        Ok(shown) => {
            let (width, height) = shown.size;
            assert!((1..=PICTURE_SIDE_MAX).contains(&width) && (1..=PICTURE_SIDE_MAX).contains(&height));
            assert_eq!(shown.media_type, "image/jpeg");
            // Whatever the file was called or said of itself, no more than this is told of it.
            assert!(shown.made_of.is_ascii() && shown.made_of.len() <= 64, "{}", shown.made_of);
            let again = pictures::picture(&shown.data).expect("what was made is a picture");
            assert_eq!(again.size, shown.size);
        }
        Err(why) => assert!(matches!(why, NoPicture::Unreadable | NoPicture::TooManyPixels), "{why:?}"),
    }
}

fn answer_in(api: ModelApi, bytes: &[u8]) {
    let whole = answer(api, bytes, usize::MAX);
    for piece in [1, 7] {
        assert_eq!(answer(api, bytes, piece), whole, "in pieces of {piece} bytes: {:?}", text(bytes));
    }
    if let Some(completion) = whole {
        assert!(completion.text.chars().count() <= 100_000);
        assert!(completion.cut.is_none() || completion.calls.is_empty(), "half a call is none");
    }
}
