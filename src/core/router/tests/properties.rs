//! Properties of the router on generated texts.
//!
//! What reads as a slash is defined here a second time, independently of the router.

#![expect(clippy::string_slice, reason = "a wrong index in a test is a failure of the test")]

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use super::fixture::{catalog, chosen, interaction, message};
use crate::contract::{CommandKind, fits};
use crate::inbound::{Addressed, AuthorKind, CommandType, Inbound, Message};
use crate::record::NotPlain;
use crate::registry::NameLookup as _;
use crate::router::{Route, UnknownKind, classify};
use crate::text::is_invisible;

const SLASHES: [char; 22] = [
    '/', '／', '⁄', '∕', '⧸', '╱', '⟋', '⁁', '᜵', '㇓', '〳', 'Ⳇ', 'ⳇ', '𝈺', '⫽', '⫻', '🙼', '⧶', '⹊', '\u{337}',
    '\u{338}', '\u{20eb}',
];
const SPACES: [char; 9] = [' ', '\t', '\n', '\r', '\u{85}', '\u{a0}', '\u{2003}', '\u{2028}', '\u{3000}'];
const INVISIBLE: [char; 14] = [
    '\0', '\u{1b}', '\u{7f}', '\u{ad}', '\u{34f}', '\u{61c}', '\u{200b}', '\u{200f}', '\u{202e}', '\u{2060}',
    '\u{2800}', '\u{3164}', '\u{fe0f}', '\u{feff}',
];
/// Marks that are stripped whatever follows.
const MARKS: [&str; 23] = [
    ">**", "**", "***", "* ", "__", "~~", "`", "```", "||", "# ", "### ", "- ", "-# ", "1. ", "23) ", "\\", "\"", "'",
    "“", "„", "«", "「", "＂",
];
/// Marks, and parts of them, that are stripped only where something else follows or stands in front.
const ODD: [&str; 37] = [
    "*",
    "_",
    "~",
    "|",
    "#",
    "-",
    "-#",
    "1",
    ".",
    ")",
    "[",
    "](",
    "@",
    "<#",
    "<:",
    "<a:",
    "<t:",
    "x:",
    "1>",
    "status",
    "/status",
    "<",
    ">",
    "42",
    "!",
    "> ",
    ">>> ",
    "</status:1>",
    "sh\n",
    "≯",
    "¨",
    "´",
    "\u{301}",
    "\u{20e3}",
    "ノ",
    "½",
    "a",
];
const MENTIONS: [&str; 11] =
    ["<@42>", "<@!42>", "<@5>", "<@!6>", "<@&7>", "<#8>", "<:x:9>", "<a:x:9>", "<t:10>", "<t:10:R>", "<id:guide>"];

/// Something that may precede a slash without hiding it.
fn prefix() -> impl Strategy<Value = String> {
    let quoted = "[a-z/ *é<@>]{0,12}".prop_map(|line| format!("\n> {line}\n"));
    let at_name = "[a-z/*é<@>.-]{1,6}".prop_map(|name| format!("@{name} "));
    let piece = prop_oneof![
        select(&SPACES[..]).prop_map(String::from),
        select(&INVISIBLE[..]).prop_map(String::from),
        select(&MARKS[..]).prop_map(str::to_owned),
        select(&MENTIONS[..]).prop_map(str::to_owned),
        at_name,
        quoted,
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Something that may follow a slash: a command's name or anything else.
fn behind_slash() -> impl Strategy<Value = String> {
    let known = select(&["status", "tasks", "tasks add", "restart", "größe", "weather", "help"][..]);
    prop_oneof![
        any::<String>(),
        known.clone().prop_map(str::to_owned),
        (known, any::<String>()).prop_map(|(a, b)| a.to_owned() + &b)
    ]
}

/// A slash with something before and after it.
fn slash_text() -> impl Strategy<Value = String> {
    (prefix(), behind_slash()).prop_map(|(prefix, behind)| format!("{prefix}/{behind}"))
}

/// Texts with many characters that the router treats specially.
fn tricky() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        select(&SLASHES[..]).prop_map(String::from),
        select(&SPACES[..]).prop_map(String::from),
        select(&INVISIBLE[..]).prop_map(String::from),
        select(&MARKS[..]).prop_map(str::to_owned),
        select(&MENTIONS[..]).prop_map(str::to_owned),
        select(&ODD[..]).prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

/// A text in all its forms: as it is, NFC, NFD, NFKC, NFKD.
fn forms(text: &str) -> [String; 5] {
    let (composed, decomposed) = (text.nfc().collect(), text.nfd().collect());
    [text.to_owned(), composed, decomposed, text.nfkc().collect(), text.nfkd().collect()]
}

/// Whether a text is slash text: the independent definition.
fn reads_as_slash(text: &str) -> bool {
    let text: String = text.nfkd().collect();
    let rest = match left(&text, true) {
        "" => left(&text, false),
        rest => rest,
    };
    rest.starts_with(SLASHES) || is_command_mention(rest)
}

/// What is left of a text when everything is stripped, with quoted lines or without.
fn left(text: &str, drops_quotes: bool) -> &str {
    let mut rest = text;
    loop {
        let before = text.strip_suffix(rest).unwrap();
        let starts_line = before.rsplit('\n').next().unwrap().chars().all(|c| c == ' ');
        let unquoted = if drops_quotes && starts_line { without_quoted_line(rest) } else { None };
        let strips = [without_pill, without_at_name, without_fence, without_emphasis, without_line_mark, without_mark];
        match unquoted.or_else(|| strips.iter().find_map(|strip| strip(rest))) {
            Some(shorter) => rest = shorter,
            None => return rest,
        }
    }
}

/// Whether nothing but white space and mentions of the bot stands before a real slash.
fn is_plain(text: &str) -> bool {
    let rest = text.trim_start();
    let behind = ["<@42>", "<@!42>"].iter().find_map(|mention| rest.strip_prefix(mention));
    behind.map_or(rest.starts_with('/'), is_plain)
}

fn without_pill(text: &str) -> Option<&str> {
    let (inside, behind) = text.strip_prefix('<')?.split_once('>')?;
    let fields = ["@!", "@&", "@", "#", ":", "a:", "t:", "id:"].iter().find_map(|kind| inside.strip_prefix(kind))?;
    let fields: Vec<_> = fields.split(':').collect();
    let is_field = |f: &&str| !f.is_empty() && f.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (fields.len() <= 2 && fields.iter().all(is_field)).then_some(behind)
}

fn without_at_name(text: &str) -> Option<&str> {
    let name = text.strip_prefix('@')?;
    let behind = name.trim_start_matches(|c: char| !c.is_whitespace());
    (behind != name).then_some(behind)
}

fn without_quoted_line(text: &str) -> Option<&str> {
    let (line, next_lines) = text.split_once('\n').unwrap_or((text, ""));
    let quotes =
        |opening| line.strip_prefix(opening).is_some_and(|inside: &str| inside.starts_with(char::is_whitespace));
    match (quotes(">"), quotes(">>>")) {
        (true, _) => Some(next_lines),
        (false, true) => Some(""),
        (false, false) => None,
    }
}

fn without_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.trim_start_matches('`');
    let behind_word = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_+-.#".contains(c));
    Some(behind_word.strip_prefix('\n').unwrap_or(inside))
}

/// Emphasis and the words of a link, if they are closed; what is struck or hidden, in pairs of marks.
fn without_emphasis(text: &str) -> Option<&str> {
    let mark = text.chars().next().filter(|&mark| "*_~|[".contains(mark))?;
    let behind = text.trim_start_matches(mark);
    let times = text.len() - behind.len();
    let closes = |(before, _): (&str, &str)| before.ends_with(|last: char| !last.is_whitespace());
    let splits = || behind.match_indices(mark).map(|(at, _)| behind.split_at(at));
    let is_mark = match mark {
        '~' | '|' => times.is_multiple_of(2),
        '[' => return text.strip_prefix('[').filter(|inside| inside.contains("](")),
        _ if 2 <= times => true,
        _ => splits().any(closes) || mark == '*' && starts_with_space(behind),
    };
    is_mark.then_some(behind)
}

fn without_line_mark(text: &str) -> Option<&str> {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match ["-#", "-", "###", "##", "#"].iter().find_map(|mark| text.strip_prefix(mark)) {
        None if number != text => number.strip_prefix(['.', ')'])?,
        behind => behind?,
    };
    starts_with_space(behind).then_some(behind)
}

fn starts_with_space(text: &str) -> bool {
    text.starts_with(|c: char| c.is_whitespace() && c != '\n')
}

fn without_mark(text: &str) -> Option<&str> {
    let first = text.chars().next().filter(|first| !SLASHES.contains(first))?;
    let mark = "`>\\\"'".contains(first) || "«»‘’‚‛“”„‟‹›⹂「」『』〝〞〟".contains(first);
    let category = first.general_category();
    let combines = matches!(category, GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark);
    (mark || combines || first.is_whitespace() || is_invisible(first)).then(|| text.strip_prefix(first))?
}

fn is_command_mention(text: &str) -> bool {
    let inside = text.strip_prefix("</").and_then(|inside| inside.split_once('>')).map(|(inside, _)| inside);
    let id = inside.and_then(|inside| inside.rsplit_once(':')).map(|(_, id)| id);
    id.is_some_and(|id| !id.is_empty() && id.chars().all(|digit| digit.is_ascii_digit()))
}

/// Whether a line outside of code blocks is the command that [`ODD`] may make, with its argument or without, behind
/// nothing but mentions, names and marks of lines.
fn has_command_line(text: &str) -> bool {
    let blocks = blocks(text);
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    starts.filter(|start| !blocks.iter().any(|(from, to)| from < start && start < to)).any(|start| {
        let line = text[start..].split('\n').next().unwrap();
        let slashes = line.match_indices('/');
        slashes.map(|(at, _)| line.split_at(at)).filter(|(before, _)| may_stand_before(before)).any(|(_, command)| {
            let name = command[1..].split(char::is_whitespace).next().unwrap();
            let name: String = name.chars().filter(|&c| !is_invisible(c)).collect();
            name == "status" && !matches!(typed(command), Route::Malformed(_))
        })
    })
}

/// Whether all of this, in front of a slash, is white space, mentions, names and marks of lines.
fn may_stand_before(before: &str) -> bool {
    let text: String = before.nfkd().chain(['/']).collect();
    let mut rest = text.as_str();
    loop {
        rest = rest.trim_start();
        let name = rest.strip_prefix('@').and_then(|name| name.strip_suffix(" /"));
        if rest == "/" || name.is_some_and(|name| name.contains(' ') && name.chars().count() <= 32) {
            return true;
        }
        match [without_pill, without_line_mark, without_at_name].iter().find_map(|strip| strip(rest)) {
            Some(shorter) => rest = shorter,
            None => return false,
        }
    }
}

/// Where closed code blocks begin and end: three or more backticks, outside of other code and not escaped.
fn blocks(text: &str) -> Vec<(usize, usize)> {
    let run = |at: usize| text[at..].len() - text[at..].trim_start_matches('`').len();
    let next = |from: usize, fits: &dyn Fn(usize) -> bool| {
        let mut at = from;
        while let Some(found) = text[at..].find('`') {
            let length = run(at + found);
            if fits(length) {
                return Some(at + found + length);
            }
            at += found + length;
        }
        None
    };
    let (mut blocks, mut at) = (Vec::new(), 0);
    while let Some(found) = text[at..].find('`') {
        let (start, length) = (at + found, run(at + found));
        let is_escaped = text[..start].chars().rev().take_while(|&c| c == '\\').count() % 2 == 1;
        let behind = start + length;
        at = match length {
            _ if is_escaped => behind,
            3.. => next(behind, &|other| 3 <= other).unwrap_or(text.len()),
            _ => next(behind, &|other| other == length).unwrap_or(behind),
        };
        if 3 <= length && !is_escaped && text[behind..at].ends_with("```") {
            blocks.push((start, at));
        }
    }
    blocks
}

fn typed(text: &str) -> Route {
    classify(&Inbound::Message(message(text)), &catalog(false))
}

fn any_message() -> impl Strategy<Value = Message> {
    let author =
        select(&[AuthorKind::Person, AuthorKind::Bot, AuthorKind::Webhook, AuthorKind::Itself, AuthorKind::Notice][..]);
    let addressed = select(&[Addressed::Mention, Addressed::Direct, Addressed::Reply, Addressed::No][..]);
    let text = prop_oneof![any::<String>(), tricky(), behind_slash().prop_map(|behind| format!("/{behind}"))];
    (author, addressed, text).prop_map(|(author, addressed, text)| Message { author, addressed, ..message(&text) })
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        select(&["bits", "bytes"][..]).prop_map(Value::from),
        select(vec![json!({"id": "5"}), json!({"type": "role", "id": "5"}), json!({"id": 5})]),
        (0.0..1.0).prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{0,4}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_interaction() -> impl Strategy<Value = Inbound> {
    let known = select(
        &[
            "status",
            "tasks add",
            "tasks done",
            "tasks",
            "measure",
            "restart",
            "secrets x",
            "weather",
            "club x",
            "club member add",
            "club member drop",
            "club member x",
            "club member",
        ][..],
    );
    let known = known.prop_map(|path| path.split(' ').map(str::to_owned).collect::<Vec<_>>());
    let path = prop_oneof![4 => known, 1 => prop::collection::vec(any::<String>(), 0..4)];
    let option = select(&["metric", "title", "task", "unit", "share", "exact", "person", "fee", "whom"][..]);
    let key = prop_oneof![8 => option.prop_map(str::to_owned), 1 => any::<String>()];
    let arguments = prop::collection::btree_map(key, any_json(), 0..3);
    let picked = (path, arguments).prop_map(|(path, arguments)| {
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        interaction(&path, arguments.into_iter().collect::<Map<_, _>>())
    });
    let menu = select(&[CommandType::UserMenu, CommandType::MessageMenu][..]);
    let entry = prop_oneof![select(&["Show profile", "Report", "Cloud"][..]).prop_map(str::to_owned), any::<String>()];
    let in_menu = (menu, entry, prop::option::of(any_json()));
    prop_oneof![4 => picked, 1 => in_menu.prop_map(|(menu, entry, target)| chosen(menu, &entry, target))]
}

fn any_inbound() -> impl Strategy<Value = Inbound> {
    prop_oneof![any_message().prop_map(Inbound::Message), any_interaction()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn a_slash_is_never_chat_whatever_stands_before_it(
        prefix in prefix(),
        slash in select(&SLASHES[..]),
        behind in behind_slash(),
    ) {
        for text in forms(&format!("{prefix}{slash}{behind}")) {
            prop_assert!(reads_as_slash(&text), "the second account disagrees on {text:?}");
            let route = typed(&text);
            prop_assert!(!matches!(route, Route::Chat(_) | Route::Ignore(_)), "{text:?} is {}", route.name());
        }
    }

    #[test]
    fn both_accounts_of_what_reads_as_a_slash_agree(text in prop_oneof![tricky(), any::<String>()]) {
        for text in forms(&text) {
            let refused_or_run = !matches!(typed(&text), Route::Chat(_) | Route::Named(_) | Route::Ignore(_));
            prop_assert_eq!(refused_or_run, reads_as_slash(&text) || has_command_line(&text), "{:?}", text);
        }
    }

    #[test]
    fn only_plain_slash_text_runs(text in prop_oneof![tricky(), slash_text()]) {
        for text in forms(&text) {
            let route = typed(&text);
            prop_assert!(is_plain(&text) || !matches!(route, Route::Command(_)), "{text:?} is {}", route.name());
            let is_refused_as_not_plain = matches!(route, Route::NotPlain { .. });
            prop_assert!(!is_refused_as_not_plain || !is_plain(&text), "{text:?} is {}", route.name());
        }
    }

    #[test]
    fn a_line_that_is_a_command_never_runs_and_is_never_chat(
        above in "[a-zäß?.][a-z/ `>\\n]{0,20}",
        line in select(&["/status", " /status cpu\r", "<@42> /tasks list", "/tasks done 3", "/größe"][..]),
        below in "(\\n[a-z/ `>\\n]{0,20})?",
    ) {
        let text = format!("{above}\n{line}{below}");
        let is_in_code = blocks(&text).iter().any(|&(from, to)| (from..to).contains(&above.len()));
        let route = typed(&text);
        if is_in_code {
            prop_assert!(matches!(route, Route::Chat(_)) || has_command_line(&text));
            return Ok(());
        }
        prop_assert!(matches!(route, Route::NotPlain { why: NotPlain::Below, .. }), "{}", route.name());
        let alone = typed(&above);
        let is_chat = matches!(&alone, Route::Chat(words) if words.as_str() == above.trim_end());
        prop_assert!(is_chat || matches!(alone, Route::Named(_)), "{}", alone.name());
    }

    #[test]
    fn no_line_of_several_messages_of_chat_is_a_command(first in prop_oneof![tricky(), any::<String>()], next in tricky()) {
        if let (Route::Chat(first), Route::Chat(next)) = (typed(&first), typed(&next)) {
            let both = first.clone().followed_by(&next);
            // A block that one message leaves open may end in the next, for the model alone.
            prop_assert!(both.as_str().contains("```") || !has_command_line(both.as_str()), "{:?}", both);
            prop_assert_eq!(both.as_str(), format!("{}\n{}", first.as_str(), next.as_str()));
        }
    }

    #[test]
    fn a_name_that_is_not_registered_never_runs(prefix in prefix(), name in "[a-zA-Z0-9_/@.é-]{0,12}") {
        let known = ["help", "status", "measure", "größe", "restart"].contains(&name.nfc().collect::<String>().as_str());
        let route = typed(&format!("{prefix}/{name}"));
        prop_assert!(known || !matches!(route, Route::Command(_)), "{name:?} is {}", route.name());
    }

    #[test]
    fn an_inbound_has_one_route(inbound in any_inbound()) {
        prop_assert_eq!(classify(&inbound, &catalog(false)), classify(&inbound, &catalog(false)));
    }

    #[test]
    fn an_interaction_is_never_chat(inbound in any_interaction()) {
        let route = classify(&inbound, &catalog(false));
        prop_assert!(!matches!(route, Route::Chat(_) | Route::Ignore(_)), "{}", route.name());
    }

    #[test]
    fn the_arguments_of_a_command_fit_it(inbound in any_inbound()) {
        let names = catalog(true);
        if let Route::Command(run) = classify(&inbound, &names) {
            let command = match run.path.command_type() {
                CommandType::Slash => names.registry().command(run.path.command()).unwrap(),
                menu => names.registry().menu(menu, run.path.command()).unwrap(),
            };
            let leaf = command.leaf(&run.path).unwrap();
            for (name, value) in &run.arguments {
                prop_assert_eq!(fits(&leaf.option(name).unwrap().kind, value), Ok(()));
            }
            for option in &leaf.options {
                prop_assert!(!option.required || run.arguments.contains_key(&option.name));
            }
        }
    }

    #[test]
    fn near_names_are_usable(inbound in any_inbound(), operator in any::<bool>()) {
        let names = catalog(operator);
        if let Route::UnknownCommand(unknown) = classify(&inbound, &names) {
            for near in &unknown.near {
                let words: Vec<_> = near.strip_prefix('/').unwrap().split(' ').collect();
                let command = names.commands().find(|command| command.name == words[0]);
                let Some(command) = command else { return Err(TestCaseError::fail(format!("{near} is not usable"))) };
                if let (UnknownKind::Subcommand, CommandKind::Parent { subcommands, groups }) = (&unknown.kind, &command.kind) {
                    let exists = match &words[1..] {
                        [word] => subcommands.iter().any(|known| known.name == *word)
                            || groups.iter().any(|known| known.name == *word),
                        [group, word] => groups.iter().any(|known| {
                            known.name == *group && known.subcommands.iter().any(|known| known.name == *word)
                        }),
                        _ => false,
                    };
                    prop_assert!(exists, "{} does not exist", near);
                }
            }
        }
    }
}

/// Every character that has another normal form, before a name and before a slash.
#[test]
fn every_normal_form_of_a_character_is_decided_alike() {
    let is_slash_text = |text: &str| !matches!(typed(text), Route::Chat(_) | Route::Named(_) | Route::Ignore(_));
    let changes = |character: &char| std::iter::once(*character).nfkd().ne([*character]);
    let latin_to_symbols = '\0'..='\u{abff}';
    let compatibility = '\u{f900}'..='\u{1ffff}';
    for character in latin_to_symbols.chain(compatibility).filter(changes) {
        for text in [format!("{character}status"), format!("{character}/status")] {
            let [written, others @ ..] = forms(&text);
            for other in others {
                assert_eq!(is_slash_text(&written), is_slash_text(&other), "{written:?} and {other:?}");
            }
        }
    }
}
