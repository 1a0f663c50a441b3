//! One mistake is told once, with what to do, and nothing else is told beside it.

use super::{check_one, codes};
use candor_core::diagnostic::{Code, Diagnostic, SourceFile};
use candor_core::settings;

fn problems(text: &str) -> Vec<Diagnostic> {
    let file = SourceFile { path: "config.toml".to_owned(), text: text.to_owned() };
    settings::read_leniently(&file.into()).problems.iter().cloned().collect()
}

#[test]
fn a_header_that_is_not_closed_makes_nothing_below_it_unknown() {
    for text in [
        "[store\npath = \"x.db\"\n",
        "[store # where\npath = \"x.db\"\n[chat]\nhistory = 3\n",
        "[chat]\nhistory = 3\n[store\n\npath = \"x.db\"\n[store.keep\nturns_days = 3\n",
    ] {
        let found = problems(text);
        assert!(found.iter().all(|problem| problem.code == Code::ConfigSyntax), "{text}: {found:?}");
        assert_eq!(found.len(), text.matches('[').count() - text.matches(']').count(), "{text}: {found:?}");
    }
    // What is wrong below is still told, where it stands.
    let text = "[store\npaht = \"x.db\"\n";
    let found = problems(text);
    let [_, unknown] = found.as_slice() else { panic!("{found:?}") };
    let span = unknown.place.span.clone();
    assert_eq!((text.get(span), unknown.help.as_str()), (Some("paht"), "did you mean `path`?"));
    assert_eq!(unknown.message, "unknown key `paht` in `[store]`");

    let manifest = "[module\nname = \"weather\"\nsummary = \"The weather, live\"\n\n[commands.\"/status\"]\n\
                    description = \"Show it\"\nhandler = \"status\"\n";
    assert_eq!(codes(&check_one("weather", manifest).diagnostics), [Code::ManifestSyntax]);
}

#[test]
fn half_a_header_is_told_and_nothing_that_follows_from_it() {
    let manifest = "[module]\nname = \"forecast\"\nsummary = \"The weather to come\"\n\n\
                    [commands.\"/forecast\"]\ndescription = \"Tell it\"\nhandler = \"forecast\"\n\n\
                    [commands.\"/forecast\".options.city]\nlocalized.de = { name = \"ort\" }\n";
    assert_eq!(codes(&check_one("forecast", manifest).diagnostics), []);
    for (whole, half) in [
        ("[commands.\"/forecast\"]", "[commands"),
        ("[commands.\"/forecast\"]", "[commands # half"),
        ("[commands.\"/forecast\"]", "[commands.\"/forecast]"),
        ("[commands.\"/forecast\"]", "[commands.\"/forecast\""),
        ("[commands.\"/forecast\".options.city]", "[commands.\"/forecast\".options"),
        ("[commands.\"/forecast\".options.city]", "[commands.\"/forecast\".options.city"),
    ] {
        let found = check_one("forecast", &manifest.replace(whole, half)).diagnostics;
        assert_eq!(codes(&found), [Code::ManifestSyntax], "{half}");
    }
}

#[test]
fn a_path_with_backslashes_is_told_how_it_is_written() {
    for path in ["C:\\data\\new\\x.db", "C:\\users\\x.db", "\\\\server\\share"] {
        let text = format!("[store]\npath = \"{path}\"\n");
        let found = problems(&text);
        let [problem] = found.as_slice() else { panic!("{path}: {found:?}") };
        assert_eq!(problem.code, Code::ConfigSyntax);
        assert!(problem.help.contains("single quotes"), "{problem:?}");
        assert_eq!(problems(&text.replace('"', "'")), []);
    }
}

#[test]
fn an_id_that_cannot_be_one_of_discords_is_refused() {
    for (line, expected) in [
        ("access.operators = [12]", Some("access.operators` takes the ids of people, and 12 is not an id")),
        ("access.blocked = [\"9999999999999999\"]", Some("`access.blocked` takes the ids of people")),
        ("status.live_channels = [1]", Some("`status.live_channels` takes the ids of channels, and 1 is not an id")),
        ("access.operators = [80351110224678912, \"10000000000000000\"]", None),
        ("status.live_channels = [80351110224678912]", None),
    ] {
        let found = problems(line);
        assert_eq!(found.len(), usize::from(expected.is_some()), "{line}: {found:?}");
        for problem in found {
            assert_eq!(problem.code, Code::ConfigValueInvalid, "{line}");
            assert!(problem.message.contains(expected.unwrap_or_default()), "{line}: {}", problem.message);
            assert!(problem.help.contains("Developer Mode"), "{}", problem.help);
        }
    }
}
