//! A scenario file, played with the real bot.

use discord_twin::Scenario;

use crate::discord::commands::connect;

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_things_to_do_goes_as_written() {
    let scenario = Scenario::read(include_str!("../scenarios/tasks.jsonl")).unwrap();
    let connected = connect("").await;
    let played = connected.twin.play(&scenario).await;
    let report = played.unwrap_or_else(|failed| panic!("{failed:?}; log:\n{}", connected.bot.log()));
    assert_eq!((report.n_expectations, report.refused), (7, Vec::new()));
}
