//! `/files` as people use it, over real folders.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::said::{ANY, assert_says, said};
use candor_core::access::{Access, authorize};
use candor_core::contract::{HostServices, ServiceName};
use candor_core::execution::{Effect, End, open};
use candor_core::inbound::{CallMethod, Caller, ChannelId, CommandPath, CommandType, EventId, GuildId, Place, UserId};
use candor_core::record::{Outcome, ReceiptId};
use candor_core::registry::Registry;
use candor_core::reply::Provenance;
use candor_core::router::Invocation;
use candor_core::testing::{call, checked};
use candor_system::workspace::WorkspaceFolders;

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// A folder on disk, and somebody who uses it.
struct Bot {
    folder: TempDir,
    registry: Registry,
}

impl Bot {
    fn empty() -> Self {
        let registry = Registry::build(checked(vec![candor_modules::files::module()]));
        Self { folder: tempfile::tempdir().unwrap(), registry }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What `/files …` says there and then; a refusal begins with an exclamation mark.
    async fn says(&self, subcommand: &str, arguments: Value, place: Place, now: SystemTime) -> String {
        let Value::Object(arguments) = arguments else { panic!("no object") };
        let host = HostServices {
            workspaces: Some(Arc::new(WorkspaceFolders::below(self.path()))),
            ..HostServices::default()
        };
        let caller = Caller::new(UserId(7), "Ann");
        let call = call("files", &host, &[ServiceName::Workspace, ServiceName::Attachment], caller.clone(), place, now);
        let path = CommandPath::at(CommandType::Slash, &["files", subcommand]);
        let invocation = Invocation { event: EventId(1), caller, place, method: CallMethod::Picked, path, arguments };
        let permit = authorize(invocation, &self.registry, &Access::default()).unwrap();
        let (running, ticket) = open(permit, ReceiptId::from_number(1), || None, call);
        let answer = ticket.close(End::Returned(running.await), Effect::None, Duration::ZERO).answer(true);
        let Provenance::Command(receipt) = &answer.provenance else { panic!("no receipt") };
        match receipt.facts().outcome {
            Outcome::Answered | Outcome::Asked => answer.reply.plain(),
            Outcome::Refused => format!("! {}", answer.reply.plain()),
            outcome => panic!("{outcome:?}"),
        }
    }

    /// The same here, late enough for every file to be a few seconds old at most.
    async fn list(&self, folder: Option<&str>) -> String {
        self.says("list", folder.map_or(json!({}), |folder| json!({ "folder": folder })), HERE, SystemTime::now()).await
    }

    async fn read(&self, path: &str) -> String {
        self.says("read", json!({ "path": path }), HERE, SystemTime::now()).await
    }

    async fn write(&self, path: &str, content: &str) -> String {
        self.says("write", json!({ "path": path, "content": content }), HERE, SystemTime::now()).await
    }
}

#[tokio::test]
async fn a_file_is_written_listed_and_read() {
    let bot = Bot::empty();
    assert_eq!(
        bot.list(None).await,
        "Files\nThere are no files here. `/files write` creates one, `/files put` takes one that you attach."
    );
    assert_eq!(bot.write("notes/tea.txt", "green\n").await, "Created the file `notes/tea.txt` with 6 B.");
    assert_eq!(
        bot.write("notes/tea.txt", &"x".repeat(2048)).await,
        "Replaced the content of the file `notes/tea.txt` with 2.0 KiB."
    );
    bot.write("a.txt", "one `mark`").await;
    let listed = bot.list(None).await;
    assert_says(&listed, format!("Files\n`a.txt` · 10 B · {}\n`notes/`", said!("age-seconds", n = ANY)));
    let listed = bot.list(Some("notes/")).await;
    assert!(listed.starts_with("Files in `notes/`\n`tea.txt` · 2.0 KiB · "), "{listed}");
    assert_eq!(bot.read("a.txt").await, "`a.txt`\n10 B\n```\none `mark`\n```");
}

/// L7: nobody could take a file away, so that the 200 files of a place were full for good.
#[tokio::test]
async fn l7_a_file_is_removed_once_its_removal_is_confirmed() {
    let bot = Bot::empty();
    let remove = async |path: &str, confirm: bool| {
        let arguments = if confirm { json!({ "path": path, "confirm": true }) } else { json!({ "path": path }) };
        bot.says("remove", arguments, HERE, SystemTime::now()).await
    };
    bot.write("notes/old/tea.txt", "green\n").await;
    bot.write("notes/a.txt", "x").await;
    let asked = remove("notes/old/tea.txt", false).await;
    assert!(asked.starts_with("This removes the file `notes/old/tea.txt` with 6 B for everybody here."), "{asked}");
    assert!(asked.contains("`/files remove path: notes/old/tea.txt confirm: true`"), "{asked}");
    assert_eq!(bot.read("notes/old/tea.txt").await, "`notes/old/tea.txt`\n6 B\n```\ngreen\n```");
    assert_eq!(remove("notes/old/tea.txt", true).await, "Removed the file `notes/old/tea.txt` with 6 B.");
    // The folder that it leaves empty goes with it, and no other.
    assert_eq!(bot.list(Some("notes/old")).await, "! There is no folder `notes/old` here.");
    assert!(bot.list(Some("notes")).await.contains("`a.txt`"));
    for (path, confirm) in [("notes/old/tea.txt", true), ("notes/b.txt", false), ("notes", false)] {
        assert!(remove(path, confirm).await.starts_with(&format!("! There is no file `{path}` here.")), "{path}");
    }
    assert_eq!(remove("notes", true).await, "! `notes` is a folder.");
    for path in ["../secret", "/etc/passwd", "notes/../../a"] {
        assert!(remove(path, true).await.starts_with("! This path cannot be used: "), "{path}");
    }
    let elsewhere = Place::Guild { guild: GuildId(2), channel: ChannelId(2) };
    let answer = bot.says("remove", json!({ "path": "notes/a.txt", "confirm": true }), elsewhere, SystemTime::now());
    assert!(answer.await.starts_with("! There is no file `notes/a.txt` here."));
    assert!(bot.list(Some("notes")).await.contains("`a.txt`"));
}

/// A full place has room again.
#[tokio::test]
async fn l7_a_full_workspace_has_room_once_a_file_is_removed() {
    let bot = Bot::empty();
    let folder = bot.path().join("workspace/guild-1");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..200 {
        std::fs::write(folder.join(number.to_string()), "x").unwrap();
    }
    assert!(bot.write("one more", "x").await.starts_with("! The workspace is full"));
    bot.says("remove", json!({ "path": "7", "confirm": true }), HERE, SystemTime::now()).await;
    assert_eq!(bot.write("one more", "x").await, "Created the file `one more` with 1 B.");
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_is_refused_in_words() {
    let bot = Bot::empty();
    std::fs::write(bot.path().join("secret"), "secret").unwrap();
    bot.write("a/b", "x").await;
    for path in ["../secret", "../../secret", "/etc/passwd", "a/../../../secret", "a\0b", "con", "a.", "C:\\x", ""] {
        for answer in [bot.read(path).await, bot.write(path, "mine").await] {
            assert!(answer.starts_with("! This path cannot be used: "), "{path:?}: {answer}");
        }
    }
    for folder in ["..", "../", "/", "a/.."] {
        let answer = bot.list(Some(folder)).await;
        assert!(answer.starts_with("! This path cannot be used: "), "{folder:?}: {answer}");
    }
    assert_eq!(std::fs::read_to_string(bot.path().join("secret")).unwrap(), "secret");
}

#[tokio::test]
async fn another_community_sees_nothing_of_it() {
    let bot = Bot::empty();
    bot.write("a.txt", "ours").await;
    let elsewhere = [
        Place::Guild { guild: GuildId(2), channel: ChannelId(2) },
        Place::Direct { channel: ChannelId(1) },
        Place::Console,
    ];
    for place in elsewhere {
        let listed = bot.says("list", json!({}), place, SystemTime::now()).await;
        assert!(listed.contains("There are no files here."), "{place:?}: {listed}");
        let answer = bot.says("read", json!({ "path": "a.txt" }), place, SystemTime::now()).await;
        assert_eq!(answer, "! There is no file `a.txt` here.", "{place:?}");
    }
}

#[tokio::test]
async fn a_long_list_is_cut_and_says_so_and_a_long_file_has_pages() {
    let bot = Bot::empty();
    let folder = bot.path().join("workspace/guild-1");
    std::fs::create_dir_all(&folder).unwrap();
    for number in 0..190 {
        std::fs::write(folder.join(format!("{number:03} {}", "n".repeat(60))), "x").unwrap();
    }
    std::fs::write(folder.join("long.txt"), "x".repeat(10_000)).unwrap();
    let listed = bot.list(None).await;
    let n_listed = listed.lines().filter(|line| line.starts_with('`')).count();
    assert!(listed.ends_with(&format!("\n… and {} more.", 191 - n_listed)), "{listed}");
    assert!((30..60).contains(&n_listed) && listed.encode_utf16().count() < 3_600, "{listed}");

    let read = bot.read("long.txt").await;
    assert!(read.contains("Page 1 of 4") && read.ends_with("The file is attached as it is."), "{read}");
    let at_console = bot.says(
        "write",
        json!({ "path": "long.txt", "content": "x".repeat(4_000) }),
        Place::Console,
        SystemTime::now(),
    );
    at_console.await;
    let read = bot.says("read", json!({ "path": "long.txt" }), Place::Console, SystemTime::now()).await;
    assert!(read.contains("Page 1 of 2") && !read.contains("attached"), "{read}");
    let last = bot.says("read", json!({ "path": "long.txt", "page": 2 }), Place::Console, SystemTime::now()).await;
    assert!(last.contains(&"x".repeat(800)) && last.contains("Page 2 of 2"), "{last}");
    let console = bot.path().join("workspace/console");
    std::fs::write(console.join("bytes"), b"a\xffb").unwrap();
    let read = bot.says("read", json!({ "path": "bytes" }), Place::Console, SystemTime::now()).await;
    assert_eq!(read, "! `bytes` is not text in UTF-8, so it is not shown here.");
}

#[tokio::test]
async fn one_place_of_a_file_is_changed_or_nothing() {
    let bot = Bot::empty();
    bot.write("list.txt", "tea\nmilk\ntea\n").await;
    for (arguments, said, content) in [
        (
            json!({ "find": "milk", "text": "oat milk" }),
            "Changed the file `list.txt`: it has 17 B now.",
            "tea\noat milk\ntea\n",
        ),
        (json!({ "text": "cake" }), "Changed the file `list.txt`: it has 21 B now.", "tea\noat milk\ntea\ncake"),
        (json!({ "find": "tea", "text": "x" }), "! That stands in `list.txt` 2 times", "tea\noat milk\ntea\ncake"),
        (json!({ "find": "Cake", "text": "x" }), "! `list.txt` does not contain that text", "tea\noat milk\ntea\ncake"),
        (
            json!({ "text": "x".repeat(4_000), "find": "cake" }),
            "Changed",
            &format!("tea\noat milk\ntea\n{}", "x".repeat(4_000)),
        ),
    ] {
        let mut arguments = arguments;
        arguments["path"] = "list.txt".into();
        let answer = bot.says("edit", arguments, HERE, SystemTime::now()).await;
        assert!(answer.starts_with(said), "{answer}");
        assert_eq!(std::fs::read_to_string(bot.path().join("workspace/guild-1/list.txt")).unwrap(), content);
    }
    let missing = bot.says("edit", json!({ "path": "no.txt", "text": "x" }), HERE, SystemTime::now()).await;
    assert_eq!(missing, "! There is no file `no.txt` here.");
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_refused_and_a_list_says_that_there_is_more() {
    let bot = Bot::empty();
    bot.write("a", "x").await;
    std::fs::write(bot.path().join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink("../../secret", bot.path().join("workspace/guild-1/link")).unwrap();
    for answer in [bot.read("link").await, bot.write("link", "mine").await] {
        assert_eq!(answer, "! `link` is or goes through a link, and links are not followed here.");
    }
    assert!(
        bot.list(None)
            .await
            .ends_with("\nThere is more that is not shown: links, names that cannot be typed, or too many entries.")
    );
    assert_eq!(std::fs::read_to_string(bot.path().join("secret")).unwrap(), "secret");
}

#[tokio::test]
async fn a_file_from_the_future_is_listed_all_the_same() {
    let bot = Bot::empty();
    bot.write("a", "x").await;
    let earlier = SystemTime::now() - Duration::from_secs(60);
    let listed = format!("Files\n`a` · 1 B · {}", said!("age-future"));
    assert_eq!(bot.says("list", json!({}), HERE, earlier).await, listed);
}
