//! The operator's page of a running bot: over HTTP, and in a browser.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use discord_twin::{Fault, Interaction, Message, Twin, USER_ID};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::json;

use crate::discord::connected::{Connected, connect, connect_in};
use crate::discord::connection::admin_address;
use crate::support::bot::{Folder, PATIENCE};

const PAGE: &str = "[admin]\nlisten = \"127.0.0.1:0\"\npage = true\n";

fn client() -> Client {
    Client::builder().no_proxy().build().unwrap()
}

async fn shown(request: RequestBuilder) -> (StatusCode, String) {
    let response = request.send().await.unwrap();
    (response.status(), response.text().await.unwrap())
}

/// What the form of the page sends.
fn form(address: SocketAddr, fields: &[(&str, &str)]) -> RequestBuilder {
    client().post(format!("http://{address}/")).form(fields).header("sec-fetch-site", "same-origin")
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_page_unless_the_operator_wants_one() {
    let connected = connect("").await;
    let address = admin_address(&connected.bot);
    let (status, body) = shown(client().get(format!("http://{address}/"))).await;
    assert_eq!((status, body.as_str()), (StatusCode::NOT_FOUND, ""));
    assert_eq!(shown(form(address, &[("text", "/status")])).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_what_runs_and_runs_nothing() {
    let connected = connect(PAGE).await;
    let address = admin_address(&connected.bot);
    connected.reply(Message::to_bot("/calculate expression: 6 * 7")).await;
    let response = client().get(format!("http://{address}/")).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    let policy = header(&response, "content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.ends_with("form-action 'self'; frame-ancestors 'none'; base-uri 'none'"), "{policy}");
    let fixed = [
        ("content-type", "text/html; charset=utf-8"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cache-control", "no-store"),
    ];
    for (name, value) in fixed {
        assert_eq!(header(&response, name), value);
    }
    let page = response.text().await.unwrap();
    for part in
        ["<code>/status</code>", "<span class=\"mark good\">ready</span>", "<code>/calculate</code>", "Chat is off"]
    {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains("<script") && !page.contains("http-equiv"), "{page}");
    let (_, refreshed) = shown(client().get(format!("http://{address}/?refresh=10"))).await;
    assert!(refreshed.contains("<meta http-equiv=\"refresh\" content=\"10\">"));
    let (_, other) = shown(client().get(format!("http://{address}/?refresh=1"))).await;
    assert!(!other.contains("http-equiv"));

    let said = || {
        let answers = ["/channels/", "/interactions/", "/webhooks/"];
        let requests = connected.twin.requests().into_iter();
        requests.filter(|request| answers.iter().any(|part| request.path.contains(part))).count()
    };
    let counted = async || {
        let (_, metrics) = shown(client().get(format!("http://{address}/metrics"))).await;
        let lines =
            metrics.lines().filter(|line| line.starts_with("candor_routes") || line.starts_with("candor_command_runs"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = (said(), counted().await);
    let interaction = r#"{"data": {"id": "1", "type": 1, "name": "status", "options": []}}"#;
    let cases = [
        ("/nosuch", "direct", "unknown-command", "<code>/nosuch</code>"),
        ("/staus", "mention", "unknown-command", "<code>/status</code>"),
        ("how are you?", "reply", "chat", "<code>how are you?</code>"),
        ("/calculate expression: 1 + 1", "direct", "command", "{&quot;expression&quot;:&quot;1 + 1&quot;}"),
        ("/status", "elsewhere", "ignore", "not for the bot"),
        ("> /status", "chat-channel", "not-plain", "quote"),
        ("</textarea><script>alert(1)</script>", "direct", "chat", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        (interaction, "interaction", "command", "<code>/status</code>"),
    ];
    for (text, at, route, part) in cases {
        let (status, page) = shown(form(address, &[("text", text), ("at", at)])).await;
        let wanted = format!("<p>Route: <strong><code>{route}</code></strong></p>");
        assert_eq!(status, StatusCode::OK);
        assert!(page.contains(&wanted) && page.contains(part), "{text}: {part} is not in\n{page}");
        assert!(!page.contains("<script"), "{page}");
    }
    let (_, page) = shown(form(address, &[("text", "{}"), ("at", "interaction")])).await;
    assert!(page.contains("this is no interaction that calls a command"), "{page}");
    // Nothing ran: no receipt but that of the command above, nothing counted, and nothing said at Discord.
    assert_eq!(page.matches("<td data-label=\"receipt\">").count(), 1, "{page}");
    assert_eq!((said(), counted().await), before);
}

/// What a press or a submission of a control would do is found out from what Discord would send, signed by this bot.
#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_control_says_what_it_would_do_and_does_nothing() {
    let connected = connect(PAGE).await;
    let address = admin_address(&connected.bot);
    let tasks = |name: &str| Interaction::slash("tasks").subcommand(name);
    for number in 1..=9 {
        connected.answer(tasks("add").option("title", format!("number {number}"))).await;
    }
    let shown_list = connected.twin.interact(tasks("list"));
    connected.twin.answer_to(&shown_list, PATIENCE).await.unwrap();
    let list = connected.twin.original_of(&shown_list).unwrap();
    let opened = connected.twin.interact(tasks("add"));
    let form_opened = connected.twin.callback_to(&opened, PATIENCE).await.unwrap();
    let mut buttons = list.pointer("/components/0/components").unwrap().as_array().unwrap().iter();
    let next = buttons.rfind(|button| button["disabled"] != json!(true)).unwrap()["custom_id"].as_str().unwrap();
    let modal = form_opened.body["data"]["custom_id"].as_str().unwrap();
    // One character of the signature is another.
    let other = |it: char| if it == 'A' { 'B' } else { 'A' };
    let forged: String = next.chars().enumerate().map(|(n, it)| if n == 9 { other(it) } else { it }).collect();

    let whose = |user: u64| json!({"id": user.to_string(), "username": "somebody", "discriminator": "0"});
    let press = |custom_id: &str, user: u64| json!({"user": whose(user), "data": {"custom_id": custom_id}}).to_string();
    let written = json!([{"type": 1, "components": [{"type": 4, "custom_id": "title", "value": "milk"}]}]);
    let submitted = json!({"user": whose(USER_ID), "data": {"custom_id": modal, "components": written}}).to_string();
    let until = "<dt>expires</dt><dd><code>20";
    let cases = [
        (
            press(next, USER_ID),
            "command",
            vec!["<code>/tasks list</code>", "{&quot;page&quot;:2}", "runs a command", until],
        ),
        (
            submitted,
            "command",
            vec!["<code>/tasks add</code>", "{&quot;title&quot;:&quot;milk&quot;}", "into its form"],
        ),
        (press(next, 77), "refused: foreign", vec!["so nothing ran", "runs a command"]),
        (press(&forged, USER_ID), "refused: forged", vec!["The person is told:"]),
        (press("confirm:1", USER_ID), "refused: expired", vec!["The person is told:"]),
        // A form that is pressed as a button is none.
        (press(modal, USER_ID), "refused: unknown", vec!["into its form"]),
    ];
    // What changes nothing has its receipt a moment after its answer.
    let stored = || String::from_utf8(connected.folder.run(&["receipts", "list"]).stdout).unwrap();
    let has_all = || (stored().matches("/tasks add").count(), stored().matches("/tasks list").count()) == (9, 1);
    let end = Instant::now() + PATIENCE;
    while !has_all() {
        assert!(Instant::now() < end, "{}", stored());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let before = stored();
    for (pasted, route, parts) in cases {
        let (status, page) = shown(form(address, &[("text", &pasted), ("at", "interaction")])).await;
        assert_eq!(status, StatusCode::OK);
        let wanted = format!("<p>Route: <strong><code>{route}</code></strong></p>");
        for part in parts.into_iter().chain([&*wanted]) {
            assert!(page.contains(part), "{pasted}: {part} is not in\n{page}");
        }
    }
    assert_eq!(stored(), before, "something ran");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_pages_and_other_names_get_nothing() {
    let connected = connect(PAGE).await;
    let address = admin_address(&connected.bot);
    let post = || client().post(format!("http://{address}/")).form(&[("text", "/status")]);
    let refused = [
        post(),
        post().header("sec-fetch-site", "cross-site"),
        post().header("origin", "https://evil.example"),
        post().header("origin", "null"),
        client().post(format!("http://{address}/")).body("text=x").header("sec-fetch-site", "same-origin"),
    ];
    for request in refused {
        let (status, body) = shown(request).await;
        assert_eq!((status, body.as_str()), (StatusCode::FORBIDDEN, "only the form of this page may ask\n"));
    }
    let own = post().header("origin", format!("http://{address}"));
    assert_eq!(shown(own).await.0, StatusCode::OK);
    let large = form(address, &[("text", &"x".repeat(200_000))]);
    assert_eq!(shown(large).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    let rebound = client().get(format!("http://{address}/")).header("host", "evil.example");
    assert_eq!(shown(rebound).await.0, StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_a_token_is_for_whoever_has_it() {
    const TOKEN: &str = "correct-horse-battery-staple";
    let folder = Folder::with(&format!("{PAGE}page_token_file = \"page.token\"\n"));
    std::fs::write(folder.path().join("page.token"), format!("{TOKEN}\n")).unwrap();
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    let address = admin_address(&connected.bot);
    let get = || client().get(format!("http://{address}/"));
    let response = get().send().await.unwrap();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert!(header(&response, "www-authenticate").starts_with("Basic realm="), "{response:?}");
    assert_eq!(header(&response, "cache-control"), "no-store");
    let body = response.text().await.unwrap();
    assert!(!body.contains("/status") && !body.contains(TOKEN), "{body}");
    for wrong in [get().bearer_auth("correct-horse-battery-stapl"), get().basic_auth(TOKEN, Some("x"))] {
        assert_eq!(shown(wrong).await.0, StatusCode::UNAUTHORIZED);
    }
    assert_eq!(shown(form(address, &[("text", "/status")])).await.0, StatusCode::UNAUTHORIZED);
    for right in [get().bearer_auth(TOKEN), get().basic_auth("ada", Some(TOKEN))] {
        assert_eq!(shown(right).await.0, StatusCode::OK);
    }
    // What only says how the bot is needs none, as before.
    assert_eq!(shown(client().get(format!("http://{address}/livez"))).await.0, StatusCode::OK);
    assert!(!connected.bot.log().contains(TOKEN));
}

#[test]
fn a_page_that_others_could_reach_needs_a_token() {
    let refused = |config: &str, told: &str| {
        let folder = Folder::with(config);
        let checked = folder.run(&["check"]);
        let said = String::from_utf8_lossy(&checked.stdout).into_owned() + &String::from_utf8_lossy(&checked.stderr);
        assert_eq!(checked.status.code(), Some(78), "{said}");
        assert!(said.contains(told), "{told} is not in\n{said}");
    };
    refused(
        "[admin]\nlisten = \"0.0.0.0:9180\"\npage = true\n",
        "would be open to everybody who reaches `0.0.0.0:9180`",
    );
    refused("[admin]\nlisten = \"off\"\npage = true\n", "`admin.page` is served nowhere");
    refused(
        "[admin]\nlisten = \"0.0.0.0:9180\"\npage = true\npage_token_file = \"none.token\"\n",
        "the token file `none.token` cannot be read",
    );
}

/// A bot with a module that is left out, one with a program, and a last reload that failed.
async fn with_much_to_show() -> Connected {
    let folder = Folder::with(&format!("{PAGE}[modules]\non_violation = \"quarantine\"\n"));
    let module = |name: &str, manifest: &str| {
        let module = folder.path().join("modules").join(name);
        std::fs::create_dir_all(&module).unwrap();
        std::fs::write(module.join("module.toml"), manifest).unwrap();
    };
    module(
        "weather",
        "[module]\nname = \"weather\"\nsummary = \"The <b>weather</b>, live\"\nkind = \"text\"\n\n[commands]\nweather = \"weather\"\n",
    );
    module(
        "greet",
        "[module]\nname = \"greet\"\nsummary = \"Greets <i>people</i>\"\nkind = \"exec\"\n\n[run]\nprogram = \"cat\"\n\n\
         [commands.\"/greet\"]\ndescription = \"Says </td> hello\"\n",
    );
    connect_in(folder, Twin::start().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_check_found_is_shown_with_its_lines() {
    let connected = with_much_to_show().await;
    let address = admin_address(&connected.bot);
    let (_, page) = shown(client().get(format!("http://{address}/"))).await;
    for part in [
        "<code>command-missing-slash</code>",
        "weather = &quot;weather&quot;",
        "<code>/weather</code></div></td>",
        "Says &lt;/td&gt; hello",
        "Greets &lt;i&gt;people&lt;/i&gt;",
        "<dt>sandbox</dt><dd><span class=\"mark good\">on</span>",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    assert!(!page.contains("<i>"), "{page}");
}

/// The folder with the driver of a browser, or why there is none.
fn browser() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/page-browser");
    if !folder.join("installed").exists() {
        return Err("its driver is not there: run tests/page/install".to_owned());
    }
    for program in ["node", "chromium"] {
        match Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status() {
            Ok(status) if status.success() => {}
            other => return Err(format!("{program} does not run: {other:?}")),
        }
    }
    Ok(folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_browser_the_page_is_used_with_the_keyboard_on_any_screen() {
    let folder = match browser() {
        Ok(folder) => folder,
        Err(why) => {
            assert!(std::env::var_os("CI").is_none(), "under CI this must run: {why}");
            // Not captured, so that it is seen though the test passes.
            writeln!(std::io::stderr(), "SKIPPED the operator's page in a browser: {why}").unwrap();
            return;
        }
    };
    let connected = with_much_to_show().await;
    connected.reply(Message::to_bot("/status")).await;
    let address = admin_address(&connected.bot);
    let mut look = Command::new("node");
    look.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page/look.mjs"))
        .arg(&folder)
        .arg(format!("http://{address}/"));
    let looked = tokio::task::spawn_blocking(move || look.output()).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&looked.stdout).into_owned() + &String::from_utf8_lossy(&looked.stderr);
    assert!(looked.status.success(), "{said}");
    assert!(said.contains("looked at 4 screens"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_that_failed_and_what_discord_refused_are_shown() {
    let twin = Twin::start().await.unwrap();
    let reason =
        serde_json::json!({"_errors": [{"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be <b>shorter</b>."}]});
    let body = serde_json::json!({"code": 50035, "message": "Invalid Form Body", "errors": {"description": reason}});
    for method in ["PUT", "POST"] {
        twin.fail_next(Fault::new(method, "/applications").status(400).body(body.clone()));
    }
    let connected = connect_in(Folder::with(PAGE), twin).await;
    connected.bot.hears(&["commands at Discord", "rejected=1"]);
    let address = admin_address(&connected.bot);
    let module = connected.folder.path().join("modules/weather");
    std::fs::create_dir_all(&module).unwrap();
    std::fs::write(module.join("module.toml"), "[module]\nname = \"clouds\"\n").unwrap();
    let reloaded = client().post(format!("http://{address}/reload")).header("x-candor", "reload");
    assert_eq!(shown(reloaded).await.0, StatusCode::CONFLICT);
    let (_, page) = shown(client().get(format!("http://{address}/"))).await;
    for part in [
        "<h3>The last reload failed</h3>",
        "name = &quot;clouds&quot;",
        "<span class=\"mark bad\">rejected</span>",
        "Must be &lt;b&gt;shorter&lt;/b&gt;.",
    ] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn under_quarantine_the_page_tells_what_is_in_force_from_what_the_last_reload_refused() {
    let connected = with_much_to_show().await;
    let address = admin_address(&connected.bot);
    let greet = connected.folder.path().join("modules/greet/module.toml");
    let good = std::fs::read_to_string(&greet).unwrap();
    std::fs::write(&greet, good.replace("\"/greet\"", "greet")).unwrap();
    let reloaded = client().post(format!("http://{address}/reload")).header("x-candor", "reload");
    assert_eq!(shown(reloaded).await.0, StatusCode::CONFLICT);
    let (_, page) = shown(client().get(format!("http://{address}/"))).await;
    let (of_force, refused) = page.split_once("<h3>The last reload failed</h3>").unwrap();
    let (refused, below) = refused.split_once("<h3>").unwrap();
    // The new version is refused, and nothing else of the reload.
    assert!(refused.contains("[commands.greet]") && !refused.contains("modules/weather"), "{refused}");
    // What the check found in the old version, which runs, and in the module that never did.
    let of_force = format!("{of_force}{below}");
    assert!(of_force.contains("<code>probe-missing</code>") && of_force.contains("modules/weather"), "{of_force}");
    assert!(!of_force.contains("[commands.greet]"), "{of_force}");
}
