//! A scenario file, played with the real bot.

use discord_twin::Scenario;

use crate::discord::connected::connect;
use crate::support::said::{ANY, receipt, said};
use candor_core::language::Language;

/// The file, with the bot's sentences in the places of their keys: of each, what stands before a list or an id.
fn scenario() -> Scenario {
    let german = Language::of_locale("de").unwrap();
    let sentences = [
        ("{footer-receipt}", receipt()),
        ("{unknown-subcommand-near}", said!("unknown-subcommand-near", command = "/tasks lst", exist = ANY)),
        ("{unknown-command-near}", said!(in german, "unknown-command-near", command = "/staus", near = "`/status`")),
    ];
    let mut text = include_str!("../scenarios/tasks.jsonl").to_owned();
    for (key, sentence) in sentences {
        text = text.replace(key, sentence.split(ANY).next().unwrap());
    }
    Scenario::read(&text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_things_to_do_goes_as_written() {
    let connected = connect("").await;
    let played = connected.twin.play(&scenario()).await;
    let report = played.unwrap_or_else(|failed| panic!("{failed:?}; log:\n{}", connected.bot.log()));
    assert_eq!((report.n_expectations, report.refused), (7, Vec::new()));
}
