//! What holds for any settings: a place for every problem, and no secret in what is shown.

use proptest::prelude::*;

use super::settings::{NUMBERS, codes, read, told, with_number};
use candor_core::diagnostic::{full, json};

/// Ways to write a secret into the file, with the least number of problems each makes.
const LEAKS: [(usize, &str); 30] = [
    (1, "api_key = 'SECRET'"),
    (1, "[model]\nbase_url = 'http://127.0.0.1/v1'\nmodels = ['small']\napi_key = \"SECRET\""),
    (1, "[model]\nbase_url = 'http://127.0.0.1/v1'\nmodels = ['small']\n'Client-Secret' = '''\nSECRET\nSECRET'''"),
    (1, "model = { key = 'SECRET', base_url = 'http://127.0.0.1/v1', models = ['small'] }"),
    (2, "model = { base_url = 5, models = ['small'], key = 'SECRET' }"),
    (2, "discord = { proxy = 1, token = ['SECRET'] }"),
    (2, "[openai]\napiKey = 'SECRET'"),
    (1, "chat = { token = { value = 'SECRET' } }"),
    (1, "chat.write_tools = ['/x', 'https://ada:SECRET@example.org']"),
    (1, "chat = { token = { is = [{ in = 'SECRET' }] } }"),
    (2, "tokens = [{ password = 'SECRET' }]"),
    (2, "access = { operators = 'x', \"k\\u0065y\" = 'SECRET' }"),
    (1, "discord.proxy = 'http://bot:SECRET@127.0.0.1:3000'"),
    (1, "[model]\nmodels = ['small']\nbase_url = 'https://SECRET@example.org/v1'"),
    (1, "[status.metrics.cpu]\nsecret = 'SECRET'"),
    // From here on the file is not TOML.
    (1, "api_key = SECRET"),
    (1, "api_key = 'SECRET"),
    (1, "api_key: SECRET"),
    (1, "api_key SECRET"),
    (1, "[discord]\ntoken = 'a'\ntoken = 'SECRET'"),
    (1, "[discord]\nDISCORD_TOKEN='SECRET"),
    (1, "model = { key = 'SECRET', base_url = }"),
    (1, "key = \"\"\"\nSECRET\n= SECRET"),
    (1, "key =\n'SECRET'"),
    (1, "key = [\n'x',\nSECRET\n]"),
    (1, "key = { a = 1\nb = 'SECRET' ]"),
    (1, "# my key = SECRET \u{1}"),
    (1, "key = 1\nkey = ['x',\n'SECRET' 5]"),
    (1, "discord.proxy = http://bot:SECRET@127.0.0.1:3000"),
    (1, "proxy http://bot:SECRET@127.0.0.1:3000"),
];

#[test]
fn a_password_that_ends_like_a_secrets_name_is_never_shown() {
    let found = read("proxy http://bot:aA-_0-_aakey@127.0.0.1:3000").expect_err("no TOML");
    let terminal = full::render(&found, true);
    assert!(!terminal.contains("aA-_0"), "{terminal}");
}

proptest! {
    #[test]
    fn a_secret_is_never_shown(prefix in "(sk-|é)?", rest in "[A-Za-z0-9][A-Za-z0-9._-]{10,40}[A-Za-z0-9]") {
        let secret = format!("{prefix}{rest}");
        for (problems, text) in LEAKS {
            let text = text.replace("SECRET", &secret);
            let found = read(&text).expect_err(&text);
            prop_assert!(problems <= found.iter().count(), "{text}: {found:?}");
            let (terminal, program) = (full::render(&found, true), json::render(&found).to_string());
            for shown in [format!("{found:?}"), told(&found), terminal, program] {
                prop_assert!(!shown.contains(&rest), "{text}\n{shown}");
            }
        }
    }

    #[test]
    fn any_text_is_settings_or_problems(text in any::<String>()) {
        settings_or_problems(&text);
    }

    #[test]
    fn any_pieces_of_settings_are_settings_or_problems(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24),
    ) {
        settings_or_problems(&pieces.concat());
    }

    #[test]
    fn any_number_is_in_its_range_or_a_problem(which in 0..NUMBERS.len(), number in any::<i64>()) {
        let (key, first, last) = NUMBERS[which];
        prop_assert_eq!(codes(&with_number(key, number)).is_empty(), (first..=last).contains(&number));
    }
}

/// What settings are made of, whole and broken.
const PIECES: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "\n",
    " ",
    "#",
    "'",
    "\"",
    "\"\"\"",
    "\\",
    "\u{feff}",
    "é",
    "5",
    "-1",
    "0.5",
    "true",
    "1979-05-27",
    "[]",
    "'x'",
    "\"8\"",
    "\n[modules]\n",
    "\n[access]\n",
    "\n[status.metrics]\n",
    "\n[model]\n",
    "\n[chat]\n",
    "\n[chat.limits]\n",
    "\n[chat.budget]\n",
    "\n[guard]\n",
    "\npath = ",
    "\noperators = ",
    "\ncpu",
    "\nlabel = ",
    "\nbase_url = ",
    "'http://a:b@c'",
    "\nmodels = ",
    "\nhistory = ",
    "\nwrite_tools = ",
    "\ntoken = ",
    "\nlisten = ",
];

#[test]
fn deep_tables_are_no_problem() {
    let deep = "a.".repeat(100_000);
    for text in [
        format!("{deep}a = 1"),
        format!("[status.metrics.{deep}a]"),
        "[".repeat(100_000),
        format!("a = {}", "[".repeat(100_000)),
    ] {
        assert_ne!(codes(&text), []);
    }
}

/// Either settings, or at least one problem, each at a place that is there both in the file and in what is shown.
fn settings_or_problems(text: &str) {
    let Err(found) = read(text) else { return };
    assert_ne!(found.iter().count(), 0);
    for problem in found.iter() {
        let span = problem.place.span.clone();
        assert!(text.get(span.clone()).is_some(), "{text:?}: {problem:?}");
        assert!(problem.place.file.text.get(span).is_some(), "{text:?}: {problem:?}");
        assert_eq!(problem.place.file.text.len(), text.len());
    }
}
