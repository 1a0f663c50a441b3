//! Programs that have their commands called later and read files, by the real binary against the twin.

use std::collections::BTreeMap;

use discord_twin::{CHANNEL_ID, Interaction, Recorded, Twin, USER_ID};

use crate::discord::commands::files::serve;
use crate::discord::connected::{Connected, connect_in};
use crate::programs::has;
use crate::programs::modules::folder;
use crate::support::bot::{Bot, PATIENCE};

const MANIFEST: &str = r#"
[module]
name = "tea"
summary = "Minds the tea"
kind = "exec"
services = ["time"]

[run]
program = "tea.py"

[commands."/tea"]
description = "Mind the tea"

[commands."/tea".options.minutes]
description = "For how long"
type = "integer"

[commands."/leave"]
description = "Mind no tea"

[commands."/stray"]
description = "Have a command called that the module does not have"
"#;

const PROGRAM: &str = r#"#!/usr/bin/env python3
import json, sys
request = json.load(sys.stdin)
waiting = request["later"]["own"]
kind = request["options"].get("kind", "none")
if "due" in request:
    answer = {"text": f"The {kind} tea is ready."}
elif request["command"] == "/tea":
    call = {"command": "/tea", "options": {"minutes": 3}, "in_s": request["options"].get("minutes", 0) * 60}
    answer = {"text": f"Minding it; {len(waiting)} before.", "later": {"call": [call]}}
elif request["command"] == "/leave":
    answer = {"text": f"Left {len(waiting)}.", "later": {"cancel": [call["id"] for call in waiting]}}
else:
    answer = {"text": "Never said.", "later": {"call": [{"command": "/ban", "in_s": 1}]}}
print(json.dumps(answer))
"#;

fn tells(request: &Recorded, words: &str) -> bool {
    request.method == "POST"
        && request.path == format!("/channels/{CHANNEL_ID}/messages")
        && request.text().contains(words)
}

async fn told(connected: &Connected, words: &str) -> Recorded {
    let found = connected.twin.wait_for(PATIENCE, |request| request.accepted() && tells(request, words)).await;
    found.unwrap_or_else(|| panic!("nothing was told; log:\n{}", connected.bot.log()))
}

fn tea(minutes: i64) -> Interaction {
    Interaction::slash("tea").option("minutes", minutes)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_called_again_once_at_its_time_also_after_a_restart() {
    if !has("python3", "a program is called again once at its time, also after a restart") {
        return;
    }
    let folder = folder(&[("tea/module.toml", MANIFEST), ("tea/tea.py", PROGRAM)]).set_to("");
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    for (asked, expected) in [
        (tea(5), "Minding it; 0 before."),
        (tea(5), "Minding it; 1 before."),
        (Interaction::slash("leave"), "Left 2."),
        (Interaction::slash("leave"), "Left 0."),
        (Interaction::slash("stray"), "✗ /stray"),
        (tea(0), "Minding it; 0 before."),
    ] {
        let answer = connected.answer(asked).await;
        assert!(answer.text().contains(expected), "{expected}: {}", answer.text());
    }
    assert!(connected.bot.log().contains("`/ban` called later, which is no command of its module"));
    let ready = told(&connected, "tea is ready.").await;
    assert!(ready.text().contains(&format!("<@{USER_ID}>")), "{}", ready.text());
    assert!(ready.text().contains("✓ /tea"), "{}", ready.text());

    // What waits outlives the process, and is due when it is back.
    assert!(connected.answer(tea(5)).await.text().contains("Minding it"));
    let Connected { bot, twin, folder, .. } = connected;
    bot.stop();
    let database = rusqlite::Connection::open(folder.path().join("data/candor.db")).unwrap();
    assert_eq!(database.execute("UPDATE due_calls SET due_ms = 1, next_ms = 1 WHERE tries = 0", ()).unwrap(), 1);
    drop(database);
    let before = twin.requests().len();
    let bot = Bot::start(&folder, &twin.url());
    let again =
        twin.wait_for(PATIENCE, |request| before <= request.n as usize && tells(request, "tea is ready.")).await;
    assert!(again.is_some(), "{}", bot.log());
    assert_eq!(twin.requests().iter().filter(|request| tells(request, "tea is ready.")).count(), 2);
    assert_eq!(twin.refused(), []);
}

#[test]
fn the_console_says_that_it_calls_nothing_later() {
    if !has("python3", "the console says that it calls nothing later") {
        return;
    }
    let folder = folder(&[("tea/module.toml", MANIFEST), ("tea/tea.py", PROGRAM)]);
    let said = String::from_utf8(folder.console("/tea minutes: 1\n").stdout).unwrap();
    assert!(said.contains("Nothing is called later in the console") && said.contains("– /tea"), "{said}");
}

const READER: &str = r#"
[module]
name = "lines"
summary = "Counts lines"
kind = "exec"
services = ["attachment"]

[run]
program = "lines.py"

[commands."/lines"]
description = "Count the lines of a file"
writes = false

[commands."/lines".options.file]
description = "Which file"
type = "attachment"
required = true
"#;

const COUNTER: &str = r#"#!/usr/bin/env python3
import base64, json, sys
file = json.load(sys.stdin)["options"]["file"]
if "text" in file:
    print(f"{file['filename']} has {len(file['text'].splitlines())} lines.")
elif "base64" in file:
    print(f"{file['filename']} has {len(base64.b64decode(file['base64']))} bytes.")
else:
    print(json.dumps({"error": file["error"]}))
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_program_reads_the_file_that_came_with_its_call() {
    if !has("python3", "a program reads the file that came with its call") {
        return;
    }
    let (notes, dot) = ("one\nzwei ü\nthree".as_bytes().to_vec(), vec![0xff, 0, 1]);
    let (url, asked) = serve(BTreeMap::from([("notes.txt", notes), ("dot.png", dot)]));
    let folder = folder(&[("lines/module.toml", READER), ("lines/lines.py", COUNTER)]);
    let folder = folder.set_to(&format!("[discord]\nfiles = \"{url}\"\n"));
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    for (name, size, expected) in [
        ("notes.txt", 17, "notes.txt has 3 lines."),
        ("dot.png", 3, "dot.png has 3 bytes."),
        ("large.bin", 3 * 1024 * 1024, "2048 KiB"),
        ("gone.txt", 7, "– /lines"),
    ] {
        let answer = connected.answer(Interaction::slash("lines").attachment_option("file", name, size)).await;
        assert!(answer.text().contains(expected), "{name}: {}", answer.text());
    }
    assert_eq!(*asked.lock().unwrap(), ["notes.txt", "dot.png", "gone.txt"], "what is too large is not fetched");
    assert_eq!(connected.twin.refused(), []);
}
