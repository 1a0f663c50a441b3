//! Messages for routes where nothing runs.

use crate::inbound::CallMethod;
use crate::language::{Language, say};
use crate::router::{Malformed, Named, Route, Unknown, UnknownKind};
use crate::text::excerpt;

/// Returns the message for a route that neither runs a command nor chats; `None` for those that do, and for ignored
/// ones.
pub fn refusal(route: &Route, language: Language) -> Option<String> {
    match route {
        Route::Command(_) | Route::Modal(_) | Route::Chat(_) | Route::Ignore(_) => None,
        Route::UnknownCommand(unknown) => Some(unknown_text(unknown, language)),
        Route::NotPlain { path, why } => {
            let text = say!(language, "not-plain", command = path.to_string(), why = why.name());
            Some(format!("{text} {}", say!(language, "unknown-typed")))
        }
        Route::Malformed(malformed) => Some(malformed_text(malformed, language)),
        Route::Named(Named { instead: Some(route), .. }) => refusal(route, language),
        Route::Named(named) => {
            let text = say!(language, "named-command", command = named.path.to_string());
            let usage = named.usage.iter().map(|line| format!("`{line}`"));
            Some(std::iter::once(text).chain(usage).collect::<Vec<_>>().join("\n"))
        }
        Route::Unavailable(unavailable) => {
            let command = excerpt(&unavailable.shown());
            let text = match unavailable.is_below() {
                true => say!(language, "subcommand-unavailable", command = command),
                false => say!(language, "command-unavailable", command = command),
            };
            Some(match unavailable.code {
                Some(code) => format!("{text} {}", say!(language, "unavailable-code", code = code.name())),
                None => text,
            })
        }
    }
}

fn unknown_text(unknown: &Unknown, language: Language) -> String {
    match (unknown.method, &unknown.kind) {
        // The person typed a value that does not fit.
        (CallMethod::Submitted, UnknownKind::Stale { problem }) => {
            let command = unknown.received.as_str();
            return say!(language, "modal-misfit", command = command, problem = problem.as_str());
        }
        (CallMethod::Pressed | CallMethod::Submitted, kind) => return out_of_date(&unknown.received, kind, language),
        _ => {}
    }
    let received = excerpt(&unknown.received);
    let text = match &unknown.kind {
        UnknownKind::Command => match any_of(&unknown.near, language) {
            Some(near) => say!(language, "unknown-command-near", command = received, near = near),
            None => say!(language, "unknown-command", command = received),
        },
        UnknownKind::OfChat => say!(language, "command-of-chat", command = received),
        UnknownKind::ChatOnly => say!(language, "command-chat-only", command = received),
        UnknownKind::Subcommand => match all_of(&unknown.near, language) {
            Some(exist) => say!(language, "unknown-subcommand-near", command = received, exist = exist),
            None => say!(language, "unknown-subcommand", command = received),
        },
        UnknownKind::ContextMenuCommand => say!(language, "menu-command-unknown", name = received),
        UnknownKind::Stale { problem } => {
            say!(language, "command-changed", command = received, problem = problem.as_str())
        }
    };
    // A near command means that the typed command was misspelled.
    match unknown.method == CallMethod::Typed && unknown.near.is_empty() {
        true => format!("{text} {}", say!(language, "unknown-typed")),
        false => text,
    }
}

fn malformed_text(malformed: &Malformed, language: Language) -> String {
    let usage: Vec<_> = malformed.usage.iter().map(|line| format!("`{line}`")).collect();
    let command = malformed.path.to_string();
    let problem = malformed.problem.as_str();
    let mut lines = match usage.is_empty() {
        true => vec![say!(language, "command-malformed-alone", command = command, problem = problem)],
        false => vec![say!(language, "command-malformed", command = command, problem = problem)],
    };
    lines.extend(usage);
    lines.extend(malformed.near.as_ref().map(|near| say!(language, "command-malformed-near", near = near.as_str())));
    lines.join("\n")
}

/// Returns the message for a component or modal whose command is gone or has changed.
fn out_of_date(command: &str, kind: &UnknownKind, language: Language) -> String {
    match kind {
        UnknownKind::OfChat => say!(language, "command-of-chat", command = command),
        UnknownKind::ChatOnly => say!(language, "command-chat-only", command = command),
        UnknownKind::Command | UnknownKind::Subcommand | UnknownKind::ContextMenuCommand => {
            say!(language, "control-gone", command = command)
        }
        UnknownKind::Stale { problem } => {
            say!(language, "control-stale", command = command, problem = problem.clone())
        }
    }
}

/// Joins names as a choice ("a or b"); `None` for an empty list.
fn any_of(names: &[String], language: Language) -> Option<String> {
    match quoted(names)? {
        (only, None) => Some(only),
        (last, Some(others)) => Some(say!(language, "list-or", others = others, last = last)),
    }
}

/// Joins names as a list ("a and b"); `None` for an empty list.
fn all_of(names: &[String], language: Language) -> Option<String> {
    match quoted(names)? {
        (only, None) => Some(only),
        (last, Some(others)) => Some(say!(language, "list-and", others = others, last = last)),
    }
}

/// Returns the last name, and those before it.
fn quoted(names: &[String]) -> Option<(String, Option<String>)> {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let (last, others) = quoted.split_last()?;
    Some((last.clone(), (!others.is_empty()).then(|| others.join(", "))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::refusal;
    use crate::diagnostic::Code;
    use crate::inbound::{CallMethod, CommandPath, CommandType};
    use crate::language::{Language, say};
    use crate::record::NotPlain;
    use crate::router::{Ignored, Malformed, Route, Unavailable, Unknown, UnknownKind};

    const EN: Language = Language::ENGLISH;

    fn unknown(received: &str, kind: UnknownKind, near: &[&str], method: CallMethod) -> Route {
        let near = near.iter().map(|&name| name.to_owned()).collect();
        Route::UnknownCommand(Unknown { received: received.to_owned(), looked_up: String::new(), kind, near, method })
    }

    #[test]
    fn a_refusal_says_what_is_wrong_and_what_exists() {
        let stale = UnknownKind::Stale { problem: "it is new".to_owned() };
        let typed = say!(EN, "unknown-typed");
        let cases = [
            (
                unknown("/staus", UnknownKind::Command, &["/status"], CallMethod::Typed),
                say!(EN, "unknown-command-near", command = "/staus", near = "`/status`"),
            ),
            (
                unknown("/home/ada", UnknownKind::Command, &[], CallMethod::Typed),
                format!("{} {typed}", say!(EN, "unknown-command", command = "/home/ada")),
            ),
            (
                unknown("/staus", UnknownKind::Command, &["/a", "/b", "/c"], CallMethod::Picked),
                say!(
                    EN,
                    "unknown-command-near",
                    command = "/staus",
                    near = say!(EN, "list-or", others = "`/a`, `/b`", last = "`/c`")
                ),
            ),
            (
                unknown("/model", UnknownKind::OfChat, &["/help"], CallMethod::Picked),
                say!(EN, "command-of-chat", command = "/model"),
            ),
            (
                unknown("/model", UnknownKind::OfChat, &[], CallMethod::Pressed),
                say!(EN, "command-of-chat", command = "/model"),
            ),
            (
                unknown("/search", UnknownKind::ChatOnly, &[], CallMethod::Picked),
                say!(EN, "command-chat-only", command = "/search"),
            ),
            (
                unknown("/search", UnknownKind::ChatOnly, &[], CallMethod::Pressed),
                say!(EN, "command-chat-only", command = "/search"),
            ),
            (
                unknown("/x`@all\u{202e}", UnknownKind::Command, &[], CallMethod::Picked),
                say!(EN, "unknown-command", command = "/x＠all"),
            ),
            (
                unknown("/tasks x", UnknownKind::Subcommand, &["/tasks add", "/tasks done"], CallMethod::Picked),
                say!(
                    EN,
                    "unknown-subcommand-near",
                    command = "/tasks x",
                    exist = say!(EN, "list-and", others = "`/tasks add`", last = "`/tasks done`")
                ),
            ),
            (
                unknown("/ops x", UnknownKind::Subcommand, &[], CallMethod::Picked),
                say!(EN, "unknown-subcommand", command = "/ops x"),
            ),
            (
                unknown("/status", stale, &[], CallMethod::Picked),
                say!(EN, "command-changed", command = "/status", problem = "it is new"),
            ),
            (
                Route::Malformed(Malformed {
                    path: CommandPath::new("tasks", Some("add")),
                    problem: "it has no title".to_owned(),
                    usage: vec!["/tasks add title: <text>".to_owned()],
                    near: None,
                }),
                format!(
                    "{}\n`/tasks add title: <text>`",
                    say!(EN, "command-malformed", command = "/tasks add", problem = "it has no title")
                ),
            ),
            (
                Route::Malformed(Malformed {
                    path: CommandPath::new("status", None),
                    problem: "it has no such option".to_owned(),
                    usage: vec!["/status".to_owned()],
                    near: Some("/alerts".to_owned()),
                }),
                format!(
                    "{}\n`/status`\n{}",
                    say!(EN, "command-malformed", command = "/status", problem = "it has no such option"),
                    say!(EN, "command-malformed-near", near = "/alerts")
                ),
            ),
            (
                Route::NotPlain { path: CommandPath::new("tasks", Some("add")), why: NotPlain::Code },
                format!("{} {typed}", say!(EN, "not-plain", command = "/tasks add", why = "code")),
            ),
            (
                Route::Unavailable(Unavailable {
                    command_type: CommandType::Slash,
                    name: "weather".to_owned(),
                    module: "weather".to_owned(),
                    code: Some(Code::HandlerNotFound),
                }),
                format!(
                    "{} {}",
                    say!(EN, "command-unavailable", command = "/weather"),
                    say!(EN, "unavailable-code", code = "handler-not-found")
                ),
            ),
            (
                Route::Unavailable(Unavailable {
                    command_type: CommandType::UserMenu,
                    name: "Show weather".to_owned(),
                    module: "weather".to_owned(),
                    code: None,
                }),
                say!(EN, "command-unavailable", command = "Show weather"),
            ),
            (
                unknown("Report`", UnknownKind::ContextMenuCommand, &[], CallMethod::Picked),
                say!(EN, "menu-command-unknown", name = "Report"),
            ),
        ];
        for (route, expected) in cases {
            assert_eq!(refusal(&route, EN), Some(expected));
        }
        assert_eq!(refusal(&Route::Ignore(Ignored::NotAddressed), EN), None);
    }

    #[test]
    fn each_way_to_be_not_plain_has_words_of_its_own_in_every_language() {
        for language in Language::all() {
            let said =
                |&why: &NotPlain| refusal(&Route::NotPlain { path: CommandPath::new("status", None), why }, language);
            let distinct: BTreeSet<_> = NotPlain::ALL.iter().map(said).collect();
            assert_eq!(distinct.len(), NotPlain::ALL.len(), "{language}");
        }
    }
}
