//! The catalogue of the bot's own sentences: whole in every language, and used as it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fluent_bundle::FluentResource;

use candor_core::access::Denied;
use candor_core::inbound::{Asked, CommandPath, CommandType};
use candor_core::language::{Language, say};
use candor_core::router::{Malformed, Route, Unavailable, Unknown, UnknownKind, refusal};

/// A message of a language file: its name, and the variables in its text.
type Messages = BTreeMap<String, BTreeSet<String>>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/core/language")
}

/// Every language file, by its tag.
fn files() -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let entries = entries.filter(|path| path.extension().is_some_and(|extension| extension == "ftl"));
    let read =
        |path: PathBuf| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(path).unwrap());
    entries.map(read).collect()
}

/// The messages of a file, by lines: a name stands at the beginning of its line, and what belongs to it is indented or
/// closes a choice.
fn messages(text: &str) -> Messages {
    let mut messages = Messages::new();
    let mut last = None;
    for line in text.lines() {
        let named = line.split_once(" = ").filter(|_| line.starts_with(|first: char| first.is_ascii_lowercase()));
        if let Some((name, _)) = named {
            assert!(messages.insert(name.to_owned(), BTreeSet::new()).is_none(), "`{name}` stands twice");
            last = Some(name.to_owned());
        }
        let Some(variables) = last.as_ref().and_then(|name| messages.get_mut(name)) else { continue };
        if !line.starts_with('#') {
            let name =
                |rest: &str| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().map(str::to_owned);
            variables.extend(line.split('$').skip(1).filter_map(name));
        }
    }
    messages
}

/// Every sentence that the code says: the file, the name of the message, and the whole call.
fn said() -> Vec<(String, String, String)> {
    let mut said = Vec::new();
    for file in sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        let text = fs::read_to_string(&file).unwrap();
        for (at, _) in text.match_indices("say!(").chain(text.match_indices("sentence!(")) {
            let call = call(text.get(at..).unwrap());
            let Some(name) = call.split('"').nth(1) else { continue };
            said.push((file.display().to_string(), name.to_owned(), call.to_owned()));
        }
    }
    said
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let in_path = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    paths.flat_map(in_path).filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect()
}

/// A call up to its closing bracket.
fn call(text: &str) -> &str {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 1 => return text.get(..=at).unwrap(),
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

fn german() -> Language {
    Language::of_locale("de").unwrap()
}

#[test]
fn a_language_is_a_file() {
    let spoken: BTreeSet<_> = Language::all().map(|language| language.tag().to_owned()).collect();
    assert_eq!(spoken, files().into_keys().collect());
    assert_eq!(Language::all().next(), Some(Language::ENGLISH));
    for language in Language::all() {
        assert_eq!(Language::of_locale(language.tag()), Some(language));
    }
}

#[test]
fn every_language_file_says_the_same_sentences_about_the_same_things() {
    let english = messages(&files()["en"]);
    assert!(100 < english.len(), "{}", english.len());
    for (tag, text) in files() {
        if let Err((_, problems)) = FluentResource::try_new(text.clone()) {
            panic!("{tag}.ftl: {problems:?}");
        }
        let found = messages(&text);
        for (name, variables) in &english {
            assert_eq!(found.get(name), Some(variables), "{tag}.ftl, `{name}`");
        }
        let unknown: Vec<_> = found.keys().filter(|name| !english.contains_key(*name)).collect();
        assert!(unknown.is_empty(), "{tag}.ftl says what en.ftl does not: {unknown:?}");
    }
}

#[test]
fn every_sentence_in_the_code_is_in_the_catalogue_and_gets_what_it_is_about() {
    let english = messages(&files()["en"]);
    let said = said();
    for (file, name, call) in &said {
        let Some(variables) = english.get(name) else { panic!("{file}: no language file has `{name}`") };
        for variable in variables {
            assert!(call.contains(&format!("{variable} = ")), "{file}: `{name}` is said without `{variable}`: {call}");
        }
    }
    let used: BTreeSet<_> = said.into_iter().map(|(_, name, _)| name).collect();
    let unused: Vec<_> = english.keys().filter(|name| !used.contains(*name)).collect();
    assert!(unused.is_empty(), "nothing says {unused:?}");
}

#[test]
fn every_denial_is_said_in_both_languages() {
    let path = CommandPath::new("tasks", Some("add"));
    let cases = [
        (
            Denied::Blocked,
            "You may not use this bot, so `/tasks add` did not run. Its operator decides that.",
            "Du darfst diesen Bot nicht benutzen, daher lief `/tasks add` nicht. Das entscheidet sein Betreiber.",
        ),
        (
            Denied::OperatorsOnly,
            "`/tasks add` is for this bot's operators. It did not run.",
            "`/tasks add` ist den Betreibern dieses Bots vorbehalten. Der Befehl lief nicht.",
        ),
        (
            Denied::Gone,
            "`/tasks add` no longer exists. It did not run.",
            "`/tasks add` gibt es nicht mehr. Der Befehl lief nicht.",
        ),
        (
            Denied::NotATool,
            "`/tasks add` is for people, not for chat models. It did not run.",
            "`/tasks add` ist für Menschen, nicht für Sprachmodelle. Der Befehl lief nicht.",
        ),
        (
            Denied::NotConfirmed,
            "`/tasks add` changes something, and nobody confirmed it. It did not run.",
            "`/tasks add` ändert etwas, und niemand hat es bestätigt. Der Befehl lief nicht.",
        ),
    ];
    for (denied, in_english, in_german) in cases {
        assert_eq!(denied.text(&path, Language::ENGLISH), in_english);
        assert_eq!(denied.text(&path, german()), in_german);
    }
}

fn unknown(received: &str, kind: UnknownKind, near: &[&str], asked: Asked) -> Route {
    let near = near.iter().map(|&name| name.to_owned()).collect();
    Route::UnknownCommand(Unknown { received: received.to_owned(), looked_up: String::new(), kind, near, asked })
}

#[test]
fn every_refusal_of_the_router_is_said_in_german() {
    let cases = [
        (
            unknown("/staus", UnknownKind::Command, &["/status"], Asked::Typed),
            "Unbekannter Befehl `/staus`. Meintest du `/status`? Um darüber zu reden, stell ein Wort davor.",
        ),
        (
            unknown("/staus", UnknownKind::Command, &["/a", "/b", "/c"], Asked::Picked),
            "Unbekannter Befehl `/staus`. Meintest du `/a`, `/b` oder `/c`?",
        ),
        (
            unknown("/x`@all", UnknownKind::Command, &[], Asked::Picked),
            "Unbekannter Befehl `/x＠all`. `/help` zeigt, was es gibt.",
        ),
        (
            unknown("/tasks x", UnknownKind::Subcommand, &["/tasks add", "/tasks done"], Asked::Picked),
            "`/tasks x` gibt es nicht. Vorhanden: `/tasks add` und `/tasks done`.",
        ),
        (unknown("/ops x", UnknownKind::Subcommand, &[], Asked::Picked), "`/ops x` gibt es nicht."),
        (
            Route::Malformed(Malformed {
                path: CommandPath::new("tasks", Some("add")),
                problem: "es fehlt `title`".to_owned(),
                usage: vec!["/tasks add title: <text>".to_owned()],
            }),
            "`/tasks add` lief nicht: es fehlt `title`. Aufruf:\n`/tasks add title: <text>`",
        ),
        (
            Route::Unavailable(Unavailable {
                surface: CommandType::Slash,
                name: "weather".to_owned(),
                module: "weather".to_owned(),
            }),
            "`/weather` ist nicht verfügbar: Sein Modul hat die Prüfung beim Start nicht bestanden.",
        ),
    ];
    for (route, expected) in cases {
        assert_eq!(refusal(&route, german()).as_deref(), Some(expected));
    }
}

#[test]
fn numbers_have_their_forms() {
    let cases = [
        (1_u32, "Forgot 1 message of this conversation.", "1 Nachricht dieses Gesprächs vergessen."),
        (2, "Forgot 2 messages of this conversation.", "2 Nachrichten dieses Gesprächs vergessen."),
        (1_000, "Forgot 1000 messages of this conversation.", "1000 Nachrichten dieses Gesprächs vergessen."),
    ];
    for (n, in_english, in_german) in cases {
        assert_eq!(say!(Language::ENGLISH, "clear-done", n = n), in_english);
        assert_eq!(say!(german(), "clear-done", n = n), in_german);
    }
    let asked = |language| say!(language, "turn-asked-times", steps = 1, corrections = 0);
    assert_eq!(asked(Language::ENGLISH), "1 time, 0 corrections");
    assert_eq!(asked(german()), "1 Mal, 0 Korrekturen");
    let cleaned = |n| say!(Language::ENGLISH, "clean-done", n = n);
    assert_eq!(cleaned(1), "One piece of made-up output was taken out of this reply.");
    assert_eq!(cleaned(3), "3 pieces of made-up output were taken out of this reply.");
}
