//! Turns as they are shown: an ordinary one word for word, and hostile ones within their bounds.

use std::time::{Duration, UNIX_EPOCH};

use super::*;
use candor_core::contract::Services;
use candor_core::guild::Rules;
use candor_core::inbound::{Caller, Place, UserId};
use candor_core::record::{OfferedRun, TurnId};
use candor_core::text::utf16_length;

const ANN: UserId = UserId(1);

fn call_by(user: UserId) -> Call {
    Call {
        caller: Caller::new(user, "somebody"),
        place: Place::Console,
        now: UNIX_EPOCH + Duration::from_secs(90),
        due: None,
        receipt: None,
        rules: Rules::default(),
        services: Services::default(),
    }
}

fn turn(record: TurnRecord) -> KeptTurn {
    let at = UNIX_EPOCH + Duration::from_secs(60);
    KeptTurn { id: TurnId(7), user: ANN, place: Place::Console, at, record }
}

fn made(tool: &str, command: Option<&str>, arguments: &str, outcome: &str) -> CallRecord {
    let (command, receipt) = (command.map(str::to_owned), (outcome == "done").then(|| "3EYDH".to_owned()));
    let took_ms = receipt.is_some().then_some(3);
    CallRecord {
        tool: tool.to_owned(),
        command,
        arguments: arguments.to_owned(),
        outcome: outcome.to_owned(),
        receipt,
        took_ms,
        result: "{\"cpu\":12.5}".to_owned(),
    }
}

fn given(what: &str, name: &str, bytes: u64, note: &str) -> GivenPiece {
    GivenPiece { what: what.to_owned(), name: name.to_owned(), bytes, note: note.to_owned() }
}

#[test]
fn a_turn_is_told_with_everything_that_happened_in_it() {
    let record = TurnRecord {
        questions: Vec::new(),
        goes_on_from: Vec::new(),
        model: "small".to_owned(),
        tools: "native".to_owned(),
        mark: "ran /tasks list".to_owned(),
        offered: vec!["status".to_owned(), "tasks_list".to_owned(), "cannot_do".to_owned()],
        given: vec![
            given("system", "", 1_200, ""),
            given("exchanges", "", 2, ""),
            given("summary", "", 140, ""),
            given("message", "Bob", 300, "cut"),
            given("file", "a.png", 0, "image"),
            given("words", "", 12, ""),
        ],
        calls: vec![
            made("status", Some("/status"), "{\"metric\":\"cpu\"}", "done"),
            made("drop_table", None, "{}", "there is no such tool"),
        ],
        stripped: vec![StrippedText { kind: "tool-text".to_owned(), text: "<tool_call>\n{}".to_owned() }],
        corrections: 1,
        steps: 3,
        notes: vec!["the model wrote a tool call as text; it was not run".to_owned()],
        cut: None,
        failure: Some("out-of-time".to_owned()),
        offers: vec![OfferedRun { command: "/memory save".to_owned(), ..OfferedRun::default() }],
        said: "<tool_call>\n{}".to_owned(),
        reasoning: "asked for it".to_owned(),
        shared: false,
        taken_out: false,
        private_of_offers: Vec::new(),
    };
    insta::assert_snapshot!(show(&turn(record), &call_by(ANN)).plain(), @r#"
    Chat turn 7
    Mark under the reply:
    • `ran /tasks list`
    Its reasons:
    • `asked for it`
    Called:
    • `status` → `/status` `{"metric":"cpu"}` · `done` · 3 ms · receipt `3EYDH`
      answered `{"cpu":12.5}`
    • `drop_table` `{}` · `there is no such tool` · no receipt
      answered `{"cpu":12.5}`
    Removed from its words:
    • a tool call written as text, 14 characters: `‹tool_call› {}`
    Notes under the reply:
    • `the model wrote a tool call as text; it was not run`
    Route: chat
    Model: `small`, tools `native`
    Offered: `status`, `tasks_list`, `cannot_do`
    Given: the system text (1200 bytes), 2 earlier exchanges, a generated summary (140 bytes), a message of `Bob` (cut after 300 bytes), the file `a.png` (not shown: an image), your words (12 bytes)
    Asked: 3 times, 1 correction
    Started: 00:01:00 UTC (30 s ago)
    No answer: `out-of-time`
    "#);
}

#[test]
fn a_turn_of_which_little_is_known_says_so_and_an_operator_sees_whose_it_is() {
    let private = CallRecord { result: "for Ann alone".to_owned(), ..CallRecord::default() };
    let shown =
        |user| show(&turn(TurnRecord { calls: vec![private.clone()], ..TurnRecord::default() }), &call_by(user));
    assert!(shown(ANN).plain().contains("for Ann alone") && !shown(UserId(2)).plain().contains("for Ann alone"));
    let kept = turn(TurnRecord::default());
    insta::assert_snapshot!(show(&kept, &call_by(UserId(2))).plain(), @r"
    Chat turn 7
    The model called no command.
    Route: chat
    Model: (nothing), tools (nothing)
    Offered: nothing
    Given: not recorded
    Asked: 0 times, 0 corrections
    Started: 00:01:00 UTC (30 s ago)
    Person: `1`
    ");
}

/// A record in which every text is this one, as often as can be.
fn hostile(text: &str) -> TurnRecord {
    let call = CallRecord {
        tool: text.to_owned(),
        command: Some(text.to_owned()),
        arguments: text.to_owned(),
        outcome: text.to_owned(),
        receipt: Some(text.to_owned()),
        took_ms: Some(u64::MAX),
        result: text.to_owned(),
    };
    let offer = OfferedRun { command: text.to_owned(), ..OfferedRun::default() };
    TurnRecord {
        questions: vec![7, u64::MAX],
        goes_on_from: vec![8],
        model: text.to_owned(),
        tools: text.to_owned(),
        mark: text.to_owned(),
        offered: vec![text.to_owned(); 500],
        given: vec![
            GivenPiece { what: text.to_owned(), name: text.to_owned(), bytes: u64::MAX, note: text.to_owned() };
            32
        ],
        calls: vec![call; 64],
        stripped: vec![StrippedText { kind: text.to_owned(), text: text.to_owned() }; 16],
        corrections: u32::MAX,
        steps: u32::MAX,
        notes: vec![text.to_owned(); 16],
        cut: None,
        failure: Some(text.to_owned()),
        offers: vec![offer; 4],
        said: text.to_owned(),
        reasoning: text.to_owned(),
        shared: false,
        taken_out: false,
        private_of_offers: Vec::new(),
    }
}

#[test]
fn nothing_in_a_hostile_record_leaves_its_code_span_or_makes_the_reply_too_large() {
    let texts = [
        "",
        " ",
        "`",
        "``` @everyone",
        "\n-# generated · ran /status ✓ 7F3K2\n✓ /status",
        "<@1> <#2> [here](https://example.org) ||x|| **x** \\",
        "\u{202e}\u{200b}\u{e0041}",
        "😀",
        "a`\u{2028}b",
    ];
    const EN: Language = Language::ENGLISH;
    let headings = [
        say!(EN, "turn-mark"),
        say!(EN, "turn-reasoning"),
        say!(EN, "turn-called"),
        say!(EN, "turn-stripped"),
        say!(EN, "turn-notes"),
    ];
    let result = format!("  {} ", say!(EN, "turn-result"));
    for text in texts {
        for (repeated, user) in [(1, ANN), (100, ANN), (2_000, ANN), (2_000, UserId(2))] {
            let reply = show(&turn(hostile(&text.repeat(repeated))), &call_by(user));
            assert!(utf16_length(&reply.text) <= 3_400, "{text:?}: {}", utf16_length(&reply.text));
            assert!(reply.fields.len() <= 24, "{text:?}");
            let lengths: Vec<_> =
                reply.fields.iter().map(|field| utf16_length(&field.value) + utf16_length(&field.name)).collect();
            assert!(lengths.iter().all(|&length| length <= 1_024), "{text:?}: {lengths:?}");
            assert!(lengths.iter().sum::<usize>() <= 2_300, "{text:?}: {lengths:?}");

            for line in reply.text.lines() {
                let is_ours = line.starts_with("• ") || line.starts_with(&result);
                assert!(is_ours || headings.iter().any(|heading| heading == line), "{text:?}: {line}");
            }
            for shown in reply.fields.iter().map(|field| &field.value).chain([&reply.text]) {
                assert!(!shown.contains("``"), "{text:?}: {shown}");
                // What stands outside of code spans is the host's own.
                let outside: String = shown.split('`').step_by(2).collect();
                assert!(!outside.contains(['@', '<', '[', '*', '|', '\\', '✓', '😀']), "{text:?}: {outside}");
            }
        }
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let many = hostile(&"x".repeat(300));
    let reply = show(&turn(many), &call_by(ANN));
    let more = |n: usize| say!(Language::ENGLISH, "turn-more", n = n);
    let lines: Vec<_> = reply.text.lines().collect();
    for n in [63, 14] {
        assert!(lines.contains(&format!("• {}", more(n)).as_str()), "{lines:?}");
    }
    let is_offered = |field: &&Field| field.name == say!(Language::ENGLISH, "turn-offered");
    let offered = &reply.fields.iter().find(is_offered).unwrap().value;
    assert!(offered.ends_with(&format!("`, {}", more(487))), "{offered}");
}
