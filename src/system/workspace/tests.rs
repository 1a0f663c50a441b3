//! Workspaces in real folders: what is kept, what is refused, and that nothing leads out.

use std::fs;

use tempfile::TempDir;

use super::*;
use candor_core::contract::{FILES_MAX, WORKSPACE_SIZE_MAX};
use candor_core::inbound::{ChannelId, GuildId};
use candor_core::language::Language;

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };

/// Workspaces, and the folder that everything of them is in.
struct Disk {
    folder: TempDir,
    workspaces: WorkspaceFolders,
}

impl Disk {
    fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let workspaces = WorkspaceFolders::below(folder.path());
        Self { folder, workspaces }
    }

    /// The folder of [`HERE`], made by hand.
    fn here(&self) -> PathBuf {
        let path = self.folder.path().join("workspace/guild-1");
        fs::create_dir_all(&path).unwrap();
        path
    }

    async fn list(&self, folder: Option<&str>) -> Result<Vec<String>, WorkspaceError> {
        let folder = folder.map(WorkspacePath::of_folder).transpose()?;
        let Listing { entries, is_whole } = self.workspaces.list(HERE, folder.as_ref()).await?;
        let line = |entry: FileEntry| {
            assert!(entry.modified.is_some(), "{entry:?}");
            entry.size.map_or_else(|| format!("{}/", entry.name), |size| format!("{} {size}", entry.name))
        };
        let more = (!is_whole).then(|| "and more".to_owned());
        Ok(entries.into_iter().map(line).chain(more).collect())
    }

    async fn read(&self, path: &str) -> Result<String, WorkspaceError> {
        let bytes = self.workspaces.read(HERE, &WorkspacePath::of_file(path)?).await?;
        Ok(String::from_utf8(bytes).unwrap())
    }

    async fn write(&self, path: &str, content: &str) -> Result<Written, WorkspaceError> {
        self.workspaces.write(HERE, &WorkspacePath::of_file(path)?, content.as_bytes(), None).await
    }
}

/// What the person is told.
fn refusal<T: std::fmt::Debug>(result: Result<T, WorkspaceError>) -> String {
    match result {
        Err(WorkspaceError::Refused(refusal)) => refusal.told(Language::ENGLISH),
        other => panic!("{other:?}"),
    }
}

/// Every file below a folder, with its content: what a test compares before and after.
fn everything(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(everything(&path));
        } else {
            found.push((path.clone(), fs::read(&path).unwrap_or_default()));
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn a_file_is_written_read_listed_and_replaced() {
    let disk = Disk::empty();
    assert_eq!(disk.list(None).await.unwrap(), [] as [&str; 0]);
    assert_eq!(everything(disk.folder.path()), [], "to look creates nothing");

    assert_eq!(disk.write("notes/today.txt", "tea\n").await.unwrap(), Written::Created);
    assert_eq!(disk.write("a.txt", "").await.unwrap(), Written::Created);
    assert_eq!(disk.read("notes/today.txt").await.unwrap(), "tea\n");
    assert_eq!(disk.list(None).await.unwrap(), ["a.txt 0", "notes/"]);
    assert_eq!(disk.list(Some("notes/")).await.unwrap(), ["today.txt 4"]);

    assert_eq!(disk.write("notes/today.txt", "größer").await.unwrap(), Written::Replaced);
    assert_eq!(disk.read("notes/today.txt").await.unwrap(), "größer");
    let names: Vec<_> = everything(disk.folder.path()).into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, [disk.here().join("a.txt"), disk.here().join("notes/today.txt")]);
}

#[tokio::test]
async fn what_is_not_there_is_said_plainly() {
    let disk = Disk::empty();
    for _ in 0..2 {
        assert_eq!(refusal(disk.read("a.txt").await), "There is no file `a.txt` here.");
        assert_eq!(refusal(disk.read("no/a.txt").await), "There is no file `no/a.txt` here.");
        assert_eq!(refusal(disk.list(Some("no")).await), "There is no folder `no` here.");
        // The second time there is a workspace.
        disk.write("b.txt", "b").await.unwrap();
    }
    disk.write("c/d.txt", "d").await.unwrap();
    assert_eq!(refusal(disk.read("c").await), "`c` is a folder.");
    assert_eq!(refusal(disk.write("c", "x").await), "`c` is a folder.");
    assert_eq!(refusal(disk.write("b.txt/x", "x").await), "`b.txt/x` goes through `b.txt`, which is not a folder.");
    assert_eq!(refusal(disk.list(Some("b.txt")).await), "`b.txt` goes through `b.txt`, which is not a folder.");
}

#[tokio::test]
async fn each_place_has_a_folder_of_its_own() {
    let disk = Disk::empty();
    let places = [
        (HERE, "guild-1"),
        (Place::Guild { guild: GuildId(2), channel: ChannelId(2) }, "guild-2"),
        (Place::Direct { channel: ChannelId(1) }, "dm-1"),
        (Place::Console, "console"),
    ];
    let path = WorkspacePath::of_file("same.txt").unwrap();
    for (place, name) in places {
        assert_eq!(
            disk.workspaces.write(place, &path, name.as_bytes(), None).await.unwrap(),
            Written::Created,
            "{name}"
        );
    }
    for (place, name) in places {
        assert_eq!(disk.workspaces.read(place, &path).await.unwrap(), name.as_bytes());
        assert_eq!(fs::read_to_string(disk.folder.path().join("workspace").join(name).join("same.txt")).unwrap(), name);
    }
    let other_channel = Place::Guild { guild: GuildId(1), channel: ChannelId(9) };
    assert_eq!(disk.workspaces.read(other_channel, &path).await.unwrap(), b"guild-1");
}

/// macOS takes letters apart, and files may come from there.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_name_is_the_same_however_it_is_composed() {
    let disk = Disk::empty();
    let folder = disk.here().join("u\u{308}bel");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("o\u{308}l.txt"), "old").unwrap();
    assert_eq!(disk.list(None).await.unwrap(), ["übel/"]);
    assert_eq!(disk.read("übel/öl.txt").await.unwrap(), "old");
    assert_eq!(disk.write("u\u{308}bel/öl.txt", "new").await.unwrap(), Written::Replaced);
    assert_eq!(disk.list(Some("übel")).await.unwrap(), ["öl.txt 3"]);
    assert_eq!(disk.write("übel/a\u{308}.txt", "x").await.unwrap(), Written::Created);
    assert!(folder.join("ä.txt").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn links_are_not_followed_wherever_they_lead() {
    use std::os::unix::fs::symlink;

    let disk = Disk::empty();
    let (here, outside) = (disk.here(), disk.folder.path().join("outside"));
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret.txt"), "secret").unwrap();
    disk.write("plain/file.txt", "plain").await.unwrap();
    symlink(&outside, here.join("out")).unwrap();
    symlink("../../outside", here.join("up")).unwrap();
    symlink(outside.join("secret.txt"), here.join("file")).unwrap();
    symlink("plain", here.join("within")).unwrap();
    symlink(outside.join("new.txt"), here.join("dangling")).unwrap();
    symlink("loop", here.join("loop")).unwrap();
    let before = everything(disk.folder.path());

    for path in ["out/secret.txt", "up/secret.txt", "file", "within/file.txt", "dangling", "loop", "loop/x"] {
        let told = format!("`{path}` is or goes through a link, and links are not followed here.");
        assert_eq!(refusal(disk.read(path).await), told);
        assert_eq!(refusal(disk.write(path, "mine").await), told);
    }
    for folder in ["out", "up", "within"] {
        assert!(refusal(disk.list(Some(folder)).await).contains("links are not followed"), "{folder}");
    }
    assert_eq!(disk.list(None).await.unwrap(), ["plain/", "and more"]);
    assert_eq!(everything(disk.folder.path()), before, "nothing was written anywhere");
}

#[cfg(unix)]
#[tokio::test]
async fn a_workspace_that_is_itself_a_link_is_no_workspace() {
    let disk = Disk::empty();
    fs::create_dir_all(disk.folder.path().join("workspace/guild-2")).unwrap();
    std::os::unix::fs::symlink("guild-2", disk.folder.path().join("workspace/guild-1")).unwrap();
    assert!(matches!(disk.write("a", "a").await, Err(WorkspaceError::Internal(_))));
    assert!(matches!(disk.list(None).await, Err(WorkspaceError::Internal(_))));
    assert_eq!(everything(&disk.folder.path().join("workspace/guild-2")), []);
}

#[tokio::test]
async fn what_is_too_large_is_not_read() {
    let disk = Disk::empty();
    let limit = usize::try_from(FILE_SIZE_MAX).unwrap();
    fs::write(disk.here().join("bytes"), b"a\xffb").unwrap();
    fs::write(disk.here().join("large"), vec![b'x'; limit + 1]).unwrap();
    fs::write(disk.here().join("fits"), vec![b'x'; limit]).unwrap();
    let bytes = disk.workspaces.read(HERE, &WorkspacePath::of_file("bytes").unwrap()).await;
    assert_eq!(bytes.unwrap(), b"a\xffb");
    assert_eq!(refusal(disk.read("large").await), "`large` is larger than 256 KiB, so it is not read.");
    assert_eq!(disk.read("fits").await.unwrap().len(), limit);
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_neither_file_nor_folder_is_left_alone() {
    let disk = Disk::empty();
    let _socket = std::os::unix::net::UnixListener::bind(disk.here().join("socket")).unwrap();
    assert_eq!(refusal(disk.read("socket").await), "`socket` is not a file.");
    assert_eq!(refusal(disk.write("socket", "x").await), "`socket` is not a file.");
    assert_eq!(disk.list(None).await.unwrap(), ["and more"]);
}

#[tokio::test]
async fn names_that_nobody_could_ask_for_are_not_listed() {
    let disk = Disk::empty();
    for name in ["good.txt", "trailing.", ".candor-1-1.tmp", "back`tick", "new\nline"] {
        fs::write(disk.here().join(name), "x").unwrap();
    }
    assert_eq!(disk.list(None).await.unwrap(), ["good.txt 1", "and more"]);
}

#[tokio::test]
async fn a_list_has_an_end() {
    let disk = Disk::empty();
    for number in 0..LISTED_MAX {
        fs::write(disk.here().join(format!("{number:03}")), "").unwrap();
    }
    assert_eq!(disk.list(None).await.unwrap().len(), LISTED_MAX);
    fs::write(disk.here().join("one more"), "").unwrap();
    let listed = disk.list(None).await.unwrap();
    assert_eq!((listed.len(), listed.last().map(String::as_str)), (LISTED_MAX + 1, Some("and more")));
}

#[tokio::test]
async fn files_are_counted_in_all_folders_and_replacing_one_needs_no_room() {
    let disk = Disk::empty();
    for number in 0..FILES_MAX {
        let folder = disk.here().join(format!("folder {}", number % 10));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(number.to_string()), "x").unwrap();
    }
    let told = "The workspace is full: 200 files are the most. Nothing was written. A file can be overwritten with less \
                or removed.";
    assert_eq!(refusal(disk.write("one more", "x").await), told);
    assert!(!disk.here().join("one more").exists());
    assert_eq!(disk.write("folder 0/0", "changed").await.unwrap(), Written::Replaced);
    fs::remove_file(disk.here().join("folder 1/1")).unwrap();
    assert_eq!(disk.write("fits", "x").await.unwrap(), Written::Created);
}

#[tokio::test]
async fn sizes_are_limited_for_one_file_and_for_all_together() {
    let disk = Disk::empty();
    let limit = usize::try_from(FILE_SIZE_MAX).unwrap();
    let told = "A file may hold 256 KiB, and this content is longer. Nothing was written.";
    assert_eq!(refusal(disk.write("a", &"x".repeat(limit + 1)).await), told);
    assert_eq!(everything(disk.folder.path()), []);

    let n_files = WORKSPACE_SIZE_MAX / FILE_SIZE_MAX;
    for number in 0..n_files {
        fs::File::create(disk.here().join(number.to_string())).unwrap().set_len(FILE_SIZE_MAX).unwrap();
    }
    let told = refusal(disk.write("one more", "x").await);
    assert!(told.starts_with("The workspace is full: its files together may hold 16 MiB."), "{told}");
    assert_eq!(disk.write("empty", "").await.unwrap(), Written::Created);
    assert_eq!(disk.write("0", "less").await.unwrap(), Written::Replaced);
    assert_eq!(disk.write("one more", "x").await.unwrap(), Written::Created);
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_at_once_leave_one_whole_content_and_respect_the_limit() {
    let disk = Disk::empty();
    let contents: Vec<_> = ('a'..='p').map(|letter| letter.to_string().repeat(50_000)).collect();
    let same = contents.iter().map(|content| disk.write("same", content));
    let written = futures_util::future::join_all(same).await;
    let n_created = written.iter().filter(|written| matches!(written, Ok(Written::Created))).count();
    assert_eq!((written.iter().filter(|written| written.is_ok()).count(), n_created), (16, 1));
    assert!(contents.contains(&disk.read("same").await.unwrap()));

    for number in 1..FILES_MAX - 8 {
        fs::write(disk.here().join(number.to_string()), "x").unwrap();
    }
    let names: Vec<_> = ('a'..='p').map(|letter| format!("new/{letter}")).collect();
    let written = futures_util::future::join_all(names.iter().map(|name| disk.write(name, "x"))).await;
    assert_eq!(written.iter().filter(|written| written.is_ok()).count(), 8);
    assert_eq!(everything(&disk.here()).len(), FILES_MAX);
}

#[tokio::test]
async fn what_a_dead_process_left_is_removed_and_what_is_being_written_is_not() {
    let disk = Disk::empty();
    let (old, fresh) = (disk.here().join(".candor-1-1.tmp"), disk.here().join(".candor-2-1.tmp"));
    fs::write(&fresh, "half").unwrap();
    fs::write(&old, "half").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 60 * 60);
    fs::File::options().write(true).open(&old).unwrap().set_modified(long_ago).unwrap();
    disk.write("a", "a").await.unwrap();
    assert_eq!((old.exists(), fresh.exists()), (false, true));
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_can_look_into_the_workspaces() {
    use std::os::unix::fs::PermissionsExt as _;

    let disk = Disk::empty();
    disk.write("a", "a").await.unwrap();
    let facts = fs::metadata(disk.folder.path().join("workspace")).unwrap();
    assert_eq!(facts.permissions().mode() & 0o777, 0o700);
}

#[cfg(unix)]
#[tokio::test]
async fn a_workspace_is_removed_whole_and_nothing_beside_it() {
    let disk = Disk::empty();
    let outside = disk.folder.path().join("outside");
    fs::create_dir_all(&outside).unwrap();
    fs::write(outside.join("secret.txt"), "stays").unwrap();
    disk.write("a.txt", "one").await.unwrap();
    disk.write("notes/b.txt", "two").await.unwrap();
    std::os::unix::fs::symlink(&outside, disk.here().join("out")).unwrap();
    let elsewhere = Place::Direct { channel: ChannelId(3) };
    disk.workspaces.write(elsewhere, &WorkspacePath::of_file("c.txt").unwrap(), b"three", None).await.unwrap();

    // The link is an entry of it, too.
    assert_eq!(disk.workspaces.remove_all(HERE).await.unwrap(), 3);
    assert_eq!(disk.workspaces.remove_all(HERE).await.unwrap(), 0);
    assert_eq!(disk.list(None).await.unwrap(), [] as [&str; 0]);
    assert_eq!(fs::read_to_string(outside.join("secret.txt")).unwrap(), "stays");
    let left = disk.workspaces.read(elsewhere, &WorkspacePath::of_file("c.txt").unwrap()).await.unwrap();
    assert_eq!(left, b"three");
}

#[tokio::test]
async fn all_workspaces_together_have_a_bound_and_nothing_is_removed_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let mib = 1024 * 1024;
    let there = folder.path().join("workspace/guild-9");
    fs::create_dir_all(&there).unwrap();
    fs::write(there.join("of_another_server.txt"), vec![b'a'; mib - 1_000]).unwrap();
    let workspaces = WorkspaceFolders::below(folder.path()).holding_at_most(mib as u64);
    let write = async |name: &str, length: usize| {
        workspaces.write(HERE, &WorkspacePath::of_file(name)?, "b".repeat(length).as_bytes(), None).await
    };
    assert_eq!(write("a.txt", 600).await.unwrap(), Written::Created);
    let told = "There is no room: all workspaces of this bot together may hold 1 MiB. Nothing was written. Files can be \
                removed, and the operator can allow more.";
    assert_eq!(refusal(write("b.txt", 401).await), told);
    assert_eq!(refusal(write("a.txt", 1_001).await), told);
    assert_eq!(write("a.txt", 100).await.unwrap(), Written::Replaced, "less always fits");
    assert_eq!(write("b.txt", 900).await.unwrap(), Written::Created);
    assert!(there.join("of_another_server.txt").exists());
}

#[tokio::test]
async fn a_file_is_written_over_what_its_writer_saw_or_not_at_all() {
    let disk = Disk::empty();
    disk.write("a.txt", "one").await.unwrap();
    let path = WorkspacePath::of_file("a.txt").unwrap();
    let over = async |old: &[u8]| disk.workspaces.write(HERE, &path, b"two", Some(old)).await;
    let told = "Somebody else has changed `a.txt` in the meantime. Nothing was written; read it again.";
    assert_eq!(refusal(over(b"another").await), told);
    assert_eq!(disk.read("a.txt").await.unwrap(), "one");
    assert_eq!(over(b"one").await.unwrap(), Written::Replaced);
    assert_eq!(refusal(over(b"one").await), told);
    disk.workspaces.remove(HERE, &path).await.unwrap();
    assert_eq!(refusal(over(b"two").await), told, "a file that is gone does not come back");
}
