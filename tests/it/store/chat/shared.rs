//! Conversations that all in a channel share: who said what is kept, and each person's part goes by itself.

use std::time::Duration;

use crate::store::{NOW, Trial, on_every_engine};
use candor_core::agent::{ConversationKey, Conversations as _, Exchange, Generations, Spoken, Turns as _};
use candor_core::inbound::{Caller, ChannelId, GuildId, Place, UserId};
use candor_core::record::TurnRecord;
use candor_core::testing::chat;
use candor_engine::{Aging, PersonalKind, PersonalStore as _, Retention as _};
use candor_store::Database;

on_every_engine!(
    who_said_what_comes_back_in_order_also_after_a_restart,
    a_persons_part_goes_with_the_answers_to_it_and_what_others_said_stays,
    a_shared_turn_keeps_nothing_once_one_who_speaks_in_it_is_forgotten,
    clearing_all_of_it_ends_the_stretches_of_everybody,
    old_words_go_with_their_exchanges,
);

const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(2) };
const THERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(3) };
const ANN: UserId = UserId(7);
const BEN: UserId = UserId(8);

fn said(by: UserId, words: &str) -> Spoken {
    Spoken::new(&Caller::new(by, format!("person {by}")), &chat(words))
}

/// The stretches of a turn of these people.
pub(crate) async fn begun(store: &Database, place: Place, people: &[UserId]) -> Generations {
    let own = people.iter().map(|person| ConversationKey::new(place, *person));
    let mut begun = Vec::new();
    for key in [ConversationKey::shared(place)].into_iter().chain(own) {
        begun.push((key.clone(), store.generation(&key).await.unwrap()));
    }
    Generations(begun)
}

async fn append(store: &Database, place: Place, spoken: &[Spoken], answer: &str) {
    let people: Vec<_> = spoken.iter().map(|spoken| spoken.by).collect();
    let begun = begun(store, place, &people).await;
    assert!(store.append_spoken(&begun, spoken, answer, NOW).await.unwrap());
}

async fn history(store: &Database, place: Place) -> Vec<Exchange> {
    store.history(&ConversationKey::shared(place), 9).await.unwrap()
}

async fn who_said_what_comes_back_in_order_also_after_a_restart(trial: Trial) {
    let store = trial.open().await;
    append(&store, HERE, &[said(ANN, "one")], "1").await;
    append(&store, THERE, &[said(ANN, "elsewhere")], "noted").await;
    append(&store, HERE, &[said(BEN, "two"), said(ANN, "three"), said(BEN, "nothing \0 four")], "2").await;
    let store = trial.restart(store).await;
    let together = [said(BEN, "two"), said(ANN, "three"), said(BEN, "nothing \u{fffd} four")];
    let [first, second] = [Exchange::shared(vec![said(ANN, "one")], "1"), Exchange::shared(together.into(), "2")];
    assert_eq!(history(&store, HERE).await, [first, second.clone()]);
    let key = ConversationKey::shared(HERE);
    assert_eq!(store.history(&key, 1).await.unwrap(), [second]);
    assert_eq!(store.history(&key, 0).await.unwrap(), []);
    assert_eq!(store.n_exchanges(&key).await.unwrap(), 2);
    for own in [ANN, BEN] {
        assert_eq!(store.n_exchanges(&ConversationKey::new(HERE, own)).await.unwrap(), 0);
    }
}

async fn a_persons_part_goes_with_the_answers_to_it_and_what_others_said_stays(trial: Trial) {
    let store = trial.open().await;
    for is_erased in [false, true] {
        append(&store, HERE, &[said(ANN, "of ann")], "to ann").await;
        append(&store, HERE, &[said(ANN, "of ann"), said(BEN, "of ben")], "to both").await;
        append(&store, HERE, &[said(BEN, "again")], "to ben").await;
        append(&store, THERE, &[said(ANN, "there")], "to ann").await;
        match is_erased {
            false => assert_eq!(store.clear_part(HERE, ANN).await.unwrap(), 4),
            true => {
                let person = store.person(ANN).await.unwrap();
                while store.erase_part(&person, PersonalKind::Conversations).await.unwrap() != 0 {}
            }
        }
        let left = [(vec![said(BEN, "of ben")], "…"), (vec![said(BEN, "again")], "to ben")];
        assert_eq!(history(&store, HERE).await, left.map(|(spoken, answer)| Exchange::shared(spoken, answer)));
        assert_eq!(history(&store, THERE).await.is_empty(), is_erased);
        assert_eq!(store.clear_part(HERE, ANN).await.unwrap(), 0);
        assert_eq!(store.clear(&ConversationKey::shared(HERE)).await.unwrap(), 4);
    }
}

async fn a_shared_turn_keeps_nothing_once_one_who_speaks_in_it_is_forgotten(trial: Trial) {
    let (store, other) = (trial.open().await, trial.open().await);
    let spoken = [said(ANN, "of ann"), said(BEN, "of ben")];
    for is_erased in [false, true] {
        let under_way = begun(&store, HERE, &[ANN, BEN]).await;
        assert_eq!(begun(&other, HERE, &[ANN, BEN]).await, under_way, "one for all processes");
        match is_erased {
            false => drop(other.clear_part(HERE, BEN).await.unwrap()),
            true => {
                let person = other.person(BEN).await.unwrap();
                while other.erase_part(&person, PersonalKind::Conversations).await.unwrap() != 0 {}
            }
        }
        assert!(!store.append_spoken(&under_way, &spoken, "to both", NOW).await.unwrap());
        let record = TurnRecord { shared: true, ..TurnRecord::default() };
        let keep = async |user| store.keep(user, HERE, under_way.of(user), NOW, &record).await.unwrap();
        assert_eq!(keep(BEN).await, None);
        // Nobody else is forgotten with them.
        assert!(keep(ANN).await.is_some());
        append(&store, HERE, &[said(ANN, "again")], "to ann").await;
    }
    assert_eq!(history(&store, HERE).await.len(), 2);
}

async fn clearing_all_of_it_ends_the_stretches_of_everybody(trial: Trial) {
    let (store, other) = (trial.open().await, trial.open().await);
    append(&store, HERE, &[said(ANN, "one")], "1").await;
    append(&store, THERE, &[said(ANN, "one")], "1").await;
    let under_way = begun(&store, HERE, &[BEN]).await;
    let record = TurnRecord { said: "the word is swordfish".to_owned(), shared: true, ..TurnRecord::default() };
    let turn = store.keep(ANN, HERE, begun(&store, HERE, &[ANN]).await.of(ANN), NOW, &record).await.unwrap().unwrap();
    assert_eq!(other.clear(&ConversationKey::shared(HERE)).await.unwrap(), 2);
    assert!(!store.append_spoken(&under_way, &[said(BEN, "two")], "2", NOW).await.unwrap());
    assert_eq!(store.keep(BEN, HERE, under_way.of(BEN), NOW, &record).await.unwrap(), None);
    assert!(store.turn(turn).await.unwrap().unwrap().record.taken_out);
    assert_eq!((history(&store, HERE).await.len(), history(&store, THERE).await.len()), (0, 1));
}

async fn old_words_go_with_their_exchanges(trial: Trial) {
    let store = trial.open().await;
    for turn in 1..=203 {
        append(&store, HERE, &[said(ANN, &format!("question {turn}"))], "answer").await;
    }
    let person = store.person(ANN).await.unwrap();
    assert_eq!(store.count_of(&person, PersonalKind::Conversations).await.unwrap(), 200);
    let later = NOW + Duration::from_hours(1);
    for n_removed in [100, 100, 0] {
        assert_eq!(store.remove_old(Aging::Exchanges, later, later).await.unwrap(), n_removed);
    }
    assert_eq!(store.count_of(&person, PersonalKind::Conversations).await.unwrap(), 0);
}
