//! Summaries of conversations: what they are written from, and what they go with.

use std::time::Duration;

use super::append;
use super::shared::begun;
use crate::store::{NOW, Trial, on_every_engine};
use candor_core::agent::{ConversationKey, Conversations as _, Spoken, Summaries as _, Summary};
use candor_core::inbound::{Caller, ChannelId, GuildId, Place, UserId};
use candor_core::testing::chat;
use candor_engine::{Aging, PersonalKind, PersonalStore as _, Retention as _};
use candor_store::Database;

on_every_engine!(
    a_summary_is_written_from_what_is_not_shown_and_not_summarised_yet,
    a_summary_goes_with_what_went_into_it,
    a_summary_of_what_was_forgotten_meanwhile_is_not_kept,
    a_deleted_message_goes_into_no_summary_and_takes_the_one_it_is_in_along,
    a_shared_summary_goes_with_each_persons_part_also_of_exchanges_that_are_not_kept_any_more,
    an_old_summary_goes_and_a_young_one_stays,
);

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const THERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(3) };
const ANN: UserId = UserId(7);
const BEN: UserId = UserId(8);

fn own(place: Place) -> ConversationKey {
    ConversationKey::new(place, ANN)
}

/// Adds exchanges: `q1` and `a1`, and so on.
async fn talk(store: &Database, key: &ConversationKey, numbers: std::ops::RangeInclusive<u64>) {
    for n in numbers {
        append(store, key, &chat(&format!("q{n}")), &format!("a{n}"), NOW + Duration::from_secs(n)).await;
    }
}

/// Adds an exchange in which these people spoke.
async fn talk_together(store: &Database, people: &[UserId], answer: &str) {
    let spoken: Vec<_> = people.iter().map(|by| Spoken::new(&Caller::new(*by, "somebody"), &chat("words"))).collect();
    let begun = begun(store, HERE, people).await;
    assert!(store.append_spoken(&begun, &spoken, answer, NOW).await.unwrap());
}

/// Summarises all but the newest exchange.
pub(crate) async fn summarise(store: &Database, key: &ConversationKey, text: &str) -> bool {
    let of = store.to_summarise(key, 1, 9).await.unwrap();
    store.keep_summary(key, &of, text).await.unwrap()
}

async fn text(store: &Database, key: &ConversationKey) -> Option<String> {
    store.summary(key).await.unwrap().map(|summary| summary.text)
}

async fn a_summary_is_written_from_what_is_not_shown_and_not_summarised_yet(trial: Trial) {
    let store = trial.open().await;
    let key = own(HERE);
    talk(&store, &key, 1..=5).await;
    talk(&store, &own(THERE), 1..=1).await;
    let said = async |n_shown, limit| {
        let of = store.to_summarise(&key, n_shown, limit).await.unwrap();
        of.exchanges.iter().map(|unshown| unshown.exchange.said().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(said(2, 9).await, ["q1", "q2", "q3"]);
    assert_eq!(said(2, 2).await, ["q1", "q2"]);
    assert_eq!(said(5, 9).await, [""; 0]);
    let of = store.to_summarise(&key, 2, 2).await.unwrap();
    assert!(store.keep_summary(&key, &of, "of two").await.unwrap());
    assert!(!store.keep_summary(&key, &of, "of two again").await.unwrap(), "they are in it by now");
    let of = store.to_summarise(&key, 2, 9).await.unwrap();
    assert_eq!(of.before.as_ref().map(|before| before.text.as_str()), Some("of two"));
    assert_eq!(said(2, 9).await, ["q3"]);
    assert!(store.keep_summary(&key, &of, "of three").await.unwrap());
    let store = trial.restart(store).await;
    let Summary { text, n_exchanges, .. } = store.summary(&key).await.unwrap().unwrap();
    assert_eq!((text.as_str(), n_exchanges), ("of three", 3));
    assert_eq!(store.summary(&own(THERE)).await.unwrap(), None);
    let nothing = store.to_summarise(&key, 2, 9).await.unwrap();
    assert!(!store.keep_summary(&key, &nothing, "of nothing").await.unwrap());
}

async fn a_summary_goes_with_what_went_into_it(trial: Trial) {
    let store = trial.open().await;
    for is_cleared in [true, false] {
        for place in [HERE, THERE] {
            talk(&store, &own(place), 1..=3).await;
            assert!(summarise(&store, &own(place), "of two").await);
        }
        match is_cleared {
            true => drop(store.clear(&own(HERE)).await.unwrap()),
            false => {
                let person = store.person(ANN).await.unwrap();
                while store.erase_part(&person, PersonalKind::Conversations).await.unwrap() != 0 {}
            }
        }
        assert_eq!(text(&store, &own(HERE)).await, None);
        assert_eq!(text(&store, &own(THERE)).await, is_cleared.then(|| "of two".to_owned()));
        store.clear(&own(THERE)).await.unwrap();
    }
}

async fn a_summary_of_what_was_forgotten_meanwhile_is_not_kept(trial: Trial) {
    let store = trial.open().await;
    let key = own(HERE);
    talk(&store, &key, 1..=3).await;
    let of = store.to_summarise(&key, 1, 9).await.unwrap();
    store.clear(&key).await.unwrap();
    assert!(!store.keep_summary(&key, &of, "cleared").await.unwrap());
    talk(&store, &key, 1..=3).await;
    assert!(!store.keep_summary(&key, &of, "of another stretch").await.unwrap());

    // Of one who speaks in what is summarised, and of one who spoke in what was summarised before.
    let shared = ConversationKey::shared(HERE);
    for (people, forgets) in [([ANN, ANN, BEN], ANN), ([BEN, ANN, ANN], BEN)] {
        talk_together(&store, &people[..1], "first").await;
        talk_together(&store, &[ANN, BEN], "second").await;
        assert!(summarise(&store, &shared, "of one").await);
        talk_together(&store, &people[1..], "third").await;
        let of = store.to_summarise(&shared, 1, 9).await.unwrap();
        store.clear_part(HERE, forgets).await.unwrap();
        assert!(!store.keep_summary(&shared, &of, "forgotten").await.unwrap());
        assert_eq!(text(&store, &shared).await, None);
        store.clear(&shared).await.unwrap();
    }
}

async fn a_deleted_message_goes_into_no_summary_and_takes_the_one_it_is_in_along(trial: Trial) {
    let store = trial.open().await;
    let key = own(HERE);
    store.keep_messages(&key, &[99]).await.unwrap();
    for n in 1..=4 {
        talk(&store, &key, n..=n).await;
        store.keep_messages(&key, &[n, n + 100]).await.unwrap();
    }
    let other = own(THERE);
    talk(&store, &other, 1..=2).await;
    assert!(summarise(&store, &other, "elsewhere").await);

    // Before, while and after it is summarised.
    assert_eq!(store.messages_are_gone(&[1, 77]).await.unwrap(), 0);
    let of = store.to_summarise(&key, 1, 9).await.unwrap();
    let said: Vec<_> = of.exchanges.iter().map(|unshown| unshown.exchange.said()).collect();
    assert_eq!(said, ["q2", "q3"]);
    store.messages_are_gone(&[102]).await.unwrap();
    assert!(!store.keep_summary(&key, &of, "of two").await.unwrap());
    assert!(summarise(&store, &key, "of the third").await);
    assert_eq!(store.messages_are_gone(&[4]).await.unwrap(), 0, "it is not in it");
    assert_eq!(text(&store, &key).await.as_deref(), Some("of the third"));
    assert_eq!(store.messages_are_gone(&[103, 3]).await.unwrap(), 1);
    assert_eq!(text(&store, &key).await, None);
    assert!(!summarise(&store, &key, "of nothing").await, "nothing is left to summarise");
    assert_eq!(text(&store, &other).await.as_deref(), Some("elsewhere"));
}

async fn a_shared_summary_goes_with_each_persons_part_also_of_exchanges_that_are_not_kept_any_more(trial: Trial) {
    let store = trial.open().await;
    let shared = ConversationKey::shared(HERE);
    for is_erased in [false, true] {
        talk_together(&store, &[ANN], "to ann").await;
        talk_together(&store, &[BEN], "to ben").await;
        talk_together(&store, &[BEN], "to ben").await;
        assert!(summarise(&store, &shared, "of both").await);
        // Only what the summary says is left of them.
        let later = NOW + Duration::from_secs(1);
        while store.remove_old(Aging::Exchanges, later, later).await.unwrap() != 0 {}
        assert_eq!(text(&store, &shared).await.as_deref(), Some("of both"));
        match is_erased {
            false => drop(store.clear_part(HERE, ANN).await.unwrap()),
            true => {
                let person = store.person(ANN).await.unwrap();
                assert_eq!(store.count_of(&person, PersonalKind::Conversations).await.unwrap(), 1);
                while store.erase_part(&person, PersonalKind::Conversations).await.unwrap() != 0 {}
            }
        }
        assert_eq!(text(&store, &shared).await, None);
    }
}

async fn an_old_summary_goes_and_a_young_one_stays(trial: Trial) {
    let store = trial.open().await;
    let (old, young) = (own(HERE), own(THERE));
    talk(&store, &old, 1..=3).await;
    talk(&store, &young, 10..=11).await;
    for key in [&old, &young] {
        assert!(summarise(&store, key, "of some").await);
    }
    // Its oldest exchange counts, also once more went into it.
    talk(&store, &old, 20..=21).await;
    assert!(summarise(&store, &old, "of more").await);
    let before = NOW + Duration::from_secs(5);
    assert_eq!(store.added(Aging::Summaries, before).await.unwrap(), 1);
    assert_eq!(store.remove_old(Aging::Summaries, before, before).await.unwrap(), 1);
    assert_eq!(text(&store, &old).await, None);
    assert_eq!(text(&store, &young).await.as_deref(), Some("of some"));
}
