//! The commands as people use them, over real folders.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;
use crate::contract::{Services, said};
use crate::inbound::{Caller, ChannelId, GuildId, Place, UserId};
use crate::registry::Catalog;
use crate::workspace::WorkspaceFolders;

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// A folder on disk, and somebody who uses it.
struct Bot(TempDir);

impl Bot {
    fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn call(&self, place: Place) -> Call {
        let host = Services::default().with_workspaces(Arc::new(WorkspaceFolders::below(self.0.path())));
        let caller = Caller::new(UserId(7), "Ann");
        Call {
            place,
            // Late enough for every file to be a few seconds old at most.
            now: SystemTime::now(),
            services: host.granted("files", &[ServiceName::Workspace], caller.id, place),
            caller,
            catalog: Catalog::new(Arc::default(), false),
        }
    }

    async fn list(&self, folder: Option<&str>) -> String {
        let folder = folder.map(str::to_owned);
        said(list(Folder { folder }, self.call(HERE)).await)
    }

    async fn read(&self, path: &str) -> String {
        said(read(File { path: path.to_owned() }, self.call(HERE)).await)
    }

    async fn write(&self, path: &str, content: &str) -> String {
        said(write(NewFile { path: path.to_owned(), content: content.to_owned() }, self.call(HERE)).await)
    }
}

#[tokio::test]
async fn a_file_is_written_listed_and_read() {
    let bot = Bot::empty();
    assert_eq!(bot.list(None).await, "Files\nThere are no files here. `/files write` makes one.");
    assert_eq!(bot.write("notes/tea.txt", "green\n").await, "Created the file `notes/tea.txt` with 6 B.");
    assert_eq!(
        bot.write("notes/tea.txt", &"x".repeat(2048)).await,
        "Replaced the content of the file `notes/tea.txt` with 2.0 KiB."
    );
    bot.write("a.txt", "one `mark`").await;
    let listed = bot.list(None).await;
    assert!(listed.starts_with("Files\n`a.txt` · 10 B · ") && listed.ends_with(" s ago\n`notes/`"), "{listed}");
    let listed = bot.list(Some("notes/")).await;
    assert!(listed.starts_with("Files in `notes/`\n`tea.txt` · 2.0 KiB · "), "{listed}");
    assert_eq!(bot.read("a.txt").await, "`a.txt`\n10 B\n```\none `mark`\n```");
}

#[tokio::test]
async fn a_path_that_leads_elsewhere_is_refused_in_words() {
    let bot = Bot::empty();
    std::fs::write(bot.0.path().join("secret"), "secret").unwrap();
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
    assert_eq!(std::fs::read_to_string(bot.0.path().join("secret")).unwrap(), "secret");
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
        let listed = said(list(Folder { folder: None }, bot.call(place)).await);
        assert!(listed.contains("There are no files here."), "{place:?}: {listed}");
        let answer = said(read(File { path: "a.txt".to_owned() }, bot.call(place)).await);
        assert_eq!(answer, "! There is no file `a.txt` here.", "{place:?}");
    }
}

#[tokio::test]
async fn a_long_list_and_a_long_file_are_cut_and_say_so() {
    let bot = Bot::empty();
    let folder = bot.0.path().join("workspace/guild-1");
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
    assert!(read.ends_with("Cut here: the first 3500 of 10000 characters are shown."), "{read}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_is_refused_and_a_list_says_that_there_is_more() {
    let bot = Bot::empty();
    bot.write("a", "x").await;
    std::fs::write(bot.0.path().join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink("../../secret", bot.0.path().join("workspace/guild-1/link")).unwrap();
    for answer in [bot.read("link").await, bot.write("link", "mine").await] {
        assert_eq!(answer, "! `link` is or goes through a link, and links are not followed here.");
    }
    assert!(
        bot.list(None)
            .await
            .ends_with("\nThere is more in it that is not shown: links, names that cannot be asked for, or too much.")
    );
    assert_eq!(std::fs::read_to_string(bot.0.path().join("secret")).unwrap(), "secret");
}

#[tokio::test]
async fn a_file_from_the_future_is_listed_all_the_same() {
    let bot = Bot::empty();
    bot.write("a", "x").await;
    let mut call = bot.call(HERE);
    call.now -= Duration::from_secs(60);
    assert_eq!(said(list(Folder { folder: None }, call).await), "Files\n`a` · 1 B · in the future");
}
