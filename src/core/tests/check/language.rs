//! The catalogue of the bot's own sentences: whole in every language, and used as it is written.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use fluent_bundle::FluentResource;

use candor_core::access::Denied;
use candor_core::inbound::{CallMethod, CommandPath, CommandType};
use candor_core::language::{Language, say};
use candor_core::record::NotPlain;
use candor_core::router::{Malformed, Route, Unavailable, Unknown, UnknownKind, refusal};

/// A message of a language file: its name, and the variables in its text.
type Messages = BTreeMap<String, BTreeSet<String>>;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("language")
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

/// Every sentence that the code says, of the core and of what stands on it: the file, the name of the message, and the
/// whole call.
fn said() -> Vec<(String, String, String)> {
    let mut said = Vec::new();
    for file in sources(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()) {
        let text = fs::read_to_string(&file).unwrap();
        for (at, _) in text.match_indices("say!(").chain(text.match_indices("sentence!(")) {
            let call = call(text.get(at..).unwrap());
            let Some(name) = call.split('"').nth(1) else { continue };
            said.push((file.display().to_string(), name.to_owned(), call.to_owned()));
        }
    }
    said
}

/// The source files but those of tests: what a test alone says is not said.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.file_stem().is_some_and(|name| name != "tests"));
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
fn every_denial_has_its_own_sentence() {
    let path = CommandPath::new("tasks", Some("add"));
    for language in Language::all() {
        let cases = [
            (Denied::Blocked, say!(language, "denied-blocked", command = "/tasks add")),
            (Denied::OperatorsOnly, say!(language, "denied-operators-only", command = "/tasks add")),
            (Denied::Gone, say!(language, "denied-gone", command = "/tasks add")),
            (Denied::NotATool, say!(language, "denied-not-a-tool", command = "/tasks add")),
            (Denied::NotConfirmed, say!(language, "denied-not-confirmed", command = "/tasks add")),
        ];
        for (denied, expected) in cases {
            assert_eq!(denied.text(&path, language), expected);
        }
    }
}

fn unknown(received: &str, kind: UnknownKind, near: &[&str], method: CallMethod) -> Route {
    let near = near.iter().map(|&name| name.to_owned()).collect();
    Route::UnknownCommand(Unknown { received: received.to_owned(), looked_up: String::new(), kind, near, method })
}

#[test]
fn every_refusal_of_the_router_has_its_own_sentence() {
    for language in Language::all() {
        let near_one = say!(language, "unknown-command-near", command = "/staus", near = "`/status`");
        let either = say!(language, "list-or", others = "`/a`, `/b`", last = "`/c`");
        let both = say!(language, "list-and", others = "`/tasks add`", last = "`/tasks done`");
        let usage = say!(language, "command-malformed", command = "/tasks add", problem = "no `title`");
        let not_plain = say!(language, "not-plain", command = "/tasks add", why = "code");
        let cases = [
            (unknown("/staus", UnknownKind::Command, &["/status"], CallMethod::Typed), near_one),
            (
                unknown("/staus", UnknownKind::Command, &["/a", "/b", "/c"], CallMethod::Picked),
                say!(language, "unknown-command-near", command = "/staus", near = either),
            ),
            (
                unknown("/x`@all", UnknownKind::Command, &[], CallMethod::Picked),
                say!(language, "unknown-command", command = "/x＠all"),
            ),
            (
                unknown("/tasks x", UnknownKind::Subcommand, &["/tasks add", "/tasks done"], CallMethod::Picked),
                say!(language, "unknown-subcommand-near", command = "/tasks x", exist = both),
            ),
            (
                unknown("/ops x", UnknownKind::Subcommand, &[], CallMethod::Picked),
                say!(language, "unknown-subcommand", command = "/ops x"),
            ),
            (
                Route::Malformed(Malformed {
                    path: CommandPath::new("tasks", Some("add")),
                    problem: "no `title`".to_owned(),
                    usage: vec!["/tasks add title: <text>".to_owned()],
                    near: None,
                }),
                format!("{usage}\n`/tasks add title: <text>`"),
            ),
            (
                Route::NotPlain { path: CommandPath::new("tasks", Some("add")), why: NotPlain::Code },
                format!("{not_plain} {}", say!(language, "unknown-typed")),
            ),
            (
                Route::Unavailable(Unavailable {
                    command_type: CommandType::Slash,
                    name: "weather".to_owned(),
                    module: "weather".to_owned(),
                    code: None,
                }),
                say!(language, "command-unavailable", command = "/weather"),
            ),
            (
                Route::Unavailable(Unavailable {
                    command_type: CommandType::Slash,
                    name: "weather soon".to_owned(),
                    module: "weather".to_owned(),
                    code: None,
                }),
                say!(language, "subcommand-unavailable", command = "/weather soon"),
            ),
        ];
        for (route, expected) in cases {
            assert_eq!(refusal(&route, language), Some(expected));
        }
    }
}
