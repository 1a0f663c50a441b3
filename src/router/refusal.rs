//! What a person is told when nothing runs.

use crate::router::{Asked, Malformed, Route, Unknown, UnknownKind};
use crate::unicode::is_invisible;

/// The longest excerpt of untrusted text, in characters, with its ellipsis.
const EXCERPT_LENGTH_MAX: usize = 40;

/// The words for a route that neither runs nor chats; `None` for those that do, and for what is ignored.
pub fn refusal(route: &Route) -> Option<String> {
    match route {
        Route::Command(_) | Route::Chat(_) | Route::Ignore(_) => None,
        Route::UnknownCommand(unknown) => Some(unknown_text(unknown)),
        Route::Malformed(malformed) => Some(malformed_text(malformed)),
        Route::Unavailable(unavailable) => {
            Some(format!("`/{}` is unavailable: its module failed the start-up check.", excerpt(&unavailable.name)))
        }
    }
}

/// Untrusted text as it may be quoted in a reply: on one line, without what hides or ends the quotation, and
/// with an `@` that names nobody.
pub fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0;
    let mut visible = text.chars().filter(|&c| c.is_whitespace() || !(c == '`' || is_invisible(c))).peekable();
    while let Some(character) = visible.next() {
        if character.is_whitespace() {
            // A run of white space is one space.
            while visible.next_if(|next| next.is_whitespace()).is_some() {}
        }
        length += 1;
        if length == EXCERPT_LENGTH_MAX && visible.peek().is_some() {
            shown.push('…');
            break;
        }
        shown.push(match character {
            '@' => '＠',
            space if space.is_whitespace() => ' ',
            other => other,
        });
    }
    shown
}

fn unknown_text(unknown: &Unknown) -> String {
    let received = excerpt(&unknown.received);
    let text = match &unknown.kind {
        UnknownKind::Command => match one_of(&unknown.near, "or") {
            Some(near) => format!("Unknown command `{received}`. Did you mean {near}?"),
            None => format!("Unknown command `{received}`. `/help` lists what exists."),
        },
        UnknownKind::Subcommand => match one_of(&unknown.near, "and") {
            Some(exist) => format!("`{received}` does not exist. There is {exist}."),
            None => format!("`{received}` does not exist."),
        },
        UnknownKind::Stale { problem } => format!(
            "`{received}` did not run: {problem}. The command has changed and your app still shows an earlier form \
             of it. Restart or reload Discord and try again."
        ),
    };
    match unknown.asked {
        Asked::Typed => format!("{text} To talk about it, put a word in front of it."),
        Asked::Picked => text,
    }
}

fn malformed_text(malformed: &Malformed) -> String {
    let usage: Vec<_> = malformed.usage.iter().map(|line| format!("`{line}`")).collect();
    format!("`{}` did not run: {}. It is written like this:\n{}", malformed.path, malformed.problem, usage.join("\n"))
}

/// Names as a list in words; nothing if there are none.
fn one_of(names: &[String], last: &str) -> Option<String> {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last()? {
        (only, []) => Some(only.clone()),
        (end, others) => Some(format!("{} {last} {end}", others.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::{excerpt, refusal};
    use crate::contract::CommandPath;
    use crate::router::{Asked, Ignored, Malformed, Route, Unavailable, Unknown, UnknownKind};

    fn unknown(received: &str, kind: UnknownKind, near: &[&str], asked: Asked) -> Route {
        let near = near.iter().map(|&name| name.to_owned()).collect();
        Route::UnknownCommand(Unknown { received: received.to_owned(), looked_up: String::new(), kind, near, asked })
    }

    #[test]
    fn a_refusal_says_what_is_wrong_and_what_exists() {
        let stale = UnknownKind::Stale { problem: "it takes no `unit`".to_owned() };
        let cases = [
            (
                unknown("/staus", UnknownKind::Command, &["/status"], Asked::Typed),
                "Unknown command `/staus`. Did you mean `/status`? To talk about it, put a word in front of it.",
            ),
            (
                unknown("/staus", UnknownKind::Command, &["/a", "/b", "/c"], Asked::Picked),
                "Unknown command `/staus`. Did you mean `/a`, `/b` or `/c`?",
            ),
            (
                unknown("/x`@all\u{202e}", UnknownKind::Command, &[], Asked::Picked),
                "Unknown command `/x＠all`. `/help` lists what exists.",
            ),
            (
                unknown("/tasks x", UnknownKind::Subcommand, &["/tasks add", "/tasks done"], Asked::Picked),
                "`/tasks x` does not exist. There is `/tasks add` and `/tasks done`.",
            ),
            (unknown("/ops x", UnknownKind::Subcommand, &[], Asked::Picked), "`/ops x` does not exist."),
            (
                unknown("/status", stale, &[], Asked::Picked),
                "`/status` did not run: it takes no `unit`. The command has changed and your app still shows an \
                 earlier form of it. Restart or reload Discord and try again.",
            ),
            (
                Route::Malformed(Malformed {
                    path: CommandPath::new("tasks", Some("add")),
                    problem: "it needs `title`".to_owned(),
                    usage: vec!["/tasks add title: <text>".to_owned()],
                }),
                "`/tasks add` did not run: it needs `title`. It is written like this:\n`/tasks add title: <text>`",
            ),
            (
                Route::Unavailable(Unavailable { name: "weather".to_owned(), module: "weather".to_owned() }),
                "`/weather` is unavailable: its module failed the start-up check.",
            ),
        ];
        for (route, expected) in cases {
            assert_eq!(refusal(&route).as_deref(), Some(expected));
        }
        assert_eq!(refusal(&Route::Ignore(Ignored::NotAddressed)), None);
    }

    #[test]
    fn an_excerpt_is_short_and_cannot_leave_its_quotation() {
        let cases = [
            ("/status", "/status".to_owned()),
            ("a` @everyone\n\t b", "a ＠everyone b".to_owned()),
            ("a\u{200b}b\u{202e}c\u{e0041}\u{0}", "abc".to_owned()),
            (&"x".repeat(40), "x".repeat(40)),
            (&"é".repeat(41), format!("{}…", "é".repeat(39))),
            ("``", String::new()),
        ];
        for (text, expected) in cases {
            assert_eq!(excerpt(text), expected, "{text:?}");
        }
    }
}
