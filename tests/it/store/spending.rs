//! What chat used on a day: added up by every process, and asked before a turn begins.

use std::time::Duration;

use super::{NOW, Trial, on_every_engine};
use candor_core::agent::{Budget, Day, DayLimits, Spending as _, Spent, Subject, Tokens};
use candor_core::inbound::{GuildId, UserId};
use candor_engine::{Aging, Retention as _};

on_every_engine!(
    what_processes_add_at_once_is_all_there,
    of_many_turns_that_begin_at_once_no_more_begin_than_the_limit,
    a_turn_counts_for_all_or_for_none,
    a_day_begins_with_nothing_and_an_old_one_is_removed,
    those_who_used_the_most_are_found,
);

const ANN: Subject = Subject::Person(UserId(7));
const GUILD: Subject = Subject::Guild(GuildId(5));

fn budget(subject: Subject, turns: Option<u64>) -> Budget {
    Budget { subject, limits: DayLimits { tokens: None, turns } }
}

async fn what_processes_add_at_once_is_all_there(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    let day = Day::of(NOW);
    let add = async |store: &candor_store::Database| {
        for _ in 0..20 {
            store.add_tokens(day, &[ANN, Subject::Bot], Tokens { counted: 3, estimated: 1 }).await.unwrap();
        }
    };
    tokio::join!(add(&first), add(&second));
    for (subject, n) in [(ANN, 40), (Subject::Bot, 40), (GUILD, 0)] {
        let tokens = Tokens { counted: 3 * n, estimated: n };
        assert_eq!(first.spent(day, subject).await.unwrap(), Spent { tokens, turns: 0 }, "{subject:?}");
    }
}

async fn of_many_turns_that_begin_at_once_no_more_begin_than_the_limit(trial: Trial) {
    let (first, second) = (trial.open().await, trial.open().await);
    let day = Day::of(NOW);
    let begin = async |store: &candor_store::Database| {
        let mut n_begun = 0;
        for _ in 0..10 {
            let budgets = vec![budget(Subject::Bot, Some(7)), budget(ANN, None)];
            n_begun += u64::from(store.begin_turn(day, budgets).await.unwrap().is_none());
        }
        n_begun
    };
    let (one, other) = tokio::join!(begin(&first), begin(&second));
    assert_eq!(one + other, 7);
    assert_eq!(first.spent(day, ANN).await.unwrap().turns, 7);
}

async fn a_turn_counts_for_all_or_for_none(trial: Trial) {
    let store = trial.open().await;
    let day = Day::of(NOW);
    // What the guild's limit is, who has nothing left, and how many turns each has then.
    let cases = [(None, None, 1), (Some(2), None, 2), (Some(2), Some(GUILD), 2), (None, None, 3)];
    for (limit, used_up, n) in cases {
        let budgets = vec![budget(ANN, None), budget(GUILD, limit), budget(Subject::Bot, None)];
        assert_eq!(store.begin_turn(day, budgets).await.unwrap(), used_up);
        for subject in [ANN, GUILD, Subject::Bot] {
            assert_eq!(store.spent(day, subject).await.unwrap().turns, n, "{subject:?}");
        }
    }
}

async fn a_day_begins_with_nothing_and_an_old_one_is_removed(trial: Trial) {
    let store = trial.open().await;
    let (day, next) = (Day::of(NOW), Day::of(NOW + Duration::from_hours(24)));
    let tokens = Tokens { counted: 5, estimated: 0 };
    store.add_tokens(day, &[ANN], tokens).await.unwrap();
    assert_eq!(store.spent(next, ANN).await.unwrap(), Spent::default());
    store.add_tokens(next, &[ANN], tokens).await.unwrap();
    assert_eq!(store.remove_old(Aging::Spending, next.begins(), next.ends()).await.unwrap(), 1);
    assert_eq!(store.spent(day, ANN).await.unwrap(), Spent::default());
    assert_eq!(store.spent(next, ANN).await.unwrap().tokens, tokens);
}

async fn those_who_used_the_most_are_found(trial: Trial) {
    let store = trial.open().await;
    let (day, next) = (Day::of(NOW), Day::of(NOW + Duration::from_hours(24)));
    let person = |id| Subject::Person(UserId(id));
    let used = |counted, estimated| Tokens { counted, estimated };
    let of_day = [
        (person(1), used(5, 0)),
        (person(2), used(0, 9)),
        (GUILD, used(5, 9)),
        (Subject::Place(6), used(1, 0)),
        (Subject::Bot, used(99, 0)),
    ];
    for (subject, tokens) in of_day {
        store.add_tokens(day, &[subject], tokens).await.unwrap();
    }
    store.add_tokens(next, &[person(3)], used(1_000, 0)).await.unwrap();
    let spent = |counted, estimated| Spent { tokens: used(counted, estimated), turns: 0 };
    let expected =
        [(GUILD, spent(5, 9)), (person(2), spent(0, 9)), (person(1), spent(5, 0)), (Subject::Place(6), spent(1, 0))];
    assert_eq!(store.largest(day, 10).await.unwrap(), expected);
    assert_eq!(store.largest(day, 2).await.unwrap(), expected[..2]);
}
