//! Messages: commands, refusals, chat, and what is not for the bot.

use std::time::UNIX_EPOCH;

use super::fixture::{catalog, message, shown, typed};
use crate::inbound::{
    Addressed, AttachedFile, AuthorKind, CameWith, EventId, GoOn, Inbound, MentionedPerson, Message, Quoted,
    QuotedAuthor, QuotedMessage, UserId,
};
use crate::language::{Language, say};
use crate::router::{Ignored, Route, classify};

const EN: Language = Language::ENGLISH;

#[test]
fn plain_slash_text_is_a_command_or_refused() {
    let cases = [
        ("/status", "command /status {}"),
        ("/status cpu", r#"command /status {"metric":"cpu"}"#),
        ("/status metric: cpu", r#"command /status {"metric":"cpu"}"#),
        ("/status\ncpu", r#"command /status {"metric":"cpu"}"#),
        ("/tasks add buy milk", r#"command /tasks add {"title":"buy milk"}"#),
        ("/tasks\u{a0}done  3", r#"command /tasks done {"task":3}"#),
        ("/measure unit: bits exact: yes share: 0.5", r#"command /measure {"unit":"bits","exact":true,"share":0.5}"#),
        ("/größe", "command /größe {}"),
        ("/gro\u{308}ße", "command /größe {}"),
        ("/sta\u{200b}tus", "command /status {}"),
        // An empty quotation, and a command below it.
        ("\u{a0}> \n/status", "not plain /status: below"),
        ("/tasks li\u{200b}st", "command /tasks list {}"),
        (" \t\n\u{a0}/status", "command /status {}"),
        ("<@42> /status", "command /status {}"),
        ("<@!42>/status", "command /status {}"),
        (" <@42>\n<@!42>  /status", "command /status {}"),
        // The access check decides who may use it: the command exists.
        ("/restart", "command /restart {}"),
        ("/staus", "unknown /staus near [/status]"),
        ("/statusx", "unknown /statusx near [/status]"),
        ("/status@candor", "unknown /status@candor near [/status]"),
        ("/Status", "unknown /Status near [/status]"),
        ("/ＳＴＡＴＵＳ", "unknown /ＳＴＡＴＵＳ near [/status]"),
        ("//status", "unknown //status near [/status]"),
        ("/ x", "unknown / x near []"),
        ("/", "unknown / near []"),
        ("/\u{200b}", "unknown /\u{200b} near []"),
        ("/home/x is full", "unknown /home/x near []"),
        ("<@!42> /x", "unknown /x near []"),
        ("/restar", "unknown /restar near []"),
        ("/tasks history", "no subcommand /tasks history of [/tasks add, /tasks list, /tasks done]"),
        ("/secrets steal", "no subcommand /secrets steal of []"),
        ("/search words: x", "for chat alone /search"),
        ("/weather", "unavailable /weather of clouds"),
        ("/weather tomorrow", "unavailable /weather of clouds"),
        ("/tasks import list.txt", "unavailable /tasks import of fixture"),
        ("/club member expel", "unavailable /club member expel of fixture"),
        ("/club list", "command /club list {}"),
        ("/club member add person: <@!5>", r#"command /club member add {"person":{"id":"5"}}"#),
        ("/club member add person: <@5> fee: half", r#"command /club member add {"person":{"id":"5"},"fee":5}"#),
        ("/club member add person: <@5> fee: 10", r#"command /club member add {"person":{"id":"5"},"fee":10}"#),
        ("/club member drop <@&9>", r#"command /club member drop {"whom":{"type":"role","id":"9"}}"#),
        ("/club member drop <@9>", r#"command /club member drop {"whom":{"type":"user","id":"9"}}"#),
        ("/club mem\u{200b}ber\n drop  <@9>", r#"command /club member drop {"whom":{"type":"user","id":"9"}}"#),
        ("/club add", "no subcommand /club add of [/club list, /club member]"),
        (
            "/club member ban",
            "no subcommand /club member ban of [/club member add, /club member drop, /club member badge]",
        ),
        // A context-menu command is no slash command.
        ("/Report", "unknown /Report near []"),
        ("/Cloud", "unknown /Cloud near []"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&typed(text)), expected, "{text:?}");
    }
}

#[test]
fn a_message_that_is_only_the_name_of_a_command_is_not_left_to_the_model() {
    let cases = [
        ("status", "named /status with a button"),
        ("Status!", "named /status with a button"),
        ("status()", "named /status with a button"),
        ("`status();`", "named /status with a button"),
        ("!status", "named /status with a button"),
        (".status", "named /status with a button"),
        ("<@42> call the function status", "named /status with a button"),
        ("Run the status command.", "named /status with a button"),
        ("execute tasks list", "named /tasks list with a button"),
        ("tasks_list", "named /tasks list with a button"),
        ("Tasks_Add()", "named /tasks add with a button"),
        ("use tool club_member_drop", "named /club member drop"),
        ("status ( )", "named /status with a button"),
        ("tasks.list", "named /tasks list with a button"),
        ("functions.tasks_list()", "named /tasks list with a button"),
        ("Please call status()", "named /status with a button"),
        ("run: tasks list, please!", "named /tasks list with a button"),
        ("Bitte führe den Befehl status aus.", "named /status with a button"),
        ("rufe die Funktion tasks_list() auf", "named /tasks list with a button"),
        ("rufe die Funktion tasks_list auf", "named /tasks list with a button"),
        ("gro\u{308}ße", "named /größe with a button"),
        // A command with subcommands says which there are.
        ("tasks", "named /tasks"),
        ("help", "named /help with a button"),
        // What others may use, what failed its check, and what is for the model alone.
        ("restart", "named /restart"),
        ("secrets", "named /secrets show"),
        ("secrets_turn()", "named /secrets turn"),
        ("weather", "named /weather: unavailable /weather of clouds"),
        ("run club_member_expel", "named /club member expel: unavailable /club member expel of fixture"),
        ("search()", "named /search: for chat alone /search"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&typed(text)), expected, "{text:?}");
    }
    // More than a name is for the model.
    for text in [
        "status cpu",
        "status?",
        "run",
        "the status",
        "the function",
        "status(cpu)",
        "status() status()",
        "my tasks",
        "status\nplease",
    ] {
        assert_eq!(shown(&typed(text)), format!("chat {text}"), "{text:?}");
    }
    // As an answer to something it is part of a talk.
    let quoting = CameWith { quoted: vec![Quoted::Gone], ..CameWith::default() };
    let reply = Inbound::Message(Message { came_with: quoting, ..message("status") });
    assert_eq!(shown(&classify(&reply, &catalog(false))), "chat status");
}

#[test]
fn a_command_with_arguments_that_do_not_fit_says_which() {
    let takes = say!(EN, "argument-takes", options = "`person`, `fee`");
    let cases = [
        ("/tasks", "/tasks", say!(EN, "argument-subcommand")),
        ("/tasks add", "/tasks add", say!(EN, "argument-missing", option = "title")),
        ("/tasks done milk", "/tasks done", format!("`task` {}", say!(EN, "misfit-integer"))),
        ("/tasks list all", "/tasks list", say!(EN, "argument-none", typed = "all")),
        ("/help me", "/help", say!(EN, "argument-none", typed = "me")),
        ("/measure unit: bits unit: bits", "/measure", say!(EN, "argument-twice", option = "unit")),
        ("/club member add <@5>", "/club member add", say!(EN, "argument-before", typed = "<＠5>", takes = takes)),
        (
            "/club member add person: <@5> fee: 7",
            "/club member add",
            format!("`fee` {}", say!(EN, "misfit-choice", known = "`5`, `10`")),
        ),
        ("/club member add person: Ada", "/club member add", format!("`person` {}", say!(EN, "misfit-user"))),
        ("/club member badge me.png", "/club member badge", say!(EN, "argument-file", option = "picture")),
        ("/club", "/club", say!(EN, "argument-subcommand")),
        ("/club member", "/club member", say!(EN, "argument-subcommand")),
        ("`/tasks`", "/tasks", say!(EN, "argument-subcommand")),
    ];
    for (text, path, problem) in cases {
        assert_eq!(shown(&typed(text)), format!("malformed {path}: {problem}"), "{text:?}");
    }
}

/// One table for each way in which slash text can stand other than plainly. None of it runs.
#[test]
fn a_command_that_does_not_stand_plainly_is_refused() {
    let classes: [(&str, &[&str]); 10] = [
        (
            "quote",
            &[
                "> /status",
                ">/status",
                ">>> /status\nplease",
                "> > /status",
                "<@42> > /status\nwhat is this?",
                "<@42> > > /status",
                "   > /status",
                "> /status\n> cpu",
            ],
        ),
        (
            "code",
            &[
                "`/status`",
                "``/status``",
                "```\n/status\n```",
                "```sh\n/status\n```",
                "`/status",
                "`/status` please",
                "`<@42> /status`",
                "`**/status**`",
                "<@42> `/status cpu`",
            ],
        ),
        (
            "quotation-marks",
            &["\"/status\"", "'/status'", "“/status”", "„/status“\u{200b}", "«/status»", "「/status」", "＂/status＂"],
        ),
        ("backslash", &["\\/status", "\\`/status\\`", "<@42> \\/status cpu"]),
        (
            "formatted",
            &[
                "*/status*",
                "**/status** ",
                "_/status_",
                "__/status__",
                "*__/status__*",
                "***/status***",
                "~~/status~~",
                "||/status||",
                "# /status",
                "### /status",
                "-# /status",
                "- /status",
                "- - /status",
                "* /status",
                "1. /status",
                "12) /status",
                "⒈ /status",
                "- # /status",
                "~~/status",
            ],
        ),
        (
            "link",
            &["</status:123>", "</status:123> cpu", "[/status](https://example.org)", "[/status cpu](<https://a.b>)"],
        ),
        (
            "lookalike",
            &[
                "／status",
                "<@42> ／status",
                "\u{2044}status",
                "\u{2215}status cpu",
                "\u{29f8}status",
                "\u{338}status",
                "\u{2cc6}status",
                "\u{2cc7}status",
            ],
        ),
        (
            "hidden",
            &[
                "\u{200b}/status",
                "\u{feff}\u{202e}\u{ad}/status",
                "\u{0}\u{7}/status",
                "\u{301}\u{fe0f}\u{20dd}/status",
                "<@42>\u{200b} /status",
                "   \u{200b}／status",
                "¨/status",
            ],
        ),
        (
            "mention",
            &[
                "<@43> /status",
                "<@!43> /status",
                "<@&3> /status",
                "<@42> <@&3> /status",
                "<#1> /status",
                "<:x:1> /status",
                "<a:x_y:1>/status",
                "<t:1> /status",
                "<t:1:R> /status",
                "<id:guide> /status",
                "@everyone /status",
                "@here\n/status",
                "@Ada: /status",
                "@Two Words /status",
                "<@42> @Ada Lovelace, Countess:  /status cpu",
                "<@43> `/status`",
            ],
        ),
        (
            "below",
            &[
                "thanks!\n/status",
                "thanks!\r\n  /status cpu \r\n",
                "<@42> thanks!\n<@42> /status",
                "> hi\n/status",
                "> one\n> two\n\n<@42> /status",
                "> hi\n**/status**",
                "> hi\n<@42> > /status",
                "> hi\n# > /status",
                "<@42> > hi\n/status",
                ">>> look\n/status",
                ">>look\n/status",
                ">>>look\n/status",
                ">> look\n/status",
                "look:\n```\n/status",
                "look:\n```\nx\n```\n/status",
                "thanks!\n1. /status",
                "thanks!\n- /status cpu",
                "thanks!\n<#1> /status",
                "thanks!\n<:x:1> <@7> /status",
                "thanks!\n@Ada /status",
                "thanks!\n@Two Words /status",
                "• one\n/status\n/nosuch",
                "hi\n/nosuch\n/status",
            ],
        ),
    ];
    for (why, texts) in classes {
        for text in texts {
            assert_eq!(shown(&typed(text)), format!("not plain /status: {why}"), "{text:?}");
        }
    }
}

#[test]
fn a_route_has_a_name_and_what_is_unavailable_may_be_a_part_of_what_works() {
    for (text, name) in [("/status", "command"), ("/staus", "unknown-command"), ("hi", "chat")] {
        assert_eq!(typed(text).name(), name);
    }
    for (text, is_below) in [("/weather", false), ("/tasks import list.txt", true)] {
        let Route::Unavailable(unavailable) = typed(text) else { panic!("{text}") };
        assert_eq!(unavailable.is_below(), is_below, "{text}");
    }
}

#[test]
fn a_command_mention_has_names_and_an_id_and_a_length() {
    let mention = |length: usize| format!("</status:{}>", "1".repeat(length - "status:".len()));
    assert_eq!(shown(&typed(&mention(128))), "not plain /status: link");
    for other in [mention(129), "</status:>".to_owned(), "</status:a1>".to_owned(), "</status>".to_owned()] {
        assert_eq!(shown(&typed(&other)), format!("chat {other}"));
    }
}

#[test]
fn what_is_not_plain_names_its_command_as_far_as_there_is_one() {
    let cases = [
        ("`/tasks remove 3`", "no subcommand /tasks remove of [/tasks add, /tasks list, /tasks done]"),
        ("~~/tasks done 3~~", "not plain /tasks done: formatted"),
        ("</tasks list:5>", "not plain /tasks list: link"),
        ("`/tasks done` 3", "not plain /tasks done: code"),
        ("\"/club member drop <@9>\"", "not plain /club member drop: quotation-marks"),
        ("thanks\n/club mem\u{200b}ber drop <@9>", "not plain /club member drop: below"),
        ("`/größe`", "not plain /größe: code"),
        // Arguments that do not parse do not matter where nothing runs.
        ("`/tasks done milk`", "not plain /tasks done: code"),
        ("`/restart`", "not plain /restart: code"),
        ("**/staus**", "unknown /staus near [/status]"),
        ("`/home/x` is full", "unknown /home/x near []"),
        ("<@43> /x", "unknown /x near []"),
        ("> hi\n/x", "unknown /x near []"),
        ("1. /home/x", "unknown /home/x near []"),
        ("`/`", "unknown /` near []"),
        ("'//status'", "unknown //status near [/status]"),
        ("`/weather`", "unavailable /weather of clouds"),
    ];
    for (text, expected) in cases {
        assert_eq!(shown(&typed(text)), expected, "{text:?}");
    }
}

/// L8: what only looks like a slash is on purpose none, which the README says.
#[test]
fn l8_what_only_looks_like_a_slash_is_chat_and_what_reads_as_one_never_is() {
    for text in ["\u{2f03}status", "ノstatus", "\u{ff89}status", "丿status", "ノ status"] {
        assert!(matches!(typed(text), Route::Chat(_)), "{text}");
    }
    for text in ["／status", "\u{2044}status", "\u{2215}status", "\u{29f8}status", "1. /status", "> hi\n/status"] {
        assert!(!matches!(typed(text), Route::Chat(_)), "{text}");
    }
}

#[test]
fn any_other_message_to_the_bot_is_chat_with_its_words_unchanged() {
    let classes: [(&str, &[&str]); 9] = [
        ("words", &["what's our status?", "привет", "ノート", "丿", "???", "(/status)", "{/x}", "【/x】"]),
        (
            "a slash further on",
            &[
                "look in /home/x",
                "run `/status` please",
                "1/2 of it",
                "½ of it",
                "24/7",
                "2026/11/22",
                "./x",
                "he/him",
                "https://example.org/x",
                "</div> closes it",
                ":/",
                "¯\\_(ツ)_/¯",
                "\\_(ツ)_/¯",
                "≠ /x",
                "**hello** /x",
                "@types/node",
                "@/components/x",
                "@Ada look in /x",
                "<@43> what of /status?",
                "<:x:1> look in /x",
                "@Two Words /x",
                "@Two Words /tasks done milk",
                "@Two Words what of /status?",
                "@ A name of more than thirty-two signs /status",
            ],
        ),
        (
            "what Discord shows as text",
            &[
                "~/x is home",
                "~/tasks list",
                "|/|",
                "|/x",
                "~~~/x~~~",
                "*/5 * * * *",
                "*/status cpu",
                "_/x",
                "#/x",
                "####  /x",
                "-/x",
                "--/x",
                "1./x",
                "1 /x",
                "[/INST] hi",
                "[/x] (y)",
                "<@42 /status",
                "<x:y> /status",
                "<@+42> /status",
                "<@> /x",
                "@ /x",
                "***",
                "¨",
            ],
        ),
        (
            "bullets and signs",
            &["• /x", "→ /x", "— /x", "+ /x", "$ /x", "! /x", "? /x", ". /x", "👍 /x", "1\u{fe0f}\u{20e3} /x"],
        ),
        // A mark ends what the same mark opened neither behind a space nor before anything stands between.
        ("marks that close nothing", &["_/status>\n_", "**_/status", "*>*/status"]),
        ("a quote with an answer", &["> /status\nwhat is this?", "> hi", "> a\n> /status", ">>> look"]),
        ("code without a slash", &["```rust\nlet x = 1;\n```", "`x`"]),
        (
            "a line that is no command",
            &[
                "ls:\n/home/x\n/usr",
                "see\n/staus",
                "see\n/tasks",
                "see\n/tasks done milk",
                "see\n/help me",
                "see\n/weather",
                "see\n//status",
                "see\n`/status`",
                "see\n／status",
                "see\n\u{200b}/status",
                "see\n> /status",
                "see\n- the /status",
                "see\n1./status",
                "see\n**/status**",
                "what does this do?\n```\n/status\n```",
                "look:\n```sh\n/status\n1. /status\n``` and\n> /status",
                "```\nx\n/status\n```",
                "see\nthe /status",
            ],
        ),
        ("no words to strip", &["<@43>", "<t:1>", "**bold**", "1. one\n2. two", "# Title\ntext", "- item"]),
    ];
    for (class, texts) in classes {
        for text in texts {
            assert_eq!(shown(&typed(text)), format!("chat {text}"), "{class}");
            let mentioned = format!(" <@42> <@!42> {text}\n");
            let starts_quote = text.starts_with('>');
            assert!(starts_quote || shown(&typed(&mentioned)) == format!("chat {text}"), "{class}: {mentioned:?}");
        }
    }
    for text in ["", " \n", "<@42>", "\u{200b}", "<@42> <@!42>\u{200b}", "\u{200b}\u{2800}\u{3164}"] {
        assert_eq!(shown(&typed(text)), "ignore Empty", "{text:?}");
    }
}

#[test]
fn a_message_that_is_not_a_persons_word_to_the_bot_is_ignored() {
    let cases = [
        (AuthorKind::Bot, Addressed::Mention, Ignored::FromBot),
        (AuthorKind::Itself, Addressed::ChatChannel, Ignored::FromBot),
        (AuthorKind::Webhook, Addressed::Mention, Ignored::FromWebhook),
        (AuthorKind::Notice, Addressed::Direct, Ignored::Notice),
        (AuthorKind::Person, Addressed::No, Ignored::NotAddressed),
    ];
    for (author, addressed, expected) in cases {
        for text in ["/status", "hello"] {
            let inbound = Inbound::Message(Message { author, addressed, ..message(text) });
            assert_eq!(classify(&inbound, &catalog(true)), Route::Ignore(expected), "{author:?} {text}");
        }
    }
    for addressed in [Addressed::Mention, Addressed::Direct, Addressed::Reply, Addressed::ChatChannel] {
        let inbound = Inbound::Message(Message { addressed, ..message("/status") });
        assert_eq!(shown(&classify(&inbound, &catalog(false))), "command /status {}", "{addressed:?}");
    }
}

#[test]
fn going_on_is_chat_in_the_routers_own_words() {
    let Message { id, caller, place, .. } = message("");
    match classify(&Inbound::GoOn(GoOn { id, caller, place, turn: 1 }), &catalog(false)) {
        Route::Chat(words) => assert_eq!(words.as_str(), say!(EN, "go-on-words")),
        other => panic!("{}", other.name()),
    }
}

#[test]
fn a_message_without_words_is_answered_if_it_calls_the_bot_or_comes_with_something() {
    let file = AttachedFile { name: "a.png".to_owned(), media_type: None, bytes: 1, url: String::new() };
    let picture = CameWith { files: vec![file], ..CameWith::default() };
    let reply = CameWith { quoted: vec![Quoted::Gone], ..CameWith::default() };
    let nothing = CameWith::default();
    let (look, alone) = (say!(EN, "wordless-words"), say!(EN, "mention-alone-words"));
    let cases = [
        (Addressed::Mention, "<@42>", &picture, Some(&look)),
        (Addressed::Mention, "<@42>", &reply, Some(&look)),
        (Addressed::Mention, "<@42> ", &nothing, Some(&alone)),
        (Addressed::Direct, "", &picture, Some(&look)),
        (Addressed::ChatChannel, "", &picture, Some(&look)),
        (Addressed::Direct, "", &nothing, None),
        (Addressed::ChatChannel, "\u{200b}", &nothing, None),
        (Addressed::No, "", &picture, None),
    ];
    for (addressed, text, came_with, expected) in cases {
        let inbound = Inbound::Message(Message { addressed, came_with: came_with.clone(), ..message(text) });
        match (classify(&inbound, &catalog(true)), expected) {
            (Route::Chat(words), Some(expected)) => assert_eq!(words.as_str(), expected, "{addressed:?}"),
            (Route::Ignore(_), None) => {}
            (route, _) => panic!("{addressed:?} {text:?}: {}", route.name()),
        }
    }
}

#[test]
fn what_came_with_a_message_is_never_read_for_commands() {
    let quoted = QuotedMessage {
        id: EventId(9),
        by: QuotedAuthor::Other("/status".to_owned()),
        text: "/status".to_owned(),
        sent: UNIX_EPOCH,
        files: vec![AttachedFile { name: "/status".to_owned(), media_type: None, bytes: 7, url: "/status".to_owned() }],
        replies_to: None,
    };
    let mentioned = vec![MentionedPerson { id: UserId(9), name: "/status\n/status".to_owned() }];
    let came_with = CameWith { quoted: vec![Quoted::Message(quoted)], mentioned, ..CameWith::default() };
    for (text, expected) in [("what of this?", "chat what of this?"), ("<@9> there", "chat @/status /status there")] {
        let inbound = Inbound::Message(Message { came_with: came_with.clone(), ..message(text) });
        assert_eq!(shown(&classify(&inbound, &catalog(true))), expected);
    }
}
