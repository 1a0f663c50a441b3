//! The calculator behind `/calculate`: real processes, which end whatever is worked out in them.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

use discord_twin::{Interaction, Message};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::discord::chat::talking::{connect_to_model, shown};
use crate::programs::STARTER;
use crate::support::bot::Folder;
use crate::support::said::{said, says};
use crate::support::scripted_model::Script;
use candor_engine::builtin::{Calculated, Calculator as _, NotCalculated};
use candor_outside::programs::ProcessCalculator;

/// Far more than 500 ms, for a machine that runs other tests, and far less than what these expressions take.
const SOON: Duration = Duration::from_secs(10);

/// Expressions in which fend never asks whether it is to stop.
const ENDLESS: [&str; 5] = [
    "today + 99999999999999999 days",
    "today - 99999999999 weeks",
    "@2000-01-01 - 99999999999 months",
    "999d999",
    "9d99999999",
];

fn calculator(binary: &str) -> ProcessCalculator {
    ProcessCalculator::started_by(binary.into())
}

/// The result, which is never that the machine is busy.
async fn calculated(expression: &str) -> Result<Calculated, NotCalculated> {
    for _ in 0..200 {
        let began = Instant::now();
        let result = calculator(STARTER).calculate(expression.to_owned(), "2026-11-24".to_owned()).await;
        assert!(began.elapsed() < SOON, "{expression}: {:?}", began.elapsed());
        match result {
            Err(NotCalculated::Busy) => {}
            Err(NotCalculated::Failed(why)) => panic!("{expression}: {why}"),
            result => return result,
        }
    }
    panic!("{expression}: the machine is busy all the time")
}

/// The most time that an answer may take: the promise to people.
const ANSWERS_WITHIN: Duration = Duration::from_millis(500);

/// Checks that an answer comes in time. A machine that runs other tests may hold one up, and not the next ones as well.
async fn answers_in_time(expression: &str) {
    let mut took = Vec::new();
    while took.len() < 5 {
        let began = Instant::now();
        let _answer = calculator(STARTER).calculate(expression.to_owned(), "2026-11-24".to_owned()).await;
        took.push(began.elapsed());
        if began.elapsed() <= ANSWERS_WITHIN {
            return;
        }
    }
    panic!("{expression}: each answer took longer than {ANSWERS_WITHIN:?}: {took:?}");
}

/// The calculating processes of this one. Tests with a bot inside of this process start its own binary for `/calculate`.
fn processes() -> Vec<u32> {
    let starter = fs::canonicalize(STARTER).unwrap();
    let of_this = |id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(") ").and_then(|(_, fields)| fields.split(' ').nth(1));
        let line = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let is_starter = fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|binary| binary == starter);
        parent == Some(&std::process::id().to_string()) && line.contains("__calculate") && is_starter
    };
    let ids = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(of_this).collect()
}

/// All of it in one test: other tests of this process calculate nothing meanwhile.
#[test]
fn whatever_is_written_ends_with_its_process() {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        for endless in ENDLESS {
            assert_eq!(calculated(endless).await, Err(NotCalculated::TooMuch), "{endless}");
            answers_in_time(endless).await;
        }
        for hostile in [
            "1 << 99999999".to_owned(),
            "9^9^9".to_owned(),
            "99!!".to_owned(),
            "10^-10^8".to_owned(),
            "10^1000000".to_owned(),
            "(".repeat(300),
            format!("{}1", "-".repeat(299)),
            format!("9{}", "!".repeat(299)),
            "9^".repeat(149) + "9",
            "(\\x.x x)(\\x.x x)".to_owned(),
            "(x: x x)(x: x x)".to_owned(),
            "f = (x => f x); f 1".to_owned(),
            "sqrt ".repeat(60),
            format!("{}1", "(-".repeat(149)),
            String::new(),
            "\u{0}\u{202e}".to_owned(),
        ] {
            let result = calculated(&hostile).await;
            assert!(result.is_err() || result.is_ok_and(|it| it.value.chars().count() <= 1_200), "{hostile}");
        }
        assert_eq!(calculated("1 + 1").await.unwrap().value, "2");
        assert_eq!(processes(), [0; 0], "each answer came after the end of its process");
    });
    every_expression_of_the_grammar_has_an_answer(&runtime);
    runtime.block_on(async {
        nobody_waits_for_it_and_it_ends_all_the_same().await;
        a_process_has_limits_and_nothing_of_the_bots().await;
        a_missing_binary_is_told().await;
    });
}

/// Expressions with large operands: numbers, dates, dice, shifts, powers, factorials, units, functions.
fn expression() -> impl Strategy<Value = String> {
    let number = prop_oneof![
        (0_u64..100).prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        (1_usize..40).prop_map(|n| "9".repeat(n)),
        (any::<u32>(), any::<u32>()).prop_map(|(whole, part)| format!("{whole}.{part}")),
        (1_u32..1_000_000_000, 1_u32..1_000_000_000).prop_map(|(dice, sides)| format!("{dice}d{sides}")),
        (0_i64..1_000_000_000).prop_map(|n| format!("1e{n}")),
    ];
    let unit =
        prop::sample::select(vec!["", " days", " weeks", " months", " years", " km", " GiB", "!", "%", " celsius"]);
    let date = prop::sample::select(vec!["today", "@2000-01-01", "2026-11-24", "@9999-12-31"]).prop_map(str::to_owned);
    let leaf = prop_oneof![4 => (number, unit).prop_map(|(number, unit)| number + unit), 1 => date];
    let between = prop::sample::select(vec![
        " + ", " - ", " * ", " / ", "^", " << ", " >> ", " mod ", " nCr ", " nPr ", " & ", " xor ", " to ", " of ",
    ]);
    let before = prop::sample::select(vec!["-", "sqrt ", "ln ", "exp ", "sin ", "abs ", "fibonacci ", "(", "roll "]);
    leaf.prop_recursive(3, 8, 2, move |inner| {
        prop_oneof![
            3 => (inner.clone(), between.clone(), inner.clone()).prop_map(|(one, sign, other)| one + sign + &other),
            1 => (before.clone(), inner).prop_map(|(before, inner)| format!("{before}{inner}")),
        ]
    })
}

fn every_expression_of_the_grammar_has_an_answer(runtime: &Runtime) {
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let tested = TestRunner::new(config).run(&expression(), |expression| {
        // Fails, or never returns, if one has no end.
        let _answer = runtime.block_on(calculated(&expression));
        runtime.block_on(answers_in_time(&expression));
        prop_assert_eq!(processes(), Vec::<u32>::new(), "{}", expression);
        Ok(())
    });
    tested.unwrap();
}

async fn nobody_waits_for_it_and_it_ends_all_the_same() {
    for _ in 0..4 {
        let begun = tokio::spawn(calculated(ENDLESS[0]));
        while processes().is_empty() && !begun.is_finished() {
            tokio::task::yield_now().await;
        }
        begun.abort();
    }
    // It has to wait for a turn, and the turns are over when the processes have ended.
    let both = tokio::join!(calculated("1 + 1"), calculated("2 + 2"));
    assert_eq!((both.0.unwrap().value, both.1.unwrap().value), ("2".to_owned(), "4".to_owned()));
    let began = Instant::now();
    while !processes().is_empty() {
        assert!(began.elapsed() < SOON, "{:?} are left", processes());
        tokio::task::yield_now().await;
    }
}

async fn a_process_has_limits_and_nothing_of_the_bots() {
    let seen = loop {
        let running = tokio::spawn(calculated(ENDLESS[0]));
        let seen = loop {
            let read = |id: &u32, what| fs::read_to_string(format!("/proc/{id}/{what}")).unwrap_or_default();
            // Before, its limits are not set.
            let is_calculating = |id: &u32| read(id, "cmdline").ends_with("\0__calculate_limited\0");
            let found = processes().into_iter().find(is_calculating);
            if let Some(found) = found.map(|id| (read(&id, "environ"), read(&id, "limits"))) {
                break Some(found);
            }
            if running.is_finished() {
                break None;
            }
            tokio::task::yield_now().await;
        };
        running.await.unwrap().unwrap_err();
        if let Some(seen) = seen.filter(|(_, limits)| !limits.is_empty()) {
            break seen;
        }
    };
    let (environment, limits) = seen;
    assert_eq!(environment, "");
    let limit = |name: &str| limits.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
    let wanted = BTreeMap::from([("Max cpu time", "1"), ("Max data size", "134217728"), ("Max file size", "0")]);
    for (name, most) in wanted {
        assert_eq!(limit(name), Some(most), "{limits}");
    }
}

async fn a_missing_binary_is_told() {
    let result = calculator("/no/such/binary").calculate("1 + 1".to_owned(), "2026-11-24".to_owned()).await;
    assert!(matches!(&result, Err(NotCalculated::Failed(why)) if why.contains("No such file")), "{result:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn people_and_a_model_are_told_that_it_is_too_much() {
    let call = Script::calls(&[("calculate", json!({ "expression": ENDLESS[0] }))]);
    let (connected, _model) = connect_to_model(vec![call, Script::says("Too much for me.")], "").await;
    let is_told = |text: &str| says(text, said!("calculate-too-much")) || says(text, said!("calculate-busy"));
    let answer = connected.answer(Interaction::slash("calculate").option("expression", ENDLESS[1])).await;
    assert!(is_told(&answer.text()), "{}", answer.text());
    connected.twin.say(Message::to_bot("which day is it in 99999999999999999 days?"));
    shown(&connected, "Too much for me.").await;
    let told = connected.twin.requests().iter().filter(|request| is_told(&request.text())).count();
    assert!(2 <= told, "{}", connected.bot.log());
    let sum = loop {
        let answer = connected.answer(Interaction::slash("calculate").option("expression", "2 + 2")).await.text();
        if !says(&answer, said!("calculate-busy")) {
            break answer;
        }
    };
    assert!(sum.contains("= **4**"), "{sum}");
}

#[test]
fn the_console_calculates_in_the_same_way() {
    let folder = Folder::empty();
    let sum = loop {
        let said = String::from_utf8(folder.console("/calculate 2 + 2\n").stdout).unwrap();
        if !says(&said, said!("calculate-busy")) {
            break said;
        }
    };
    assert!(sum.contains("`2 + 2` = 4"), "{sum}");
}
