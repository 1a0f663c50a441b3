//! `/files` with attachments: what somebody attaches is stored, and what cannot be shown comes back attached.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use discord_twin::{Interaction, Message};

use crate::discord::connected::{Connected, connect};
use crate::support::said::{assert_says, said};

/// Discord's host for files: answers with the file of this name, and writes down what it was asked for.
pub(crate) fn serve(files: BTreeMap<&'static str, Vec<u8>>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (url, asked) = (format!("http://{}/", listener.local_addr().unwrap()), Arc::<Mutex<Vec<String>>>::default());
    let seen = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
            let first = lines.next().unwrap();
            lines.take_while(|line| !line.is_empty()).for_each(drop);
            let name = first.split(['/', '?']).find(|part| part.contains('.')).unwrap().to_owned();
            let head = |status: &str, length| {
                format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n").into_bytes()
            };
            let answer = match files.get(name.as_str()) {
                Some(file) => [head("200 OK", file.len()), file.clone()].concat(),
                None => head("404 Not Found", 0),
            };
            seen.lock().unwrap().push(name);
            stream.write_all(&answer).unwrap();
        }
    });
    (url, asked)
}

fn put(name: &str, size: usize) -> Interaction {
    Interaction::slash("files").subcommand("put").attachment_option("file", name, size as u64)
}

async fn read(connected: &Connected, path: &str) -> (String, Vec<(String, Vec<u8>)>) {
    let answer = connected.answer(Interaction::slash("files").subcommand("read").option("path", path)).await;
    let files = answer.files.iter().map(|file| (file.filename.clone(), file.bytes.to_vec())).collect();
    (answer.text(), files)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attached_file_is_stored_and_comes_back_as_it_is() {
    let (note, long, picture) = (b"green tea\n".to_vec(), "x".repeat(5_000).into_bytes(), b"\x89PNG\xff\x00".to_vec());
    let files = BTreeMap::from([("note.txt", note.clone()), ("long.txt", long.clone()), ("cat.png", picture.clone())]);
    let (url, asked) = serve(files);
    let connected = connect(&format!("[discord]\nfiles = \"{url}\"\n")).await;

    let answer = connected.answer(put("note.txt", note.len())).await;
    assert_says(answer.text(), "Created the file `note.txt` with 10 B.");
    let answer = connected.answer(put("cat.png", picture.len()).option("path", "pictures/cat.png")).await;
    assert_says(answer.text(), "Created the file `pictures/cat.png` with 6 B.");
    let answer = connected.answer(put("long.txt", long.len()).option("path", "note.txt")).await;
    assert_says(answer.text(), "Replaced the content of the file `note.txt` with 4.8 KiB.");
    assert_eq!(*asked.lock().unwrap(), ["note.txt", "cat.png", "long.txt"]);

    let (text, files) = read(&connected, "note.txt").await;
    assert!(text.contains("Page 1 of 2") && text.contains("attached"), "{text}");
    assert_eq!(files, [("note.txt".to_owned(), long)]);
    let (text, files) = read(&connected, "pictures/cat.png").await;
    assert!(text.contains("The file is not text in UTF-8. It is attached."), "{text}");
    assert_eq!(files, [("cat.png".to_owned(), picture)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_another_file_or_gone_is_not_stored() {
    let (url, asked) = serve(BTreeMap::from([("grown.txt", b"much more".to_vec())]));
    let connected = connect(&format!("[discord]\nfiles = \"{url}\"\n")).await;
    for (interaction, wanted) in [
        (put("huge.txt", 256 * 1024 + 1), said!("attachment-too-large", kib = 256)),
        (put("grown.txt", 3), said!("attachment-changed")),
        (put("gone.txt", 3), said!("attachment-unreachable")),
    ] {
        assert_says(connected.answer(interaction).await.text(), wanted);
    }
    let elsewhere = connected.answer(put("a.txt", 3).option("path", "../a.txt")).await;
    assert!(elsewhere.text().contains("nothing leads out of the workspace"), "{}", elsewhere.text());
    assert_eq!(*asked.lock().unwrap(), ["grown.txt", "gone.txt"], "nothing is fetched that cannot be stored");
    let listed = connected.answer(Interaction::slash("files").subcommand("list")).await;
    assert!(listed.text().contains("There are no files here."), "{}", listed.text());

    // A file can be attached in the picker alone.
    let typed = connected.reply(Message::text("/files put file: a.txt").in_dm()).await;
    assert_says(typed.text(), said!("argument-file", option = "file"));
}
