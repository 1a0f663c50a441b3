//! The page, as a browser uses it: plain requests and submitted forms.

use discord_twin::{BOT_ID, CHANNEL_ID, Message as Said, OWNER_ID, Options, Twin, USER_ID};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use serenity::all::{ChannelId, CreateAttachment, CreateEmbed, CreateMessage, HttpBuilder};

use crate::socket::{Failure, Socket};
use crate::{Tested, send};

/// Messages of the guild and direct messages.
const INTENTS: u64 = 1 << 9 | 1 << 12;

async fn get(twin: &Twin, path: &str) -> Result<String, Failure> {
    Ok(reqwest::get(format!("{}{path}", twin.url())).await?.text().await?)
}

/// Submits a form. Returns the page that a browser then shows.
async fn submit(twin: &Twin, path: &str, fields: &[(&str, &str)]) -> Result<String, Failure> {
    let url = format!("{}/page/{path}", twin.url());
    Ok(reqwest::Client::new().post(url).form(fields).send().await?.text().await?)
}

/// Submits a form while the bot answers the interaction that it causes. Returns the interaction and the page.
async fn answered(
    (twin, socket): (&Twin, &mut Socket),
    path: &str,
    fields: &[(&str, &str)],
    answer: Value,
) -> Result<(Value, String), Failure> {
    let answering = async {
        let event = socket.next().await?;
        assert_eq!(event["t"], "INTERACTION_CREATE", "{event}");
        let path = format!("/interactions/{}/{}/callback", text(&event["d"]["id"]), text(&event["d"]["token"]));
        let (status, refusal) = send(twin, Method::POST, &path, &answer).await?;
        assert_eq!(status, 204, "{refusal}");
        Ok(event["d"].clone())
    };
    tokio::try_join!(answering, submit(twin, path, fields))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A message of the bot. Returns its id.
async fn posted(twin: &Twin, body: Value) -> Result<String, Failure> {
    let (status, message) = send(twin, Method::POST, &format!("/channels/{CHANNEL_ID}/messages"), &body).await?;
    assert_eq!(status, 200, "{message}");
    Ok(text(&message["id"]).to_owned())
}

#[tokio::test]
async fn nothing_that_is_shown_becomes_markup() -> Tested {
    const HOSTILE: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>";
    let option =
        json!({"type": 3, "name": HOSTILE, "description": HOSTILE, "choices": [{"name": HOSTILE, "value": HOSTILE}]});
    let command = |kind: u64| json!({"type": kind, "name": HOSTILE, "description": HOSTILE, "options": [option]});
    let twin = Twin::start_with(Options { commands: (1..=3).map(command).collect(), ..Options::default() }).await?;
    twin.say(Said::text(HOSTILE).with_file(HOSTILE, b"x"));
    twin.open_thread(9, CHANNEL_ID, HOSTILE);
    let buttons = json!({"type": 1, "components": [
        {"type": 2, "style": 1, "label": HOSTILE, "custom_id": HOSTILE, "emoji": {"name": HOSTILE}},
        {"type": 2, "style": 5, "label": "a link", "url": "javascript:alert(3)"},
    ]});
    let menu = json!({"type": 1, "components": [{"type": 3, "custom_id": format!("menu {HOSTILE}"), "placeholder": HOSTILE,
        "options": [{"label": HOSTILE, "value": HOSTILE, "description": HOSTILE}]}]});
    let field = json!({"name": HOSTILE, "value": HOSTILE});
    let embed = json!({"title": HOSTILE, "description": HOSTILE, "fields": [field], "footer": {"text": HOSTILE},
        "author": {"name": HOSTILE}, "image": {"url": format!("https://example.org/{HOSTILE}")}});
    posted(&twin, json!({"content": HOSTILE, "embeds": [embed], "components": [buttons, menu]})).await?;
    // A refused request is shown, too.
    send(&twin, Method::GET, &format!("/channels/{CHANNEL_ID}/{HOSTILE}"), &Value::Null).await?;

    let page = get(&twin, "/page").await?;
    assert!(page.contains("<div class=\"text\">&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"), "{page}");
    assert!(page.matches("alert(1)").count() > 20, "{page}");
    for markup in ["<script>", "<img", "\"'", "href=\"javascript"] {
        assert!(!page.contains(markup), "{markup}: {page}");
    }
    // Nor does what a form sends back.
    let page = submit(&twin, &format!("{}<b>", "x"), &[("text", HOSTILE)]).await?;
    assert!(!page.contains("<b>&lt;b>") && !page.contains("`x<b>"), "{page}");
    Ok(())
}

#[tokio::test]
async fn a_message_reaches_the_bot_and_the_page_shows_its_answer() -> Tested {
    let twin = Twin::start().await?;
    let page = submit(&twin, "say", &[("text", "too early"), ("to", "bot")]).await?;
    assert!(page.contains("No bot is connected") && !page.contains("too early"), "{page}");

    let mut socket = Socket::open(&twin).await?;
    socket.identify(INTENTS).await?;
    let before = get(&twin, "/page/state").await?;
    let n_before = twin.n_requests();
    let answering = async {
        let event = socket.next().await?;
        assert_eq!((text(&event["t"]), text(&event["d"]["author"]["username"])), ("MESSAGE_CREATE", "alice"));
        assert_eq!(text(&event["d"]["content"]), format!("<@{BOT_ID}> hello\nthere"));
        posted(&twin, json!({"content": "hello yourself"})).await
    };
    let fields = [("text", "hello\r\nthere"), ("to", "bot")];
    let (_, page) = tokio::try_join!(answering, submit(&twin, "say", &fields))?;
    let asked = page.find("hello\nthere").ok_or("no message")?;
    assert!(page.find("hello yourself").is_some_and(|answer| answer > asked), "{page}");
    // The page's own requests are not the bot's.
    assert_eq!(twin.n_requests(), n_before + 1);
    assert_ne!(get(&twin, "/page/state").await?, before);
    Ok(())
}

#[tokio::test]
async fn buttons_and_menus_reach_the_bot() -> Tested {
    let twin = Twin::start().await?;
    let mut socket = Socket::open(&twin).await?;
    socket.identify(INTENTS).await?;
    let row = |component: Value| json!({"type": 1, "components": [component]});
    let button = row(json!({"type": 2, "style": 4, "label": "Undo", "custom_id": "undo:1"}));
    let options = json!([{"label": "Milk", "value": "m"}, {"label": "Eggs", "value": "e"}]);
    let menu = row(json!({"type": 3, "custom_id": "pick", "max_values": 2, "options": options}));
    let message = posted(&twin, json!({"content": "Added", "components": [button, menu]})).await?;
    assert!(get(&twin, "/page").await?.contains("<button class=\"bad\"> Undo</button>"));

    let owner = OWNER_ID.to_string();
    let channel = CHANNEL_ID.to_string();
    let me = [("user", owner.as_str()), ("channel", &channel), ("locale", "de"), ("administrator", "yes")];
    assert!(submit(&twin, "viewer", &me).await?.contains("name=\"locale\" required value=\"de\""));
    let pressed = [("message", message.as_str()), ("component", "undo:1")];
    let update = json!({"type": 7, "data": {"content": "Taken back", "components": [menu]}});
    let (event, page) = answered((&twin, &mut socket), "press", &pressed, update).await?;
    assert_eq!(event["data"], json!({"custom_id": "undo:1", "component_type": 2, "id": 1}));
    assert_eq!((text(&event["member"]["user"]["id"]), text(&event["locale"])), (owner.as_str(), "de"));
    assert!(page.contains("Taken back") && !page.contains("Undo"), "{page}");

    let chosen = [("message", message.as_str()), ("component", "pick"), ("value", "m"), ("value", "e")];
    let (event, _) = answered((&twin, &mut socket), "press", &chosen, json!({"type": 6})).await?;
    assert_eq!(event["data"]["values"], json!(["m", "e"]));
    let gone = submit(&twin, "press", &[("message", &message), ("component", "never")]).await?;
    assert!(gone.contains("there is no component `never`"), "{gone}");
    assert_eq!(twin.refused(), []);
    Ok(())
}

#[tokio::test]
async fn a_command_opens_a_modal_that_is_filled_in() -> Tested {
    let option = |name: &str, kind: u64| json!({"name": name, "type": kind, "description": "d"});
    let add = json!({"name": "add", "type": 1, "description": "Adds one",
        "options": [option("count", 4), option("who", 6), option("note", 3)]});
    let commands = vec![json!({"name": "tasks", "type": 1, "description": "d", "options": [add]})];
    let twin = Twin::start_with(Options { commands, ..Options::default() }).await?;
    let mut socket = Socket::open(&twin).await?;
    socket.identify(INTENTS).await?;
    assert!(get(&twin, "/page").await?.contains("<b>/tasks add</b> Adds one"));

    let user = USER_ID.to_string();
    let given = [("path", "tasks add"), ("option.count", "3"), ("option.who", &user), ("option.note", "")];
    let inputs = json!([
        {"type": 1, "components": [{"type": 4, "custom_id": "title", "style": 1, "label": "Title"}]},
        {"type": 18, "label": "Text", "component": {"type": 4, "custom_id": "text", "style": 2, "value": "a <b>"}},
    ]);
    let modal = json!({"type": 9, "data": {"title": "New task", "custom_id": "new", "components": inputs}});
    let (event, page) = answered((&twin, &mut socket), "slash", &given, modal).await?;
    let options = json!([{"name": "count", "type": 4, "value": 3}, {"name": "who", "type": 6, "value": user}]);
    assert_eq!(event["data"]["options"], json!([{"name": "add", "type": 1, "options": options}]));
    assert!(page.contains("<h2>New task</h2>") && page.contains(">\na &lt;b&gt;</textarea>"), "{page}");

    let filled = [("token", text(&event["token"])), ("input.title", "buy milk"), ("input.text", "2\r\nlitres")];
    let hidden = json!({"type": 4, "data": {"content": "Noted", "flags": 64}});
    let (event, page) = answered((&twin, &mut socket), "modal", &filled, hidden).await?;
    let values: Vec<&str> = event["data"]["components"]
        .as_array()
        .ok_or("no rows")?
        .iter()
        .map(|row| text(&row["components"][0]["value"]))
        .collect();
    assert_eq!((text(&event["data"]["custom_id"]), values), ("new", vec!["buy milk", "2\nlitres"]));
    assert!(page.contains("Noted") && page.contains("Only the caller sees this"), "{page}");
    assert!(!page.contains("<h2>New task</h2>"), "{page}");
    assert!(submit(&twin, "modal", &filled).await?.contains("no longer open"));
    Ok(())
}

#[tokio::test]
async fn context_menus_and_suggestions_reach_the_bot() -> Tested {
    let option = json!({"name": "task", "type": 3, "description": "d", "autocomplete": true});
    let commands = vec![
        json!({"name": "done", "type": 1, "description": "d", "options": [option]}),
        json!({"name": "Fix", "type": 3}),
        json!({"name": "Greet", "type": 2}),
    ];
    let twin = Twin::start_with(Options { commands, ..Options::default() }).await?;
    let mut socket = Socket::open(&twin).await?;
    socket.identify(INTENTS).await?;
    let message = posted(&twin, json!({"content": "typo"})).await?;
    let answer = || json!({"type": 4, "data": {"content": "ok"}});
    let (event, _) =
        answered((&twin, &mut socket), "menu", &[("name", "Fix"), ("message", &message)], answer()).await?;
    assert_eq!(event["data"]["resolved"]["messages"][message.as_str()]["content"], "typo");
    let (event, _) = answered((&twin, &mut socket), "menu", &[("name", "Greet"), ("user", "70")], answer()).await?;
    assert_eq!(event["data"]["target_id"], "70");

    let typed = [("path", "done"), ("option.task", "mi"), ("suggest", "task")];
    let choices = json!({"type": 8, "data": {"choices": [{"name": "Buy milk", "value": "m-1"}]}});
    let (event, page) = answered((&twin, &mut socket), "slash", &typed, choices).await?;
    assert_eq!(event["data"]["options"], json!([{"name": "task", "type": 3, "value": "mi", "focused": true}]));
    assert!(page.contains("<option value=\"m-1\">Buy milk</option>"), "{page}");
    Ok(())
}

#[tokio::test]
async fn pictures_are_shown_and_other_files_are_only_files() -> Tested {
    let twin = Twin::start().await?;
    let http = HttpBuilder::new("secret").proxy(twin.url()).ratelimiter_disabled(true).build();
    let files = [
        CreateAttachment::bytes(*b"\x89PNG\xff", "chart.png").description("A chart"),
        CreateAttachment::bytes(*b"<script>", "page.html"),
    ];
    let message = CreateMessage::new().embed(CreateEmbed::new().attachment("chart.png")).add_files(files);
    let message = ChannelId::new(CHANNEL_ID).send_message(&http, message).await?;
    let page = get(&twin, "/page").await?;
    let [picture, other] = [0, 1].map(|index| format!("/page/file/{}/{}", message.id, message.attachments[index].id));
    // Once, where the embed has it.
    assert_eq!(page.matches(&picture).count(), 1, "{page}");
    assert!(page.contains(&format!("<img src=\"{picture}\" alt=\"A chart\">")), "{page}");
    assert!(page.contains(&format!("<a href=\"{other}\">page.html</a>")), "{page}");
    for (path, kind, content) in
        [(picture, "image/png", &b"\x89PNG\xff"[..]), (other, "application/octet-stream", &b"<script>"[..])]
    {
        let answer = reqwest::get(format!("{}{path}", twin.url())).await?;
        assert_eq!(answer.headers()[header::CONTENT_TYPE], kind);
        assert_eq!(answer.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(&answer.bytes().await?[..], content);
    }
    assert_eq!(reqwest::get(format!("{}/page/file/1/2", twin.url())).await?.status(), StatusCode::NOT_FOUND);
    Ok(())
}

#[tokio::test]
async fn no_other_site_acts_here() -> Tested {
    let twin = Twin::start().await?;
    let own = twin.url().replace("http://", "");
    let cases = [
        (own.as_str(), Some(twin.url()), StatusCode::BAD_REQUEST),
        (own.as_str(), None, StatusCode::BAD_REQUEST),
        (own.as_str(), Some("https://example.org".to_owned()), StatusCode::FORBIDDEN),
        (own.as_str(), Some("null".to_owned()), StatusCode::FORBIDDEN),
        ("example.org:4000", Some("http://example.org:4000".to_owned()), StatusCode::FORBIDDEN),
        ("localhost:4000", Some("http://localhost:4000".to_owned()), StatusCode::BAD_REQUEST),
    ];
    for (host, origin, status) in cases {
        let mut request = reqwest::Client::new().post(format!("{}/page/say", twin.url())).header(header::HOST, host);
        if let Some(origin) = &origin {
            request = request.header(header::ORIGIN, origin);
        }
        let answer = request.form(&[("text", "x")]).send().await?;
        assert_eq!(answer.status(), status, "{host} {origin:?}");
    }
    let page = reqwest::get(format!("{}/page", twin.url())).await?;
    let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str()?;
    assert!(policy.starts_with("default-src 'none';") && policy.contains("frame-ancestors 'none'"), "{policy}");
    Ok(())
}
